"""Statistics, contrasts and disparities of the marts against plain loops over the raw tables."""

import numpy as np
import pandas as pd
import pytest

from tests.dbt_models.conftest import Built
from tests.dbt_models.irregular_study import MEASURES, SLICES, STATISTICS
from tests.dbt_models.reference import REFERENCE, Comparison, comparisons, mean_d

KEYS = ["slice_id", "generation_id", "measure_id", "calibration", "grouping_id"]
SELECTIONS = ["standard=mean;method=larger", "standard=fixed(0.1);method=smaller"]


@pytest.fixture(scope="module")
def compared(built: Built) -> list[Comparison]:
    return comparisons(built.raw)


def lookup(table: pd.DataFrame, keys: list[str]) -> dict[tuple[str, ...], pd.Series]:
    return {tuple(row[key] for key in keys): row for _, row in table.iterrows()}


def key_of(comparison: Comparison, *more: str) -> tuple[str, ...]:
    return (*(comparison.keys[key] for key in KEYS), *more)


def kind_of(comparison: Comparison) -> str:
    return MEASURES[comparison.keys["measure_id"]][0]


def assert_value(row: pd.Series, value: float | None, reason: str | None = None) -> None:
    if value is None:
        assert pd.isna(row.value)
        assert row.reason == reason
    else:
        assert row.value == pytest.approx(value, rel=1e-9, abs=1e-12)
        assert pd.isna(row.reason)


def test_every_statistic_has_its_reference(built: Built):
    macro = (built.manifest["macros"]["macro.plumbline.group_statistics"])["macro_sql"]
    assert {name for name in REFERENCE if f"'{name}':" in macro} == set(REFERENCE) == set(STATISTICS)
    assert macro.count("':") == len(REFERENCE)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_statistics_of_a_group(built: Built, compared: list[Comparison], statistic: str):
    rows = lookup(built.table("marts.summary_statistics"), [*KEYS, "group_id", "statistic"])
    n_checked = 0
    for comparison in compared:
        if kind_of(comparison) == "categorical":
            continue
        for group in comparison.groups:
            row, x = rows[key_of(comparison, group, statistic)], comparison.values(group)
            of_group = comparison.rows[comparison.rows.group == group]
            assert (row.n_responses, row.n_missing) == (len(x), len(of_group) - len(x))
            assert row.n_root_prompts == of_group.dropna(subset="x").root.nunique()
            if len(x) < (2 if statistic in ("variance", "standard_deviation") else 1):
                assert_value(row, None, "too_few_values" if len(x) else "no_values")
            else:
                assert_value(row, REFERENCE[statistic](x))
            n_checked += 1
    assert n_checked > 300


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
            assert_value(row, selected.mean() if len(x) else None, "no_values")


def test_a_constant_column_is_selected_whole(built: Built):
    table = built.table("marts.summary_statistics")
    flat = table[(table.measure_id == "flat") & (table.parameters == SELECTIONS[0]) & (table.n_responses > 0)]
    assert len(flat) > 10
    assert (flat.value == 1).all()


def test_differences_from_the_rest(built: Built, compared: list[Comparison]):
    table = built.table("marts.contrasts")
    rows = lookup(table, [*KEYS, "group_id", "contrast", "category"])
    n_without_block = 0
    for comparison in compared:
        contrast = "mean_difference" if kind_of(comparison) == "continuous" else "risk_difference"
        differences = mean_d(comparison)
        for group in comparison.groups:
            row = rows[key_of(comparison, group, contrast, comparison.keys["category"])]
            value, n, n_all = differences.get(group), len(comparison.values(group)), comparison.rows.x.count()
            reason = "no_values" if n == 0 else "no_complement" if n == n_all else "no_block"
            assert_value(row, value, reason)
            n_without_block += reason == "no_block" and value is None
    assert n_without_block > 0


