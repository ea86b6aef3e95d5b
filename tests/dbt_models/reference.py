"""The numbers of the marts once more, in plain loops over the raw tables, independent of the SQL."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from tests.dbt_models.irregular_study import GROUPINGS, MEASURE_SLICES, MEASURES, SLICES

REFERENCE = {
    "mean": lambda x: np.mean(x),
    "median": lambda x: np.median(x),
    "variance": lambda x: np.var(x, ddof=1),
    "standard_deviation": lambda x: np.std(x, ddof=1),
}


class Comparison(NamedTuple):
    """The responses of one slice and outcome with group, block and root prompt; x is NaN where missing."""

    keys: dict[str, str]
    rows: pd.DataFrame
    groups: list[str]

    def values(self, group: str) -> np.ndarray:
        return self.rows.x[self.rows.group == group].dropna().to_numpy()


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
    for (generation, measure), rows in measurements.groupby(["generation_id", "measure_id"]):
        keys = {"generation_id": generation, "measure_id": measure, "calibration": "raw", "category": ""}
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
    others = [f for f in ("gender", "race", "style") if f not in factors]
    return pd.DataFrame(
        {
            "group": inside[factors].agg(" x ".join, axis=1),
            "block": inside[["root_prompt_id", *others]].fillna("").agg("|".join, axis=1),
            "root": inside.root_prompt_id,
        }
    )


def mean_d(comparison: Comparison) -> dict[str, float]:
    """Each group minus the others on the same prompt, over blocks, then root prompts (inference.md 1, 2.6).

    A group that shares no block with another has no entry.
    """
    cells: dict[tuple[str, str], dict[str, list[float]]] = {}
    rows = comparison.rows.dropna(subset="x")
    for root, block, group, x in zip(rows.root, rows.block, rows.group, rows.x, strict=True):
        cells.setdefault((root, block), {}).setdefault(group, []).append(x)
    shared = {
        key: {group: np.mean(x) for group, x in cell.items()} for key, cell in cells.items() if len(cell) > 1
    }
    n_roots = len({root for root, _ in shared})
    d: dict[str, dict[str, list[float]]] = {}
    for (root, block), means in shared.items():
        unit = block if n_roots < 5 <= len(shared) else root
        for group, mean in means.items():
            others = np.mean([means[other] for other in means if other != group])
            d.setdefault(group, {}).setdefault(unit, []).append(float(mean - others))
    return {
        group: float(np.mean([np.mean(of_unit) for of_unit in units.values()])) for group, units in d.items()
    }
