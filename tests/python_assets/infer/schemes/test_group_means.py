"""tests/python_assets/infer/test_group_means.py - mirrors python_assets/infer/group_means.py, blocks."""

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.schemes.inversion import all_resamples, random_resamples
from tests.python_assets.infer import written_out


def least_squares(x, roots, weight=None):
    """Group effects, their mean 0, of cells (blocks, groups) on block and group; NaN is absent.

    Root prompts weigh alike, and blocks in them.
    """
    block, group = np.nonzero(~np.isnan(x))
    groups = np.unique(group)
    columns = [block[:, None] == np.arange(len(x)), group[:, None] == groups[1:]]
    of_root = np.ones(len(x)) if weight is None else weight[roots]
    root_of_weight = np.sqrt(of_root / np.bincount(roots)[roots])[block]
    design = np.hstack(columns).astype(float) * root_of_weight[:, None]
    fitted = np.linalg.lstsq(design, x[block, group] * root_of_weight, rcond=None)[0][len(x) :]
    effects = np.append(0.0, fitted)
    return effects - effects.mean()


def level(x, roots):
    """Mean over root prompts of the mean of their blocks."""
    of_block = np.nanmean(x, axis=1)
    return np.mean([of_block[roots == root].mean() for root in np.unique(roots)])


def gaps(shape, seed, share=0.25):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=shape) + 3 * rng.normal(size=(shape[0], 1)) + np.arange(shape[1])
    return np.where(rng.random(shape) < share, np.nan, x)


ROOTS = [np.arange(12), np.repeat(np.arange(4), 3), np.array([0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 7])]


@pytest.mark.parametrize("root", ROOTS, ids=["one block", "three blocks", "uneven"])
def test_means_of_incomplete_blocks_are_those_of_least_squares(build, root):
    x = gaps((12, 4), 1)
    scheme, z = build(x, n_permutations=20, root_of_block=root)
    means = scheme.means
    roots = scheme.design.root_of_block
    observed = means.observed(z)
    table = written_out.observed(scheme, z)
    assert observed.deviation[:, 0] == pytest.approx(least_squares(table, roots), abs=1e-10)
    assert observed.level[0] == pytest.approx(level(table, roots), abs=1e-12)
    null = means.null(z, scheme.draws)
    for draw, shuffled in enumerate(written_out.tables(scheme, z)):
        assert null[0, :, draw] == pytest.approx(least_squares(shuffled, roots), abs=1e-10)


