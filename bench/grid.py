"""The designs that long benches run over: every row of grid.csv, so that nobody picks the ones that look well.

Belongs here: reading the rows, and cells made up after one of them. What is asked of the cells is told by the bench.
The rows are every size (6, 12, 30 or 75 root prompts, 2, 5 or 21 groups) under every condition: more replicates, skew,
one group of a larger spread, the same and skewed, cells that are missing; and groups of names of their own.
"""

import csv
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from bench.error_rates.simulated import Layout, Model, means
from python_assets.infer.draws.exchange import Floats

FILE: Final = Path(__file__).with_suffix(".csv")


class Design(NamedTuple):
    """A row of the grid.

    wide: how many groups have a spread so many times that of the others. missing: share of cells without a value.
    names: units of each group, 0 where groups meet on the same prompts.
    """

    root_prompts: int
    groups: int
    replicates: int
    noise: str
    wide: int
    spread: float
    missing: float
    names: int

    @property
    def condition(self) -> str:
        """All but the size, in words."""
        parts = {
            f"{self.replicates} replicates": self.replicates > 1,
            self.noise: self.noise != "normal",
            f"one group of {self.spread:g} times the spread": self.wide > 0,
            f"{self.missing:.0%} of cells missing": self.missing > 0,
            f"groups of {self.names} names": self.names > 0,
        }
        return ", ".join(text for text, holds in parts.items() if holds) or "plain"

    @property
    def layout(self) -> Layout:
        """Its size."""
        return Layout(self.root_prompts, self.groups, self.replicates)

    @property
    def model(self) -> Model:
        """How its responses come about, without any difference between groups."""
        spread = [self.spread] * self.wide + [1.0] * (self.groups - self.wide)
        return Model(rho=0.45, interaction=0.1, noise=self.noise, spread=spread)

    def cells(self, rng: np.random.Generator, n_sets: int) -> Floats:
        """Cell means of data sets in which groups are alike, shape (root prompts, groups, sets), NaN where missing."""
        x = means(rng, self.layout, self.model, n_sets).reshape(self.root_prompts, self.groups, n_sets)
        x[rng.random(x.shape) < self.missing] = np.nan
        return x


def designs(*, of_names: bool = False) -> list[Design]:
    """The rows of groups that meet on the same prompts, or of groups of names."""
    with FILE.open(encoding="utf-8") as lines:
        found = [
            Design(
                *(int(row[name]) for name in ("root_prompts", "groups", "replicates")),
                noise=row["noise"],
                wide=int(row["wide"]),
                spread=float(row["spread"]),
                missing=float(row["missing"]),
                names=int(row["names"]),
            )
            for row in csv.DictReader(lines)
        ]
    return [design for design in found if (design.names > 0) == of_names]
