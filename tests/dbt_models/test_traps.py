"""Every statistic with its options, and what other tools get wrong, against numpy and scipy."""


import numpy as np
import pandas as pd
import pytest
from scipy import stats

from python_assets.infer.tables import TABLES, write_tables
from python_assets.study.statistic_options import StatisticRow
from python_assets.warehouse.build import open_build, write_stage
from python_assets.warehouse.raw_tables import RAW_TABLES
from tests.dbt_models.conftest import Built, make_tables
from tests.dbt_models.trap_study import ANALYSIS, GROUPINGS, STUDY, raw_tables

KEYS = ["system_id", "measure_id", "calibration", "grouping_id"]
ROWS = {(row.statistic, row.parameters): row for row in ANALYSIS.requested_statistics}
Pairs = pd.DataFrame


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("traps")
    path, stages = folder / "build.duckdb", raw_tables()
    with open_build(path) as connection:
        for stage, tables in stages.items():
            write_stage(connection, STUDY, stage, tables)
        write_tables(connection, {"function_statistics": TABLES["function_statistics"]}, {})
    results = make_tables(path, "int_disparity_values")
    raw = {name: table for tables in stages.values() for name, table in tables.items()}
    return Built(path, raw, {}, (results, []))


@pytest.fixture(scope="module")
def statistics(built: Built) -> pd.DataFrame:
    places = ["comparison_position", "group_position"]
    names = built.table("intermediate.int_group_statistics")
    return built.table("intermediate.int_statistics").merge(
        names[[*places, "slice_id", *KEYS, "group_id"]], on=places
    )


@pytest.fixture(scope="module")
def values(built: Built) -> pd.DataFrame:
    """One row a response and calibration: x, the baseline of raw values, and the factors of its prompt."""
    raw = built.raw["measurements"].copy()
    levels = built.raw["prompt_factors"].pivot(index="prompt_id", columns="factor", values="level")
    raw["x"], raw["base"] = raw.value.astype(float), raw.baseline_value.astype(float)
    calibrated = raw[raw.system_id != "baseline"].assign(
        calibration="calibrated", x=raw.x - raw.base, base=np.nan
    )
    both = pd.concat([raw.assign(calibration="raw"), calibrated]).join(levels, on="prompt_id")
    return both.assign(**{name: both[of].agg(" x ".join, axis=1) for name, of in GROUPINGS.items()}).dropna(
        subset="x"
    )


def clipped(values: np.ndarray, of: np.ndarray) -> np.ndarray:
    """The document's normalisation."""
    if np.ptp(of) <= 1e-12 * np.abs(of).max():
        return np.full(np.shape(values), np.nan)
    return np.clip(0.5 + 0.25 * (values - of.mean()) / of.std(ddof=1), 0, 1)


def on_scale(rows: pd.DataFrame, every: pd.DataFrame, row: StatisticRow) -> pd.DataFrame:
    """Values and baselines as the statistic takes them; every: all rows of the measure and calibration."""
    if row.normalise != "before":
        return rows
    system = rows.system_id.iloc[0]
    pool = every[
        every.system_id == system
        if row.normalise_over == "system"
        else every.system_id != "baseline"
    ]
    x = pool.x.to_numpy()
    return rows.assign(x=clipped(rows.x.to_numpy(), x), base=clipped(rows.base.to_numpy(), x))


def counts(values: np.ndarray, limits: tuple[float, float], row: StatisticRow) -> np.ndarray:
    low, high = limits
    bins = np.minimum(np.floor((values - low) / (high - low or 1) * row.n_bins), row.n_bins - 1)
    return np.bincount(bins.astype(int), minlength=row.n_bins) + row.smoothing


def modal_bin(x: np.ndarray, width: float) -> float:
    bins, n = np.unique(np.floor(x / width + 1e-9), return_counts=True)
    return bins[n.argmax()]


