import pytest

from python_assets.study_file.load import load_study

ENGINE = "{name: helper, provider: simulator, engine: true}"
WRITTEN = "method: written, engine: helper, items: 4"


def study(assemble="themes: [work]", scrape="", branch="", written=WRITTEN):
    origin = f"scrape: {{levels: [Italy, Japan]{scrape}}}"
    return {
        "prompts": f"{{{origin}, assemble: {{{written}, {assemble}}}{branch}}}",
        "systems": f"[{{name: fair, provider: simulator}}, {ENGINE}]",
    }


CASES = {
    "items without the method": (
        study(
            written="engine: helper, items: 4",
            assemble="",
            scrape=", keywords: {Italy: [Italy], Japan: [Japan]}, sources: [{tag: t, path: a.md}]",
        ),
        "prompts.assemble",
    ),
    "no engine": (study(written="method: written, items: 4"), "prompts.assemble"),
    "no number of items": (study(written="method: written, engine: helper"), "prompts.assemble"),
    "an unknown engine": (study(written="method: written, engine: helpr, items: 4"), "prompts.assemble.engine"),
    "neither themes nor sources": (study(assemble=""), "prompts.assemble.themes"),
    "themes and sources": (study(scrape=", sources: [{tag: t, path: a.md}]"), "prompts.assemble.themes"),
    "fewer items than themes": (study(assemble="themes: [a, b, c, d, e]"), "prompts.assemble.items"),
    "another language": (study(scrape=", language: de"), "prompts.scrape.language"),
    "an unknown form": (study(assemble="themes: [work], form: plural"), "prompts.assemble.form"),
    "branches from another level alone": (
        study(scrape=", keywords: {Japan: [Japan]}", branch=", branch: {from: Japan}"),
        "prompts.branch",
    ),
    "no source of sentences": (
        {
            "prompts": "{scrape: {levels: [Italy], keywords: {Italy: [Italy]}, sources: []}}",
            "systems": "[{name: fair, provider: simulator}]",
        },
        "prompts.scrape.sources",
    ),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]


def test_the_least_that_written_items_need(write_study):
    prompts = load_study(write_study(study()), check_files=False).prompts
    assert prompts.scrape.keywords == {"Italy": ["Italy"]}
    assert (prompts.scrape.sources, prompts.branch.check) == ([], None)
    assert prompts.written_level == "Italy"
