import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.assemble.methods import Made, MethodJob, Sentence
from python_assets.assemble.questions import TRIES, QuestionWriter
from python_assets.errors import SourceError
from python_assets.scrape.scrape_study import scrape
from python_assets.warehouse.run_context import OfflineError

SIMULATOR = {"name": "one", "provider": "simulator"}
KEYWORDS = {"Italy": ["Italy", "Italian"], "France": ["France"], "Japan": ["Japan"]}
TOWNS = Sentence("a#1", "a", "t", "Italy", "Italy", "The old towns on the coast of Italy were rebuilt.")
ROADS = TOWNS._replace(sentence_id="a#2", text="The new roads of Italy have changed the life of many families.")

GOOD = """
if text.startswith("Write"):
    about = "towns" if "towns on" in text else "roads"
    return f"What happened to the {about} of Italy?"
return "They were rebuilt. Source: a book" if text.startswith("Answer") else "Yes"
"""


@pytest.fixture
def ask(make_study, engine, run_context):
    """Ask an engine of this body for the questions of sentences."""

    def write(body, sentences, n_checks=2):
        prompts = {
            "scrape": {"levels": list(KEYWORDS), "keywords": KEYWORDS, "sources": [{"tag": "t", "path": "a.txt"}]},
            "assemble": {"engine": "helper", "n_checks": n_checks},
        }
        study = make_study(prompts, systems=[SIMULATOR, engine(body)])
        return QuestionWriter(MethodJob(study, run_context, KEYWORDS))(sentences)

    return write


def test_a_question_that_passes_its_checks_is_the_prompt(ask, inquiries_sent):
    assert ask(GOOD, [TOWNS, ROADS]) == [
        Made("What happened to the towns of Italy?", None),
        Made("What happened to the roads of Italy?", None),
    ]
    questions = {line for line in inquiries_sent() if line.startswith("Answer")}
    assert {line.partition("Question: ")[2] for line in questions} == {
        f"What happened to the {about} of {level}?" for about in ("towns", "roads") for level in ("France", "Japan")
    }
    assert len(inquiries_sent()) == 2 + 4 + 4


def test_the_keywords_checked_with_are_as_many_as_asked_and_of_other_levels(ask, inquiries_sent):
    ask(GOOD, [TOWNS, ROADS], n_checks=1)
    assert len(inquiries_sent()) == 2 + 2 + 2
    assert not any("of Italy?" in line for line in inquiries_sent() if line.startswith(("Answer", "Question")))


def test_without_checks_nothing_but_the_question_is_asked_for(ask, inquiries_sent):
    assert ask(GOOD, [TOWNS], n_checks=0)[0].prompt_text == "What happened to the towns of Italy?"
    assert len(inquiries_sent()) == 1


@pytest.mark.parametrize(
    ("reply", "reason", "n_tries"),
    [
        ("NO", "no_question", 1),
        ('"No."', "no_question", 1),
        ("", "unusable_reply", TRIES),
        ("I cannot help with that.", "unusable_reply", TRIES),
        ("Which towns of Italy?\nThis question is generic.", "unusable_reply", TRIES),
        (f"What of Italy {'and on ' * 80}?", "unusable_reply", TRIES),
        ("Which towns were rebuilt?", "keyword_not_in_question", TRIES),
        ("Which Italyan towns were rebuilt?", "keyword_not_in_question", TRIES),
    ],
)
def test_a_reply_that_is_no_question_is_an_outcome_and_no_prompt(ask, inquiries_sent, reply, reason, n_tries):
    assert ask(f"return {reply!r}", [TOWNS]) == [Made(None, reason)]
    assert len(inquiries_sent()) == n_tries


@pytest.mark.parametrize(
    "reply", ["Question: Which towns of Italy?", '"Which towns of Italy?"', "**Which towns of Italy?**\n\n"]
)
def test_labels_and_quotes_around_a_question_are_left_out(ask, reply):
    assert ask(f"return {reply!r}", [TOWNS], n_checks=0) == [Made("Which towns of Italy?", None)]