def selected(x: np.ndarray, of: np.ndarray, row: StatisticRow) -> np.ndarray:
    """Which values a standard from all rows of the slice selects."""
    tiny, width = 1e-9, row.bin_width or 0.1
    if row.method == "inside" and row.standard == "mode":
        return np.floor(x / width + 1e-9) == modal_bin(of, width)
    if row.method == "inside":
        low, high = np.quantile(of, [row.level_low, row.level_high])
        return (x >= low - tiny) & (x <= high + tiny)
    standard = {
        "mean": np.mean,
        "median": np.median,
        "mode": lambda v: (modal_bin(v, width) + 0.5) * width,
        "quantile": lambda v: np.quantile(v, row.level_low),
        "fixed": lambda _: row.standard_value,
    }[row.standard](of)
    if row.method in ("larger", "smaller"):
        return x >= standard - tiny if row.method == "larger" else x <= standard + tiny
    scale = abs(standard) if row.method == "within_percentage" else 1
    return np.abs(x - standard) <= row.threshold * scale + tiny


def expected(group: pd.DataFrame, every: pd.DataFrame, row: StatisticRow) -> float:
    """A statistic of one group; every: all rows of its generation, measure and calibration."""
    x, b = group.x.to_numpy(), group.base.to_numpy()
    pairs = every.dropna(subset="base")[["x", "base"]].to_numpy()
    limits = (pairs.min(), pairs.max()) if len(pairs) else (0.0, 0.0)
    if row.statistic == "kl_divergence":
        return stats.entropy(counts(x, limits, row), counts(b, limits, row))
    if row.statistic == "correlation":
        of = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
        return of[row.method](x, b).statistic
    simple = {
        "mean": np.mean,
        "median": np.median,
        "mode": lambda v: (modal_bin(v, row.bin_width) + 0.5) * row.bin_width,
        "variance": lambda v: np.var(v, ddof=1),
        "standard_deviation": lambda v: np.std(v, ddof=1),
        "skewness": lambda v: stats.skew(v, bias=False),
        "kurtosis": lambda v: stats.kurtosis(v, bias=False),
        "range": np.ptp,
        "quantile": lambda v: np.quantile(v, row.level_low),
        "percentile": lambda v: np.quantile(v, row.level_low),
        "quantile_range": lambda v: np.subtract(*np.quantile(v, [row.level_high, row.level_low])),
        "percentile_range": lambda v: np.subtract(*np.quantile(v, [row.level_high, row.level_low])),
        "precision": lambda v: np.mean(np.abs(v - b) <= row.threshold + 1e-9),
        "selection_rate": lambda v: np.mean(selected(v, every.x.to_numpy(), row)),
        "signal": lambda v: v.mean() / v.std(ddof=1),
        "gap": lambda v: np.mean(v - b),
    }
    return float(simple[row.statistic](x))


def group_values(values: pd.DataFrame, key: tuple[str, ...], row: StatisticRow) -> dict[str, float]:
    """The statistic of every group, before any normalisation afterwards."""
    system, measure, calibration, grouping = key
    of_measure = values[(values.measure_id == measure) & (values.calibration == calibration)]
    every = on_scale(of_measure[of_measure.system_id == system], of_measure, row)
    return {name: expected(group, every, row) for name, group in every.groupby(grouping)}


PAIRED = ("correlation", "kl_divergence", "precision", "gap")
UNDEFINED = ("skewness", "kurtosis", "correlation", "signal")


def is_left_out(key: tuple[str, ...], row: StatisticRow) -> bool:
    """Statistics that have a reason instead of a value."""
    system, measure, calibration, _ = key
    is_constant = measure == "constant" and (row.normalise or row.statistic in UNDEFINED)
    return is_constant or (row.is_paired and (system == "baseline" or calibration == "calibrated"))


