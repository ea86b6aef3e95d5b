import pytest

from python_assets.study_file.load import load_study

ENGINE = "{name: helper, provider: simulator, engine: true}"


def scrape(branch="{from: Ideraland}", **changes):
    parts = {
        "levels": "[Ideraland, Italy]",
        "reference": "Ideraland",
        "keywords": "{Ideraland: [Ideraland]}",
        "sources": "[{tag: article, path: a.md}]",
    }
    content = ", ".join(f"{key}: {value}" for key, value in (parts | changes).items())
    return {
        "prompts": f"{{scrape: {{{content}}}, branch: {branch}}}",
        "systems": f"[{{name: fair, provider: simulator}}, {ENGINE}]",
    }


CASES = {
    "a level that nothing leads to": (scrape(branch="{from: Ideraland, to: [Ideraland]}"), "prompts.scrape.keywords"),
    "a branch from an unknown level": (scrape(branch="{from: Idraland}"), "prompts.branch.from[0]"),
    "a branch from a level without keywords": (scrape(branch="{from: [Ideraland, Italy]}"), "prompts.branch.from[1]"),
    "replacements from several levels": (
        scrape(
            keywords="{Ideraland: [Ideraland], Italy: [Italy]}", branch="{replacements: {Italy: {Ideraland: Italy}}}"
        ),
        "prompts.branch.replacements",
    ),
    "forms without the level branched from": (
        scrape(branch="{from: Ideraland, forms: {Italy: {name: Italy}}}"),
        "prompts.branch.forms",
    ),
    "forms with a form missing": (
        scrape(
            branch="{from: Ideraland, forms: {Ideraland: {name: Ideraland, people: Ideralanders}, "
            "Italy: {name: Italy}}}"
        ),
        "prompts.branch.forms.Italy",
    ),
    "a form without a word": (
        scrape(branch="{from: Ideraland, forms: {Ideraland: {n: []}, Italy: {n: b}}}"),
        "prompts.branch.forms.Ideraland.n",
    ),
    "an unknown source tag": (
        scrape(branch="{from: Ideraland, source_tags: [artcle]}"),
        "prompts.branch.source_tags[0]",
    ),
    "an unknown engine": (scrape(branch="{from: Ideraland, find: {engine: helpr}}"), "prompts.branch.find.engine"),
    "merging into the name of another level": (
        scrape(levels="[Ideraland, Italy, Japan]", branch="{from: Ideraland, merge: {Italy: [Japan]}}"),
        "prompts.branch.merge.Italy",
    ),
    "merging a level twice": (
        scrape(branch="{from: Ideraland, merge: {A: [Ideraland], B: [Ideraland]}}"),
        "prompts.branch.merge.B[0]",
    ),
    "declared levels that are merged": (
        scrape(branch="{from: Ideraland, merge: {Land: [Ideraland]}}")
        | {"factors": "{concept: {levels: [Ideraland, Italy]}}"},
        "factors.concept.levels",
    ),
    "replacements for an unknown level": (
        scrape(branch="{from: Ideraland, replacements: {Itly: {Ideraland: Italy}}}"),
        "prompts.branch.replacements.Itly",
    ),
    "forms of an unknown level": (
        scrape(branch="{from: Ideraland, forms: {Ideraland: {n: a}, Italy: {n: b}, Atlantis: {n: c}}}"),
        "prompts.branch.forms.Atlantis",
    ),
    "a pair of an unknown level": (
        scrape(branch="{pairs: [[Ideraland, Itly], [Ideraland, Italy]]}"),
        "prompts.branch.pairs[0][1]",
    ),
    "a pair from a level without keywords": (
        scrape(branch="{pairs: [[Ideraland, Italy], [Italy, Ideraland]]}"),
        "prompts.branch.pairs[1][0]",
    ),
    "both directions without keywords on one side": (
        scrape(branch="{pairs: [[Ideraland, Italy]], both_directions: true}"),
        "prompts.branch.pairs[0][1]",
    ),
    "a judge that is no engine": (scrape(branch="{from: Ideraland, check: one}"), "prompts.branch.check"),
    "a wish that portable does not have": (
        scrape(branch="{from: Ideraland, portable: mend}"),
        "prompts.branch.portable",
    ),
    "merging an unknown level": (
        scrape(branch="{from: Ideraland, merge: {Land: [Idraland]}}"),
        "prompts.branch.merge.Land[0]",
    ),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]


@pytest.mark.parametrize("reference", ["Ideraland", "Land"])
def test_levels_that_merge_are_one_level_of_the_factor(write_study, reference):
    sections = scrape(branch="{from: Ideraland, merge: {Land: [Ideraland]}}", reference=reference)
    study = load_study(write_study(sections), check_files=False)
    assert study.prompts.scraped_levels == ["Land", "Italy"]


def test_levels_of_one_merged_level_are_not_branched_to_one_another(write_study):
    sections = scrape(
        levels="[bad, ok, Apple]",
        reference="Apple",
        keywords="{bad: [bad], ok: [ok]}",
        branch="{merge: {X: [bad, ok]}}",
    )
    prompts = load_study(write_study(sections), check_files=False).prompts
    assert [ends for ends in prompts.branch.ends(prompts.scrape.levels) if ends[0] != "Apple"] == [
        ("bad", "Apple"),
        ("ok", "Apple"),
    ]
