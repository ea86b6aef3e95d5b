"""A study whose statistics are functions beside its file: from the file to the published numbers."""

import numpy as np
import pytest

STUDY = """
title: Statistics of our own
prompts:
  templates:
    texts:
      - {id: "1", text: "Is a {gender} person kind?"}
      - {id: "2", text: "Is a {gender} person fast?"}
      - {id: "3", text: "Is a {gender} person loud?"}
      - {id: "4", text: "Is a {gender} person calm?"}
      - {id: "5", text: "Is a {gender} person late?"}
      - {id: "6", text: "Is a {gender} person wise?"}
    cross: [gender]
factors:
  gender: {levels: [Female, Male, Other]}
systems:
  - {name: made_up, provider: simulator, replicates: 2}
measures: [vader]
analysis:
  permutations: 199
  bootstrap: 200
  statistics: [mean, variance]
  custom_statistics: {average: "mine:average", spread: "mine:spread", picky: "mine:picky", top: max(x)}
  contrasts: [average_difference, spread_difference, picky_difference, top_difference]
  families: {ours: {statistics: [spread], measures: [vader]}}
"""
MINE = """
import numpy as np


def average(values):
    return np.mean(values)


def spread(values):
    return np.abs(values - np.median(values)).mean()


def picky(values):
    raise ValueError("these are not for me")
"""
OF_STUDY = "study_id = 'own_statistics' and measure_id = 'vader'"


@pytest.fixture(scope="module")
def own(run_study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    (folder / "own_statistics.yml").write_text(STUDY, encoding="utf-8")
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    return run_study("own_statistics", PLUMBLINE_STUDIES=str(folder))


@pytest.fixture(scope="module")
def groups(own):
    """The published values of each group."""
    found = own.rows(
        f"select level, list(value order by value) from measurements join prompt_factors using (study_id, prompt_id) "
        f"where {OF_STUDY} and factor = 'gender' and system_id = 'made_up' group by level"
    )
    return {level: np.array(values) for level, values in found}


def statistics(own, name):
    query = f"select group_id, value from summary_statistics where {OF_STUDY} and statistic = ? and calibration = 'raw'"
    return dict(own.rows(f"{query} and system_id = 'made_up'", name))


def test_values_are_those_of_the_functions(own, groups):
    assert {len(values) for values in groups.values()} == {12}
    average, spread = statistics(own, "average"), statistics(own, "spread")
    for group, values in groups.items():
        assert average[group] == pytest.approx(values.mean(), abs=1e-12)
        assert spread[group] == pytest.approx(np.abs(values - np.median(values)).mean(), abs=1e-12)
    assert average == pytest.approx(statistics(own, "mean"), abs=1e-12)


def test_differences_are_those_of_the_built_in_and_have_a_p_that_is_their_hypotheses(own):
    query = f"select group_id, value from contrasts where {OF_STUDY} and contrast = ?"
    average, mean = (dict(own.rows(query, name)) for name in ("average_difference", "mean_difference"))
    assert average == pytest.approx(mean, abs=1e-12)
    told = "reason is null and inference_reason = 'interval_not_validated' and ci_low is null and p_value is not null"
    assert own.value(f"select count(*) from contrasts where {OF_STUDY} and statistic = 'spread' and {told}") == 3
    ((family_id, p, q, outcome),) = own.rows(
        f"select family_id, p_value, q_value, outcome from hypotheses where {OF_STUDY} and statistic = 'spread'"
    )
    of_index = "statistic = 'spread' and metric = 'standard_deviation'"
    assert own.value(f"select p_value from disparities where {OF_STUDY} and {of_index}") == p
    assert (family_id, q) == ("ours", p)  # alone in its set
    assert outcome in ("significant", "inconclusive")


def test_a_function_that_fails_leaves_its_reason_and_is_told_once(own):
    reasons = own.rows(f"select distinct reason from summary_statistics where {OF_STUDY} and statistic = 'picky'")
    assert reasons == [("function_failed",)]
    contrast = f"select distinct reason, value from contrasts where {OF_STUDY} and contrast = 'picky_difference'"
    assert own.rows(contrast) == [("function_failed", None)]
    said = own.done.stdout + own.done.stderr
    assert said.count("these are not for me") == 1


def test_an_expression_beside_it_is_described_alone(own, groups):
    assert statistics(own, "top") == {group: values.max() for group, values in groups.items()}
    tested = f"select count(p_value) from contrasts where {OF_STUDY} and contrast = 'top_difference'"
    assert own.value(tested) == 0


def test_every_hypothesis_that_is_declared_is_accounted_for(own):
    assert own.rows("select * from hypotheses where study_id = 'own_statistics' and outcome = 'not_asked'") == []
