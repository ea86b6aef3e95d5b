from tests.python_assets.study_file.sections import SCRAPE, scrape


def test_a_misspelled_key_is_read_as_the_nearest_one_to_find_what_else_is_wrong(write_study, problems_of):
    sections = {**SCRAPE, "groping": "[concept]", "measures": "[{name: m, extractr: vadr}]"}
    assert [problem.field for problem in problems_of(write_study(sections)).problems] == [
        "groping",
        "measures[0].extractr",
        "measures[0].extractor",
    ]


def test_places_after_a_removed_item_are_those_of_the_file(write_study, problems_of):
    sections = scrape(sources="[{tag: a}, {tag: b, path: b.md, levels: [Itly]}]")
    assert [problem.field for problem in problems_of(write_study(sections)).problems] == [
        "prompts.scrape.sources[0]",
        "prompts.scrape.sources[1].levels[0]",
    ]
