"""Changes between two generations with their missing answers at either end of what they can have been.

Belongs here: which cells one side alone answered, and what the filled tables of a change differ by. Limits, p and what
is left of a verdict are formulas/missing.py; who moved, and whom the others are held against, is known before.

Source: inference.md 9.5.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.changes.infer_changes import PAIR_PLACE, columns_of_pair, plain, shown_groups
from python_assets.infer.changes.swapped import Paired, paired, sizes_of
from python_assets.infer.design.cells import MIXED_UNITS, Cells, Missing
from python_assets.infer.design.design import MIN_UNITS
from python_assets.infer.design.read_cells import read_missing
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.formulas import interval, missing
from python_assets.infer.formulas.missing import Ends, SystemSide
from python_assets.infer.formulas.selected import n_comparisons
from python_assets.infer.formulas.verdict import P_WITH_MISSING
from python_assets.infer.options import Options
from python_assets.infer.result import InferenceReason, first_of
from python_assets.infer.tables import DISPARITY_CHANGE, GROUP_CHANGE, MEAN_CHANGE

_RATES: Final = ("binary", "categorical")
FILLED: Final = (MEAN_CHANGE, GROUP_CHANGE, DISPARITY_CHANGE)
_NUMBERS: Final = (*Ends._fields, "df", "share_a", "share_b", "n_unanswered")


class FilledChanges(NamedTuple):
    """Cells of both generations of a measure with what is missing of them at either end.

    low, high: the smallest and the largest change of each cell, shape (cells, labels); NaN where neither answered.
    shares: missing of each cell, a and b, of the same shape. is_unanswered: cells that were asked and neither answered.
    """

    cells: Cells
    labels: list[str]
    low: Floats
    high: Floats
    shares: Floats
    is_unanswered: np.ndarray

    @classmethod
    def of(
        cls, cells: Cells, answers: Missing, columns: Mapping[str, tuple[int, int]], *, is_rate: bool, fills_scale: bool
    ) -> "FilledChanges":
        """Fill the cells of a pair.

        Args:
            cells: of both generations.
            answers: the missing ones.
            columns: of both generations in the cells, by label.
            is_rate: whether values are 0 and 1.
            fills_scale: whether missing answers can have been anything on a declared scale.
        """
        places = np.array([*columns.values()])
        a, b = (_side(cells, answers, places[:, side], is_rate=is_rate, fills_scale=fills_scale) for side in (0, 1))
        is_open = np.isnan(a.x) & np.isnan(b.x)
        is_asked = (answers.n[:, places] > 0).any(axis=(1, 2))
        shares = np.where(is_open, np.nan, np.stack([a.share, b.share]))
        low, high = missing.filled_changes(a, b)
        return cls(cells, [*columns], low, high, shares, np.asarray(is_open.all(axis=1) & is_asked))

    @property
    def is_whole(self) -> bool:
        """Whether no answer is missing of cells that any side answered."""
        return not np.nansum(self.shares)

    def numbers(self, without: Collection[int], alpha: float, *, is_of_groups: bool) -> dict[str, Floats]:
        """Ends of each row, their df and shares of missing answers, by names of columns; shape (groups of labels,).

        Args:
            without: groups that are out of all blocks.
            alpha: of the study.
            is_of_groups: whether rows are of groups against the others on the same prompts, which are filled the other
                way round; else all are filled alike.
        """
        is_out = np.isin(self.cells.frame.group, [*without])[:, None]
        ends = self._paired(np.stack([self.low, self.high]), is_out)
        if is_of_groups:
            group_ends = ends.differences + ends.others
            low, high = group_ends[0] - ends.others[1], group_ends[1] - ends.others[0]
            shares = self._paired(self.shares, is_out)
            share_a, share_b = shares.differences + shares.others
        else:
            low, high = ends.means
            share_a, share_b = self._paired(self.shares, is_out).means
        at_low, at_high = (sizes_of(d, alpha, fewest=MIN_UNITS) for d in (low, high))
        n = (~np.isnan(low)).sum(axis=0)
        n_rows = len(self.low[0]) * self.cells.frame.n_groups
        unanswered = np.bincount(self.cells.frame.group[self.is_unanswered], minlength=self.cells.frame.n_groups)
        row_ends = Ends(at_low.value, at_low.std_error, at_high.value, at_high.std_error)
        return {
            **row_ends._asdict(),
            "df": n - 1.0,
            "share_a": _mean(share_a, n),
            "share_b": _mean(share_b, n),
            "n_unanswered": np.resize(unanswered, n_rows).astype(float),
        }

    def _paired(self, tables: Floats, is_out: np.ndarray) -> Paired:
        return paired(self.cells.frame, np.where(is_out, np.nan, tables))


def _mean(shares: Floats, n: Ints) -> Floats:
    means: Floats = np.divide(np.nansum(shares, axis=0), n, out=np.full(len(n), np.nan), where=n > 0)
    return means


def _side(cells: Cells, answers: Missing, columns: Ints, *, is_rate: bool, fills_scale: bool) -> SystemSide:
    """One generation: a root prompt of which it answered nothing lies anywhere within all that it answered."""
    x = cells.x[:, columns]
    means = missing.prompt_means(x, cells.frame.root_of_block[cells.frame.block])
    scale = (answers.scale_low[columns], answers.scale_high[columns]) if fills_scale else None
    limits = missing.limits_of(x, means, np.full(len(columns), is_rate), scale)
    anywhere = np.nanquantile(x, missing.OBSERVED_LIMITS, axis=0)
    low, high = (np.where(np.isnan(limit), end, limit) for limit, end in zip(limits, anywhere, strict=True))
    n_missing = answers.n[:, columns]
    n_asked = n_missing + np.where(np.isnan(x), 0, cells.n_responses[:, columns])
    share = np.divide(n_missing, n_asked, out=np.zeros_like(n_asked), where=n_asked > 0)
    return SystemSide(x, np.where(np.isnan(x), 1.0, share), low, high)


def with_missing_changes(
    connection: duckdb.DuckDBPyConnection, layouts: Sequence[Cells], rows: pd.DataFrame, options: Options
) -> pd.DataFrame:
    """Add what missing answers can do to comparisons of generations.

    Args:
        connection: to the build file.
        layouts: of pair_layouts.
        rows: of with_who_moved, with the weights of with_selected_sizes.
        options: what they were computed with.

    Returns:
        Rows with ci_low_missing, ci_high_missing, P_WITH_MISSING, tipping_shift, missing_share_a, missing_share_b,
        n_unanswered and missing_reason: of the change that is told, against the groups that stay where there is one.
    """
    numbers = pd.DataFrame(np.nan, index=rows.index, columns=[*_NUMBERS])
    is_whole = np.zeros(len(rows), dtype=bool)
    is_filled = (rows.comparison.isin(FILLED) & (rows.calibration == "raw") & rows.value.notna()).to_numpy()
    places = rows[is_filled].groupby(PAIR_PLACE, sort=False).indices
    position = np.flatnonzero(is_filled)
    for key, filled in _filled(connection, layouts, places, options):
        at = position[places[key]]
        is_whole[at] = filled is None or filled.is_whole
        if filled is None:
            numbers.iloc[at, _NUMBERS.index("n_unanswered")] = 0
        else:
            numbers.iloc[at] = _of_place(filled, rows.iloc[at], options.alpha)
    return rows.assign(**_columns(rows, numbers, is_whole, options.alpha))


def _filled(
    connection: duckdb.DuckDBPyConnection, layouts: Sequence[Cells], places: Collection[Any], options: Options
) -> Iterator[tuple[tuple[Any, ...], FilledChanges | None]]:
    """Cells of every measure and pair, filled, or None where no answer is missing; not of units of one group each."""
    for cells in layouts:
        here = [key for key in places if (key[0], key[3]) == (cells.slice_id, cells.grouping_id)]
        if not here or cells.stratum_of_cell is not None or cells.scheme == MIXED_UNITS:
            continue
        answers, columns = read_missing(connection, cells), plain(cells)
        for key in here:
            keys = dict(zip(PAIR_PLACE, key, strict=True))
            is_of = (columns.measure_id == keys["measure_id"]) & (columns.calibration == keys["calibration"])
            pair_columns = columns_of_pair(columns[is_of], keys)
            a, b = np.array([*pair_columns.values()]).T
            if not (answers.n[:, [*a, *b]].any() or (np.isnan(cells.x[:, a]) != np.isnan(cells.x[:, b])).any()):
                yield key, None
                continue
            is_rate = str(columns[is_of].kind.iloc[0]) in _RATES
            yield key, FilledChanges.of(cells, answers, pair_columns, is_rate=is_rate, fills_scale=options.fills_scale)


def _of_place(filled: FilledChanges, rows: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Numbers of the rows of one measure and pair: of groups those of the change that is told."""
    group_ids = filled.cells.group_ids
    at_label = rows.category.map({label: at for at, label in enumerate(filled.labels)})
    at_group = rows.group_id.map({name: at for at, name in enumerate(group_ids)})
    row = (at_label * len(group_ids) + at_group).to_numpy(dtype=np.intp)
    is_against = (rows.comparison == DISPARITY_CHANGE).to_numpy()
    standing = frozenset(at_group[rows.differs_on_its_own.to_numpy(dtype=bool) & is_against])
    # held against those that stay; a group that stands itself meets all of them
    without = [
        standing - {group} if is_alone else frozenset()
        for group, is_alone in zip(at_group, rows.value_alone.notna() & is_against, strict=True)
    ]
    row_numbers = pd.DataFrame(np.nan, index=rows.index, columns=[*_NUMBERS])
    for is_of_groups, out in dict.fromkeys(zip(is_against, without, strict=True)):
        chosen = np.array([one == (is_of_groups, out) for one in zip(is_against, without, strict=True)])
        numbers = filled.numbers(out, alpha, is_of_groups=bool(is_of_groups))
        for name in _NUMBERS:
            row_numbers.loc[chosen, name] = numbers[name][row[chosen]]
    return row_numbers


