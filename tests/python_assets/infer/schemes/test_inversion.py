"""tests/python_assets/infer/test_inversion.py - mirrors python_assets/infer/inversion.py."""

import itertools

import numpy as np
import pytest

from python_assets.infer.schemes.inversion import (
    GRID,
    Noise,
    Stretchable,
    all_resamples,
    invert,
    random_resamples,
    resamples_of,
)

TIES = np.full(2, 1e-9)
NO_MARGIN = np.full(2, np.nan)


def spreads(values):
    return np.stack([np.ptp(values, axis=0), values.std(axis=0, ddof=1)])


def stretched(deviation):
    return lambda s, noise: spreads(s * deviation[:, None] + noise)


def inverted(numbers, noises, ties, margins, alpha):
    return invert([Stretchable(numbers, tuple(noises), ties, margins)], alpha)[0]


def sample(seed, size=1.0, n_groups=4, n=400):
    rng = np.random.default_rng(seed)
    deviation = size * rng.normal(size=n_groups)
    noises = [Noise(rng.normal(size=(n_groups, n)) * scale, False) for scale in (0.5, 0.7)]
    return deviation - deviation.mean(), noises


def by_hand(deviation, noises):
    """Inference.md 2.3 written out with np.quantile and np.interp."""
    value = spreads(deviation[:, None])[:, 0]
    truth = GRID[:, None] * value
    low, high, corrected = [], [], []
    for noise in noises:
        table = [spreads(s * deviation[:, None] + noise.values) for s in GRID]
        q = np.maximum.accumulate([np.quantile(h, [0.025, 0.5, 0.975], axis=1) for h in table], axis=0)
        at = [np.array([np.interp(value[k] + shift, q[:, which, k], truth[:, k]) for k in (0, 1)])
              for which, shift in ((2, -1e-9), (0, 1e-9), (1, 0))]  # fmt: skip
        low.append(at[0])
        high.append(np.maximum(at[1], value))
        corrected.append(at[2])
    return np.minimum(*low), np.maximum(*high), corrected[0]


@pytest.mark.parametrize("size", [0.2, 1.0, 3.0])
def test_interval_is_that_of_the_definition(size):
    for seed in range(10):
        deviation, noises = sample(seed, size)
        found = inverted(stretched(deviation), noises, TIES, NO_MARGIN, 0.05)
        low, high, corrected = by_hand(deviation, noises)
        assert found.low == pytest.approx(low, abs=1e-12)
        assert found.high == pytest.approx(high, abs=1e-12)
        assert found.corrected == pytest.approx(corrected, abs=1e-12)


def test_where_noise_makes_up_for_differences_the_largest_quantile_so_far_holds():
    rng = np.random.default_rng(4)
    deviation, _ = sample(4)
    for share in (0.5, 0.9, 0.95, 1.5):  # the quantiles fall until s is the share
        noises = [Noise(scale * rng.normal(size=(4, 400)) - share * deviation[:, None], False) for scale in (0.02, 0.2)]
        found = inverted(stretched(deviation), noises, TIES, NO_MARGIN, 0.05)
        for side, expected in zip(found[:3], by_hand(deviation, noises), strict=True):
            assert side == pytest.approx(expected, abs=1e-12)


def test_interval_is_in_the_unit_of_the_values():
    deviation, noises = sample(1)
    metres = inverted(stretched(deviation), noises, TIES, NO_MARGIN, 0.05)
    many = [Noise(1_000 * noise.values, False) for noise in noises]
    millimetres = inverted(stretched(1_000 * deviation), many, 1_000 * TIES, NO_MARGIN, 0.05)
    for one, other in zip(metres[:3], millimetres[:3], strict=True):
        assert other == pytest.approx(1_000 * one)


def test_without_noise_the_interval_is_the_value():
    deviation, noises = sample(2)
    silent = [Noise(0 * noise.values, False) for noise in noises]
    found = inverted(stretched(deviation), silent, TIES, NO_MARGIN, 0.05)
    value = spreads(deviation[:, None])[:, 0]
    for limit in found[:3]:
        assert limit == pytest.approx(value, abs=1e-8)


def test_without_any_difference_the_interval_ends_where_the_noise_does():
    _, noises = sample(3)
    found = inverted(stretched(np.zeros(4)), noises, TIES, NO_MARGIN, 0.05)
    assert (found.low == 0).all()
    assert (found.corrected == 0).all()
    ends = [np.quantile(spreads(noise.values), 0.975, axis=1) for noise in noises]
    assert found.high == pytest.approx(np.maximum(*ends))


