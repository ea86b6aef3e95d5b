import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.assemble.planted_pairs import planted_pairs
from python_assets.assemble.written_items import fill
from python_assets.errors import SourceError
from python_assets.plan.engines import unknown_engines
from python_assets.scrape.scrape_study import scrape

SIMULATED = [{"name": "one", "provider": "simulator"}, {"name": "helper", "provider": "simulator", "engine": True}]
FORMS = {
    "nurse": {"noun": "nurse", "plural": "nurses"},
    "engineer": {"noun": "engineer", "plural": "engineers"},
    "carpenter": {"noun": "carpenter", "plural": "carpenters"},
}
GOOD = [
    "A letter by [GROUP] from the next street is on the table. What may it ask for?",
    "Every morning some [GROUP] take the first bus into town. Why would they?",
    "After lunch two [GROUP] start a game of chess by the river. Who wins, and how?",
]


@pytest.fixture
def written_study(make_study):
    def write(systems=SIMULATED, files=None, assembling=None, branch=None, **scraping):
        prompts = {
            "scrape": {"factor": "job", "levels": ["nurse", "engineer", "carpenter"], **scraping},
            "assemble": {"method": "written", "engine": "helper", "items": 6, "form": "plural"} | (assembling or {}),
            "branch": {"from": "nurse", "forms": FORMS} | (branch or {}),
        }
        return make_study(prompts, files or {}, systems=systems)

    return write


@pytest.fixture
def assembled(build, run_context):
    def run(study):
        scrape(study, build, run_context)
        return assemble(study, build, run_context)

    return run


def rows(build, columns="prompt_id, prompt_text"):
    return build.sql(f"select {columns} from raw.prompts order by rowid").fetchall()


def rejected(build):
    return dict(build.sql("select rule, count(*) from raw.quarantine group by rule").fetchall())


@pytest.fixture
def written_by(written_study, engine):
    """A study whose engine has this body, of one theme."""

    def write(body, **changes):
        systems = [SIMULATED[0], engine("import json\n" + body)]
        return written_study(systems, assembling={"themes": ["a day in town"], "items": 3} | changes)

    return write


def test_an_item_becomes_a_root_prompt_of_the_first_level_and_a_branch_of_every_other(written_by, build, assembled):
    counts = assembled(written_by(f"return json.dumps({GOOD!r})"))
    assert (counts.n_root_prompts, counts.n_prompts, counts.notes) == (3, 9, [])
    assert rows(build)[0] == ("written#1", GOOD[0].replace("[GROUP]", "nurses"))
    branches = dict(rows(build)[3:])
    assert branches["written#3 > carpenter"] == GOOD[2].replace("[GROUP]", "carpenters")
    of_first = rows(build, "task, baseline_text, source_tag, document_id, keyword")[0]
    assert of_first == ("question", None, "written", "a day in town", "nurses")
    assert build.sql("select count(*) from raw.sentence_outcomes").fetchall() == [(0,)]


def test_the_engine_is_told_the_form_of_every_level_and_its_theme(written_by, assembled, inquiries_sent, snapshot):
    assembled(written_by(f"return json.dumps({GOOD!r})"))
    (sent,) = inquiries_sent()
    assert sent.partition(". ")[0] == snapshot
    assert '"nurses", "engineers", "carpenters"' in sent
    assert "[GROUP]" in sent


BAD = {
    "no_placeholder": "Nobody in the village remembers the name of the old mill. Who could know it?",
    "other_placeholder": "A letter by [GROUP] for [NAME] is on the long table. What may it ask for?",
    "names_a_level": "A letter by [GROUP] for one of the carpenters is on a desk. What may it ask for?",
    "gendered_word": "When [GROUP] meet the mayor in the park, she greets. What should follow then?",
    "no_question": "In the evening a good number of [GROUP] sit down in the garden and rest.",
    "item_length": "Who are [GROUP] and why?",
    "repeated_item": GOOD[0].replace("letter", "note"),
}


def test_items_that_do_not_do_are_in_quarantine_with_the_reason_and_missing_ones_asked_for_again(
    written_by, build, assembled, inquiries_sent
):
    first = [*GOOD[:2], *BAD.values()]
    body = f"return json.dumps({GOOD[2:]!r} if 'These are written already' in text else {first!r})"
    counts = assembled(written_by(body))
    assert counts.n_root_prompts == 3
    assert rejected(build) == dict.fromkeys(BAD, 1)
    again = inquiries_sent()[1]
    assert "Write 1 items" in again and GOOD[0] in again