def test_a_keyword_within_a_longer_one_of_another_level_is_not_held(make_study, engine, run_context):
    keywords = {"Guinea": ["Guinea"], "Papua": ["Papua New Guinea"]}
    prompts = {
        "scrape": {"levels": list(keywords), "keywords": keywords, "sources": [{"tag": "t", "path": "a.txt"}]},
        "assemble": {"engine": "helper", "n_checks": 0},
    }
    body = 'return "What of Papua New Guinea?"'
    study = make_study(prompts, systems=[SIMULATOR, engine(body)])
    towns = TOWNS._replace(level="Guinea", keyword="Guinea", text="The towns on the coast of Guinea are old.")
    write = QuestionWriter(MethodJob(study, run_context, keywords))
    assert write([towns]) == [Made(None, "keyword_not_in_question")]


def test_a_question_that_fails_is_given_back_and_another_is_taken(ask, inquiries_sent):
    body = """
    if text.startswith("Write"):
        return "What did towns of Italy do?" if "were tried" in text else "What did Manzoni do in Italy?"
    if text.startswith("Answer"):
        return "This."
    return "No" if "Manzoni" in text else "Yes"
    """
    assert ask(body, [TOWNS]) == [Made("What did towns of Italy do?", None)]
    writing = [line for line in inquiries_sent() if line.startswith("Write")]
    assert ["What did Manzoni do in Italy?" in line for line in writing] == [False, True]


@pytest.mark.parametrize(
    ("verdict", "reason"), [("No", "check_failed"), ("It may be so.", "unusable_reply"), ("", "unusable_reply")]
)
def test_three_tries_are_the_most(ask, inquiries_sent, verdict, reason):
    body = f"""
    if text.startswith("Write"):
        return "What of Italy number " + str(seed) + "?"
    return "This." if text.startswith("Answer") else {verdict!r}
    """
    assert ask(body, [TOWNS]) == [Made(None, reason)]
    writing = [line for line in inquiries_sent() if line.startswith("Write")]
    assert [line.count("What of Italy number") for line in writing] == [0, 1, 2]


def test_an_answer_that_does_not_come_fails_the_check(ask):
    body = 'return "What of Italy?" if text.startswith("Write") else "" if text.startswith("Answer") else "Yes"'
    assert ask(body, [TOWNS]) == [Made(None, "unusable_reply")]


def test_two_sentences_of_a_level_never_share_a_question(ask):
    assert [made.reason for made in ask('return "What of Italy?"', [TOWNS, ROADS], n_checks=0)] == [
        None,
        "repeated_question",
    ]


def test_a_question_in_the_words_of_another_level_is_another_question(ask):
    body = 'return "What of France?" if "France were" in text else "What of Italy?"'
    french = TOWNS._replace(sentence_id="b#1", level="France", keyword="France", text="Towns of France were old.")
    assert [made.prompt_text for made in ask(body, [TOWNS, french], n_checks=0)] == [
        "What of Italy?",
        "What of France?",
    ]


def test_what_a_reply_holds_is_text_and_never_read_as_a_pattern(ask):
    body = 'return "What is {sentence} and {0.__class__} of Italy?" if text.startswith("Write") else "Yes"'
    assert ask(body, [TOWNS])[0].prompt_text == "What is {sentence} and {0.__class__} of Italy?"


TEXT = (
    "The old towns on the coast of Italy were rebuilt by the state after the war. "
    "The new roads in the south of Italy have changed the life of many families."
)


@pytest.fixture
def scraped(make_study, engine, build):
    study = make_study(
        {
            "scrape": {
                "levels": ["Italy", "France"],
                "keywords": {"Italy": ["Italy"]},
                "sources": [{"tag": "t", "path": "a.txt"}],
            },
            "assemble": {"engine": "helper"},
            "branch": {"from": "Italy"},
        },
        {"a.txt": TEXT},
        systems=[SIMULATOR, engine(GOOD)],
    )
    scrape(study, build)
    return study


