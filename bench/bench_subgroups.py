"""How often the intervals of subgroup rates and log disparities hold the truth.

python -m bench.bench_subgroups [--sets 4000]

Belongs here: made-up responses of units that share a logit. The intervals are infer/subgroups.py.
"""

import argparse
from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit

from python_assets.infer.subgroups.subgroups import SUBGROUP_KEYS, subgroup_intervals

Counts = NDArray[np.int64]
Sizes = tuple[Counts, Counts]
RATES = ((0.05, 0.05), (0.2, 0.2), (0.1, 0.3), (0.5, 0.7))
SPREADS = (0.0, 1.0)  # of units, on the logit
N_UNITS = (6, 12, 40)
ALPHA = 0.05
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def unit_sums(own: Sizes, other: Sizes) -> pd.DataFrame:
    """Rows of int_subgroup_sums from responses and deviating ones of each unit, shape (sets, units)."""
    (n, k), (m, h) = own, other
    columns: dict[str, Counts] = {}
    for suffix, size, ones in (("", n, k), ("_other", m, h)):
        columns |= {
            f"n_responses{suffix}": size.sum(axis=1),
            f"n_deviating{suffix}": ones.sum(axis=1),
            f"n_root_prompts{suffix}": (size > 0).sum(axis=1),
        }
    for side, first, second in (("u", own, own), ("o", other, other), ("uo", own, other)):
        for (a, left), (b, right) in product(zip("nk", first, strict=True), zip("nk", second, strict=True)):
            columns[f"sum_{a}{b}_{side}"] = (left * right).sum(axis=1)
    return pd.DataFrame(columns).assign(**dict.fromkeys(SUBGROUP_KEYS, "x"))


def made_up(sizes: Sizes, rates: tuple[float, float], spread: float, rng: np.random.Generator) -> tuple[Sizes, Sizes]:
    """Responses of a subgroup and of all others, units with a logit in common."""
    unit = spread * rng.normal(size=sizes[0].shape)
    own, other = (
        (size, rng.binomial(size, expit(_intercept(rate, spread) + unit)))
        for size, rate in zip(sizes, rates, strict=True)
    )
    return own, other


def _intercept(rate: float, spread: float) -> float:
    """The logit at which units of this spread have the rate on average."""

    def excess(middle: float) -> float:
        return float((WEIGHTS * expit(middle + spread * NODES)).sum() / WEIGHTS.sum() - rate)

    return float(brentq(excess, -15, 15))


def designs(n_units: int, n_sets: int, rng: np.random.Generator) -> Iterator[tuple[str, Sizes]]:
    """Responses a unit of the subgroup and of all others."""
    shape = (n_sets, n_units)
    yield "crossed", (np.full(shape, 4), np.full(shape, 12))
    yield "crossed, by chance", (rng.poisson(4, shape), rng.poisson(10, shape))
    is_own = np.arange(n_units) < max(n_units // 3, 3)
    yield ("nested", (np.tile(np.where(is_own, 4, 0), (n_sets, 1)), np.tile(np.where(is_own, 0, 4), (n_sets, 1))))


def coverage(found: pd.DataFrame, name: str, truth: float) -> float:
    """Share of the intervals that hold the truth, of those that are there."""
    told = found[found[f"{name}_low"].notna()]
    return float(((told[f"{name}_low"] <= truth) & (truth <= told[f"{name}_high"])).mean())


def main() -> None:
    """Print a row a design and number of units: the lowest and highest coverage over rates and spreads."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=4_000)
    n_sets, rng = parser.parse_args().sets, np.random.default_rng(1)
    print("| design | R | rate | log disparity |\n|---|---|---|---|")
    for n_units in N_UNITS:
        for design, sizes in designs(n_units, n_sets, rng):
            of_rate, of_disparity = [], []
            for rates, spread in product(RATES, SPREADS):
                found = subgroup_intervals(unit_sums(*made_up(sizes, rates, spread, rng)), ALPHA)
                of_rate.append(coverage(found, "ci", rates[0]))
                of_disparity.append(coverage(found, "log_disparity_ci", float(logit(rates[0]) - logit(rates[1]))))
            ranges = " | ".join(f"{min(held):.3f} to {max(held):.3f}" for held in (of_rate, of_disparity))
            print(f"| {design} | {n_units} | {ranges} |", flush=True)


if __name__ == "__main__":
    main()
