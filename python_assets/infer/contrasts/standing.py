"""Which cells of a crossing stand: those that differ from what their parts make of them when larger ones are taken out.

Belongs here: the rounds. One cell that differs pulls the cells of its rows and columns after it, so that some other one
is called in .46 to 1.00 of sets; taken out first, in .04 to .10. What a round is computed from is told by who asks.

Source: inference.md 6.10.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from python_assets.infer.contrasts.interaction import BY_FLIPS, BY_T, alike
from python_assets.infer.draws.exchange import TIE, Floats, Ints
from python_assets.infer.result import Bools, InferenceReason, Result
from python_assets.infer.tables import SEPARATOR

OF_SELECTION: Final = ("ci_low_selected", "ci_high_selected", "value_shrunken", "selected_reason")


class Standing(NamedTuple):
    """Cells in the order in which they were taken out, each with its round, and what is left in the end.

    A round has rows of shape (labels, cells), NaN where a cell is out.
    """

    cells: list[int]
    rounds: list[Result]
    last: Result


def standing_cells(test: Callable[[Collection[int]], Result], is_significant: Callable[[Floats], Bools]) -> Standing:
    """Take out the called cell with the largest value, and ask again, until none is called.

    By value, not by t: an innocent cell that spreads little beside a guilty one that spreads much has the larger t.

    Args:
        test: what cells have beyond their parts with some taken for absent in all blocks.
        is_significant: whether rows of some p are called, at the level of the whole set.

    Returns:
        Cells that say the same are one statement, the first of which is named; where they are all that is left it is
        the last one.
    """
    cells, rounds = list[int](), list[Result]()
    tested = test(cells)
    while True:
        significant = is_significant(tested.p_maxt) & ~np.isnan(tested.p_maxt)
        if not significant.any():
            break
        size = np.where(significant, np.abs(tested.value), -np.inf)
        is_largest = (size >= size.max() * (1 - TIE)).any(axis=0)
        cells.append(int(is_largest.argmax()))
        rounds.append(tested)
        is_tested = ~np.isnan(tested.p_maxt)
        if not alike(tested.value[is_tested], tested.studentised[is_tested]).any():
            break
        tested = test(cells)
    return Standing(cells, rounds, tested)


def told_of_standing(
    rows: pd.DataFrame,
    standing: Standing,
    at: tuple[Ints, Ints],
    group_ids: Sequence[str],
    *,
    of_round: Mapping[str, str],
    q_of: Callable[[Floats], Floats],
    alpha: float,
) -> pd.DataFrame:
    """What the rows of one called question tell once it is known which cells stand.

    Args:
        rows: with q_value, is_significant, value_without, explained_by, without_groups, mirror_of, OF_SELECTION and
            the columns of of_round.
        standing: of standing_cells.
        at: label and cell of each row.
        group_ids: of the cells.
        of_round: fields of a Result by the column that a cell which stands in a later round has them in.
        q_of: q of some p, at the level of the whole set.
        alpha: error rate.

    Returns:
        The rows with stands: a called cell that does not stand has value_without, of the last round, and
        explained_by; one that stands in a later round has without_groups.
    """
    marked_rows = rows.copy()
    is_significant, differs_on_its_own = rows.is_significant.to_numpy(dtype=bool), np.zeros(len(rows), dtype=bool)
    for number, (cell, round_result) in enumerate(zip(standing.cells, standing.rounds, strict=True)):
        q = q_of(round_result.p_maxt)[at]
        is_this_cell = (at[1] == cell) & (q <= alpha)
        differs_on_its_own |= is_this_cell
        if number:
            for column, field in of_round.items():
                marked_rows.loc[is_this_cell, column] = getattr(round_result, field)[at][is_this_cell]
            marked_rows.loc[is_this_cell, "q_value"] = q[is_this_cell]
            marked_rows.loc[is_this_cell, ["ci_low_selected", "ci_high_selected", "value_shrunken"]] = np.nan
            marked_rows.loc[is_this_cell, "selected_reason"] = str(InferenceReason.DIFFERS_LATER)
            marked_rows.loc[is_this_cell, "mirror_of"] = None
            out = SEPARATOR.join(group_ids[name] for name in sorted(standing.cells[:number]))
            marked_rows.loc[is_this_cell, "without_groups"] = out
    says_the_same = marked_rows.mirror_of.isin([group_ids[cell] for cell in standing.cells]).to_numpy()
    if standing.cells:
        is_because = is_significant & ~differs_on_its_own & ~says_the_same
        marked_rows.loc[is_because, "explained_by"] = SEPARATOR.join(group_ids[cell] for cell in sorted(standing.cells))
        marked_rows.loc[is_because, "value_without"] = standing.last.value[at][is_because]
    return marked_rows.assign(differs_on_its_own=differs_on_its_own | (is_significant & says_the_same))


def of_t(rows: pd.DataFrame) -> dict[str, Any]:
    """Of rows of cells p of t, and why it is that."""
    t, df, stepped = (rows[name].to_numpy(dtype=float) for name in ("studentised", "df", "p_by_t"))
    p = np.where(np.isnan(stepped), np.nan, 2 * stats.t.sf(np.abs(t), df))
    reason = np.where(np.isnan(stepped), InferenceReason.NO_ERROR, InferenceReason.P_FLOOR)
    return {"p_value": p, "inference_reason": reason, "n_draws": np.nan}


def by_t(rows: pd.DataFrame, where: "pd.Series[bool]", values: Mapping[str, Any]) -> pd.DataFrame:
    """Rows of which some have other values, those of t, and say so."""
    new_values = {"method": rows.method.str.replace(BY_FLIPS, BY_T, regex=False), **values}
    changed = {
        name: rows[name].where(~where, pd.Series(new, index=rows.index)).astype(rows[name].dtype)
        for name, new in new_values.items()
    }
    return rows.assign(**changed)