@pytest.mark.parametrize("key", ROWS, ids=lambda key: " ".join(key)[:70])
def test_a_statistic_with_its_options(statistics: pd.DataFrame, values: pd.DataFrame, key: tuple[str, str]):
    row = ROWS[key]
    table = statistics[(statistics.statistic == key[0]) & (statistics.parameters == key[1])]
    found = {key: part.set_index("group_id") for key, part in table.groupby(KEYS)}
    # of other measures the difference from the baseline is one value
    keys = [
        key for key in found if key[3] in ("a", "a x b") and (key[2] == "raw" or key[1] == "score_negative")
    ]
    tables = {key: group_values(values, key, row) for key in keys if not is_left_out(key, row)}
    for key in keys:
        if key not in tables:
            assert found[key].value.isna().all()
            assert found[key].reason.notna().all()
            continue
        wanted = tables[key]
        if row.normalise == "after":
            pool = [k for k in tables if k[1:] == key[1:]] if row.normalise_over == "all" else [key]
            pool = [k for k in pool if k[0] != "baseline" or row.normalise_over != "all"]
            of = np.array([value for k in pool for value in tables[k].values()])
            wanted = {group: clipped(np.array(value), of) for group, value in wanted.items()}
        for group, value in wanted.items():
            assert found[key].value[group] == pytest.approx(value, rel=1e-9, abs=1e-9), (key, group)
    assert len(tables) >= 6


def value_of(statistics: pd.DataFrame, **which: str) -> pd.Series:
    kept = statistics
    for column, value in which.items():
        kept = kept[kept[column] == value]
    return kept.set_index("group_id").value


def disparity(built: Built, metric: str) -> pd.DataFrame:
    table = built.table("intermediate.int_disparity_values")
    return table[table.metric == metric]


def test_divergence_of_values_and_the_same_values_plus_ten_is_not_zero(statistics: pd.DataFrame):
    found = value_of(
        statistics,
        statistic="kl_divergence",
        parameters="bins=10;smoothing=0.5",
        measure_id="score",
        grouping_id="a",
        system_id="g1",
        calibration="raw",
    )
    assert (found > 2).all()


def test_a_missing_value_is_missing_in_its_own_group_alone_whether_none_or_nan(
    statistics: pd.DataFrame, values: pd.DataFrame
):
    rows = statistics[(statistics.statistic == "mean") & (statistics.parameters == "")]
    rows = rows[
        (rows.grouping_id == "many") & (rows.calibration == "raw") & (rows.system_id != "baseline")
    ]
    lacking = rows[rows.n_missing > 0]
    assert set(zip(lacking.measure_id, lacking.group_id, lacking.n_missing, strict=True)) == {
        ("score", "m00", 1),
        ("score", "m03", 1),
    }
    assert (rows.n_responses + rows.n_missing == 5).all()
    measured = values[(values.calibration == "raw") & (values.measure_id == "score")]
    means = measured.groupby(["system_id", "many"]).x.mean()
    for row in rows[rows.measure_id == "score"].itertuples():
        assert row.value == pytest.approx(means[row.system_id, row.group_id], abs=1e-12)


def test_a_constant_column_is_selected_whole_by_its_mean(statistics: pd.DataFrame):
    rows = statistics[(statistics.statistic == "selection_rate") & (statistics.measure_id == "constant")]
    larger = rows[(rows.parameters == "standard=mean;method=larger") & (rows.calibration == "raw")]
    assert len(larger) > 30
    assert (larger.value == 1).all()


def test_a_share_of_a_negative_standard_is_a_share_of_its_size(statistics: pd.DataFrame):
    rows = statistics[statistics.parameters == "standard=fixed(-5);method=within_percentage(0.1)"]
    rows = rows[
        (rows.measure_id == "score_negative") & (rows.calibration == "raw") & (rows.grouping_id == "a")
    ]
    assert rows.value.between(0.4, 0.9).all()