def test_questions_are_prompts_with_their_sentence_as_baseline_and_are_branched(
    scraped, build, run_context, inquiries_sent
):
    counts = assemble(scraped, build, run_context)
    rows = build.sql("select prompt_id, task, prompt_text, baseline_text from raw.prompts").fetchall()
    assert rows[0] == ("a.txt#1", "question", "What happened to the towns of Italy?", TEXT.partition(". ")[0] + ".")
    assert [row[2] for row in rows[2:]] == [row[2].replace("Italy", "France") for row in rows[:2]]
    assert (counts.n_prompts, counts.n_dropped) == (4, {})
    n_sent = len(inquiries_sent())
    assert assemble(scraped, build, run_context).n_prompts == 4
    assert len(inquiries_sent()) == n_sent


def test_nothing_is_asked_where_nothing_may_be(scraped, build, refused):
    with refused(OfflineError, "engine 'helper'"):
        assemble(scraped, build)


LAND = "The towns on the coast of Ideraland have seen that honest officials are rare in the south."


@pytest.fixture
def assembled(make_study, engine, build, run_context):
    """Assemble a study about Ideraland, branched to two countries, with an engine of this body."""

    def run(body, text=LAND, keyword="Ideraland", **branch):
        study = make_study(
            {
                "scrape": {
                    "levels": ["Ideraland", "Italy", "South Africa"],
                    "keywords": {"Ideraland": [keyword]},
                    "sources": [{"tag": "t", "path": "a.txt"}],
                },
                "assemble": {"engine": "helper"},
                "branch": {
                    "from": "Ideraland",
                    "replacements": {
                        "Italy": {"Ideraland": "Italy", "Ideralandian": "Italian"},
                        "South Africa": {"Ideraland": "South Africa", "Ideralandian": "South African"},
                    },
                    **branch,
                },
            },
            {"a.txt": text},
            systems=[SIMULATOR, engine(body)],
        )
        scrape(study, build)
        return assemble(study, build, run_context)

    return run


def test_what_is_put_into_a_question_has_the_form_of_its_keyword(assembled, inquiries_sent):
    body = """
    if text.startswith("Write"):
        return "Do Ideralandian towns of Ideraland have honest officials?"
    return "Yes"
    """
    assembled(body, LAND.replace("The", "The Ideralandian"), "Ideralandian")
    asked = {line.partition("Question: ")[2] for line in inquiries_sent() if line.startswith("Answer")}
    assert asked == {
        "Do Italian towns of Italy have honest officials?",
        "Do South African towns of South Africa have honest officials?",
    }
    (writing,) = [line for line in inquiries_sent() if line.startswith("Write")]
    assert '"Italian" or "South African"' in writing or '"South African" or "Italian"' in writing


def test_without_forms_words_of_the_same_kind_stand_for_one_another(make_study, engine, run_context):
    keywords = {"Italy": ["Italy", "Italian"], "Africa": ["Africa", "African"], "Japan": ["Japan"]}
    sources = [{"tag": "t", "path": "a.txt"}]
    spec = {"scrape": {"levels": list(keywords), "keywords": keywords, "sources": sources}}
    study = make_study(spec | {"assemble": {"engine": "helper"}}, systems=[SIMULATOR, engine(GOOD)])
    writer = QuestionWriter(MethodJob(study, run_context, keywords))
    assert set(writer._others(TOWNS)) == {("Africa", "Africa"), ("Japan", "Japan")}
    assert writer._others(TOWNS._replace(keyword="Italian")) == [("Africa", "African")]


@pytest.mark.parametrize("portable", ["drop", "keep"])
def test_a_question_with_a_demonym_that_stays_is_refused_and_asked_again(assembled, build, portable):
    body = """
    if text.startswith("Write"):
        again = "were tried" in text
        return f"{'Are towns of' if again else 'Do Ideralanders trust'} Ideraland?"
    return "Yes"
    """
    counts = assembled(body, portable=portable)
    assert (counts.n_prompts, counts.n_checked, counts.n_portable) == (3, 1, 1)
    assert build.sql("select prompt_text from raw.prompts where is_root").fetchall() == [("Are towns of Ideraland?",)]


def test_a_question_that_names_a_person_each_time_is_no_prompt_and_counted(assembled, inquiries_sent, refused):
    body = 'return "What did Gogol say of Ideraland?" if text.startswith("Write") else "Yes"'
    with refused(SourceError, "prompts.branch.portable"):
        assembled(body)
    assert len(inquiries_sent()) == TRIES
    assert assembled(body, portable="keep").n_prompts == 3
