"""How many hypotheses of a real audit are significant, and how many beside its placebos: one CV, one edit at a time.

python -m bench.bench_hiring_edits SCORES

Belongs here: the data of re-cinq/hiring-bias (CC BY 4.0), a csv that is no part of the project, through the formula
alone: no study file, no tables. The groups of an axis are its edits; the CV without any edit is no group. Of 32
hypotheses (four models, eight axes) p is at most .05 in 12 by permutation, 0 with controls of four types, 4 of seven;
with controls none is significant by q.

Source: inference.md 14.
"""

import sys
from typing import Final

import numpy as np
import pandas as pd

from python_assets.infer.draws.exchange import Floats
from python_assets.infer.formulas.multiplicity import benjamini_hochberg
from python_assets.infer.formulas.negative_controls import Wording, wording

ALPHA: Final = 0.05
N_DRAWS: Final = 4_999
PLACEBO: Final = "placebo"
TYPES: Final = {
    "car-red": "colour",
    "car-silver": "colour",
    "day-saturday": "weekday",
    "day-tuesday": "weekday",
    "noop-whitespace": "blank line",
    "weather-clear": "weather",
    "weather-rain": "weather",
}


def permuted_p(x: Floats, rng: np.random.Generator) -> float:
    """P of the smaller p of the largest t and of the sum of squares, edits shuffled within jobs; x: jobs x edits."""
    n_jobs, n_edits = x.shape
    orders = rng.random((N_DRAWS, n_jobs, n_edits)).argsort(axis=2)
    tables = np.concatenate([x[None], np.take_along_axis(np.broadcast_to(x, orders.shape), orders, axis=2)])
    d = tables - tables.mean(axis=2, keepdims=True)
    sd = d.std(axis=1, ddof=1)
    t = np.abs(d.mean(axis=1)) / np.where(sd > 0, sd, np.inf)
    statistics = np.round([t.max(axis=1), (t**2).sum(axis=1)], 9)
    smallest = np.min([(one[:, None] <= one).mean(axis=1) for one in statistics], axis=0)
    return float((smallest <= smallest[0] + 1e-12).mean())


def main() -> None:
    """Print p of every axis and model, and what is significant."""
    scores = pd.read_csv(sys.argv[1])
    cells = scores.groupby(["model", "axis", "edit", "job"]).score.mean()
    rng, rows = np.random.default_rng(1), []
    for model, axis in cells.index.droplevel(["edit", "job"]).unique():
        if axis in (PLACEBO, "baseline"):
            continue
        x, controls = (cells[model][one].unstack("edit") for one in (axis, PLACEBO))
        row = {"model": model, "axis": axis, "n_groups": x.shape[1], "p_permuted": permuted_p(x.to_numpy(), rng)}
        for name, types in (("four", [TYPES[edit] for edit in controls]), ("seven", [*controls])):
            found = wording(x.to_numpy(), controls.to_numpy(), types)
            if not isinstance(found, Wording):
                raise ValueError(found.meaning)
            row |= {f"p_{name}_types": max(row["p_permuted"], found.p_value), "wording_sd": found.sd}
        rows.append(row)
    table = pd.DataFrame(rows)
    print(table.round(4).to_string(index=False))
    for name in (name for name in table if str(name).startswith("p_")):
        p = table[name].to_numpy()
        q = benjamini_hochberg(p)
        print(f"{name}: p at most {ALPHA} in {(p <= ALPHA).sum()} of {len(p)}, q in {(q <= ALPHA).sum()}")


if __name__ == "__main__":
    main()
