"""Pairs of generations in every slice and grouping: rows of inference.generation_comparisons, before q.

Belongs here: which pairs there are, which of their cells are compared, and the words of each row. The
arithmetic is changes.py; generations by their subgroup rates are subgroup_distributions.py and
subgroup_changes.py.

Source: inference.md 8.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.cells import MIXED_UNITS, Cells
from python_assets.infer.changes import (
    FEWEST_FOR_DISPERSION,
    FEWEST_FOR_RATES,
    AllSigns,
    Change,
    Paired,
    RandomSigns,
    Signs,
    change,
    dispersion_change,
    paired,
)
from python_assets.infer.design import MIN_BLOCKS, MIN_UNITS, MIN_UNITS_FOR_SCOPE, Unit, scopes
from python_assets.infer.permutation import TIE, Floats, Ints, stable_seed
from python_assets.infer.reasons import InferenceReason
from python_assets.study.factors import SHIFTED

MEAN_CHANGE: Final = "mean_change"
GROUP_CHANGE: Final = "group_change"
DISPARITY_CHANGE: Final = "disparity_change"
GROUPS_MOVED: Final = "groups_moved"
DISPERSION_CHANGE: Final = "dispersion_change"
QUESTIONS: Final = (MEAN_CHANGE, GROUPS_MOVED)
"""What is asked of every pair: whether the mean of all groups changed, and whether groups moved apart."""
MOST_UNPAIRED: Final = 0.05  # of the root prompts, past which those that both answered may be others
SWAPPED: Final = "generations swapped on whole root prompts, studentised; cluster t interval"
BY_T: Final = "cluster t and its interval"
JACKKNIFE: Final = "jackknife over root prompts, t"
_KEYS = ["measure_id", "calibration"]
_GENERATIONS = """
    select generation_id from raw.generations where not is_baseline and not is_engine order by rowid
"""
_LEVELS = "select generation_id, factor, level from raw.generation_factors order by all"
_UNITS = """
    select distinct root_position, unit_id
    from intermediate.int_prompt_groups
    where slice_id = ? and grouping_id = ?
    order by root_position
"""
_ALL_UNITS = "select distinct unit_id from raw.prompts order by all"
_IDENTICAL = """
    select count(*) > 0 and count(*) = count(case when a.response_text = b.response_text then 1 end)
    from raw.responses as a
    full join (select * from raw.responses where generation_id = $other) as b using (prompt_id, replicate)
    where a.generation_id = $own or b.generation_id is not null
"""
_INSTRUMENTS = """
    select measure_id, generation_id, list(distinct extractor_version order by extractor_version)
    from raw.measurements
    where value is not null or label is not null
    group by all
