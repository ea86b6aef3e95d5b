"""What changed of one measure between two generations, in words and numbers: rows before q.

Belongs here: which changes there are, and the reason, scope and method of each. The arithmetic is changes.py,
log_disparity_changes.py and, where units lie in one group each, unit_changes.py.

Source: inference.md 8.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from python_assets.infer.cells import MIXED_UNITS, Cells
from python_assets.infer.changes import (
    FEWEST_FOR_DISPERSION,
    FEWEST_FOR_RATES,
    MOST_FOR_T,
    Change,
    Paired,
    Signs,
    change,
    choose_signs,
    dispersion_change,
    paired,
)
from python_assets.infer.design import MIN_BLOCKS, MIN_UNITS, MIN_UNITS_FOR_SCOPE, Unit, scopes
from python_assets.infer.log_disparity_changes import LogDisparityChange, log_disparity_change
from python_assets.infer.permutation import TIE, Floats, stable_seed
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.scheme import Options
from python_assets.infer.unit_changes import UnitChanges, unit_changes

MEAN_CHANGE: Final = "mean_change"
GROUP_CHANGE: Final = "group_change"
DISPARITY_CHANGE: Final = "disparity_change"
LOG_DISPARITY_CHANGE: Final = "log_disparity_change"
GROUPS_MOVED: Final = "groups_moved"
DISPERSION_CHANGE: Final = "dispersion_change"
QUESTIONS: Final = (MEAN_CHANGE, GROUPS_MOVED)
"""What is asked of every pair: whether the mean of all groups changed, and whether groups moved apart."""
MOST_UNPAIRED: Final = 0.05  # of the root prompts, past which those that both answered may be others
SWAPPED: Final = "generations swapped on whole root prompts, studentised; cluster t interval"
DELTA: Final = "generations swapped on whole root prompts, studentised by the delta method; its t interval"
BY_T: Final = "cluster t and its interval"
BY_UNITS: Final = "changes of units: "
JACKKNIFE: Final = "jackknife over root prompts, t"
NOTHING: Final = float("nan")
Row = dict[str, Any]


class Asked(NamedTuple):
    """What changes are computed with: seed, B and alpha of the study, and all of its root prompts by name."""

    options: Options
    unit_position: Mapping[str, int]

    def signs(self, names: np.ndarray) -> Signs:
        """Which of these root prompts are swapped: the same in all changes of the study."""
        places = np.array([self.unit_position[name] for name in names])
        seed = stable_seed(self.options.seed, "generations swapped")
        return choose_signs(seed, self.options.n_permutations, len(self.unit_position), places)


class Changed(NamedTuple):
    """One measure of a pair: its cells, the columns of both generations by label, its kind.

    is_identical: whether both gave the same answers everywhere.
    """

    cells: Cells
    columns: Mapping[str, tuple[int, int]]
    kind: str
    is_identical: bool

    @property
    def paired(self) -> dict[str, Paired]:
        """Both generations by label."""
        x = self.cells.x
        return {
            category: paired(self.cells.frame, x[:, own], x[:, other])
            for category, (own, other) in self.columns.items()
        }


def without_value(place: Row, reason: str, compared: Paired | None = None) -> Iterator[Row]:
    """Both questions of a pair that has nothing to compare.

    Args:
        place: what stands in every row.
        reason: of value and inference both.
        compared: says how many root prompts were dropped.
    """
    n = {} if compared is None else {"n_root_prompts": len(compared.units), "n_dropped": compared.n_dropped}
    for comparison in QUESTIONS:
        words = {"comparison": comparison, "group_id": "", "category": "", "reason": reason}
        yield place | n | words | {"inference_reason": reason}


class ChangeRows:
    """The rows of one measure of a pair."""

    def __init__(self, changed: Changed, names: np.ndarray, asked: Asked) -> None:
        """Take the measure, the names of root prompts by position, and what is asked."""
        self._changed, self._cells, self._names, self._asked = changed, changed.cells, names, asked
        self._compared = changed.paired

    @cached_property
    def _is_constant(self) -> bool:
        return all(_is_constant(pair) for pair in self._compared.values())

    @property
    def _alpha(self) -> float:
        return self._asked.options.alpha

    def rows(self) -> Iterator[Row]:
        """All rows; the groups of all labels are one question."""
        first = next(iter(self._compared.values()))
        if not len(first.units):
            yield from without_value({}, "no_shared_root_prompt", first)
            return
        signs = self._asked.signs(self._names[first.units])
        for category, pair in self._compared.items():
            if category == "":
                yield self._mean(pair, signs)
                yield self._dispersion(pair)
            yield from self._groups(category, pair, signs)
        is_nested = self._cells.stratum_of_cell is not None
        yield from self._moved_units(first) if is_nested else self._moved(signs)
        if self._changed.kind == "binary":
            yield from self._log_disparities(first, signs, is_nested=is_nested)

    def _mean(self, pair: Paired, signs: Signs) -> Row:
        own, other, d = (np.nanmean(x, axis=1) for x in (pair.own, pair.other, pair.own - pair.other))
        found = change(d[:, None], signs, self._alpha)
        values = (np.array([own.mean()]), np.array([other.mean()]))
        (row,) = self._rows(MEAN_CHANGE, [("", "")], found, values, pair, p_of_row=found.p_question)
        return row

    def _groups(self, category: str, pair: Paired, signs: Signs) -> Iterator[Row]:
        keys = [(group, category) for group in self._cells.group_ids]
        found = change(pair.own - pair.other, signs, self._alpha)
        yield from self._rows(GROUP_CHANGE, keys, found, _means(pair.own, pair.other), pair)

    @property
    def _group_keys(self) -> list[tuple[str, str]]:
        return [(group, category) for category in self._compared for group in self._cells.group_ids]

    def _moved(self, signs: Signs) -> Iterator[Row]:
        """The question whether groups moved against each other, and its answer group by group."""
        pairs = list(self._compared.values())
        own, other = (np.hstack([getattr(one, side) for one in pairs]) for side in ("own_d", "other_d"))
        d = own - other
        n = (~np.isnan(d)).sum(axis=0)
        fewest = MIN_BLOCKS if n.max(initial=0) >= MIN_BLOCKS else 2
        found = change(d, signs, self._alpha, fewest=fewest)
        yield from self._rows(DISPARITY_CHANGE, self._group_keys, found, _means(own, other), pairs[0])
        size = np.nanmax(np.abs(found.value)) if n.any() else np.nan
        none = np.array([np.nan])
        largest = Change(
            value=np.array([size]),
            std_error=none,
            ci_low=none,
            ci_high=none,
            p_value=none,
            p_maxt=none,
            p_question=found.p_question,
            n=np.array([n.max(initial=0)]),
            is_approximate=np.array([found.is_approximate.any()]),
            is_permuted=found.is_permuted,
        )
        yield from self._rows(
            GROUPS_MOVED, [("", "")], largest, (none, none), pairs[0], p_of_row=found.p_question
        )

    def _moved_units(self, pair: Paired) -> Iterator[Row]:
        """The same of units that lie in one group each."""
        found = unit_changes(self._cells, list(self._changed.columns.values()), self._asked.options)
        if isinstance(found, InferenceReason):
            words = {"reason": "no_block", "inference_reason": found}
            yield _row(GROUPS_MOVED, "", "", 0, pair.n_dropped) | words
            return
        for at, (group_id, category) in enumerate(self._group_keys):
            place = divmod(at, len(self._cells.group_ids))
            yield _row(DISPARITY_CHANGE, group_id, category, int(found.n_units[place[1]]), pair.n_dropped) | (
                self._of_units(found, place, pair)
            )
        yield self._question_of_units(found, pair)

    def _of_units(self, found: UnitChanges, place: tuple[int, int], pair: Paired) -> Row:
        told = found.contrasts
        if np.isnan(told.value[place]):
            return {"reason": "no_block", "inference_reason": InferenceReason.NO_SHARED_BLOCK}
        refused = self._refused_units(pair)
        has_p = refused is None and not np.isnan(told.p_value[place])
        return {
            "value": told.value[place],
            "value_a": found.own[place],
            "value_b": found.other[place],
            "std_error": told.std_error[place] if refused is None else NOTHING,
            "ci_low": told.ci_low[place] if refused is None else NOTHING,
            "ci_high": told.ci_high[place] if refused is None else NOTHING,
            "p_value": told.p_value[place] if has_p else NOTHING,
            "p_maxt": told.p_maxt[place] if has_p else NOTHING,
            "scope": told.scope[place] if has_p else None,
            "method": BY_UNITS + told.method[place] if has_p else None,
            "inference_reason": refused or told.reason[place] or self._flag_of_rates(told.n_units[place]),
        }

    def _question_of_units(self, found: UnitChanges, pair: Paired) -> Row:
        told, n = found.contrasts, int(found.n_units.max(initial=0))
        row = _row(GROUPS_MOVED, "", "", n, pair.n_dropped)
        if np.isnan(told.value).all():
            return row | {"reason": "no_block", "inference_reason": InferenceReason.NO_SHARED_BLOCK}
        largest = np.unravel_index(np.nanargmax(np.abs(told.value)), told.value.shape)
        refused, p = self._refused_units(pair), float(told.p_question[largest])
        has_p = refused is None and not np.isnan(p)
        fewest = int(told.n_units[~np.isnan(told.p_value)].min(initial=n))
        return row | {
            "value": abs(told.value[largest]),
            "p_value": p if has_p else NOTHING,
            "scope": told.scope[largest] if has_p else None,
            "method": BY_UNITS + told.method[largest] if has_p else None,
            "inference_reason": refused
            or (self._flag_of_rates(fewest) if has_p else InferenceReason.TOO_FEW_UNITS),
        }

    def _refused_units(self, pair: Paired) -> str | None:
        refused = self._refused(pair, len(pair.units))
        return refused or (InferenceReason.PARTLY_NESTED if self._cells.is_partly_nested else None)

    def _flag_of_rates(self, n: int) -> str | None:
        """What is to be known of a p of n root prompts or units, where no skewness decides."""
        if self._changed.is_identical:
            return InferenceReason.IDENTICAL_RESPONSES
        return InferenceReason.APPROXIMATE if self._is_rate and n < FEWEST_FOR_RATES else None

    def _log_disparities(self, pair: Paired, signs: Signs, *, is_nested: bool) -> Iterator[Row]:
        found = log_disparity_change(pair, signs, self._alpha)
        for at, group_id in enumerate(self._cells.group_ids):
            row = _row(LOG_DISPARITY_CHANGE, group_id, "", int(found.n[at]), pair.n_dropped)
            no_scheme = {"reason": "no_block", "inference_reason": InferenceReason.SCHEME_NOT_AVAILABLE}
            yield row | (no_scheme if is_nested else self._of_log_disparity(found, at, pair))

    def _of_log_disparity(self, found: LogDisparityChange, at: int, pair: Paired) -> Row:
        n = int(found.n[at])
        if not n:
            return {"reason": "no_block", "inference_reason": InferenceReason.NO_SHARED_BLOCK}
        row = {"value_a": found.value_own[at], "value_b": found.value_other[at]}
        refused = self._refused(pair, n)
        if np.isnan(found.value[at]):
            inference_reason = refused or InferenceReason.UNBOUNDED
            return row | {"reason": "rate_zero_or_one", "inference_reason": inference_reason}
        row["value"] = found.value[at]
        if refused is None and n <= MOST_FOR_T:
            refused = InferenceReason.TOO_FEW_ROOT_PROMPTS
        if refused is not None:
            return row | {"inference_reason": refused}
        numbers = {name: getattr(found, name)[at] for name in ("ci_low", "ci_high", "p_value")}
        words = {"scope": self._scope(n), "method": DELTA, "inference_reason": self._flag_of_rates(n)}
        return row | numbers | words

    def _dispersion(self, pair: Paired) -> Row:
        found = dispersion_change(pair, self._alpha)
        n = int((~np.isnan(pair.own_d)).any(axis=1).sum())
        if not n:  # no group has another beside it
            words = {"reason": "no_block", "inference_reason": InferenceReason.NO_SHARED_BLOCK}
            return _row(DISPERSION_CHANGE, "", "", 0, pair.n_dropped) | words
        reason = None if n >= MIN_UNITS_FOR_SCOPE else InferenceReason.TOO_FEW_ROOT_PROMPTS
        refused = self._refused(pair, n)
        has_p = reason is None and refused is None
        n_groups = int((~np.isnan(pair.own_d)).any(axis=0).sum())
        few = InferenceReason.APPROXIMATE if n_groups < FEWEST_FOR_DISPERSION else None
        return _row(DISPERSION_CHANGE, "", "", n, pair.n_dropped) | {
            "value": found.value,
            "value_a": found.value_own,
            "value_b": found.value_other,
            "ci_low": found.ci_low if has_p else NOTHING,
            "ci_high": found.ci_high if has_p else NOTHING,
            "p_value": found.p_value if has_p else NOTHING,
            "scope": self._scope(n) if has_p else None,
            "method": JACKKNIFE if has_p else None,
            "reason": reason,
            "inference_reason": reason or refused or few,
        }

    @property
    def _is_rate(self) -> bool:
        return self._changed.kind != "continuous"

    def _scope(self, n: int) -> str:
        has_own = self._cells.frame.has_own_prompts
        return str(scopes(np.array([n]), Unit.ROOT_PROMPT, has_own_prompts=has_own)[0])

    def _refused(self, pair: Paired, n: int) -> str | None:
        """Why nothing is tested of a row of n root prompts."""
        if pair.share_dropped > MOST_UNPAIRED:
            return InferenceReason.UNPAIRED_PROMPTS
        if self._is_constant:
            return InferenceReason.NO_VARIATION
        if self._cells.scheme == MIXED_UNITS:
            return InferenceReason.MIXED_UNITS
        return None if n >= MIN_UNITS else InferenceReason.TOO_FEW_ROOT_PROMPTS

    def _rows(
        self,
        comparison: str,
        keys: Sequence[tuple[str, str]],
        found: Change,
        values: tuple[Floats, Floats],
        pair: Paired,
        p_of_row: float | None = None,
    ) -> Iterator[Row]:
        """One row a key; p_of_row: where the row is a question, its p."""
        for at, (group_id, category) in enumerate(keys):
            n, value = int(found.n[at]), found.value[at]
            if np.isnan(value):
                is_group = comparison == GROUP_CHANGE
                yield _row(comparison, group_id, category, n, pair.n_dropped) | {
                    "reason": "no_values" if is_group else "no_block",
                    "inference_reason": InferenceReason.NO_VALUES
                    if is_group
                    else InferenceReason.NO_SHARED_BLOCK,
                }
                continue
            p = found.p_value[at] if p_of_row is None else p_of_row
            refused = self._refused(pair, n)
            has_p = refused is None and not np.isnan(p)
            yield _row(comparison, group_id, category, n, pair.n_dropped) | {
                "value": value,
                "value_a": values[0][at],
                "value_b": values[1][at],
                "std_error": found.std_error[at] if refused is None else NOTHING,
                "ci_low": found.ci_low[at] if refused is None else NOTHING,
                "ci_high": found.ci_high[at] if refused is None else NOTHING,
                "p_value": p if has_p else NOTHING,
                "p_maxt": found.p_maxt[at] if has_p else NOTHING,
                "scope": self._scope(n) if has_p else None,
                "method": (SWAPPED if found.is_permuted else BY_T) if has_p else None,
                "inference_reason": self._flag(found, at, n)
                if has_p
                else refused or InferenceReason.FEW_BESIDE_OTHERS,
            }

    def _flag(self, found: Change, at: int, n: int) -> str | None:
        """What is to be known of a p that is there."""
        if self._changed.is_identical:
            return InferenceReason.IDENTICAL_RESPONSES
        if found.is_approximate[at] or (self._is_rate and n < FEWEST_FOR_RATES):
            return InferenceReason.APPROXIMATE
        return None if found.is_permuted else InferenceReason.P_FLOOR


def _is_constant(pair: Paired) -> bool:
    """Whether all values of both generations are equal."""
    values = np.concatenate([pair.own[~np.isnan(pair.own)], pair.other[~np.isnan(pair.other)]])
    return bool(np.ptp(values) <= TIE * np.abs(values).max())


def _row(comparison: str, group_id: str, category: str, n: int, n_dropped: int) -> Row:
    keys = {"comparison": comparison, "group_id": group_id, "category": category}
    return keys | {"n_root_prompts": n, "n_dropped": n_dropped}


def _means(own: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Means over the root prompts of each row, NaN where there is none."""
    n = (~np.isnan(own)).sum(axis=0)
    totals = (np.nansum(side, axis=0) for side in (own, other))
    first, second = (np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0) for total in totals)
    return first, second
