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
        "generations": f"[{{name: fair, provider: simulator}}, {ENGINE}]",
    }


CASES = {
    "a level that nothing leads to": (
        scrape(branch="{from: Ideraland, to: [Ideraland]}"),
        "prompts.scrape.keywords: got nothing; expected keywords for 'Italy', because no branch leads to it; "
        "add them, or add a branch to it, or remove the level",
    ),
    "a branch from an unknown level": (
        scrape(branch="{from: Idraland}"),
        "prompts.branch.from[0]: got \"Idraland\"; expected a level of concept: 'Ideraland', 'Italy'; "
        "did you mean 'Ideraland'?",
    ),
    "a branch from a level without keywords": (
        scrape(branch="{from: [Ideraland, Italy]}"),
        "prompts.branch.from[1]: got \"Italy\"; expected a level with keywords: 'Ideraland'; "
        "add keywords for it",
    ),
    "replacements from several levels": (
        scrape(
            keywords="{Ideraland: [Ideraland], Italy: [Italy]}",
            branch="{replacements: {Italy: {Ideraland: Italy}}}",
        ),
        "prompts.branch.replacements: got \"'Ideraland', 'Italy'\"; expected forms, because there "
        "are 2 levels "
        "to branch from; write the words of every level in forms, or branch from one level",
    ),
    "forms without the level branched from": (
        scrape(branch="{from: Ideraland, forms: {Italy: {name: Italy}}}"),
        "prompts.branch.forms: got nothing; expected the forms of 'Ideraland', which is branched from; "
        "add Ideraland: with the words to replace",
    ),
    "forms with a form missing": (
        scrape(
            branch="{from: Ideraland, forms: {Ideraland: {name: Ideraland, people: Ideralanders}, "
            "Italy: {name: Italy}}}"
        ),
        "prompts.branch.forms.Italy: got [\"name\"]; expected the forms 'name', 'people' for 'Italy'; "
        "add people",
    ),
    "a form without a word": (
        scrape(branch="{from: Ideraland, forms: {Ideraland: {n: []}, Italy: {n: b}}}"),
        "prompts.branch.forms.Ideraland.n: got []; expected a text or at least 1 in the list; write one text",
    ),
    "an unknown source tag": (
        scrape(branch="{from: Ideraland, source_tags: [artcle]}"),
        "prompts.branch.source_tags[0]: got \"artcle\"; expected the tag of a source: 'article'; "
        "did you mean 'article'?",
    ),
    "an unknown engine": (
        scrape(branch="{from: Ideraland, find: {engine: helpr}}"),
        "prompts.branch.find.engine: got \"helpr\"; expected a generation with engine: true: 'helper'; "
        "did you mean 'helper'?",
    ),
    "merging into the name of another level": (
        scrape(levels="[Ideraland, Italy, Japan]", branch="{from: Ideraland, merge: {Italy: [Japan]}}"),
        'prompts.branch.merge.Italy: got "Italy"; expected a name that no other level has; '
        "rename it, or add the level of this name to the list",
    ),
    "merging a level twice": (
        scrape(branch="{from: Ideraland, merge: {A: [Ideraland], B: [Ideraland]}}"),
        "prompts.branch.merge.B[0]: got \"Ideraland\"; expected each level merged once; 'Ideraland' merges "
        "into 'A' already; remove one of them",
    ),
    "declared levels that are merged": (
        scrape(branch="{from: Ideraland, merge: {Land: [Ideraland]}}")
        | {"factors": "{concept: {levels: [Ideraland, Italy]}}"},
        'factors.concept.levels: got ["Ideraland", "Italy"]; expected the levels of prompts.scrape: '
        "'Land', 'Italy'; remove levels here",
    ),
}
SAME_KIND = {
    "replacements for an unknown level": (
        scrape(branch="{from: Ideraland, replacements: {Itly: {Ideraland: Italy}}}"),
        "prompts.branch.replacements.Itly",
        "a level of concept",
    ),
    "forms of an unknown level": (
        scrape(branch="{from: Ideraland, forms: {Ideraland: {n: a}, Italy: {n: b}, Atlantis: {n: c}}}"),
        "prompts.branch.forms.Atlantis",
        "a level of concept",
    ),
    "a pair of an unknown level": (
        scrape(branch="{pairs: [[Ideraland, Itly], [Ideraland, Italy]]}"),
        "prompts.branch.pairs[0][1]",
        "a level of concept",
    ),
    "a pair from a level without keywords": (
        scrape(branch="{pairs: [[Ideraland, Italy], [Italy, Ideraland]]}"),
        "prompts.branch.pairs[1][0]",
        "a level with keywords",
    ),
    "both directions without keywords on one side": (
        scrape(branch="{pairs: [[Ideraland, Italy]], both_directions: true}"),
        "prompts.branch.pairs[0][1]",
        "a level with keywords",
    ),
    "a judge that is no engine": (
        scrape(branch="{from: Ideraland, check: one}"),
        "prompts.branch.check",
        "a generation with engine",
    ),
    "a wish that portable does not have": (
        scrape(branch="{from: Ideraland, portable: mend}"),
        "prompts.branch.portable",
        "one of",
    ),
    "merging an unknown level": (
        scrape(branch="{from: Ideraland, merge: {Land: [Idraland]}}"),
        "prompts.branch.merge.Land[0]",
        "a level of concept",
    ),
}


@pytest.mark.parametrize(("sections", "expected"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_with_field_value_expectation_and_remedy(problem_texts, sections, expected):
    assert problem_texts(sections) == [expected]


@pytest.mark.parametrize(("sections", "field", "kind"), SAME_KIND.values(), ids=SAME_KIND)
def test_a_mistake_of_the_same_kind_is_told_at_its_own_field(mistakes, sections, field, kind):
    assert mistakes(sections) == [(field, kind)]


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
