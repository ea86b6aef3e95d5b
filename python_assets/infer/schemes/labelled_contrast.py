"""Groups that meet in blocks, of values that people's labels put right: their error, observed and under draws.

Belongs here: what differs from block_contrast.py. A corrected value stands far out on the few root prompts that are
labelled, so that a group whose labels happen to agree with the instrument has too small an error of its own: each error
is at least the mean one of all groups.

Source: inference.md 9.2.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from python_assets.infer.design.cells import Labelled
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.schemes.block_contrast import BlockContrast
from python_assets.infer.schemes.differences import LARGEST_T, ContrastCounts, Differences, Sums

_NOTHING = Labelled("error_score", 0, None, np.zeros(0, dtype=bool), is_rate=False)


@dataclass(frozen=True)
class LabelledContrast(BlockContrast):
    """Each group against the other groups of its blocks.

    labelled: what is known of the labels: t has degrees of freedom of their root prompts, or of its own units where
    values are of labelled answers alone.
    """

    labelled: Labelled = _NOTHING

    @cached_property
    def rows(self) -> ContrastCounts:
        """What is counted of the rows."""
        n = self.labelled.n_root_prompts
        of = f"{n} labelled root prompts" if n else "labelled answers"
        return super().rows._replace(names=(f"permuted t of {of}", f"t of {of}", f"t interval of {of}"))

    def differences(self, x: Floats) -> Differences:
        """Mean over units, with an error that is at least that of all groups."""
        value, std_error, df = super().differences(x)
        floor = (std_error[self.rows.in_hypothesis] ** 2).sum(axis=0) / max(self.rows.in_hypothesis.sum(), 1)
        n = self.labelled.n_root_prompts
        df = np.full_like(df, n - 1.0) if n else df
        return Differences(value, np.sqrt(np.fmax(std_error**2, np.where(np.isnan(value), np.nan, floor))), df)

    def skewness(self, x: Floats) -> tuple[Floats | float, Floats | float]:
        """None: intervals are of t alone (inference.md 9.2)."""
        return np.nan, np.nan

    def sizes(self, sums: Sums, n: Ints) -> Floats:
        """|t| under draws, with the same floor."""
        n = np.maximum(n, 1)
        mean = sums.total / n
        variance = np.maximum(sums.squares - sums.total * mean, 0) / (np.maximum(n - 1, 1) * n)
        tested = self.rows.in_hypothesis
        floor = variance[:, tested].mean(axis=1, keepdims=True) if tested.any() else variance
        error = np.sqrt(np.maximum(variance, floor))
        np.abs(mean, out=mean)
        largest = np.where(mean > 0, LARGEST_T, 0.0)
        return np.minimum(np.divide(mean, error, out=largest, where=error > 0), LARGEST_T)
