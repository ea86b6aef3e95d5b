"""Few root prompts, values that are nearly all the same or without bound, and margins of 0: told, never claimed."""

import numpy as np
import pytest

from python_assets.infer.run import infer_study
from tests.python_assets.infer.changes.test_infer_changes import two
from tests.python_assets.infer.test_run import analysis, numbers, rows

SHOWN = ("beyond_margin", "different")


def contrasts_of(study, x, **options):
    connection = study.add("score", x).write()
    infer_study(connection, analysis(n_permutations=199, **options))
    return rows(connection, "contrasts", "contrast = 'mean_difference'")


@pytest.mark.parametrize("n_roots", [2, 3, 5])
def test_few_root_prompts_have_an_interval_of_their_own_or_a_reason(study, n_roots):
    found = contrasts_of(study, numbers(n_roots), margins={"mean_difference": 0.1})
    has_interval = found.ci_low.notna()
    assert (has_interval | found.inference_reason.notna()).all()
    assert has_interval.tolist() == [n_roots > 2] * len(found)
    assert (found.ci_low[has_interval] < found.value_cells[has_interval]).all()
    connection = two(study, numbers(n_roots, seed=3), numbers(n_roots)).write()
    infer_study(connection, analysis(n_permutations=199))
    moved = rows(connection, "system_comparisons", "comparison = 'disparity_change'")
    assert (moved.ci_low.notna() | moved.inference_reason.notna() | moved.reason.notna()).all()


@pytest.mark.parametrize("n_roots", [3, 8, 20])
def test_one_value_apart_is_as_skewed_as_can_be_and_marked(study, n_roots):
    x = np.zeros((n_roots, 3))
    x[0, 0] = 1
    found = contrasts_of(study, x).set_index("group_id")
    assert found.skewness["g0"] == pytest.approx(np.sqrt(n_roots))  # a slant of 1
    assert set(found.inference_reason) == {"approximate"}
    assert found.ci_low["g0"] < 0 < found.ci_high["g0"]
    assert not found.verdict.isin(SHOWN).any()


def test_a_group_that_has_all_the_zeros_differs_by_an_interval_off_0(study):
    x = 3 + numbers(20) ** 2
    x[:, 0] = 0
    found = contrasts_of(study, x).set_index("group_id")
    assert found.verdict["g0"] == "different" and found.ci_high["g0"] < 0
    assert found.inference_reason.isna().all()


@pytest.mark.parametrize("shift", [0, 2])
def test_nothing_is_equivalent_within_a_margin_of_0(study, shift):
    found = contrasts_of(study, numbers(20, shift=shift), margins={"mean_difference": 0.0})
    assert (found.q_equivalence.dropna() >= 0.5).all()
    assert "equivalent" not in set(found.verdict)
    assert ("beyond_margin" in set(found.verdict)) == bool(shift)


@pytest.mark.parametrize("scale", [1e-150, 1e100])
def test_the_unit_of_scores_changes_no_verdict_and_no_skewness(study, scale):
    x = numbers(12, shift=2)
    plain, scaled = contrasts_of(study, x), contrasts_of(type(study)(), scale * x)
    assert scaled.verdict.tolist() == plain.verdict.tolist() and "different" in set(plain.verdict)
    assert scaled.skewness.to_numpy() == pytest.approx(plain.skewness.to_numpy(), abs=1e-9)
    assert (scaled.ci_low / scale).to_numpy() == pytest.approx(plain.ci_low.to_numpy(), rel=1e-9)


def test_a_change_of_one_group_in_few_cells_marks_all_rows(study):
    """What most cells changed by is 0, and of every row the group or its others did so in all root prompts."""
    own = np.zeros((20, 5))
    own[:5, 0] = (1, -2, 0.5, -1.5, 1.7)
    other = numbers(20, 5)
    connection = two(study, other + own, other).write()
    infer_study(connection, analysis(n_permutations=199))
    moved = rows(connection, "system_comparisons", "comparison = 'disparity_change'").set_index("group_id")
    assert set(moved.inference_reason[["g1", "g2", "g3", "g4"]]) == {"approximate"}


def test_systems_of_equal_values_each_do_not_differ_between_groups(study):
    noise = np.random.default_rng(5)
    one, other = (level + noise.uniform(-1e-7, 1e-7, (12, 3)) for level in (1e6, 1e6 + 1))
    connection = two(study, one, other).write()
    infer_study(connection, analysis(n_permutations=199))
    moved = rows(connection, "system_comparisons", "comparison in ('disparity_change', 'groups_changed')")
    groups = moved[moved.comparison == "disparity_change"]
    assert (groups[["value", "ci_low", "ci_high"]] == 0).all(axis=None)
    assert (moved.p_value.dropna() == 1).all()