def test_rounding_of_the_equations_moves_no_group(build):
    """The equations leave a constant open: where its eigenvalue came out above rounding, groups were off by 3 %."""
    for seed in range(60):
        x = gaps((40, 21), seed, 0.02)
        scheme, z = build(x, n_permutations=1)
        expected = least_squares(written_out.observed(scheme, z), scheme.design.root_of_block)
        assert scheme.means.observed(z).deviation[:, 0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("root", ROOTS[:2], ids=["one block", "three blocks"])
def test_resampled_means_of_incomplete_blocks_are_those_of_weighted_least_squares(build, root):
    x = gaps((12, 3), 2, 0.15)
    scheme, z = build(x, n_permutations=9, root_of_block=root)
    resamples = random_resamples(3, 60, scheme.design.n_units)
    means = scheme._replace(resamples=resamples).means
    roots, n_units = scheme.design.root_of_block, scheme.design.n_units
    table, observed = written_out.observed(scheme, z), means.observed(z)
    noise = means.noise(means.by_unit(z), observed.deviation, with_level=False)
    with_level = means.noise(means.by_unit(z), observed.deviation, with_level=True)
    held = np.array([~np.isnan(table[roots == r]).all(axis=0) for r in range(n_units)])
    weights = resamples.weights.toarray()
    weights = weights[((weights @ held) > 0).all(axis=1)]  # a resample without a group is drawn again
    assert noise.shape == (3, 1, len(weights))
    of_root = np.array([np.nanmean(table, axis=1)[roots == r].mean() for r in range(n_units)])
    spread = np.sqrt(n_units / (n_units - 1))
    for draw, weight in enumerate(weights):
        drawn = weight[roots] > 0
        kept = np.unique(roots[drawn], return_inverse=True)[1]
        effects = least_squares(table[drawn], kept, weight[weight > 0])
        expected = spread * (effects - observed.deviation[:, 0])
        assert noise[:, 0, draw] == pytest.approx(expected, abs=1e-9)
        moved = expected + spread * (weight @ of_root - of_root.mean())
        assert with_level[:, 0, draw] == pytest.approx(moved, abs=1e-9)


def test_means_of_complete_blocks_are_plain_means(build):
    x = np.random.default_rng(3).normal(size=(8, 4, 3))
    scheme, z = build(x, n_permutations=50)
    observed = scheme.means.observed(z)
    plain = x.mean(axis=0)
    assert observed.level == pytest.approx(plain.mean(axis=0), abs=1e-12)
    assert observed.deviation + observed.level == pytest.approx(plain, abs=1e-12)
    null = scheme.means.null(z, scheme.draws)
    for column in range(3):
        for draw, table in enumerate(written_out.tables(scheme, z[:, [column]])):
            expected = table.mean(axis=0) - table.mean()
            assert null[column, :, draw] == pytest.approx(expected, abs=1e-12)


def test_null_from_differences_from_the_rest_is_that_of_means(build):
    x = np.random.default_rng(4).normal(size=(7, 3, 2))
    scheme, z = build(x, n_permutations=40)
    null = scheme.means.null(z, scheme.draws)
    assert scheme.means.null_of_differences(null * 3 / 2) == pytest.approx(null)
    with_gap = build(gaps((7, 3), 5), n_permutations=4)[0]
    assert with_gap.means.null_of_differences(null[:1]) is None


def test_resampled_noise_is_as_large_as_the_error_of_a_mean(build):
    x = np.random.default_rng(9).normal(size=(5, 3))
    scheme, z = build(x, n_permutations=9)
    means = scheme._replace(resamples=all_resamples(5)).means
    noise = means.noise(means.by_unit(z), means.observed(z).deviation, with_level=False)
    assert noise.shape == (3, 1, 5**5)
    assert noise.mean(axis=2) == pytest.approx(0, abs=1e-12)
    centred = x - x.mean(axis=1, keepdims=True)
    assert noise.std(axis=2)[:, 0] == pytest.approx(centred.std(axis=0, ddof=1) / np.sqrt(5))


def test_two_panels_that_share_one_group_do_not_make_its_level_their_difference(build):
    """inference.md 2.1: mean D of such panels gives null groups -.40 and a range of 1.19 for a true 1."""
    rng = np.random.default_rng(6)
    x = 0.1 * rng.normal(size=(60, 5, 40))
    x[:, 4] += 1.0
    x[:30, :2] = np.nan
    x[30:, 2:4] = np.nan
    none = {"mean_difference": np.full(40, np.nan)}
    scheme, z = build(x, n_permutations=9)
    compared = compare_values(scheme, z, none, is_rate=False)
    assert compared.indices["range"].value.mean() == pytest.approx(1, abs=0.06)  # and noise of .1
    effects = scheme.means.observed(z).deviation
    assert effects[:4].mean(axis=1) == pytest.approx(-0.2, abs=0.02)


def test_chain_of_shared_prompts_connects_groups_that_never_meet(build):
    x = np.random.default_rng(7).normal(size=(12, 3))
    x[:6, 2], x[6:, 0] = np.nan, np.nan
    scheme, z = build(x, n_permutations=30)
    assert scheme.means.missing is None
    roots = scheme.design.root_of_block
    assert scheme.means.observed(z).deviation[:, 0] == pytest.approx(least_squares(x, roots), abs=1e-10)
    apart = np.full((12, 4), np.nan)
    apart[:6, :2], apart[6:, 2:] = 1.0, 2.0
    assert build(apart, n_permutations=3)[0].means.missing == "not_connected"


def test_p_of_an_index_of_incomplete_blocks_is_that_of_all_arrangements(build):
    x = gaps((5, 3), 8, 0.2)
    scheme, z = build(x)
    roots = scheme.design.root_of_block
    none = {"mean_difference": np.full(1, np.nan)}
    indices = compare_values(scheme, z, none, is_rate=False).indices
    seen = least_squares(written_out.observed(scheme, z), roots)
    null = np.array([least_squares(table, roots) for table in written_out.tables(scheme, z)])
    for name, of in (("range", np.ptp), ("standard_deviation", lambda e, axis=-1: e.std(axis, ddof=1))):
        drawn = of(null, axis=1)
        assert indices[name].value[0] == pytest.approx(of(seen), abs=1e-10)
        assert indices[name].p_value[0] == pytest.approx((drawn >= of(seen) - 1e-9).mean(), abs=1e-12)
        assert indices[name].null_q95[0] == pytest.approx(np.quantile(drawn, 0.95), abs=1e-10)


@pytest.mark.parametrize("share", [0.02, 0.3])
def test_indices_of_blocks_with_missing_cells_are_rarely_significant_where_nothing_differs(build, share):
    rng = np.random.default_rng(10)
    missing = rng.random((20, 6)) < share
    x = rng.normal(size=(20, 1, 400)) + rng.normal(size=(20, 6, 400))
    x[missing] = np.nan
    none = {"mean_difference": np.full(400, np.nan)}
    indices = compare_values(*build(x, n_permutations=199), none, is_rate=False).indices
    low, high = stats.binom.interval(0.999, 400, 0.05)
    for name in ("range", "standard_deviation"):
        assert low <= (indices[name].p_value <= 0.05).sum() <= high