def test_log_disparities(built: Built, compared: list[Comparison]):
    rows = lookup(built.table("marts.contrasts"), [*KEYS, "group_id", "contrast"])
    for comparison in (c for c in compared if kind_of(c) == "binary"):
        for group in comparison.groups:
            x = comparison.rows.dropna(subset="x")
            own, rest = x.x[x.group == group], x.x[x.group != group]
            row = rows[key_of(comparison, group, "log_disparity")]
            if rest.empty:
                assert_value(row, None, "no_complement")
                continue
            if {own.mean(), rest.mean()} & {0, 1}:
                assert_value(row, None, "rate_zero_or_one")
            else:
                assert_value(row, np.log(odds(own, 0)) - np.log(odds(rest, 0)))
            haldane = rows[key_of(comparison, group, "log_disparity_haldane")]
            assert_value(haldane, np.log(odds(own, 0.5)) - np.log(odds(rest, 0.5)))


def odds(x: pd.Series, add: float) -> float:
    return (x.sum() + add) / (len(x) - x.sum() + add)


def test_disparities_over_groups(built: Built):
    statistics = built.table("marts.summary_statistics")
    disparities = built.table("marts.disparities")
    is_z = disparities.metric.isin(["max_z", "max_abs_z"])
    stripped = disparities.parameters.str.replace(r";?cap=.*", "", regex=True)
    rows = lookup(disparities.assign(parameters=stripped.where(is_z, disparities.parameters)), [*KEYS, *MORE])
    for key, groups in statistics.groupby([*KEYS, "statistic", "parameters"]):
        values = groups.value.dropna()
        for metric, reference in INDICES.items():
            row = rows[(*key, metric)]
            assert row.n_groups == len(values)
            if len(values) < 2:
                assert_value(row, None, "one_group" if len(values) else "no_values")
            else:
                assert_value(row, *reference(values.to_numpy()))
    expected = {(s, k) for s in STATISTICS for k in ("continuous", "binary")} | {
        ("selection_rate", "continuous")
    }
    kinds = disparities.measure_id.map(lambda m: MEASURES[m][0])
    assert set(zip(disparities.statistic, kinds, strict=True)) == expected


MORE = ["statistic", "parameters", "metric"]


def ratio(x: np.ndarray) -> tuple[float | None, str | None]:
    if x.max() == 0:
        return None, "maximum_is_zero"
    return (None, "mixed_signs") if x.min() < 0 < x.max() else (x.min() / x.max(), None)


def z_score(x: np.ndarray, distance: float) -> tuple[float | None, str | None]:
    return (
        (None, "constant_values")
        if np.ptp(x) <= 1e-12 * np.abs(x).max()
        else (distance / x.std(ddof=1), None)
    )


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


def test_impact_ratio_is_of_rates_only(built: Built):
    table = built.table("marts.disparities")
    impact = table[table.metric == "impact_ratio"]
    assert set(zip(impact.measure_id, impact.statistic, strict=True)) == {
        *((measure, "selection_rate") for measure in ("score", "flat")),
        *((measure, "mean") for measure in ("refusal", "empty")),
    }
    assert set(impact[impact.measure_id == "empty"].reason) - {"one_group"} == {"no_selections"}
    known = impact.dropna(subset="value")
    assert ((known.value < 0.8) == (known.band == "red")).all()


def test_a_measure_has_rows_in_its_slices_only(built: Built):
    contrasts = built.table("marts.contrasts")
    assert set(contrasts.slice_id[contrasts.measure_id == "stance"]) == {"plain"}
    assert set(contrasts.slice_id[contrasts.measure_id == "score"]) == set(SLICES)


def test_the_baseline_is_never_calibrated(built: Built):
    contrasts = built.table("marts.contrasts")
    assert set(contrasts.calibration[contrasts.generation_id == "baseline"]) == {"raw"}
    assert set(contrasts.calibration[contrasts.measure_id == "score"]) == {"raw", "calibrated"}


def test_a_generation_without_any_value_has_rows_with_the_reason(built: Built):
    contrasts = built.table("marts.contrasts")
    silent = contrasts[(contrasts.generation_id == "silent") & (contrasts.measure_id == "score")]
    assert set(silent.reason) == {"no_values"}
    assert set(silent.verdict) == {"not_computable"}
    assert set(silent.calibration) == {"raw", "calibrated"}
