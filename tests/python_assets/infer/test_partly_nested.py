"""Names in a gender and race, asked with every nationality: what is tested, and what has a floor only."""

import numpy as np
import pytest
from scipy import stats

from bench.bench_names import error_rates
from bench.error_rates.names import GROUPS, Names, Shares, cells_of, responses, tables_of
from python_assets.infer.result import InferenceReason
from tests.promises import fewest, least, share

NAMES = Names(n_names=6, n_prompts=7, n_lands=3)
ALL = "gender x race x nationality"


@pytest.fixture(scope="module")
def x():
    """Scores of six names in each of four groups, in three data sets; they differ from group to group."""
    made = responses(np.random.default_rng(3), NAMES, Shares(), 3)
    shift = np.arange(GROUPS).repeat(NAMES.n_names)[:, None] * 0.2 + np.arange(NAMES.n_lands) * 0.3
    return made + shift[:, :, None, None]


def of_groups(x):
    """Means of every gender, race and nationality, shape (4 * nationalities, data sets)."""
    means = x.mean(axis=2).reshape(GROUPS, NAMES.n_names, NAMES.n_lands, -1).mean(axis=1)
    return means.reshape(GROUPS * NAMES.n_lands, -1)


def test_all_factors_together_have_values_and_noise_floors_and_no_p(x):
    tables = tables_of(cells_of(NAMES, x, ALL), 199)
    contrasts, disparities = tables["contrasts"], tables["disparities"]
    means = of_groups(x)
    rest = (means.sum(axis=0) - means) / (len(means) - 1)
    np.testing.assert_allclose(contrasts.value.to_numpy().reshape(3, -1), (means - rest).T, atol=1e-12)
    for name in ("p_value", "p_value_maxt", "ci_low", "ci_high", "std_error"):
        assert contrasts[name].isna().all(), name
    assert contrasts.null_q95.gt(0).all()
    assert set(contrasts.inference_reason) == {InferenceReason.PARTLY_NESTED}
    spread = disparities[disparities.metric == "range"]
    np.testing.assert_allclose(spread.value, np.ptp(means, axis=0), atol=1e-12)
    assert disparities.p_value.isna().all()
    assert spread.null_q95.gt(spread.null_median).all()
    assert set(tables["hypotheses"].inference_reason) == {InferenceReason.PARTLY_NESTED}
    assert tables["hypotheses"].p_value.isna().all()
    assert set(tables["hypotheses"].n_units) == {NAMES.n_units}
    assert set(tables["hypotheses"].n_root_prompts) == {NAMES.n_prompts}


def test_the_noise_floor_is_of_names_shuffled_among_groups_and_nationalities_within_names(x):
    found = tables_of(cells_of(NAMES, x, ALL), 4_000)["disparities"]
    rng, ranges = np.random.default_rng(11), []
    by_name = x.mean(axis=2)
    for _ in range(4_000):
        shuffled = by_name[rng.permutation(NAMES.n_units)]
        order = rng.random((NAMES.n_units, NAMES.n_lands)).argsort(axis=1)
        shuffled = np.take_along_axis(shuffled, order[:, :, None], axis=1)
        ranges.append(np.ptp(of_groups(shuffled[:, :, None]), axis=0))
    spread = found[found.metric == "range"]
    np.testing.assert_allclose(spread.null_median, np.median(ranges, axis=0), rtol=0.02)
    np.testing.assert_allclose(spread.null_q95, np.quantile(ranges, 0.95, axis=0), rtol=0.03)


def test_gender_and_race_are_tested_on_names(x):
    tables = tables_of(cells_of(NAMES, x, "gender x race"), 199)
    contrasts = tables["contrasts"]
    # inference.md 2.7 written out: table of names and prompts, nationalities averaged
    table = x.mean(axis=1).reshape(GROUPS, NAMES.n_names, NAMES.n_prompts, -1)
    weight = np.array([1.0, *[-1 / 3] * 3])[:, None]
    names, prompts = table.mean(axis=2), table.mean(axis=1)
    of_names = (weight**2 * names.var(axis=1, ddof=1) / NAMES.n_names).sum(axis=0)
    of_prompts = np.einsum("gp,gts->ts", weight, prompts).var(axis=0, ddof=1) / NAMES.n_prompts
    residual = table - names[:, :, None] - prompts[:, None] + names.mean(axis=1)[:, None, None]
    freedom = (NAMES.n_prompts - 1) * (NAMES.n_names - 1) * NAMES.n_prompts * NAMES.n_names
    of_both = (weight**2 * (residual**2).sum(axis=(1, 2)) / freedom).sum(axis=0)
    expected = np.sqrt(np.maximum.reduce([of_names + of_prompts - of_both, of_names, of_prompts]))
    first = contrasts[contrasts.group_id == "g00"]
    np.testing.assert_allclose(first.std_error, expected, rtol=1e-9)
    assert set(tables["hypotheses"].scope) == {"similar units and prompts"}
    assert tables["hypotheses"].p_value.notna().all()


def test_nationality_is_tested_within_names(x):
    tables = tables_of(cells_of(NAMES, x, "nationality"), 199)
    contrasts = tables["contrasts"]
    difference = (x - x.mean(axis=1, keepdims=True)).mean(axis=2) * NAMES.n_lands / (NAMES.n_lands - 1)
    for land in range(NAMES.n_lands):
        rows = contrasts[contrasts.group_id == f"g{land:02d}"]
        # the outer of t and Hall holds that of t
        limits = stats.ttest_1samp(difference[:, land], 0).confidence_interval(0.95)
        np.testing.assert_allclose(rows.value, difference[:, land].mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(rows.skewness, stats.skew(difference[:, land], bias=False), rtol=1e-9)
        assert (rows.ci_low <= limits.low + 1e-9).all() and (rows.ci_high >= limits.high - 1e-9).all()
    assert set(tables["hypotheses"].scope) == {"similar units, these prompts"}
    assert set(tables["hypotheses"].n_units) == {NAMES.n_units}
    assert tables["hypotheses"].p_value.notna().all()


@pytest.mark.run
def test_without_any_difference_few_parts_look_different():
    n_sets = fewest()
    # shuffled names lose what prompts do to groups, so that a floor does not hold it
    shares = Shares(group_by_prompt=0)
    for key, rate in error_rates(Names(), shares, n_sets=n_sets, n_permutations=999).items():
        assert least(n_sets) / n_sets <= rate <= share(n_sets), key
