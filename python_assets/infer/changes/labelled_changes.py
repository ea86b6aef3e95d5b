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
from python_assets.infer.changes.swapped import Errors, at_least_mean
from python_assets.infer.design.cells import CellLabels
from python_assets.infer.design.labels import FEWEST_FOR_P, MOST_INCOMPLETE, deviations, following, whole_roots
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.result import Bools, InferenceReason
from python_assets.infer.tables import GROUPS_MOVED, Table

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
        root, is_in = frame.root_of_block[frame.block], ~np.isnan(m).any(axis=0)
        roots, of_unit = self._both.roots, np.unique(root[is_in])
        if not len(roots):
            return np.full((2, m.shape[1], 1), np.nan)
        is_labelled = np.isin(root, roots)
        y = np.stack([np.zeros_like(m[0]) if one is None else np.nan_to_num(one.y) for one in self.labels])
        read, given = (np.where(is_in, side, np.nan) for side in (m, np.where(is_labelled, y, 0.0)))
        units, d_m, d_y = self._deviations(read, given)
        weight = following(d_m, d_y, np.isin(units, roots))
        scale = len(of_unit) / len(roots)
        v = weight * m + np.where(is_labelled, scale * (y - weight * m), 0.0)
        return np.asarray(np.where(is_in, v, m)[:, :, None])

    def _deviations(self, m: Floats, y: Floats) -> tuple[Ints, Floats, Floats]:
        """Root prompts, and how far readings and labels lie from the others of their root prompt."""
        if self.cells.grouping_id:
            (d_m, units), (d_y, _) = (_of_both([deviations(self.cells.frame, one) for one in side]) for side in (m, y))
            return units, d_m, d_y
        root = self.cells.frame.root_of_block[self.cells.frame.block]
        is_in = ~np.isnan(m).any(axis=0)
        units, unit = np.unique(root[is_in], return_inverse=True)
        centred = [_centred(side[:, is_in], unit) for side in (m, y)]
        # sums of products are all that is asked of them, so one row holds each cell of a root prompt
        d_m, d_y = (_by_unit(side, unit) for side in centred)
        return units, d_m, d_y

    @cached_property
    def _both(self) -> _Both:
        frame, m = self.cells.frame, super().x[:, :, 0]
        root, present = frame.root_of_block[frame.block], np.asarray(~np.isnan(m).any(axis=0))
        given = [one for one in self.labels if one is not None]
        if len(given) < len(self.labels):
            lacking = InferenceReason.LABELS_UNPAIRED if given else InferenceReason.TOO_FEW_LABELS
            return _Both(np.empty(0, dtype=np.intp), lacking)
        (own, why), (other, why_other) = (whole_roots(root, present, one) for one in given)
        roots = np.intersect1d(own, other)
        if reason := next((one for one in (why, why_other) if one in _NOT_WHOLE), None):
            return _Both(np.empty(0, dtype=np.intp), reason)
        if len(roots) < (1 - MOST_INCOMPLETE) * max(len(own), len(other)):
            return _Both(roots, InferenceReason.LABELS_UNPAIRED)
        return _Both(roots, InferenceReason.TOO_FEW_LABELS if len(roots) < FEWEST_FOR_P else None)

    @property
    def errors(self) -> Errors:
        """At least the mean error of all groups; intervals of the labelled root prompts."""
        return Errors(at_least_mean, max(len(self._both.roots), 1))

    def tables(self) -> Iterator[Table]:
        """Yield the rows of the question whether groups moved, and of its groups."""
        if self.cells.stratum_of_cell is not None:
            yield self._rows(GROUPS_MOVED, without_value(1, InferenceReason.SCHEME_NOT_AVAILABLE))
        elif not len(self._pair.units):
            yield self._nothing_shared(GROUPS_MOVED)
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


def _of_both(found: list[tuple[Floats, Ints]]) -> tuple[Floats, Ints]:
    """Deviations of both generations one below the other, which have the same root prompts."""
    return np.concatenate([d for d, _ in found]), found[0][1]


def _centred(values: Floats, unit: Ints) -> Floats:
    """Values of both generations less the mean of all cells of their root prompt, shape (2, cells)."""
    total = np.bincount(unit, values.sum(axis=0)) / np.maximum(np.bincount(unit) * len(values), 1)
    found: Floats = values - total[unit]
    return found


def _by_unit(values: Floats, unit: Ints) -> Floats:
    """Values of both generations as columns of root prompts, 0 where one has fewer cells."""
    order = np.argsort(unit, kind="stable")
    counts = np.bincount(unit)
    place = np.arange(len(unit)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.zeros((len(values), counts.max(initial=0), len(counts)))
    table[:, place, unit[order]] = values[:, order]
    return table.reshape(-1, len(counts))
