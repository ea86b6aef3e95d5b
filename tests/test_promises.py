from collections import Counter

import numpy as np
import pytest

from tests.promises import FAILS, LONGER, PASSES, fewest, most, seldom, verdict


@pytest.mark.parametrize(("promised", "n"), [(0.05, 501), (0.08, 297), (0.1, 232)])
def test_twice_the_rate_is_told_from_it_by_no_fewer(promised, n):
    assert fewest(promised) == n
    rng = np.random.default_rng(1)
    as_promised, twice = (rng.binomial(n, rate, 100_000) <= most(n, promised) for rate in (promised, 2 * promised))
    assert as_promised.mean() == pytest.approx(PASSES, abs=0.001)
    assert 1 - twice.mean() == pytest.approx(FAILS, abs=0.01)
    with pytest.raises(ValueError, match=f"{n - 1} data sets"):
        most(n - 1, promised)


@pytest.mark.parametrize("promised", [0.05, 0.075, 0.1])
@pytest.mark.parametrize("times", [1, 2])
def test_one_after_another_errs_no_more_often_than_all_at_once(promised, times):
    """By enumeration: every number of wrong ones after every number of data sets, with its probability."""
    rate, running, passed, n_expected = times * promised, {0: 1.0}, 0.0, 0.0
    for n in range(1, int(LONGER * fewest(promised)) + 1):
        after = Counter()
        for n_wrong, probability in running.items():
            after[n_wrong] += probability * (1 - rate)
            after[n_wrong + 1] += probability * rate
        running = {}
        for n_wrong, probability in after.items():
            told = verdict(n, n_wrong, promised)
            if told is None:
                running[n_wrong] = probability
            else:
                passed += probability * told
                n_expected += probability * n
    assert not running
    assert passed >= PASSES if times == 1 else passed <= 1 - FAILS
    assert n_expected < 0.7 * fewest(promised)


def test_no_more_are_drawn_than_are_needed():
    drawn = []
    assert seldom(drawn.append(n) or False for n in range(1_000))
    assert len(drawn) == 53
    assert not seldom(n % 4 == 0 for n in range(1_000))
