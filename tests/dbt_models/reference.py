"""The numbers of the marts once more, in plain loops over the raw tables, independent of the SQL."""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pandas as pd
from scipy import stats

from tests.dbt_models.irregular_study import GROUPINGS, MEASURE_SLICES, MEASURES, SLICES

REFERENCE = {
    "mean": lambda x: np.mean(x),
    "median": lambda x: np.median(x),
    "variance": lambda x: np.var(x, ddof=1),
    "standard_deviation": lambda x: np.std(x, ddof=1),
    "skewness": lambda x: stats.skew(x, bias=False),
    "kurtosis": lambda x: stats.kurtosis(x, bias=False),
}


def bin_counts(values: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Counts in ten equal bins, plus a half; rounded values lie on edges, where np.histogram differs."""
    low, high = limits
    bins = np.minimum(np.floor((values - low) / (high - low or 1) * 10), 9).astype(int)
    return np.bincount(bins, minlength=10) + 0.5


# of values, their baselines, and the smallest and largest of both in the slice
PAIRED = {
    "correlation": lambda x, b, limits: stats.pearsonr(x, b).statistic,
    "kl_divergence": lambda x, b, limits: stats.entropy(bin_counts(x, limits), bin_counts(b, limits)),
    "precision": lambda x, b, limits: np.mean(np.abs(x - b) < 0.1 + 1e-9),
}
MIN_VALUES = {"variance": 2, "standard_deviation": 2, "skewness": 3, "kurtosis": 4, "correlation": 2}


@dataclass(frozen=True, eq=False)
class Comparison:
    """The responses of one slice and outcome with group, block and root prompt; x is NaN where missing."""

    keys: dict[str, str]
    rows: pd.DataFrame
    groups: list[str]

    @cached_property
    def rows_of(self) -> dict[str, pd.DataFrame]:
        """The rows of each group."""
        return dict(iter(self.rows.groupby("group")))

    @cached_property
    def every_pair(self) -> pd.DataFrame:
        """Rows with a value and a baseline."""
        return self.rows.dropna(subset=["x", "baseline_value"])

    @cached_property
    def every_value(self) -> pd.DataFrame:
        """Rows with a value."""
        return self.rows.dropna(subset="x")

    def values(self, group: str) -> np.ndarray:
        rows = self.rows_of.get(group, self.rows[:0])  # a reference level may be in another slice alone
        return rows.x.dropna().to_numpy()

    def pairs(self, group: str) -> pd.DataFrame:
        return self.rows_of[group].dropna(subset=["x", "baseline_value"])


def comparisons(raw: dict[str, pd.DataFrame]) -> list[Comparison]:
    """Every comparison that the irregular study asks for."""
    levels = raw["prompt_factors"].pivot(index="prompt_id", columns="factor", values="level")
    prompts = raw["prompts"].set_index("prompt_id")[["root_prompt_id"]].join(levels)
    found = []
    for outcome, rows in outcomes(raw["measurements"]):
        for slice_id in MEASURE_SLICES[outcome["measure_id"]]:
            for grouping, factors in GROUPINGS.items():
                inside = grouped(prompts, slice_id, factors)
                keys = {**outcome, "slice_id": slice_id, "grouping_id": grouping}
                joined = rows.join(inside, on="prompt_id", how="inner")
                found.append(Comparison(keys, joined, sorted(inside.group.unique())))
    return found


def outcomes(measurements: pd.DataFrame) -> list[tuple[dict[str, str], pd.DataFrame]]:
    """Every (generation, measure, calibration, category) with one number a response."""
    found = []
    for (system, measure), rows in measurements.groupby(["system_id", "measure_id"]):
        keys = {"system_id": system, "measure_id": measure, "calibration": "raw", "category": ""}
        if MEASURES[measure][0] == "categorical":
            labels = measurements.label[measurements.measure_id == measure].dropna().unique()
            for label in labels:
                is_label = (rows.label == label).astype(float).where(rows.label.notna())
                found.append((keys | {"category": label}, rows.assign(x=is_label)))
            continue
        found.append((keys, rows.assign(x=rows.value.astype(float))))
        if rows.baseline_value.notna().any():
            x = (rows.value - rows.baseline_value).astype(float)
            found.append((keys | {"calibration": "calibrated"}, rows.assign(x=x)))
    return found


def grouped(prompts: pd.DataFrame, slice_id: str, factors: list[str]) -> pd.DataFrame:
    """Group, block and root of each prompt of a slice that has all factors."""
    inside = prompts.dropna(subset=factors)
    for factor, allowed in SLICES[slice_id].items():
        inside = inside[inside[factor].isin(allowed)]
    others = [f for f in ("gender", "race", "style", "era") if f not in factors]
    rows = inside.assign(group=inside[factors].agg(" x ".join, axis=1), root=inside.root_prompt_id)
    is_nested = rows.groupby("root").group.nunique().max() <= 1
    return pd.DataFrame(
        {
            "group": rows.group,
            "block": rows.root if is_nested else rows[["root", *others]].fillna("").agg("|".join, axis=1),
            "root": rows.root,
            "stratum": rows.era if is_nested else None,
        }
    )


def mean_over_root_prompts(rows: pd.DataFrame) -> float:
    """Mean of the rows of a group: prompts, cells and root prompts each count alike."""
    prompts = rows.dropna(subset="x").groupby(["root", "block", "prompt_id"]).x.mean()
    return float(prompts.groupby(["root", "block"]).mean().groupby("root").mean().mean())


def differences(comparison: Comparison) -> dict[tuple[str, str], float]:
    """Each group minus what it is compared with on the same prompt, by reference."""
    return {key: own - other for key, (own, other) in compared_means(comparison).items()}


@cache
def compared_means(comparison: Comparison) -> dict[tuple[str, str], tuple[float, float]]:
    """Means of each group and of what it is compared with on the same prompt (inference.md 1, 2.6).

    A group that shares no block with what it is compared with has no entry. Where root prompts are nested in
    groups, their means are compared in strata, all strata counting alike.
    """
    rows = comparison.rows.dropna(subset="x")
    prompts = rows.groupby(["root", "block", "group", "prompt_id"], as_index=False).agg(
        x=("x", "mean"), stratum=("stratum", "first")
    )
    cells: dict[tuple[str, str], dict[str, list[float]]] = {}
    for (root, block, group), cell in prompts.groupby(["root", "block", "group"]):
        stratum = cell.stratum.iloc[0]
        key = (root, block) if stratum is None else (stratum, stratum)
        cells.setdefault(key, {}).setdefault(group, []).append(cell.x.mean())
    shared = {key: {g: np.mean(x) for g, x in cell.items()} for key, cell in cells.items() if len(cell) > 1}
    n_roots = len({root for root, _ in shared})
    found: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = {}
    for (root, block), means in shared.items():
        unit = block if n_roots < 5 <= len(shared) else root
        for group, mean in means.items():
            others = {other: means[other] for other in means if other != group}
            rest, every = (np.mean(list(of.values())) for of in (others, means))
            against = {"rest": rest, "grand_mean": every, **others}
            for reference, x in against.items():
                found.setdefault((group, reference), {}).setdefault(unit, []).append((float(mean), float(x)))
    over_units = {
        key: np.mean([np.mean(pairs, axis=0) for pairs in units.values()], axis=0)
        for key, units in found.items()
    }
    return {key: (float(own), float(other)) for key, (own, other) in over_units.items()}
