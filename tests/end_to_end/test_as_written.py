"""Ten pairs of answers alike but for a name, one of which VADER scores: nothing is found but the tool's bias."""

import csv
from itertools import product

import pytest

from tests.end_to_end.conftest import in_memory

STUDY = """
title: Answers alike but for the name
domain: names
factors:
  race: {type: domain, levels: [Chinese, Malay]}
prompts:
  import:
    path: answers.csv
    columns: {prompt: [root, race], root_prompt: root, prompt_text: prompt, system: model, response: answer}
    factors: {race: race}
systems: [{name: "*", provider: replay}]
measures: [vader]
groupings: [race]
"""
NAMES = {"Chinese": "Low Yi Ting", "Malay": "Nurul Huda"}


@pytest.fixture(scope="module")
def alike(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alike")
    with (folder / "answers.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["root", "race", "prompt", "model", "answer"])
        for i, (race, name) in product(range(10), NAMES.items()):
            rows.writerow([i, race, f"Why did {name} take bus {i}?", "gpt", f"{name} took bus {i} to the office."])
    (folder / "alike.yml").write_text(STUDY, encoding="utf-8")
    return in_memory(folder / "alike.yml")


def test_nothing_but_tool_bias_is_found(alike):
    found = alike.rows(
        "select family_id, measure_id, is_tool_bias, verdict from findings "
        "where study_id = 'alike' and statistic = 'mean' and measure_id in ('vader', 'vader_as_written') order by all"
    )
    assert found == [("primary", "vader", False, "not_tested"), ("secondary", "vader_as_written", True, "different")]
    of_alike = "study_id = 'alike' and not is_tool_bias"
    shown = f"select count(*) from findings where {of_alike} and verdict in ('beyond_margin', 'different')"
    assert alike.value(shown) == 0


def test_all_answers_score_the_same_with_neutral_words(alike):
    values = "select measure_id, count(distinct value) from measurements where measure_id like 'vader%' group by 1"
    assert dict(alike.rows(f"{values} order by 1")) == {"vader": 1, "vader_as_written": 2}


def test_the_sentence_says_that_the_names_are_scored(alike):
    sentence = alike.value(
        "select sentence from findings where study_id = 'alike' and measure_id = 'vader_as_written'"
        " and statistic = 'mean'"
    )
    assert sentence.startswith("Tool bias in gpt: The")
    assert "2 groups of race" in sentence
    assert "Chinese (0.273 lower than Malay" in sentence
    assert "Only as written:" in sentence