def test_a_value_below_its_noise_is_corrected_to_none():
    deviation, noises = sample(4, size=0.01)
    found = inverted(stretched(deviation), noises, TIES, NO_MARGIN, 0.05)
    assert (found.low == 0).all()
    assert (found.corrected == 0).all()
    assert found.high == pytest.approx(spreads(deviation[:, None])[:, 0])


def test_a_smaller_alpha_gives_a_wider_interval():
    deviation, noises = sample(5)
    wide, narrow = (inverted(stretched(deviation), noises, TIES, NO_MARGIN, a) for a in (0.01, 0.2))
    assert (wide.low <= narrow.low).all()
    assert (wide.high >= narrow.high).all()
    assert (wide.corrected == narrow.corrected).all()


def test_margin_levels_are_twice_the_shares_where_the_number_equals_the_margin():
    deviation, noises = sample(6)
    value = spreads(deviation[:, None])[:, 0]
    margins = value * [0.4, 1.7]
    found = inverted(stretched(deviation), noises, TIES, margins, 0.05)
    for which, s in enumerate((0.4, 1.7)):
        numbers = [spreads(s * deviation[:, None] + noise.values)[which] for noise in noises]
        past = max((1 + (h >= value[which] - 1e-9).sum()) / 401 for h in numbers)
        within = max((1 + (h <= value[which] + 1e-9).sum()) / 401 for h in numbers)
        assert found.p_margin[which] == min(2 * past, 1)
        assert found.p_equivalence[which] == min(2 * within, 1)


def test_margin_levels_fall_to_alpha_where_the_interval_leaves_the_margin():
    deviation, noises = sample(10, size=2.0)
    margins = np.array([1.0, 4.0])
    for alpha in (0.02, 0.05, 0.1, 0.3):
        found = inverted(stretched(deviation), noises, TIES, margins, alpha)
        for which in (0, 1):
            if abs(found.p_margin[which] - alpha) > 0.01:  # the grid is linear between its points
                assert (found.p_margin[which] < alpha) == (found.low[which] > margins[which])
            if abs(found.p_equivalence[which] - alpha) > 0.01:
                assert (found.p_equivalence[which] < alpha) == (found.high[which] < margins[which])


def test_margin_levels_of_all_arrangements_are_plain_shares():
    deviation, noises = sample(7)
    whole = [Noise(noise.values, True) for noise in noises]
    found = inverted(stretched(deviation), whole, TIES, np.array([1e3, np.nan]), 0.05)
    numbers = [spreads(GRID[-1] * deviation[:, None] + noise.values)[0] for noise in whole]
    value = np.ptp(deviation)
    assert found.p_margin[0] == 1  # no stretch reaches it
    assert found.p_equivalence[0] == min(2 * max((h <= value + 1e-9).mean() for h in numbers), 1)
    assert np.isnan([found.p_margin[1], found.p_equivalence[1]]).all()


def test_margin_without_any_difference_is_stratum_against_the_noise():
    _, noises = sample(8)
    found = inverted(stretched(np.zeros(4)), noises, TIES, np.array([1.0, 50.0]), 0.05)
    assert (found.p_margin == 1).all()
    reached = max((1 + (np.ptp(noise.values, axis=0) >= 1.0).sum()) / 401 for noise in noises)
    assert found.p_equivalence == pytest.approx([min(2 * reached, 1), 2 / 401])


def test_all_resamples_are_every_way_to_draw():
    expected = [np.bincount(drawn, minlength=3) / 3 for drawn in itertools.product(range(3), repeat=3)]
    assert sorted(all_resamples(3).weights.toarray().tolist()) == sorted(np.array(expected).tolist())


def test_random_resamples_follow_their_seed_and_weigh_units_alike():
    one, again, other = (random_resamples(seed, 4_000, 10).weights.toarray() for seed in (1, 1, 2))
    assert (one == again).all()
    assert (one != other).any()
    assert one.sum(axis=1) == pytest.approx(1)
    assert one.mean(axis=0) == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize("n_units", [1, 4])
def test_few_units_are_not_resampled(n_units):
    assert resamples_of(1, 9_999, n_units) is None


def test_two_thousand_resamples_serve_as_noise():
    assert resamples_of(1, 99, 5).weights.shape == (99, 5)
    assert resamples_of(1, 9_999, 5).weights.shape == (2_000, 5)
