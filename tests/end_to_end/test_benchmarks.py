"""The studies of real benchmarks, as their files say; skipped where PLUMBLINE_DATA has none."""

import pytest

from python_assets.plan.plan import plan_study
from python_assets.study_file.load import load_study
from tests.end_to_end.conftest import ROOT

MODELS = {"unifiedqa_race", "unifiedqa_arc", "unifiedqa_qonly"}


def needs(data_folder, folder):
    if not (data_folder / folder).is_dir():
        pytest.skip(f"PLUMBLINE_DATA has no {folder}")


@pytest.fixture(scope="session")
def bbq(run_study, data_folder, with_few_draws):
    needs(data_folder, "bbq")
    return run_study("bbq", PLUMBLINE_DATA=str(data_folder), PLUMBLINE_STUDIES=with_few_draws("bbq"))


@pytest.mark.parametrize("grouping", ["context_condition", "question_polarity"])
def test_factors_that_every_hypothesis_varies_have_a_p_in_every_model(bbq, grouping):
    found = bbq.rows(
        """
        select system_id, p_value between 0 and 1, n_units, scope, inference_reason from findings
        where grouping_id = ? and measure_id = 'incorrect' and slice_id = 'all' and study_id = 'bbq'
          and calibration = 'raw' and statistic = 'mean'
        """,
        grouping,
    )
    assert set(found) == {(model, True, 150, "similar prompts", None) for model in MODELS}


def test_few_hypotheses_of_bbq_hold_two_stereotyped_groups(bbq):
    found = bbq.rows(
        """
        select system_id, p_value is not null, n_units, n_groups from findings
        where grouping_id = 'stereotyped_group' and measure_id = 'incorrect' and slice_id = 'all'
          and study_id = 'bbq' and calibration = 'raw' and statistic = 'mean'
        """
    )
    assert set(found) == {(model, True, 11, 25) for model in MODELS}
    assert bbq.value("select count(distinct unit_id) from prompts where study_id = 'bbq'") == 150


def test_every_model_answered_every_cell_of_bbq_that_has_a_hypothesis(bbq):
    (design,) = bbq.rows(
        """
        select factors, n_covered from coverage
        where study_id = 'bbq' qualify n_factors = max(n_factors) over ()
        """
    )
    factors, n_covered = design
    found = bbq.rows(
        "select system_id, n_answered, n_responses, n_responses_ok from response_coverage "
        "where study_id = 'bbq' and factors = ?",
        factors,
    )
    assert n_covered == 300
    assert set(found) == {(model, n_covered, 11_956, 11_956) for model in MODELS}


def test_the_plan_of_bbq_says_how_many_hypotheses_compare_before_anything_runs(plumbline_data):
    needs(plumbline_data, "bbq")
    planned = {
        one.grouping_id: (one.n_units, *one.scheme.split("; "))
        for one in plan_study(load_study(ROOT / "studies" / "bbq.yml")).groupings
        if one.slice_id == "all"
    }
    in_blocks = ("labels inside blocks", "unit root prompt", "similar prompts")
    assert planned == {
        "category": (150, "whole units among groups", *in_blocks[1:]),
        "stereotyped_group": (11, *in_blocks),
        "context_condition": (150, *in_blocks),
        "question_polarity": (150, *in_blocks),
        "unknown_position": (142, *in_blocks),
    }


def test_the_coverage_of_social_stigma_qa_is_what_its_paper_prints(plumbline_data):
    needs(plumbline_data, "ssqa_design")
    plan = plan_study(load_study(ROOT / "studies" / "social_stigma_qa_design.yml"))
    found = {row.factors: row for row in plan.coverage}
    factors = ("stigma", "gender", "prompt_style", "biased_answer")
    assert [round(found[factor].gini_index, 3) for factor in factors] == [0.007, 0.529, 0.246, 0.122]
    whole = found[" x ".join(factors)]
    assert (round(whole.coverage_percentage, 3), round(whole.gini_index, 3)) == (0.372, 0.711)
    assert (whole.n_cells, whole.n_covered) == (3_008, 1_118)