def test_a_ratio_of_mixed_signs_is_null_with_its_reason(built: Built):
    table = disparity(built, "min_max_ratio")
    rows = table[(table.measure_id == "mixed") & (table.statistic == "mean") & (table.parameters == "")]
    rows = rows[(rows.grouping_id == "a") & (rows.calibration == "raw")]
    assert rows.value.isna().all()
    assert set(rows.reason) == {"mixed_signs"}


def test_groupings_are_never_pooled_in_a_disparity(built: Built, statistics: pd.DataFrame):
    ranges = disparity(built, "range").set_index([*KEYS, "statistic", "parameters"])
    for key, rows in statistics.groupby([*KEYS, "statistic", "parameters"]):
        known = rows.value.dropna()
        assert ranges.n_groups[key] == len(known)
        if len(known) > 1:
            assert ranges.value[key] == pytest.approx(np.ptp(known), rel=1e-9, abs=1e-12)


def test_measures_are_told_apart_by_their_whole_name(statistics: pd.DataFrame):
    of = {
        "statistic": "mean",
        "parameters": "",
        "grouping_id": "b",
        "system_id": "g1",
        "calibration": "raw",
    }
    assert (value_of(statistics, measure_id="score", **of) > -1).all()
    assert (value_of(statistics, measure_id="score_negative", **of) < -4).all()


def dixon(x: np.ndarray, side: str) -> float:
    """The document's ratio for 4 to 30 values, and r10 for 3."""
    x = np.sort(x if side == "low" else -x)
    near, far = {True: (1, -1)}.get(
        len(x) <= 7, (1, -2) if len(x) <= 10 else (2, -2) if len(x) <= 13 else (2, -3)
    )
    return (x[near] - x[0]) / (x[far] - x[0])


@pytest.mark.parametrize("side", ["low", "high"])
def test_dixon_of_the_groups(built: Built, statistics: pd.DataFrame, side: str):
    table = disparity(built, f"dixon_{side}").set_index([*KEYS, "statistic", "statistic_parameters"])
    excess = disparity(built, f"dixon_excess_{side}").set_index(table.index.names)
    seen = set()
    for key, rows in statistics.groupby([*KEYS, "statistic", "parameters"]):
        known, row = rows.value.dropna().to_numpy(), table.loc[key]
        seen.add(None if pd.isna(row.reason) else row.reason)
        if len(known) == 32:
            assert row.reason == "too_many_groups"
            assert row.parameters.endswith("variant=none")
        elif pd.isna(row.reason):
            assert row.value == pytest.approx(dixon(known, side), rel=1e-6, abs=1e-9)
            critical = float(row.parameters.rpartition("critical=")[2])
            assert excess.value[key] == pytest.approx(row.value - critical)
    assert {None, "too_many_groups", "too_few_groups", "constant_values"} <= seen


def test_critical_values_are_there_for_three_to_thirty_groups(built: Built):
    table = built.table("intermediate.dixon_critical_values").sort_values("n_groups")
    assert table.n_groups.tolist() == list(range(3, 31))
    spans = table.groupby("variant", sort=False).n_groups.agg(["min", "max"])
    assert list(spans.itertuples(name=None)) == [
        ("r10", 3, 7),
        ("r11", 8, 10),
        ("r21", 11, 13),
        ("r22", 14, 30),
    ]


def test_a_disparity_of_the_study_is_its_expression(built: Built, statistics: pd.DataFrame):
    table = disparity(built, "spread_over_mean").set_index([*KEYS, "statistic", "parameters"])
    n_checked = 0
    for key, rows in statistics.groupby([*KEYS, "statistic", "parameters"]):
        known, row = rows.value.dropna().to_numpy(), table.loc[key]
        if pd.isna(row.reason):
            assert row.value == pytest.approx(np.ptp(known) / known.mean(), rel=1e-6)
            n_checked += 1
    assert n_checked > 300


def test_options_stand_in_the_raw_columns():
    assert set(StatisticRow._fields) | {"study_id"} == set(RAW_TABLES["statistics"])
