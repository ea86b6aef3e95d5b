"""tests/python_assets/infer/test_multiplicity.py - mirrors python_assets/infer/multiplicity.py."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from python_assets.infer.multiplicity import (
    benjamini_hochberg,
    benjamini_yekutieli,
    n_at_floor_needed,
    yekutieli_is_reachable,
)


@pytest.mark.parametrize("n", [1, 2, 21, 500])
@pytest.mark.parametrize(
    ("ours", "theirs"), [(benjamini_hochberg, "fdr_bh"), (benjamini_yekutieli, "fdr_by")]
)
def test_q_is_that_of_statsmodels(n, ours, theirs):
    p = np.random.default_rng(n).random(n) ** 3
    p[n // 2] = p[0]  # a tie
    assert ours(p) == pytest.approx(multipletests(p, method=theirs)[1], abs=1e-12)


def test_a_row_without_p_is_no_member():
    p = np.array([0.01, np.nan, 0.04])
    assert benjamini_hochberg(p)[[0, 2]] == pytest.approx([0.02, 0.04])
    assert np.isnan(benjamini_hochberg(p)[1])
    assert np.isnan(benjamini_yekutieli(np.array([np.nan]))).all()


@pytest.mark.parametrize(("n", "least"), [(21, 419), (93, 1_859), (500, 9_999)])
def test_draws_that_a_family_needs(n, least):  # inference.md 3.4
    assert n_at_floor_needed(n, least, 0.05) == 1
    assert n_at_floor_needed(n, least - 1, 0.05) == 2
    p = np.ones(n)
    p[:2] = 1 / least
    assert benjamini_hochberg(p)[0] <= 0.05 < n / least


@pytest.mark.parametrize(("n", "least"), [(21, 1_531), (93, 9_514), (500, 67_928)])
def test_draws_that_yekutieli_needs(n, least):  # inference.md 3.4
    assert yekutieli_is_reachable(n, least, 0.05)
    assert not yekutieli_is_reachable(n, least - 1, 0.05)
