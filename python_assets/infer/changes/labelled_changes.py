"""What changed of values that people's labels put right: the same root prompts labelled in both generations.

Belongs here: the values of a pair, which follow the instrument by a number of their own, and what is told of them.

Source: inference.md 9.4.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from python_assets.infer.changes.change_rows import Change, without_p, without_value
from python_assets.infer.changes.measure_changes import TESTED, MeasureChanges
from python_assets.infer.changes.swapped import MeanErrors, at_least_mean
from python_assets.infer.design.cells import CellLabels
from python_assets.infer.design.labels import FEWEST_FOR_P, MOST_INCOMPLETE, whole_roots
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.result import Bools, InferenceReason
from python_assets.infer.schemes.corrected_values import both_read, deviations, put_right
from python_assets.infer.tables import GROUPS_CHANGED, Table

_NOT_WHOLE: Final = (InferenceReason.LABELS_INCOMPLETE, InferenceReason.LABELS_NOT_WHOLE_PROMPTS)


class _Both(NamedTuple):
    """Root prompts that people labelled whole in both generations, and why they are not enough."""

    roots: Ints
    reason: InferenceReason | None


@dataclass(frozen=True)
class LabelledChanges(MeasureChanges):
    """Corrected values of a measure of a pair; columns are those of the instrument.

    labels: of both generations in the cells, None of one without any.
    """

    labels: tuple[CellLabels | None, CellLabels | None] = (None, None)

    @cached_property
    def x(self) -> Floats:
        """Of both generations, shape (2, cells, 1); without a value where no root prompt is labelled in both."""
        m = super().x[:, :, 0]
        frame = self.cells.frame
        roots, is_in = self._both.roots, ~np.isnan(m).any(axis=0)
        if not len(roots):
            return np.full((*m.shape, 1), np.nan)
        y = np.stack([np.zeros_like(m[0]) if one is None else one.y for one in self.labels])
        both = both_read(frame.root_of_block[frame.block], np.where(is_in, m, np.nan), y, roots)
        units, d_m = self._deviations(both.m)
        v, _ = put_right(both, units, d_m, self._deviations(both.y)[1])
        return np.asarray(np.where(is_in, v, m)[:, :, None])

    def _deviations(self, side: Floats) -> tuple[Ints, Floats]:
        """Root prompts, and how far values of both generations lie from the others of their root prompt."""
        frame = self.cells.frame
        if self.cells.grouping_id:
            side_deviations = [deviations(frame, one) for one in side]
            return side_deviations[0][0], np.concatenate([d for _, d in side_deviations])
        is_in = ~np.isnan(side[0])
        units, unit = np.unique(frame.root_of_block[frame.block][is_in], return_inverse=True)
        return units, _centred(side[:, is_in], unit)

    @cached_property
    def _both(self) -> _Both:
        frame, m = self.cells.frame, super().x[:, :, 0]
        root, present = frame.root_of_block[frame.block], np.asarray(~np.isnan(m).any(axis=0))
        given = [one for one in self.labels if one is not None]
        if len(given) < len(self.labels):
            lacking = InferenceReason.LABELS_UNPAIRED if given else InferenceReason.TOO_FEW_LABELS
            return _Both(np.empty(0, dtype=np.intp), lacking)
        (these_roots, why), (other, why_other) = (whole_roots(root, present, one) for one in given)
        roots = np.intersect1d(these_roots, other)
        if reason := next((one for one in (why, why_other) if one in _NOT_WHOLE), None):
            return _Both(np.empty(0, dtype=np.intp), reason)
        if len(roots) < (1 - MOST_INCOMPLETE) * max(len(these_roots), len(other)):
            return _Both(roots, InferenceReason.LABELS_UNPAIRED)
        return _Both(roots, InferenceReason.TOO_FEW_LABELS if len(roots) < FEWEST_FOR_P else None)

    @property
    def errors(self) -> MeanErrors:
        """At least the mean error of all groups; intervals of the labelled root prompts."""
        return MeanErrors(at_least_mean, max(len(self._both.roots), 1))

    def tables(self) -> Iterator[Table]:
        """Yield the rows of the question whether groups moved, and of its groups."""
        if self.cells.stratum_of_cell is not None:
            yield self._rows(GROUPS_CHANGED, without_value(1, InferenceReason.SCHEME_NOT_AVAILABLE))
        elif not len(self._pair.units):
            yield self._nothing_shared(GROUPS_CHANGED)
        else:
            for table in self._moved():
                is_told = ~np.isnan(table["p_value"])
                is_crossing = self.cells.asks_of_parts is not None
                yield without_p(table, is_told, InferenceReason.SCHEME_NOT_AVAILABLE) if is_crossing else table

    def _nothing_shared(self, comparison: str) -> Table:
        reason = self._both.reason or InferenceReason.NO_SHARED_ROOT_PROMPT
        return self._rows(comparison, without_value(1, reason), missing=reason)

    def _judged(self, change: Change, **kind: Any) -> Change:
        judged = super()._judged(change, **kind)
        if self._both.reason is None:
            return judged
        everything: Bools = np.ones(judged.result.value.shape, dtype=bool)
        return judged._replace(result=judged.result.refused(everything, self._both.reason, TESTED))


def _centred(values: Floats, unit: Ints) -> Floats:
    """Values of both generations less the mean of all cells of their root prompt, as columns of root prompts.

    0 where one has fewer cells: sums of products are all that is asked of them.
    """
    counts = np.bincount(unit)
    left = values - (np.bincount(unit, values.sum(axis=0)) / (counts * len(values)))[unit]
    order = np.argsort(unit, kind="stable")
    position = np.arange(len(unit)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.zeros((len(values), counts.max(initial=0), len(counts)))
    table[:, position, unit[order]] = left[:, order]
    return table.reshape(-1, len(counts))