"""


class Pair(NamedTuple):
    """A generation, and the one that it is compared with."""

    own: str
    other: str


def compared_pairs(connection: duckdb.DuckDBPyConnection, reference: str | None) -> list[Pair]:
    """Every generation against the reference, in the order of the study file.

    Args:
        connection: to a build file.
        reference: a generation; or a role or a wave: then each generation is compared with the one of that
            role or wave which is like it in all else. The first generation where None.
    """
    names = [name for (name,) in connection.execute(_GENERATIONS).fetchall()]
    if reference is None or reference in names:
        first = reference if reference is not None else next(iter(names), "")
        return [Pair(name, first) for name in names if name != first]
    levels: dict[str, dict[str, str]] = {name: {} for name in names}
    for name, factor, level in connection.execute(_LEVELS).fetchall():
        if name in levels and factor != "generation":
            levels[name][factor] = level
    shifted = next((of for of in SHIFTED if any(one.get(of) == reference for one in levels.values())), "")
    return [
        Pair(name, other)
        for name in names
        for other in names
        if name != other and levels[name] | {shifted: reference} == levels[other]
    ]


class Asked(NamedTuple):
    """What changes are computed with: seed, B and alpha of the study, and all of its root prompts by name."""

    seed: int
    n_permutations: int
    alpha: float
    unit_position: Mapping[str, int]


class Facts(NamedTuple):
    """What is true of pairs whatever is measured.

    identical: pairs that gave the same answers everywhere. instruments: versions of the extractor, by measure
    and generation.
    """

    identical: frozenset[Pair]
    instruments: Mapping[tuple[str, str], list[str]]

    def is_same_instrument(self, pair: Pair, measure_id: str) -> bool:
        """Whether both generations were measured by the same versions."""
        own, other = (self.instruments.get((measure_id, name)) for name in pair)
        return own is None or other is None or own == other


def changes(
    connection: duckdb.DuckDBPyConnection,
    layouts: Sequence[Cells],
    pairs: Sequence[Pair],
    *,
    seed: int,
    n_permutations: int,
    alpha: float,
) -> pd.DataFrame:
    """What changed from one generation to another, in every slice, grouping and measure.

    Args:
        connection: to a build file.
        layouts: the cells of its slices and groupings; those whose groups are models are left out.
        pairs: of compared_pairs.
        seed: of the study.
        n_permutations: B.
        alpha: intervals are 1 - alpha.

    Returns:
        Rows of inference.generation_comparisons without study_id, set_id, q_value and verdict, but with
        p_maxt: of group rows, stepped down. The same root prompts are swapped in all of them.
    """
    position = {unit: at for at, (unit,) in enumerate(connection.execute(_ALL_UNITS).fetchall())}
    asked = Asked(stable_seed(seed, "generations swapped"), n_permutations, alpha, position)
    facts = Facts(
        frozenset(pair for pair in pairs if _is_identical(connection, pair)),
        {(m, g): versions for m, g, versions in connection.execute(_INSTRUMENTS).fetchall()},
    )
    rows: list[dict[str, Any]] = []
    for cells in (one for one in layouts if not one.is_of_models):
        units = connection.execute(_UNITS, [cells.slice_id, cells.grouping_id]).fetchall()
        names = np.array([name for _, name in units], dtype=object)
        for pair in pairs:
            rows += _of_pair(cells, names, pair, asked, facts)
    return pd.DataFrame(rows)


def _is_identical(connection: duckdb.DuckDBPyConnection, pair: Pair) -> bool:
    return connection.execute(_IDENTICAL, pair._asdict()).fetchone() == (True,)


def _of_pair(
    cells: Cells, names: np.ndarray, pair: Pair, asked: Asked, facts: Facts
) -> Iterator[dict[str, Any]]:
    """The rows of a pair in one slice and grouping, measure by measure; labels of a measure together."""
    plain = cells.columns[(cells.columns.statistic == "mean") & (cells.columns.parameters == "")]
    for (measure_id, calibration), of_measure in plain.groupby(_KEYS, sort=True):
        columns = of_measure.groupby(["category", "generation_id"]).column_position.first()
        place = {
            "slice_id": cells.slice_id,
            "grouping_id": cells.grouping_id,
            "measure_id": measure_id,
            "calibration": calibration,
            "generation_a_id": pair.own,
            "generation_b_id": pair.other,
        }
        known = {
            category: (columns[category, pair.own], columns[category, pair.other])
            for category in of_measure.category.unique()
            if (category, pair.own) in columns and (category, pair.other) in columns
        }
        if not known or not facts.is_same_instrument(pair, str(measure_id)):
            reason = "instrument_changed" if known else "no_values"
            yield from _without_value(place, reason)
            continue
        compared = {
            category: paired(cells.frame, cells.x[:, own], cells.x[:, other])
            for category, (own, other) in known.items()
        }
        is_rate = of_measure.kind.iloc[0] != "continuous"
        told = _Told(cells, names, asked, is_rate=is_rate, is_identical=pair in facts.identical)
        yield from (place | row for row in told.rows(compared))


def _without_value(
    place: dict[str, Any], reason: str, compared: Paired | None = None
) -> Iterator[dict[str, Any]]:
    n = {} if compared is None else {"n_root_prompts": len(compared.units), "n_dropped": compared.n_dropped}
    for comparison in QUESTIONS:
        words = {"comparison": comparison, "group_id": "", "category": "", "reason": reason}
        yield place | n | words | {"inference_reason": reason}


class _Told:
    """The rows of one measure of a pair."""

    def __init__(
        self, cells: Cells, names: np.ndarray, asked: Asked, *, is_rate: bool, is_identical: bool
    ) -> None:
        self._cells, self._names, self._asked = cells, names, asked
        self._is_rate, self._is_identical = is_rate, is_identical
        self._is_constant = False

    def rows(self, compared: Mapping[str, Paired]) -> Iterator[dict[str, Any]]:
        """All rows; the groups of all labels are one question."""
        first = next(iter(compared.values()))
        if not len(first.units):
            yield from _without_value({}, "no_shared_root_prompt", first)
            return
        self._is_constant = all(_is_constant(pair) for pair in compared.values())
        signs = self._signs(first.units)
        for category, pair in compared.items():
            if category == "":
                yield self._mean(pair, signs)
                yield self._dispersion(pair)
            yield from self._groups(category, pair, signs)
        yield from self._moved(compared, signs)

    def _signs(self, units: Ints) -> Signs:
        asked = self._asked
        if 2 ** min(len(units), 63) <= asked.n_permutations:
            return AllSigns(len(units))
        places = np.array([asked.unit_position[name] for name in self._names[units]])
        return RandomSigns(asked.seed, asked.n_permutations, len(asked.unit_position), places)

    def _mean(self, pair: Paired, signs: Signs) -> dict[str, Any]:
        own, other, d = (np.nanmean(x, axis=1) for x in (pair.own, pair.other, pair.own - pair.other))
        found = change(d[:, None], signs, self._asked.alpha)
        values = (np.array([own.mean()]), np.array([other.mean()]))
        (row,) = self._rows(MEAN_CHANGE, [("", "")], found, values, pair, p_of_row=found.p_question)
        return row

    def _groups(self, category: str, pair: Paired, signs: Signs) -> Iterator[dict[str, Any]]:
        keys = [(group, category) for group in self._cells.group_ids]
        found = change(pair.own - pair.other, signs, self._asked.alpha)
        yield from self._rows(GROUP_CHANGE, keys, found, _means(pair.own, pair.other), pair)

    def _moved(self, compared: Mapping[str, Paired], signs: Signs) -> Iterator[dict[str, Any]]:
        """The question whether groups moved against each other, and its answer group by group."""
        pair = next(iter(compared.values()))
        if self._cells.stratum_of_cell is not None:
            words = {"comparison": GROUPS_MOVED, "group_id": "", "category": "", "reason": "no_block"}
            untested = {"inference_reason": InferenceReason.SCHEME_NOT_AVAILABLE}
            yield words | untested | {"n_root_prompts": 0, "n_dropped": pair.n_dropped}
            return
        own, other = (
            np.hstack([getattr(one, side) for one in compared.values()]) for side in ("own_d", "other_d")
        )
        d = own - other
        n = (~np.isnan(d)).sum(axis=0)
        found = change(
            d, signs, self._asked.alpha, fewest=MIN_BLOCKS if n.max(initial=0) >= MIN_BLOCKS else 2
        )
        keys = [(group, category) for category in compared for group in self._cells.group_ids]
        yield from self._rows(DISPARITY_CHANGE, keys, found, _means(own, other), pair)
        size = np.nanmax(np.abs(found.value)) if n.any() else np.nan
        none = np.array([np.nan])
        largest = Change(
            value=np.array([size]),
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
            GROUPS_MOVED, [("", "")], largest, (none, none), pair, p_of_row=found.p_question
        )

    def _dispersion(self, pair: Paired) -> dict[str, Any]:
        found = dispersion_change(pair, self._asked.alpha)
        n = int((~np.isnan(pair.own_d)).any(axis=1).sum())
        reason = None if n >= MIN_UNITS_FOR_SCOPE else InferenceReason.TOO_FEW_ROOT_PROMPTS
        refused = self._refused(pair, n)
        has_p = reason is None and refused is None
        n_groups = int((~np.isnan(pair.own_d)).any(axis=0).sum())
        few = InferenceReason.APPROXIMATE if n_groups < FEWEST_FOR_DISPERSION else None
        return {
            "comparison": DISPERSION_CHANGE,
            "group_id": "",
            "category": "",
            "value": found.value,
            "value_a": found.value_own,
            "value_b": found.value_other,
            "ci_low": found.ci_low if has_p else np.nan,
            "ci_high": found.ci_high if has_p else np.nan,
            "p_value": found.p_value if has_p else np.nan,
            "n_root_prompts": n,
            "n_dropped": pair.n_dropped,
            "scope": self._scope(n) if has_p else None,
            "method": JACKKNIFE if has_p else None,
            "reason": reason,
            "inference_reason": reason or refused or few,
        }

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
    ) -> Iterator[dict[str, Any]]:
        """One row a key; p_of_row: where the row is a question, its p."""
        for at, (group_id, category) in enumerate(keys):
            n, value = int(found.n[at]), found.value[at]
            if np.isnan(value):
                reason = "no_values" if comparison == GROUP_CHANGE else "no_block"
                yield _row(comparison, group_id, category, n, pair.n_dropped) | {
                    "reason": reason,
                    "inference_reason": InferenceReason.NO_VALUES
                    if comparison == GROUP_CHANGE
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
                "ci_low": found.ci_low[at] if refused is None else np.nan,
                "ci_high": found.ci_high[at] if refused is None else np.nan,
                "p_value": p if has_p else np.nan,
                "p_maxt": found.p_maxt[at] if has_p else np.nan,
                "scope": self._scope(n) if has_p else None,
                "method": (SWAPPED if found.is_permuted else BY_T) if has_p else None,
                "inference_reason": self._flag(found, at, n)
                if has_p
                else refused or InferenceReason.FEW_BESIDE_OTHERS,
            }

    def _flag(self, found: Change, at: int, n: int) -> str | None:
        """What is to be known of a p that is there."""
        if self._is_identical:
            return InferenceReason.IDENTICAL_RESPONSES
        if found.is_approximate[at] or (self._is_rate and n < FEWEST_FOR_RATES):
            return InferenceReason.APPROXIMATE
        return None if found.is_permuted else InferenceReason.P_FLOOR


def _is_constant(pair: Paired) -> bool:
    """Whether all values of both generations are equal."""
    values = np.concatenate([pair.own[~np.isnan(pair.own)], pair.other[~np.isnan(pair.other)]])
    return bool(np.ptp(values) <= TIE * np.abs(values).max())


def _row(comparison: str, group_id: str, category: str, n: int, n_dropped: int) -> dict[str, Any]:
    keys = {"comparison": comparison, "group_id": group_id, "category": category}
    return keys | {"n_root_prompts": n, "n_dropped": n_dropped}


def _means(own: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Means over the root prompts of each row, NaN where there is none."""
    n = (~np.isnan(own)).sum(axis=0)
    totals = (np.nansum(side, axis=0) for side in (own, other))
    first, second = (np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0) for total in totals)
    return first, second
