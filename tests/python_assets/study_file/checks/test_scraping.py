import pytest

from python_assets.study_file.load import load_study

ENGINE = "[{name: fair, provider: simulator}, {name: Writer 1, provider: simulator, engine: true}]"
ARTICLES = "{tag: a, type: synthetic, engine: writer_1, template: 'On {level}.'}"
OTHER_ARTICLES = ARTICLES.replace("On", "Against")
UNKNOWN = "expected a generation with engine: true: 'writer_1'; add a generation of this name with engine: true"


def study(keywords="[Italy]", sources="[{tag: a, path: a.md}]", more="", assemble=""):
    return {
        "prompts": (
            f"{{scrape: {{levels: [Italy], keywords: {{Italy: {keywords}}}, sources: {sources}{more}}}{assemble}}}"
        ),
        "systems": ENGINE,
    }


LANGUAGES = "am, ar, bg, da, de, el, en, es, fa, fr, hi, hy, it, ja, kk, mr, my, nl, pl, ru, sk, ur, zh"

CASES = {
    "a language without rules for sentences": (study(more=", language: pt"), "prompts.scrape.language"),
    "sentences of another language split at the verb": (study(more=", language: de"), "prompts.scrape.language"),
    "a synthetic source by no engine": (
        study(sources="[{tag: a, type: synthetic, engine: fair, template: 'On {level}.'}]"),
        "prompts.scrape.sources[0].engine",
    ),
    "a template without the level": (
        study(sources="[{tag: a, type: synthetic, engine: writer_1, template: On Italy.}]"),
        "prompts.scrape.sources[0].template",
    ),
    "two kinds of articles of one tag": (
        study(sources=f"[{ARTICLES}, {OTHER_ARTICLES}]"),
        "prompts.scrape.sources[1].tag",
    ),
    "levels of a source of one keyword": (
        study(keywords="[{keyword: Rome, sources: [{tag: b, path: b.md, levels: [Italy]}]}]"),
        "prompts.scrape.keywords.Italy[0].sources[0].levels",
    ),
    "a keyword that nothing is searched for": (
        study(keywords="[Italy, {keyword: Rome, use_shared: false}]"),
        "prompts.scrape.keywords.Italy[1].sources",
    ),
    "a wiki source without a contact": (study(sources="[{tag: a, type: wikipedia}]"), "prompts.scrape.wiki.contact"),
    "two kinds of articles of one tag, one of them for a keyword of the level's name": (
        study(sources=f"[{ARTICLES}]", keywords=f"[{{keyword: Italy, sources: [{OTHER_ARTICLES}]}}]"),
        "prompts.scrape.keywords.Italy[0].sources[0].tag",
    ),
    "a finder by no engine": (
        study(keywords="[Italy, {find: llm_inquiries, engine: nobody}]"),
        "prompts.scrape.keywords.Italy[1].engine",
    ),
    "questions by no engine": (study(assemble=", assemble: {engine: nobody}"), "prompts.assemble.engine"),
    "a wiki finder without a contact": (
        study(keywords="[{find: embedding_on_wiki}]", more=", wiki: {}"),
        "prompts.scrape.wiki.contact",
    ),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES.keys())
def test_each_problem_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]


@pytest.mark.parametrize(
    "sections",
    [
        study(keywords="[Italy, {find: llm_inquiries, engine: Writer 1}]", sources=f"[{ARTICLES}]"),
        study(sources="[{tag: a, type: wikipedia}]", more=", wiki: {contact: a@example.org}"),
        study(keywords=f"[{{keyword: Rome, sources: [{ARTICLES}]}}, {{keyword: Po, sources: [{ARTICLES}]}}]"),
    ],
)
def test_sources_and_finders_that_fit_have_no_problem(write_study, sections):
    assert load_study(write_study(sections), check_files=False).engines


def test_sources_that_cannot_be_read_do_not_ask_for_the_contact_of_a_wiki(mistaken, monkeypatch):
    monkeypatch.delenv("PLUMBLINE_UNSET", raising=False)
    unset = "[{tag: a, path: '${PLUMBLINE_UNSET}/a.md'}]"
    assert mistaken(study(sources=unset)) == ["prompts.scrape.sources[0].path"]
    # a finder asks the wiki whatever the sources are
    assert mistaken(study(keywords="[{find: embedding_on_wiki}]", sources=unset)) == [
        "prompts.scrape.sources[0].path",
        "prompts.scrape.wiki.contact",
    ]


def test_questions_are_asked_in_any_language_that_has_rules(write_study):
    assemble = ", assemble: {method: questions, engine: Writer 1}"
    for language in ("de", "zh"):
        load_study(write_study(study(more=f", language: {language}", assemble=assemble)), check_files=False)
