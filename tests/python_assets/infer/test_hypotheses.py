"""tests/python_assets/infer/test_hypotheses.py - mirrors python_assets/infer/hypotheses.py."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

from python_assets.infer.formulas.looks import Look
from python_assets.infer.hypotheses import (
    Families,
    adjusted_margin,
    family_ids,
    with_families,
    with_levels,
    with_significance,
    with_verdicts,
)
from python_assets.infer.tables import HYPOTHESIS
from python_assets.study.analysis import HypothesisFamily

KEYS = {
    "slice_id": "all",
    "system_id": "g",
    "grouping_id": "concept",
    "measure_id": "m",
    "calibration": "raw",
    "statistic": "mean",
    "parameters": "",
}
RULE = Families(None, {}, ["m", "refusal", "answer"], {"rare": ["some"]})


def hypotheses(*changes, p=None):
    rows = pd.DataFrame([KEYS | change for change in changes])
    return rows.assign(p_value=np.full(len(rows), 0.5) if p is None else p)


def contrasts(rows, p_of_groups, **columns):
    """Groups of each question, with their p stepped down."""
    place = np.repeat(np.arange(len(rows)), [len(groups) for groups in p_of_groups])
    return (
        rows[HYPOTHESIS]
        .iloc[place]
        .reset_index(drop=True)
        .assign(
            **{
                "contrast": "mean_difference",
                "p_value_maxt": np.concatenate(p_of_groups),
                "ci_low": 0.1,
                "ci_high": 0.3,
                **columns,
            }
        )
    )


def test_the_rule_takes_declared_measures_and_refusal_as_they_are_in_all_prompts():
    found = hypotheses(
        {},
        {"measure_id": "refusal"},
        {"measure_id": "answer", "statistic": "share"},
        {"measure_id": "empty"},
        {"calibration": "calibrated"},
        {"statistic": "variance"},
        {"statistic": "selection_rate", "parameters": "standard=mean"},
        {"parameters": "normalise=before"},
        {"slice_id": "some"},
        {"system_id": "baseline"},
    )
    assert family_ids(found, RULE).tolist() == ["primary"] * 3 + ["secondary"] * 6 + ["baseline"]


def test_undecided_responses_have_a_family_that_no_other_hypothesis_pays_for():
    rule = RULE._replace(undecided={"m_undecided", "m_undecided_as_no"})
    found = hypotheses(
        {"measure_id": "m_undecided"},
        {"measure_id": "m_undecided_as_no", "statistic": "variance"},
        {"measure_id": "m_undecided", "system_id": "all"},
        {"measure_id": "m_undecided", "statistic": "mean_change"},
        {"measure_id": "m_undecided", "system_id": "baseline"},
        {"measure_id": "m_undecided", "calibration": "missed"},
        {"measure_id": "m_unscored"},
    )
    assert family_ids(found, rule).tolist() == ["undecided"] * 4 + ["baseline", "scorer", "secondary"]
    declared = rule._replace(named={"own": HypothesisFamily(measures=["m_undecided"])})
    assert family_ids(found, declared).tolist() == [
        "own",
        "undecided",
        "undecided",
        "undecided",
        "baseline",
        "scorer",
        "secondary",
    ]


def test_a_measure_of_some_slices_is_asked_there():
    found = hypotheses({"measure_id": "rare", "slice_id": "some"}, {"measure_id": "rare"})
    sets = RULE._replace(measures=["rare"])
    assert family_ids(found, sets).tolist() == ["primary", "secondary"]


def test_what_the_study_declares_goes_before_the_rule():
    found = hypotheses({}, {"measure_id": "refusal"}, {"statistic": "variance"}, {"system_id": "baseline"})
    named = {"refusals": HypothesisFamily(measures=["refusal"]), "tool": HypothesisFamily(systems=["baseline"])}
    assert family_ids(found, RULE._replace(named=named)).tolist() == ["primary", "refusals", "secondary", "tool"]
    primary = HypothesisFamily(measures=["m"], statistics=["variance"])
    assert family_ids(found, RULE._replace(primary=primary, named=named)).tolist() == [
        "secondary",
        "refusals",
        "primary",
        "tool",
    ]


def test_a_hypothesis_is_in_the_first_set_that_names_it():
    sets = RULE._replace(
        primary=HypothesisFamily(measures=["m"]), named={"one": HypothesisFamily(measures=["m", "refusal"])}
    )
    assert family_ids(hypotheses({}, {"measure_id": "refusal"}), sets).tolist() == ["primary", "one"]


def test_only_hypotheses_with_a_p_count():
    found = with_families(hypotheses({}, {"measure_id": "refusal"}, p=[0.01, np.nan]), RULE)
    assert found.n_hypotheses.tolist() == [1, 1]


def test_q_of_hypotheses_is_that_of_statsmodels_set_by_set():
    p = np.random.default_rng(1).random(20) ** 2
    rows = [{"measure_id": f"m{i}"} for i in range(20)]
    sets = Families(None, {}, [f"m{i}" for i in range(12)], {})
    found = with_families(hypotheses(*rows, p=p), sets)
    levels, _ = with_levels(found, contrasts(found, [[one] for one in p]), Look(0.05, 0.05))
    for part in (slice(0, 12), slice(12, 20)):
        expected = multipletests(p[part], method="fdr_bh")[1]
        assert levels.q_value[part].to_numpy() == pytest.approx(expected, abs=1e-12)


def test_a_group_is_significant_only_where_its_hypothesis_is(golden):
    case = golden["hypotheses"]
    rows = [{"measure_id": f"m{i}"} for i in range(len(case["p_group"]))]
    found = hypotheses(*rows, p=[min(groups) for groups in case["p_group"]])
    found = with_families(found, RULE._replace(measures=[row["measure_id"] for row in rows]))
    levels, groups = with_levels(found, contrasts(found, case["p_group"]), Look(0.05, 0.05))
    assert levels.q_value.tolist() == pytest.approx(case["q_hypothesis"], abs=1e-12)
    assert groups.q_value.tolist() == pytest.approx(np.concatenate(case["q_group"]).tolist(), abs=1e-12)
    found = with_significance(levels, groups.assign(weight=1.0), Look(0.05, 0.05))
    assert found.is_significant.sum() == case["n_significant_at_05"]
    assert (groups.is_significant == (groups.q_value <= 0.05)).all()


@pytest.mark.parametrize(
    ("weight", "low", "significant"),
    [(0.5, 0.1, True), (0.5, -0.1, False), (1.0, -0.1, True)],
    ids=["off", "holds zero", "several contrasts"],
)
def test_a_hypothesis_of_one_contrast_is_significant_only_where_that_is(weight, low, significant):
    found = with_families(hypotheses({}, p=[0.001]), RULE)
    levels, rows = with_levels(found, contrasts(found, [[0.001, 0.001]], ci_low=low), Look(0.05, 0.05))
    judged = with_significance(levels, rows.assign(weight=weight), Look(0.05, 0.05))
    assert judged.is_significant.tolist() == [significant]
    word = "different" if low > 0 else "inconclusive"
    names = {"effect": rows.contrast, "group_id": ["a", "b"], "category": "", "reference": "rest"}
    rows = rows.assign(is_group=True, value=[0.2, -0.3], margin=np.nan, verdict=word, **names)
    told = with_verdicts(judged.assign(q_permuted=np.nan), rows, Look(0.05, 0.05))
    assert told.headline_group_id.tolist() == ["b" if low > 0 else None]
    expected = ("different", None) if significant else ("inconclusive", "interval_holds_zero")
    assert told[["verdict", "verdict_reason"]].to_numpy().tolist() == [list(expected)]
    held = judged.assign(q_value=0.4, q_permuted=0.001, is_significant=False)
    told = with_verdicts(held, rows.assign(verdict="inconclusive"), Look(0.05, 0.05))
    assert told[["verdict", "verdict_reason"]].to_numpy().tolist() == [["inconclusive", "not_beyond_controls"]]


def test_a_row_that_does_not_count_makes_no_hypothesis_significant():
    found = with_families(hypotheses({}, p=[0.001]), RULE)
    levels, rows = with_levels(found, contrasts(found, [[0.001, 0.001, 0.001]], ci_low=-0.1), Look(0.05, 0.05))
    rows = rows.assign(weight=[0.5, 0.5, 0.0], is_significant=[False, False, True])  # the last is a log disparity
    assert not with_significance(levels, rows, Look(0.05, 0.05)).is_significant.any()


def test_sizes_of_a_hypothesis_have_no_q():
    found = with_families(hypotheses({}, p=[0.001]), RULE)
    rows = contrasts(found, [[0.001, 0.002]]).assign(contrast=["mean_difference", "dbi"])
    _, groups = with_levels(found, rows, Look(0.05, 0.05))
    assert groups.q_value.isna().tolist() == [False, True]
    assert groups.q_hypothesis.tolist() == [0.001, 0.001]


def test_the_margin_is_stratum_against_the_hypotheses_that_have_it():
    found = with_families(hypotheses({}, {"measure_id": "refusal"}, {"measure_id": "answer"}, p=[0.001] * 3), RULE)
    rows = contrasts(
        found, [[0.001, 0.001], [0.001], [0.001]], margin=[0.1, 0.1, 0.1, np.nan], p_margin=[0.01, 0.02, 0.04, np.nan]
    )
    _, groups = with_levels(found, rows, Look(0.05, 0.05))
    # Holm inside the first question: .02, .02; the smallest of both questions with a margin are .02, .04
    expected = [0.04, 0.04, 0.04]
    assert adjusted_margin(found, groups, "p_margin")[:3].tolist() == pytest.approx(expected)
    assert np.isnan(adjusted_margin(found, groups, "p_margin")[3])


def test_a_group_without_a_margin_p_among_others_counts_as_one():
    found = with_families(hypotheses({}, p=[0.001]), RULE)
    rows = contrasts(found, [[0.001, 0.001]], margin=0.1, p_margin=[0.01, np.nan])
    _, groups = with_levels(found, rows, Look(0.05, 0.05))
    assert adjusted_margin(found, groups, "p_margin").tolist() == pytest.approx([0.02, 1.0])


def test_a_contrast_of_no_question_is_a_defect():
    found = with_families(hypotheses({}), RULE)
    with pytest.raises(ValueError, match="answers no question"):
        with_levels(found, contrasts(hypotheses({"measure_id": "other"}), [[0.1]]), Look(0.05, 0.05))