def _columns(rows: pd.DataFrame, numbers: pd.DataFrame, is_whole: np.ndarray, alpha: float) -> dict[str, np.ndarray]:
    """What is told of the rows with the missing answers at either end."""
    df, share_a, share_b = (numbers[name].to_numpy() for name in ("df", "share_a", "share_b"))
    ends = Ends(*(numbers[name].to_numpy() for name in Ends._fields))
    limits = missing.interval_with_missing(ends, df, alpha)
    is_group = (rows.comparison == DISPARITY_CHANGE).to_numpy()
    is_alone = rows.value_alone.notna().to_numpy()
    published = interval.Interval(
        *(np.where(is_alone, rows[f"{side}_alone"], rows[side]).astype(float) for side in ("ci_low", "ci_high"))
    )
    q = rows.q_value.to_numpy(dtype=float)
    is_significant = np.where(is_group, shown_groups(rows), rows.is_significant).astype(bool)
    # units of one group each, and rows without an error, have no ends
    is_bounded = ~np.isnan(ends.se_low) & ~is_whole & ~np.isnan(published.low)
    share = share_a + share_b
    shift = missing.tipping_shift(published, np.where(is_bounded, share, 0.0))
    is_filled = rows.comparison.isin(FILLED).to_numpy() & (rows.calibration == "raw").to_numpy()
    conditions = [~is_filled, is_whole, ~is_bounded & np.isnan(q), ~is_bounded, share == 0, ~is_significant]
    reasons = [
        InferenceReason.SCHEME_NOT_AVAILABLE,
        InferenceReason.NOTHING_MISSING,
        rows.inference_reason.where(rows.inference_reason.notna(), str(InferenceReason.SCHEME_NOT_AVAILABLE)),
        InferenceReason.SCHEME_NOT_AVAILABLE,
        InferenceReason.NOTHING_MISSING,
        InferenceReason.NOT_SIGNIFICANT,
    ]
    p = missing.p_with_missing(ends, df, n_comparisons(rows, [*PAIR_PLACE, "comparison"]))
    return {
        "ci_low_missing": np.where(is_bounded, np.fmin(limits.low, published.low), np.nan),
        "ci_high_missing": np.where(is_bounded, np.fmax(limits.high, published.high), np.nan),
        "tipping_shift": np.where(is_significant, shift, np.nan),
        "missing_share_a": np.where(is_bounded, share_a, np.nan),
        "missing_share_b": np.where(is_bounded, share_b, np.nan),
        "n_unanswered": numbers.n_unanswered.to_numpy(),
        "missing_reason": first_of(conditions, reasons),
        P_WITH_MISSING: np.where(is_bounded, p, np.nan),
    }