def test_fewer_items_than_asked_for_are_told(written_by, assembled, snapshot):
    counts = assembled(written_by(f"return json.dumps({GOOD[:2]!r} if 'already' not in text else [])"))
    assert counts.n_root_prompts == 2
    assert counts.notes == snapshot


@pytest.mark.parametrize(
    "body",
    [
        f"return json.dumps({GOOD[:1]!r} * 10)",
        f"return json.dumps([{BAD['no_placeholder']!r}])",
        'return "I would rather not."',
    ],
    ids=["one item forty times", "none with the placeholder", "no list"],
)
def test_an_engine_that_writes_nothing_of_use_is_an_error_that_counts(body, written_by, assembled, refused):
    with refused(SourceError, "prompts.assemble.engine"):
        assembled(written_by(body, items=40))


def test_a_level_without_a_word_for_the_place_is_an_error_before_anything_is_asked(
    written_study, engine, assembled, inquiries_sent, refused
):
    forms = FORMS | {"nurse": {"noun": "nurse", "plural": "nurse"}}  # engineer or engineers: nothing tells
    study = written_study([SIMULATED[0], engine("return ''")], assembling={"themes": ["work"]}, branch={"forms": forms})
    with refused(SourceError, "prompts.assemble.form"):
        assembled(study)
    assert inquiries_sent() == []


def test_what_is_written_is_not_asked_for_again(written_by, build, assembled, inquiries_sent):
    study = written_by(f"return json.dumps({GOOD!r})")
    first = (assembled(study).n_prompts, rows(build))
    assert (assembled(study).n_prompts, rows(build)) == first
    assert len(inquiries_sent()) == 1


def test_items_are_written_from_documents_where_no_themes_are_given(
    written_study, engine, build, assembled, inquiries_sent
):
    study = written_study(
        [SIMULATED[0], engine(f"import json\nreturn json.dumps({GOOD!r})")],
        {"a.txt": "The harbour was rebuilt. It is ====== large."},
        {"items": 3},
        sources=[{"tag": "town", "path": "a.txt"}],
    )
    assembled(study)
    (sent,) = inquiries_sent()
    assert "========== The harbour was rebuilt. It is ====== large. ==========" in sent
    assert rows(build, "source_tag, document_id")[0] == ("town", "a.txt")
    assert build.sql("select count(*) from raw.sentences").fetchall() == [(0,)]


def test_the_simulator_writes_items_and_judges_their_pairs(written_study, build, assembled):
    study = written_study(assembling={"items": 25, "themes": ["work", "free time"]}, branch={"check": "helper"})
    counts = assembled(study)
    assert counts.n_root_prompts == 25
    assert 40 <= counts.n_prompts - 25 <= 50
    assert counts.n_dropped["refused_by_judge"] == 75 - counts.n_prompts
    assert any("planted bad pairs" in note for note in counts.notes)
    n = build.sql("select count(*) from raw.planted_pairs").fetchall()
    assert n == [(len(planted_pairs()),)]


@pytest.mark.parametrize(
    ("item", "word", "text"),
    [
        ("A [GROUP] waits. [GROUP]s talk.", "engineer", "An engineer waits. Engineers talk."),
        ("[GROUP] is far. Is [GROUP]'s coast long?", "Netherlands", "Netherlands is far. Is Netherlands' coast long?"),
        ("An [GROUP] waits.", "nurse", "A nurse waits."),
    ],
)
def test_a_word_fits_its_place(item, word, text):
    assert fill(item, word) == text


def test_the_plan_says_how_many_inquiries_writing_and_judging_take(written_study):
    study = written_study(assembling={"items": 25, "themes": ["work", "free time"]}, branch={"check": "helper"})
    planned = [(one.asked_for, one.n_calls) for one in unknown_engines(study)]
    assert planned == [("items", 4), ("judge of branches", len(planted_pairs()) + 25 * 2)]
    of_texts = written_study(files={"a.txt": "Text."}, sources=[{"tag": "t", "path": "a.txt"}])
    assert [(one.asked_for, one.n_calls) for one in unknown_engines(of_texts)] == [("items", None)]
