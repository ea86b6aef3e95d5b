import json

import pytest

from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import SCRAPE, TEMPLATES, scrape


def test_a_misspelled_key_is_read_as_the_nearest_one_to_find_what_else_is_wrong(mistaken):
    sections = {**SCRAPE, "groping": "[concept]", "measures": "[{name: m, scorr: vadr}]"}
    assert mistaken(sections) == ["groping", "measures[0].scorr", "measures[0].scorer"]


def test_places_after_a_removed_item_are_those_of_the_file(mistaken):
    sections = scrape(sources="[{tag: a}, {tag: b, path: b.md, levels: [Itly]}]")
    assert mistaken(sections) == ["prompts.scrape.sources[0]", "prompts.scrape.sources[1].levels[0]"]


@pytest.mark.parametrize(("text", "keep"), [(None, 12), ("1", 1), ("3", 3)])
def test_so_many_published_runs_are_kept(write_study, text, keep):
    sections = SCRAPE if text is None else {**SCRAPE, "keep": text}
    assert load_study(write_study(sections), check_files=False).keep == keep


@pytest.mark.parametrize("text", ["-1", "0", "some", "1.5", "yes", "true", "1.0"])
def test_only_a_whole_number_of_runs_can_be_kept(mistaken, text):
    assert mistaken({**SCRAPE, "keep": text}) == ["keep"]


def test_what_a_study_says_of_its_report_is_checked_and_part_of_its_hash(write_study, mistaken):
    assert mistaken({**TEMPLATES, "report": "{hide_text: true}"}) == ["report.hide_text"]
    assert mistaken({**TEMPLATES, "report": "{hide_texts: maybe}"}) == ["report.hide_texts"]
    shown, hidden = (
        load_study(write_study({**TEMPLATES, **report}), check_files=False)
        for report in ({}, {"report": "{hide_texts: true}"})
    )
    assert json.loads(shown.config_json)["report"] == {"hide_texts": False}
    assert json.loads(hidden.config_json)["report"] == {"hide_texts": True}
