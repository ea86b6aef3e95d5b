"""Skewed scores through the command: what published tables say of intervals, of an odd group, and of who moved.

Each data set is a measure of one study of two systems. The first system's scores are lognormal, those of the odd group
twice as large. The second system's are normal and have the same means, but for the odd group, which moved. Each measure
of a system is a family; changes are one family.
"""

import numpy as np
import pytest

from bench.bench_who_is_named import ODD_GROUP, write_study
from tests.promises import at_most

pytestmark = pytest.mark.run
N_SETS, N_ROOTS, N_GROUPS = 100, 20, 5
MEAN = 1.5  # of a lognormal score
MOVED = 6.0
NAMED = "verdict in ('different', 'beyond_margin')"
IS_ODD = f"group_id = '{ODD_GROUP}'"


@pytest.fixture(scope="module")
def published(run_study, tmp_path_factory):
    rng, shape = np.random.default_rng(12), (N_ROOTS, N_GROUPS, N_SETS)
    means = np.full((N_GROUPS, 1), MEAN)
    means[0] = 2 * MEAN
    first = means * rng.lognormal(-0.405, 0.9, shape)
    second = means + rng.normal(size=shape)
    second[:, 0] += MOVED
    folder = tmp_path_factory.mktemp("studies")
    path = write_study(folder, np.stack([first, second]), n_draws=199)
    return run_study(path.stem, PLUMBLINE_STUDIES=str(folder))


def shares(published, table, where, *conditions):
    """Shares of measures that have a row of which a condition holds."""
    told = ", ".join(f"coalesce(bool_or({condition}), false)" for condition in conditions)
    found = published.rows(
        f"select {told} from {table} where {where} and measure_id like 'score_%' group by measure_id"
    )
    assert len(found) == N_SETS
    return np.mean(found, axis=0)


def test_intervals_of_skewed_scores_seldom_miss_and_like_groups_are_seldom_named(published):
    first_system = "contrast = 'mean_difference' and system_id = 'system_0'"
    missed, innocent, guilty = shares(
        published,
        "contrasts",
        first_system,
        f"{IS_ODD} and {MEAN} not between ci_low and ci_high",
        f"not {IS_ODD} and {NAMED}",
        f"{IS_ODD} and {NAMED}",
    )
    assert missed <= at_most(0.059, N_SETS)  # docs/statistics.md
    assert innocent <= at_most(0.026, N_SETS)
    assert guilty > 0


def test_groups_that_did_not_move_are_seldom_named_beside_one_that_did(published):
    significant, innocent, guilty, missed = shares(
        published,
        "system_comparisons",
        "comparison = 'disparity_change'",
        f"not {IS_ODD} and q_value <= 0.05",
        f"not {IS_ODD} and reason_alone is null and {NAMED}",
        f"{IS_ODD} and {NAMED}",
        f"{IS_ODD} and {MOVED} not between ci_low_alone and ci_high_alone",
    )
    assert significant > 0.2  # against all others, because of the one that moved
    assert innocent <= at_most(0.067, N_SETS)
    assert guilty > 0.6  # a long tail makes some intervals hold 0
    assert missed <= at_most(0.059, N_SETS)
