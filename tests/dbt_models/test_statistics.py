"""Statistics, contrasts and disparities of the marts against plain loops over the raw tables."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy
from scipy.stats.contingency import association

from tests.dbt_models.conftest import Built
from tests.dbt_models.irregular_study import MEASURES, SLICES, STATISTICS
from tests.dbt_models.reference import MIN_VALUES, PAIRED, REFERENCE, Comparison, mean_over_root_prompts

KEYS = ["slice_id", "system_id", "measure_id", "calibration", "grouping_id"]
Row = Any  # a named tuple of pandas
NAMES = {row.statistic for row in STATISTICS}
SELECTIONS = ["standard=mean;method=larger", "standard=fixed(0.1);method=smaller"]


def lookup(table: pd.DataFrame, keys: list[str]) -> dict[tuple[str, ...], Row]:
    """Rows by key; tuples, because a series a row takes seconds."""
    return dict(zip(zip(*(table[key] for key in keys), strict=True), table.itertuples(), strict=True))


def key_of(comparison: Comparison, *more: str) -> tuple[str, ...]:
    return (*(comparison.keys[key] for key in KEYS), *more)


def kind_of(comparison: Comparison) -> str:
    return MEASURES[comparison.keys["measure_id"]][0]


def assert_responses(row: Row, value: float | None, reason: str | None = None) -> None:
    """The number of the documents; value is another, over cells, and may be there without it."""
    if value is None:
        assert pd.isna(row.value_responses)
        assert row.reason == reason if pd.isna(row.value) else pd.isna(row.reason)
    else:
        assert row.value_responses == pytest.approx(value, rel=1e-9, abs=1e-12)
        assert pd.isna(row.reason)


def test_every_statistic_has_its_reference(built: Built):
    found = {name for name in NAMES if built.table("marts.summary_statistics").statistic.eq(name).any()}
    assert found == set(REFERENCE) | set(PAIRED) | {"selection_rate"}


@pytest.mark.parametrize("statistic", REFERENCE)
def test_statistics_of_a_group(built: Built, compared: list[Comparison], statistic: str):
    table = built.table("marts.summary_statistics")
    rows = lookup(table[table.statistic == statistic], [*KEYS, "group_id"])
    n_checked = 0
    for comparison in compared:
        if kind_of(comparison) == "categorical":
            continue
        for group in comparison.groups:
            row, x = rows[key_of(comparison, group)], comparison.values(group)
            of_group = comparison.rows_of[group]
            assert (row.n_responses, row.n_missing) == (len(x), len(of_group) - len(x))
            assert row.n_root_prompts == of_group.root[of_group.x.notna()].nunique()
            if len(x) < MIN_VALUES.get(statistic, 1):
                assert_responses(row, None, "too_few_values" if len(x) else "no_values")
            elif statistic in ("skewness", "kurtosis") and np.ptp(x) < 1e-9:
                assert_responses(row, None, "constant_values")
            else:
                assert_responses(row, REFERENCE[statistic](x))
                value = mean_over_root_prompts(of_group) if statistic == "mean" else row.value_responses
                assert row.value == pytest.approx(value, rel=1e-9, abs=1e-12)
            n_checked += 1
    assert n_checked > 300


@pytest.mark.parametrize("statistic", PAIRED)
def test_statistics_against_the_baseline(built: Built, compared: list[Comparison], statistic: str):
    table = built.table("marts.summary_statistics")
    rows = lookup(table[table.statistic == statistic], [*KEYS, "group_id"])
    # every prompt has a topic, so that the pairs of this grouping are all pairs of the slice
    ranges = {key_of(c)[:4]: range_of(c) for c in compared if c.keys["grouping_id"] == "topic"}
    reasons = set()
    for comparison in (c for c in compared if kind_of(c) == "continuous"):
        for group in comparison.groups:
            row, pairs = rows[key_of(comparison, group)], comparison.pairs(group)
            if comparison.keys["calibration"] == "calibrated":
                assert_responses(row, None, "already_calibrated")
                continue
            n_rows = len(comparison.rows_of[group])
            assert (row.n_responses, row.n_missing) == (len(pairs), n_rows - len(pairs))
            assert row.n_root_prompts == pairs.root.nunique()
            reason = paired_reason(comparison, group, statistic)
            reasons.add(reason)
            x, b, limits = pairs.x.to_numpy(), pairs.baseline_value.to_numpy(), ranges[key_of(comparison)[:4]]
            assert_responses(row, None if reason else PAIRED[statistic](x, b, limits), reason)
    assert reasons >= {None, "no_values", "no_baseline"}


def range_of(comparison: Comparison) -> tuple[float, float]:
    values = comparison.every_pair[["x", "baseline_value"]]
    return values.min().min(), values.max().max()


def paired_reason(comparison: Comparison, group: str, statistic: str) -> str | None:
    pairs = comparison.pairs(group)
    if not len(comparison.values(group)):
        return "no_values"
    if pairs.empty:
        return "no_baseline"
    return "too_few_values" if len(pairs) < MIN_VALUES.get(statistic, 1) else None


def test_precision_of_cells_averages_prompts(built: Built, compared: list[Comparison]):
    table = built.table("intermediate.int_cells")
    cells = dict(iter(table[table.statistic == "precision"].groupby(KEYS)))
    assert {key[3] for key in cells} == {"raw"}
    n_checked = 0
    for comparison in (c for c in compared if c.keys["calibration"] == "raw" and kind_of(c) == "continuous"):
        pairs = comparison.every_pair
        is_near = (pairs.x - pairs.baseline_value).abs() < 0.1 + 1e-9
        of_cell = (
            is_near.groupby([pairs.block, pairs.group, pairs.prompt_id]).mean().groupby(level=[0, 1]).mean()
        )
        assert (key_of(comparison) in cells) == (len(pairs) > 0)
        if len(pairs):
            rows = cells[key_of(comparison)]
            assert rows.n_responses.sum() == len(pairs)
            np.testing.assert_allclose(np.sort(rows.cell_mean), np.sort(of_cell), atol=1e-12)
            n_checked += len(rows)
    assert n_checked > 100


@pytest.mark.parametrize("parameters", SELECTIONS)
def test_selection_rates_of_a_group(built: Built, compared: list[Comparison], parameters: str):
    table = built.table("marts.summary_statistics")
    rows = lookup(table[table.statistic == "selection_rate"], [*KEYS, "group_id", "parameters"])
    assert {row.measure_id for row in rows.values()} == {"score", "flat"}
    # every prompt has a topic, so that the rows of this grouping are all rows of the slice
    standards = {key_of(c)[:4]: c.rows.x.mean() for c in compared if c.keys["grouping_id"] == "topic"}
    for comparison in (c for c in compared if kind_of(c) == "continuous"):
        standard = standards[key_of(comparison)[:4]]
        for group in comparison.groups:
            x = comparison.values(group)
            selected = x >= standard - 1e-9 if parameters == SELECTIONS[0] else x <= 0.1 + 1e-9
            row = rows[key_of(comparison, group, parameters)]
            assert_responses(row, selected.mean() if len(x) else None, "no_values")


def test_a_constant_column_is_selected_whole(built: Built):
    table = built.table("marts.summary_statistics")
    flat = table[(table.measure_id == "flat") & (table.parameters == SELECTIONS[0]) & (table.n_responses > 0)]
    assert len(flat) > 10
    assert (flat[["value", "value_responses"]] == 1).all(axis=None)


def test_a_number_with_an_interval_has_its_scope_and_lies_inside(built: Built):
    table = built.table("marts.summary_statistics")
    has_interval = table.ci_low.notna()
    assert has_interval.sum() > 500
    assert (table.scope.notna() == has_interval).all()
    is_mean = has_interval & table.statistic.isin(["mean", "selection_rate", "precision"])
    assert (table.std_error.notna() == is_mean).all()
    inside = table[is_mean]
    assert (inside.value - inside.ci_low > -1e-9).all() and (inside.ci_high - inside.value > -1e-9).all()


def test_z_is_of_values_among_the_groups(built: Built):
    table = built.table("marts.summary_statistics")
    groups = table.groupby([*KEYS, "statistic", "parameters"]).value
    z = (table.value - groups.transform("mean")) / groups.transform("std")
    known = table.z.notna()
    assert known.sum() > 500
    np.testing.assert_allclose(table.z[known], z[known], rtol=1e-6, atol=1e-9)


def test_disparities_over_groups(built: Built):
    statistics = built.table("marts.summary_statistics")
    disparities = built.table("marts.disparities")
    is_z = disparities.metric.isin(["max_z", "max_abs_z"])
    stripped = disparities.parameters.str.replace(r";?cap=.*", "", regex=True)
    rows = lookup(disparities.assign(parameters=stripped.where(is_z, disparities.parameters)), [*KEYS, *MORE])
    for key, groups in statistics.groupby([*KEYS, "statistic", "parameters"]):
        values = groups.value_responses.dropna()
        for metric, reference in INDICES.items():
            row = rows[(*key, metric)]
            assert row.n_groups == len(values)
            for n_ties, extreme in ((row.n_low, values.min()), (row.n_high, values.max())):
                assert n_ties == ((values - extreme).abs() <= 1e-12 * abs(extreme)).sum()
            if len(values) < 2:
                assert_responses(row, None, "one_group" if len(values) else "no_values")
            else:
                assert_responses(row, *reference(values.to_numpy()))
    kinds = disparities.measure_id.map(lambda m: MEASURES[m][0])
    assert set(zip(disparities.statistic, kinds, strict=True)) == {
        *((statistic, "continuous") for statistic in NAMES),
        *((statistic, "binary") for statistic in REFERENCE),
        ("share", "categorical"),
        ("ground_truth", "categorical"),
    }


MORE = ["statistic", "parameters", "metric"]


def ratio(x: np.ndarray) -> tuple[float | None, str | None]:
    if x.max() == 0:
        return None, "maximum_is_zero"
    return (None, "mixed_signs") if x.min() < 0 < x.max() else (x.min() / x.max(), None)


def z_score(x: np.ndarray, distance: float) -> tuple[float | None, str | None]:
    if len(x) == 2:
        return None, "scale_free"
    is_constant = np.ptp(x) <= 1e-12 * np.abs(x).max()
    return (None, "constant_values") if is_constant else (distance / x.std(ddof=1), None)


INDICES = {
    "max": lambda x: (x.max(), None),
    "min": lambda x: (x.min(), None),
    "mean": lambda x: (x.mean(), None),
    "range": lambda x: (np.ptp(x), None),
    "standard_deviation": lambda x: (x.std(ddof=1), None),
    "min_max_ratio": ratio,
    "max_z": lambda x: z_score(x, x.max() - x.mean()),
    "max_abs_z": lambda x: z_score(x, np.abs(x - x.mean()).max()),
}


def test_indices_of_labels(built: Built, compared: list[Comparison]):
    table = built.table("marts.disparities")
    rows = lookup(table[table.statistic == "share"], [*KEYS, "metric"])
    n_checked = 0
    for key, counts, n_cells in label_tables(compared):
        expected = label_indices(counts, n_cells) if len(counts) > 1 else dict.fromkeys(LABEL_INDICES)
        for metric, value in expected.items():
            row = rows[(*key, metric)]
            assert row.n_groups == len(counts)
            assert_responses(row, value, "one_group" if len(counts) else "no_values")
            n_checked += value is not None
    assert n_checked > 20


LABEL_INDICES = [
    "fdi",
    "fdi_max",
    "cramers_v",
    "cramers_v_bergsma",
    "jsd",
    "jsd_max",
    "jsd_between_groups",
]


def label_indices(counts: np.ndarray, n_cells: int) -> dict[str, float]:
    shares = counts / counts.sum(1, keepdims=True)
    pooled = counts.sum(0) / counts.sum()
    distances = np.abs(shares - pooled).sum(1) / 2
    jsd = jensenshannon(shares, pooled[None], axis=1) ** 2
    v = association(counts[:, counts.sum(0) > 0].astype(int), method="cramer")
    between = entropy(shares.mean(0)) - entropy(shares, axis=1).mean()
    of_v = v, bergsma(v, counts, n_cells)
    values = distances.mean(), distances.max(), *of_v, jsd.mean(), jsd.max(), between
    return dict(zip(LABEL_INDICES, values, strict=True))


def label_tables(compared: list[Comparison]) -> list[tuple[tuple[str, ...], np.ndarray, int]]:
    """Counts by group with a label and label, and the number of cells, of each categorical comparison."""
    tables: dict[tuple[str, ...], list[np.ndarray]] = {}
    n_cells = {}
    for comparison in (c for c in compared if kind_of(c) == "categorical"):
        present = comparison.rows.dropna(subset="x")
        n_cells[key_of(comparison)] = len(present.groupby(["block", "group"]))
        counts = present.groupby("group").x.sum().to_numpy()
        tables.setdefault(key_of(comparison), []).append(counts)
    return [(key, np.array(columns).T, n_cells[key]) for key, columns in tables.items()]


def bergsma(v: float, counts: np.ndarray, n: int) -> float:
    r, k = len(counts), int((counts.sum(0) > 0).sum())
    excess = max(0, v**2 * (min(r, k) - 1) - (r - 1) * (k - 1) / (n - 1))
    return np.sqrt(excess / (min(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)) - 1))


def test_impact_ratio_is_of_rates_only(built: Built):
    table = built.table("marts.disparities")
    impact = table[table.metric == "impact_ratio"]
    assert set(zip(impact.measure_id, impact.statistic, strict=True)) == {
        *((measure, "selection_rate") for measure in ("score", "flat")),
        *((measure, "mean") for measure in ("refusal", "empty")),
    }
    assert set(impact[impact.measure_id == "empty"].reason) - {"one_group"} == {"no_selections"}
    known = impact.dropna(subset="value")
    assert ((known.value < 0.8 - 1e-12) == (known.band == "red")).all()


def test_a_measure_has_rows_in_its_slices_only(built: Built):
    contrasts = built.table("marts.contrasts")
    assert set(contrasts.slice_id[contrasts.measure_id == "stance"]) == {"plain"}
    assert set(contrasts.slice_id[contrasts.measure_id == "score"]) == set(SLICES)


def test_the_baseline_is_never_calibrated(built: Built):
    contrasts = built.table("marts.contrasts")
    assert set(contrasts.calibration[contrasts.system_id == "baseline"]) == {"raw"}
    assert set(contrasts.calibration[contrasts.measure_id == "score"]) == {"raw", "calibrated"}


def test_a_system_without_any_value_has_rows_with_the_reason(built: Built):
    contrasts = built.table("marts.contrasts")
    silent = contrasts[(contrasts.system_id == "silent") & (contrasts.measure_id == "score")]
    assert set(silent.reason) == {"no_values"}
    assert set(silent.verdict[silent.contrast != "dbi"]) == {"not_tested"}
    assert silent.verdict[silent.contrast == "dbi"].isna().all()  # a size
    assert set(silent.calibration) == {"raw", "calibrated"}
