"""What changed of one measure between two generations: its mean, its groups, and whether groups moved apart.

Belongs here: which comparisons a measure of a pair has, and what refuses or flags them. The arithmetic is
swapped.py, log_disparities.py and, where units lie in one group each, unit_changes.py; who_moved.py has the rounds.

Source: inference.md 8.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.infer.changes.change_rows import Change, change_rows, without_p, without_value
from python_assets.infer.changes.log_disparities import log_disparity_changes
from python_assets.infer.changes.pairs_of_systems import MOST_UNPAIRED
from python_assets.infer.changes.swapped import (
    MOST_FOR_T,
    PLAIN,
    MeanErrors,
    Paired,
    dispersion_change,
    mean_changes,
    paired,
    sizes_of,
)
from python_assets.infer.changes.unit_changes import unit_changes, units_interaction
from python_assets.infer.changes.who_moved import FEWEST_GROUPS, Moved, Rounds, who_moved
from python_assets.infer.contrasts.controlled import ControlFindings, hold, weights_of_rows
from python_assets.infer.contrasts.interaction import InteractionRequest, mirrors_of, of_blocks, values_in_blocks
from python_assets.infer.contrasts.means import shuffled_levels
from python_assets.infer.design.cells import MIXED_UNITS, Cells, are_equal, equalised
from python_assets.infer.design.control_cells import ControlCells, by_root
from python_assets.infer.design.design import (
    MIN_UNITS,
    MIN_UNITS_FOR_SCOPE,
    MIN_UNITS_OF_HYPOTHESIS,
    Design,
    Frame,
    Unit,
    scopes,
    shared,
)
from python_assets.infer.draws.exchange import TIE, Draws, Floats, Ints, goes_on
from python_assets.infer.draws.flips import Flips
from python_assets.infer.formulas import skewed
from python_assets.infer.formulas.negative_controls import Wording, wording
from python_assets.infer.options import Options, Reference
from python_assets.infer.result import EVERY_P, INTERVAL, TEST, Bools, InferenceReason, Result, first_of
from python_assets.infer.schemes.block_contrast import BlockContrast
from python_assets.infer.tables import (
    DISPARITY_CHANGE,
    DISPERSION_CHANGE,
    GROUP_CHANGE,
    GROUPS_CHANGED,
    INTERACTION_CHANGE,
    LOG_DISPARITY_CHANGE,
    MEAN_CHANGE,
    Table,
)

FEWEST_FOR_RATES: Final = 10  # root prompts under which cell rates are too coarse for a t interval
_REFUSED: Final = (InferenceReason.TOO_MANY_UNSCORED, InferenceReason.SCORER_DIFFERS)
P_COLUMNS: Final = ("p_maxt", "p_maxt_permuted", "p_negative_controls", "scope", "method")
_OF_CONTROLS: Final = ("control_error", "control_df", "ci_low_sampling", "ci_high_sampling")
TESTED: Final = ("std_error", "skewness", *INTERVAL, *TEST, *P_COLUMNS, *_OF_CONTROLS)
KEPT_PATTERNS: Final = 2  # of present cells, whose draws are kept
AND_SHUFFLED: Final = ", and changes shuffled among groups"


class Exchanges(NamedTuple):
    """What changes place, the same in all changes of a slice and grouping.

    signs: of root prompts, by their positions in the cells. shuffled: how some of the cells, by their positions, are
    compared with the others of their blocks, and their orders in these; made once for all measures with these cells.
    """

    signs: Callable[[Ints], Flips]
    shuffled: Callable[[Ints], tuple[BlockContrast, Draws]]

    @classmethod
    def of(cls, frame: Frame, signs: Callable[[Ints], Flips], orders: Callable[[Ints], Draws]) -> "Exchanges":
        """What changes place among the cells of a frame; signs and orders say what is drawn of some of them."""

        @lru_cache(maxsize=KEPT_PATTERNS)
        def flips(units: bytes) -> Flips:
            return signs(np.frombuffer(units, dtype=np.intp))

        @lru_cache(maxsize=KEPT_PATTERNS)
        def shuffled(cells: bytes) -> tuple[BlockContrast, Draws]:
            cell = np.frombuffer(cells, dtype=np.intp)
            return BlockContrast(Design(frame, cell, Unit.ROOT_PROMPT)), orders(cell)

        return cls(lambda units: flips(units.tobytes()), lambda cell: shuffled(cell.tobytes()))


@dataclass(frozen=True)
class MeasureChanges:
    """One measure of a pair in one slice and grouping; the groups of all of its labels are one question.

    columns: of both generations in the cells, by label. kind: of the measure. keys: what stands in all rows.
    is_identical: whether both gave the same answers everywhere. margin: of how far a group moves, NaN without one.
    """

    cells: Cells
    columns: Mapping[str, tuple[int, int]]
    kind: str
    keys: Mapping[str, object]
    exchanges: Exchanges
    options: Options
    margin: float = np.nan
    is_identical: bool = False

    @cached_property
    def x(self) -> Floats:
        """Of both generations, shape (2, cells, labels); one number where all values of both are equal."""
        both = np.moveaxis(self.cells.x[:, np.array([*self.columns.values()])], 2, 0)
        return equalised(both.reshape(-1, both.shape[2])).reshape(both.shape)

    @cached_property
    def _pair(self) -> Paired:
        return self._paired(self.x)

    def _paired(self, x: Floats) -> Paired:
        """Values by root prompt; where no change of a group is larger than what digits are lost by, there is none."""
        pair = paired(self.cells.frame, x)
        largest = np.nanmax(np.abs(pair.differences[0] - pair.differences[1]), initial=0.0)
        if largest > TIE * np.nanmax(np.abs(x), initial=0.0):
            return pair
        return pair._replace(differences=pair.differences[[1, 1]])

    @cached_property
    def _groups(self) -> dict[str, np.ndarray]:
        group_ids = np.array(self.cells.group_ids * len(self.columns), dtype=object)
        labels = np.array([*self.columns], dtype=object)
        return {"group_id": group_ids, "category": np.repeat(labels, len(self.cells.group_ids))}

    def of_mean(self) -> Table:
        """The row of the mean of all cells of a root prompt."""
        if not len(self._pair.units):
            return self._nothing_shared(MEAN_CHANGE)
        mean = self._tested(self._pair.means)
        hypothesis = mean.result._replace(p_value=mean.result.p_hypothesis)
        return self._rows(MEAN_CHANGE, self._judged(mean._replace(result=hypothesis)))

    def tables(self) -> Iterator[Table]:
        """Yield the rows of each comparison of groups."""
        pair, labels = self._pair, [*self.columns]
        if not len(pair.units):
            yield self._nothing_shared(GROUPS_CHANGED)
            return
        if labels == [""]:
            yield self._dispersion()
        for label in labels:
            is_of_label = self._groups["category"] == label
            groups = self._tested(pair.means[:, :, is_of_label])
            judged = self._judged(groups, absent=InferenceReason.NO_VALUES)
            yield self._rows(GROUP_CHANGE, judged, missing="no_values", group_id=self.cells.group_ids, category=label)
        if self.cells.asks_of_parts is not None:
            yield from self._moved_interaction(self.cells.asks_of_parts)
        else:
            yield from self._moved() if self.cells.stratum_of_cell is None else self._moved_units()
        if self.kind == "binary":
            yield self._log_disparities()

    def interaction(self, parts: Ints, without: Collection[int] = ()) -> Change:
        """What the changes of cells have beyond their parts, and both generations; shape (labels, groups).

        A swap of both generations turns round all cells of a root prompt.

        Args:
            parts: of the crossing.
            without: positions of cells that are taken for absent in all blocks.
        """
        is_out = self._is_out(without)
        x = np.where(is_out[:, None], np.nan, self.x)
        n_labels = x.shape[2]
        question = InteractionRequest(parts, self.options.alpha, np.full(n_labels, self.margin), n_labels)
        if self.cells.stratum_of_cell is not None:
            return units_interaction(self.cells, x, question, self.options)
        cell = shared(self.cells.frame, ~is_out)
        if not len(cell):
            nothing = Result.of((n_labels, len(self.cells.group_ids)), reason=InferenceReason.NO_SHARED_BLOCK)
            return Change(nothing, nothing.value, nothing.value)
        design = Design(self.cells.frame, cell, Unit.ROOT_PROMPT)
        sides = (values_in_blocks(design, side[cell], parts) for side in x)
        return Change(of_blocks(design, (x[0] - x[1])[cell], question, self.exchanges.signs), *sides)

    def _is_out(self, without: Collection[int]) -> Bools:
        """Cells without an answer of either system, or of groups that are out."""
        is_out: Bools = np.isnan(self.x).any(axis=(0, 2)) | np.isin(self.cells.frame.group, [*without])
        return is_out

    def who_moved(
        self,
        is_significant: Callable[[Floats], Bools],
        stays: Collection[tuple[str, str]] = (),
        rows: pd.DataFrame | None = None,
    ) -> tuple[dict[str, np.ndarray], Moved]:
        """Which groups stand of a question that is called; beside it the group and label of each row.

        Args:
            is_significant: of who_moved.
            stays: groups and labels that an earlier look called.
            rows: value and p_maxt of each group and label in the round of all groups; tested where None.
        """
        group = np.tile(np.arange(len(self.cells.group_ids)), len(self.columns))
        keys = pd.MultiIndex.from_arrays([*self._groups.values()])
        first = None
        if rows is not None and self.rounds.farthest_first:
            numbers = rows.set_index([*self._groups])[["value", "p_maxt"]].reindex(keys).astype(float)
            first = Result.of((len(keys),), value=numbers.value.to_numpy(), p_maxt=numbers.p_maxt.to_numpy())
        moved = who_moved(self.rounds, group, self.cells.group_ids, is_significant, keys.isin(list(stays)), first)
        return self._groups, moved

    @property
    def rounds(self) -> Rounds:
        """Both generations swapped by the same signs in all of them, or units that change places."""
        if self.cells.stratum_of_cell is None:
            return Rounds(self._swapped, self._shuffled, self._sized, farthest_first=True)
        return Rounds(self._of_units, lambda tested, _: tested, self._of_units, farthest_first=False)

    def _swapped(self, without: Collection[int]) -> Result:
        d = self.changes_without(without)
        return self._controlled(self._tested(np.stack([d, 0 * d]), fewest=self.fewest).result, d, without)[0]

    def _shuffled(self, swapped: Result, without: Collection[int]) -> Result:
        return swapped if self.errors.n_labelled else self.also_shuffled(swapped, without)

    def also_shuffled(self, swapped: Result, without: Collection[int] = ()) -> Result:
        """Changes of groups with p that are at least those of changes shuffled among the groups of their blocks.

        Swaps take it that differences of changes are symmetric, shuffles that groups spread alike; each is right where
        the other is not. Nothing is shuffled where p of the swaps is large already, of two groups, which a swap
        exchanges, or where p is of a t distribution.

        Args:
            swapped: of the groups, tested by swaps.
            without: groups that are out of all blocks.

        Source: inference.md 8.
        """
        alpha = self.options.alpha_of_draws or self.options.alpha
        frame, n_labels = self.cells.frame, len(self.columns)
        is_tested = ~np.isnan(swapped.p_maxt).reshape(n_labels, -1).all(axis=0)
        p_first = swapped.p_hypothesis[:1]
        if is_tested.sum() < FEWEST_GROUPS or not (swapped.is_permuted.all() and goes_on(p_first, alpha).all()):
            return swapped
        cell = shared(frame, ~self._is_out(without))
        contrast, draws = self.exchanges.shuffled(cell)
        c = (self.x[0] - self.x[1])[cell]
        first = draws.first(self.options.n_first)
        tested = shuffled_levels(contrast, c, first, n_together=n_labels)
        if first is not draws and goes_on(tested.p_hypothesis[:1], alpha).all():
            first, tested = draws, shuffled_levels(contrast, c, draws, n_together=n_labels)
        p_hypothesis, is_larger = tested.p_hypothesis[0], tested.p_hypothesis[0] > swapped.p_hypothesis
        return swapped._replace(
            p_maxt=np.fmax(swapped.p_maxt, np.where(np.isnan(swapped.p_maxt), np.nan, tested.p_maxt.ravel())),
            p_hypothesis=np.fmax(swapped.p_hypothesis, p_hypothesis),
            n_draws=np.where(is_larger, first.n, swapped.n_draws),
            method=np.array([word and word + AND_SHUFFLED for word in swapped.method], dtype=object),
        )

    def _sized(self, without: Collection[int]) -> Result:
        d = self.changes_without(without)
        sizes = sizes_of(d, self.options.alpha, fewest=self.fewest, margin=self.margin, errors=self.errors)
        named = ("value", "std_error", "ci_low", "ci_high", "p_equivalence", "skewness")
        reason = first_of([self.rarely_apart(without)], [InferenceReason.APPROXIMATE])
        sized = Result.of(sizes.value.shape, reason=reason, **{name: getattr(sizes, name) for name in named})
        return self._controlled(sized, d, without)[0]

    def _controlled(
        self, results: Result, d: Floats, without: Collection[int] = ()
    ) -> tuple[Result, ControlFindings | None]:
        """Changes of groups that allow for what changes of negative controls do, and what these say; else as they were.

        Args:
            results: of the groups.
            d: that they are of, shape (root prompts, groups), NaN where absent.
            without: groups that are out of all blocks.
        """
        cells, controls = self.cells, self.cells.controls
        if controls is None or self.errors.n_labelled is not None or [*self.columns] != [""]:
            return results, None
        if cells.asks_of_parts is not None or cells.is_of_models:
            return results, None
        findings, reference = ControlFindings.of(1), Reference()
        is_in = (~np.isnan(d)).sum(axis=0) >= self.fewest
        words = self._wording(controls, is_in, without)
        findings.put(0, words, float(np.fmax.reduce(results.p_hypothesis)))
        if isinstance(words, InferenceReason):
            return results, findings
        controlled = Result._make(np.array(field)[None] for field in results)
        weights = weights_of_rows(reference, cells.frame.n_groups, is_in)
        hold(controlled, 0, words, weights, is_in, reference, margin=self.margin, alpha=self.options.alpha)
        return Result._make(field[0] for field in controlled), findings

    def _wording(self, controls: ControlCells, is_in: Bools, without: Collection[int]) -> Wording | InferenceReason:
        """How far words move changes of groups, some of them left."""
        if controls.is_of_units or is_in.sum() < 2:
            return InferenceReason.CONTROLS_NOT_SUPPORTED
        frame = self.cells.frame
        cell = shared(frame, ~self._is_out(without))
        x = by_root(frame, cell, (self.x[0] - self.x[1])[cell])[:, is_in, 0]
        names = (str(self.keys["system_id"]), str(self.keys["reference_system_id"]))
        measure = (str(self.keys["measure_id"]), str(self.keys["calibration"]))
        y, y_reference = (controls.of((name, *measure))[0] for name in names)
        words = wording(x, y - y_reference, controls.types)
        is_of_one = np.isnan(y).all(axis=0) != np.isnan(y_reference).all(axis=0)
        lacks = words in (InferenceReason.TOO_FEW_CONTROLS, InferenceReason.CONTROL_INCOMPLETE)
        return InferenceReason.CONTROLS_OF_ONE_SYSTEM if lacks and is_of_one.any() else words

    def _of_units(self, without: Collection[int]) -> Result:
        is_out = np.isin(self.cells.frame.group, [*without])[:, None]
        change = unit_changes(self.cells, np.where(is_out, np.nan, self.x), self.options, self.margin)
        n_rows = len(self.cells.group_ids) * len(self.columns)
        return Result.of((n_rows,), reason=change) if isinstance(change, InferenceReason) else change.result

    def changes_without(self, groups: Collection[int]) -> Floats:
        """D of one generation less that of the other with groups taken out of all blocks, by root prompt and row."""
        is_out = np.isin(self.cells.frame.group, [*groups])[:, None]
        left = self._paired(np.where(is_out, np.nan, self.x))
        d = np.full(self._pair.differences.shape[1:], np.nan)
        d[np.searchsorted(self._pair.units, left.units)] = left.differences[0] - left.differences[1]
        return d

    @property
    def errors(self) -> MeanErrors:
        """How those of means over root prompts are made."""
        return PLAIN

    @cached_property
    def signs(self) -> Flips:
        """Of the root prompts that both answered."""
        return self.exchanges.signs(self._pair.units)

    def rarely_apart(self, without: Collection[int] = ()) -> Bools:
        """Rows whose group, or whose others together, changed otherwise than most cells in few root prompts.

        Args:
            without: groups that are out of all blocks.

        Source: inference.md 2.9.
        """
        frame = self.cells.frame
        cell = shared(frame, ~self._is_out(without))
        rarely = np.zeros((len(self.columns), frame.n_groups), dtype=bool)
        apart, labels = skewed.apart_from_frequent((self.x[0] - self.x[1])[cell])
        if self.errors.n_labelled is None and len(labels):
            by_root = np.zeros((frame.root_of_block.max() + 1, frame.n_groups, len(labels)), dtype=bool)
            np.logical_or.at(by_root, (frame.root_of_block[frame.block[cell]], frame.group[cell]), apart)
            others = by_root.sum(axis=1, keepdims=True) > by_root
            rarely[labels] = np.minimum(by_root.sum(axis=0), others.sum(axis=0)).T < skewed.FEWEST_APART
        return rarely.ravel()

    def _tested(
        self, x: Floats, *, fewest: int = 2, margin: float = np.nan, rarely_apart: Bools | None = None
    ) -> Change:
        return mean_changes(
            x,
            self.signs,
            self.options.alpha,
            fewest=fewest,
            margin=margin,
            alpha_of_draws=self.options.alpha_of_draws,
            errors=self.errors,
            rarely_apart=rarely_apart,
        )

    def _nothing_shared(self, comparison: str) -> Table:
        reason = InferenceReason.NO_SHARED_ROOT_PROMPT
        return self._rows(comparison, without_value(1, reason), missing=reason)

    def _dispersion(self) -> Table:
        change = self._judged(dispersion_change(self._pair.differences, self.options.alpha), has_flags=False)
        n, few = change.result.n_root_prompts, InferenceReason.TOO_FEW_ROOT_PROMPTS
        has_few = (n > 0) & (n < MIN_UNITS_FOR_SCOPE)
        change = change._replace(result=change.result.refused(has_few, few, TESTED))
        return self._rows(DISPERSION_CHANGE, change, missing=np.where(has_few, few, "no_block"))

    @property
    def fewest(self) -> int:
        """Root prompts under which a group stands outside the question."""
        n = (~np.isnan(self._pair.differences[0])).sum(axis=0)
        return MIN_UNITS_OF_HYPOTHESIS if n.max() >= MIN_UNITS_OF_HYPOTHESIS else 2

    def _moved(self) -> Iterator[Table]:
        """The question whether groups moved against each other, and its answer group by group."""
        n = (~np.isnan(self._pair.differences[0])).sum(axis=0)
        groups = self._tested(
            self._pair.differences, fewest=self.fewest, margin=self.margin, rarely_apart=self.rarely_apart()
        )
        if self.errors.n_labelled is None and self.cells.asks_of_parts is None:
            groups = groups._replace(result=self.also_shuffled(groups.result))
        controlled, findings = self._controlled(groups.result, self._pair.differences[0])
        groups = groups._replace(result=controlled)
        yield self._rows(DISPARITY_CHANGE, self._judged(groups), margin=self.margin, **self._groups)
        most = int(n.argmax())
        is_skewed = (groups.result.reason == InferenceReason.APPROXIMATE).any()
        reason = InferenceReason.APPROXIMATE if is_skewed else groups.result.reason[most]
        largest = _largest(groups.result, most, n_units=n.max(), reason=reason)
        hypothesis = self._judged(largest)
        if findings is not None and np.isnan(hypothesis.result.p_value).all():
            findings = ControlFindings.of(1)
        yield self._rows(GROUPS_CHANGED, hypothesis, **({} if findings is None else findings.columns))

    def _moved_units(self) -> Iterator[Table]:
        """The same of units that lie in one group each."""
        groups = unit_changes(self.cells, self.x, self.options, self.margin)
        if isinstance(groups, InferenceReason):
            yield self._rows(GROUPS_CHANGED, without_value(1, groups))
            return
        yield self._rows(DISPARITY_CHANGE, self._judged(groups, of_units=True), margin=self.margin, **self._groups)
        tested = groups.result
        at = int(np.nan_to_num(np.abs(tested.value), nan=-1).argmax())
        n_fewest = tested.n_units[~np.isnan(tested.p_value)].min(initial=tested.n_root_prompts.max())
        reason = InferenceReason.TOO_FEW_UNITS if np.isnan(tested.p_hypothesis[at]) else None
        largest = _largest(tested, at, n_units=n_fewest, reason=reason)
        yield self._rows(GROUPS_CHANGED, self._judged(largest, of_units=True))

    def _moved_interaction(self, parts: Ints) -> Iterator[Table]:
        """The same of a crossing: whether its cells moved by more than its declared parts make of it.

        Source: inference.md 6.10.
        """
        is_nested = self.cells.stratum_of_cell is not None
        against_all = next(self._moved_units() if is_nested else self._moved())
        is_told = (against_all["comparison"] == DISPARITY_CHANGE) & ~np.isnan(against_all["p_value"])
        yield without_p(against_all, is_told, InferenceReason.TOLD_BY_PARTS)
        beyond = self.interaction(parts)
        mirrors = mirrors_of(np.array(self.cells.group_ids, dtype=object), beyond.result)
        rows, value_a, value_b = Result._make(field.ravel() for field in beyond.result), *map(np.ravel, beyond[1:])
        change = self._judged(Change(rows, value_a, value_b), absent=rows.reason, of_units=is_nested)
        missing = np.where(rows.reason == InferenceReason.ALIASED, "aliased", "no_block")
        keys = {**self._groups, "margin": self.margin, "mirror_of": mirrors}
        yield self._rows(INTERACTION_CHANGE, change, missing=missing, **keys)
        at = int(np.nan_to_num(np.abs(rows.value), nan=-1).argmax())
        largest = _largest(rows, at, n_units=rows.n_units.max(), reason=rows.reason[at])
        by_t = np.full(1, np.fmin.reduce(rows.p_by_t, initial=np.nan))
        hypothesis = largest._replace(result=largest.result._replace(p_by_t=by_t))
        yield self._rows(GROUPS_CHANGED, self._judged(hypothesis, of_units=is_nested))

    def _log_disparities(self) -> Table:
        n = (~np.isnan(self._pair.differences[0])).sum(axis=0)
        if self.cells.stratum_of_cell is not None:
            nothing = without_value(len(n), InferenceReason.SCHEME_NOT_AVAILABLE)
            return self._rows(LOG_DISPARITY_CHANGE, nothing, n_root_prompts=n, **self._groups)
        change = log_disparity_changes(self._pair, self.signs, self.options.alpha)
        has_few = (n <= MOST_FOR_T) & ~np.isnan(change.result.value)
        few = change.result.refused(has_few, InferenceReason.TOO_FEW_ROOT_PROMPTS, TESTED)
        missing = np.where(n > 0, "rate_zero_or_one", "no_block")
        if self.cells.asks_of_parts is not None:
            few = few.refused(~np.isnan(few.p_value), InferenceReason.TOLD_BY_PARTS, EVERY_P)
        judged = self._judged(change._replace(result=few))
        return self._rows(LOG_DISPARITY_CHANGE, judged, missing=missing, **self._groups)

    def _rows(self, comparison: object, change: Change, *, missing: object = "no_block", **keys: object) -> Table:
        common = {"n_dropped": self._pair.n_dropped, "group_id": "", "category": "", **self.keys}
        if self.cells.frame.is_of_wordings:
            n = change.result.n_root_prompts
            counted = self._n_root_prompts(n, is_shared=comparison not in (MEAN_CHANGE, GROUP_CHANGE))
            change, common["n_units"] = change._replace(result=change.result._replace(n_root_prompts=counted)), n
        return change_rows(change, missing=missing, **common | {"comparison": comparison} | keys)

    def _n_root_prompts(self, n_units: Ints, *, is_shared: bool) -> Ints:
        """Root prompts that stand in so many wordings, of the rows of groups or of one row of all of them.

        is_shared: whether only cells whose block has another group count.
        """
        frame, is_there = self.cells.frame, ~self._is_out(())
        cell = shared(frame, is_there) if is_shared else np.flatnonzero(is_there)
        design = Design(frame, cell, Unit.ROOT_PROMPT)
        group_counts = np.resize(design.roots_of_group, len(n_units))
        return np.where(n_units > 0, group_counts if len(n_units) > 1 else design.n_root_prompts, 0)

    def _judged(
        self,
        change: Change,
        *,
        absent: object = InferenceReason.NO_SHARED_BLOCK,
        of_units: bool = False,
        has_flags: bool = True,
    ) -> Change:
        """Say what is to be known of a p, and refuse the test where nothing is to be tested.

        Args:
            change: of some rows; n_units: what their rates rest on.
            absent: reason of rows without a root prompt, one or one a row.
            of_units: whether units of one group each are compared: reasons of their scheme stay.
            has_flags: whether equal answers and coarse rates are reported.
        """
        judged, n = change.result, change.result.n_root_prompts
        if not of_units:
            has_own, is_of_wordings = self.cells.frame.has_own_prompts, self.cells.frame.is_of_wordings
            scope = scopes(n, Unit.ROOT_PROMPT, has_own_prompts=has_own, is_of_wordings=is_of_wordings)
            judged = judged._replace(scope=scope)
        has_p = ~np.isnan(judged.p_value)
        is_open = has_flags & has_p & (~judged.reason.astype(bool) | (not of_units))
        is_coarse = (judged.n_units < FEWEST_FOR_RATES) & (self.kind != "continuous")
        reason = first_of(
            [is_open & self.is_identical, is_open & is_coarse, np.full(n.shape, True)],
            [InferenceReason.IDENTICAL_RESPONSES, InferenceReason.APPROXIMATE, judged.reason],
        )
        judged = judged._replace(reason=reason).refused(~has_p, reason, P_COLUMNS)
        column_reasons = self.cells.refused[np.ravel([*self.columns.values()])]
        refusals = {
            # bounds take the place of this rule where groups meet; units of one group each have none
            InferenceReason.UNPAIRED_PROMPTS: of_units and self._pair.share_dropped > MOST_UNPAIRED,
            InferenceReason.NO_VARIATION: self._is_constant,
            InferenceReason.MIXED_UNITS: self.cells.scheme == MIXED_UNITS,
            **{reason: bool((column_reasons == reason).any()) for reason in _REFUSED},
            InferenceReason.TOO_FEW_ROOT_PROMPTS: (len(self._pair.units) if of_units else n) < MIN_UNITS,
            InferenceReason.PARTLY_NESTED: of_units and self.cells.is_partly_nested,
        }
        refused_by = [np.broadcast_to(where, n.shape) for where in refusals.values()]
        judged = judged.refused(np.any(refused_by, axis=0), first_of(refused_by, [*refusals]), TESTED)
        return change._replace(result=judged.refused(n == 0, absent, TESTED))

    @cached_property
    def _is_constant(self) -> bool:
        """Whether all values of both generations are equal, label by label."""
        return bool(are_equal(self.x.reshape(-1, self.x.shape[2])).all())


def _largest(groups: Result, at: int, *, n_units: int, reason: object) -> Change:
    """The question that groups answer: its size is that of the largest change, its words are those of row at."""
    hypothesis = Result.of(
        (1,),
        value=np.fmax.reduce(np.abs(groups.value)),
        p_value=groups.p_hypothesis[at],
        n_root_prompts=groups.n_root_prompts.max(),
        n_units=n_units,
        n_draws=groups.n_draws[at],
        is_permuted=groups.is_permuted[at],
        method=groups.method[at],
        scope=groups.scope[at],
        reason=reason,
    )
    return without_value(1, None)._replace(result=hypothesis)
