"""Studies at the edge of what is asked: all groups called, one question alone, a set of a thousand."""

import numpy as np
import pytest

from python_assets.infer.run import infer_study
from tests.python_assets.infer.test_run import analysis, numbers, outer_limits, rows

SELECTED = ("ci_low_selected", "ci_high_selected", "value_shrunken")


def told(study, **options):
    infer_study(connection := study.write(), analysis(**options))
    return connection


def test_where_every_group_is_significant_each_stands_or_has_its_reason(study):
    """Each of six groups lies far from all others; as many rows are called as there are."""
    x = numbers(40, 6) * 0.1 + 3.0 * np.arange(6)
    connection = told(study.add("tone", x), n_permutations=999)
    found = rows(connection, "contrasts")
    assert (found.q_value <= 0.05).all() and found.verdict.isin(["different"]).all()
    assert found.explained_by.isna().all() and found.value_without.isna().all()
    # all rows of the set are called, so nothing was chosen: the level is the plain one
    assert found.ci_low_selected.tolist() == pytest.approx(found.ci_low.tolist())
    assert found.ci_high_selected.tolist() == pytest.approx(found.ci_high.tolist())
    assert (found.value_shrunken.abs() <= found.value_cells.abs()).all()
    assert (np.sign(found.value_shrunken) == np.sign(found.value_cells)).all()


def test_one_hypothesis_alone_is_corrected_with_none(study):
    x = numbers(20, 2)
    connection = told(study.add("tone", x))
    (hypothesis,) = rows(connection, "hypotheses").itertuples()
    assert hypothesis.n_hypotheses == 1 and hypothesis.q_value == hypothesis.p_value
    found = rows(connection, "contrasts")
    assert found.q_value.tolist() == pytest.approx([hypothesis.p_value] * 2)
    # two groups are one row, of which nothing is known of how sizes spread
    assert set(found.selected_reason) == {"too_few_rows"} and found[list(SELECTED)].isna().all(axis=None)
    low, high = outer_limits(x[:, 0] - x[:, 1])
    assert (found.ci_high - found.ci_low).tolist() == pytest.approx([high - low] * 2)


@pytest.mark.run
def test_a_set_of_a_thousand_hypotheses_calls_what_is_there(study):
    """Ten of a thousand measures differ, by more than four errors of a difference."""
    rng = np.random.default_rng(7)
    for at in range(1_000):
        study.add(f"m{at:04}", rng.normal(size=(25, 3)) + (3.0 * (at < 10), 0, 0))
    connection = told(study, n_permutations=999)
    hypotheses = rows(connection, "hypotheses").set_index("measure_id").sort_index()
    assert set(hypotheses.n_hypotheses) == {1_000}
    p = np.sort(hypotheses.p_value.to_numpy())
    by_hand = np.minimum.accumulate((1_000 * p / np.arange(1, 1_001))[::-1])[::-1]
    assert np.sort(hypotheses.q_value.to_numpy()) == pytest.approx(np.minimum(by_hand, 1))
    significant = hypotheses.index[hypotheses.q_value <= 0.05]
    assert {f"m{at:04}" for at in range(10)} <= set(significant)
    assert len(significant) <= 13
    # the smallest p that 999 draws give could call nothing among a thousand
    assert (hypotheses.p_value[:10] < 2 / 1_000).all() and (hypotheses.n_draws[:10] > 999).all()
    found = rows(connection, "contrasts")
    assert found[found.q_value.isna()].inference_reason.notna().all()
    told_of = found[found.verdict == "different"]
    assert (told_of.ci_low_selected <= told_of.ci_low).all() and (told_of.ci_high_selected >= told_of.ci_high).all()
