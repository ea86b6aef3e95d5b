"""A second look at groups that are called different: which stand for themselves.

Belongs here: what is drawn again once q is known. Against the rest an innocent group is called where the rest holds a
guilty one: of 3 groups one at +.8 sd, each of the others in 76 %. So the group that differs most is taken out, and the
others are looked at again.

Source: inference.md 6.6.
"""

from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.infer.design.cells import KEYS_OF_HYPOTHESIS
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.formulas.multiplicity import group_levels
from python_assets.infer.groups.layout import Layout
from python_assets.infer.options import Options, Reference
from python_assets.infer.result import Bools
from python_assets.infer.tables import HYPOTHESIS, LOG_DISPARITY, SEPARATOR, SIZES
from python_assets.study.base import Against

FEWEST_DRAWS: Final = 999
DRAWS_PER_CALL: Final = 40  # so many draws lie below the p at which a group of the set is called


class Round(NamedTuple):
    """Groups by labels, NaN where a group is out: difference, and p stepped down among those left."""

    value: Floats
    p: Floats


def peeled(
    contrasts: pd.DataFrame,
    hypotheses: pd.DataFrame,
    layouts: Mapping[tuple[str, str], Layout],
    ordered: Mapping[str, Floats],
    options: Options,
) -> pd.DataFrame:
    """Add value_without and explained_by to the rows of called groups that do not stand.

    Args:
        contrasts: with is_significant, in the order of groups within a question.
        hypotheses: with p_value, q_value and is_significant.
        layouts: by slice and grouping.
        ordered: p of the questions of each set, ascending.
        options: what the contrasts were computed with.

    Returns:
        The contrasts; both columns are empty where a group stands or is not called, in groupings of two
        groups, and where groups are compared with one level or pairwise.
    """
    contrasts = contrasts.reset_index(drop=True)
    value_without, because = np.full(len(contrasts), np.nan), np.full(len(contrasts), None, dtype=object)
    is_rest = contrasts.reference.isin([str(Against.REST), str(Against.GRAND_MEAN)])
    compared = contrasts[is_rest & ~contrasts.contrast.isin(SIZES)]
    rows_of = compared.groupby(HYPOTHESIS, sort=False).indices
    for hypothesis in hypotheses[hypotheses.is_significant].to_dict("records"):
        key = tuple(hypothesis[name] for name in HYPOTHESIS)
        rows = compared.iloc[rows_of[key]] if key in rows_of else compared[:0]
        tested = rows[(rows.contrast != LOG_DISPARITY) & rows.p_value_maxt.notna()]
        if tested.group_id.nunique() < 3:
            continue
        layout = layouts[hypothesis["slice_id"], hypothesis["grouping_id"]]
        p_of_set = ordered[hypothesis["family_id"]]
        again = _again(layout, hypothesis, tested, p_of_set, options)

        def is_significant(p: Floats, p_of_set: Floats = p_of_set, q: float = hypothesis["q_value"]) -> Bools:
            return np.asarray(group_levels(p, q, p_of_set) <= options.alpha)

        first, significant_first = _first_round(tested, layout.cells.group_ids)
        stand, last = peel(first, significant_first, again, is_significant)
        names = SEPARATOR.join(layout.cells.group_ids[group] for group in sorted(stand))
        labels = list(dict.fromkeys(tested.category))
        significant = rows[rows.is_significant]
        for row_index, group_id, category, contrast in zip(
            significant.index, significant.group_id, significant.category, significant.contrast, strict=True
        ):
            group = layout.cells.group_ids.index(group_id)
            if group not in stand:
                because[row_index] = names
                if contrast != LOG_DISPARITY:
                    value_without[row_index] = last.value[group, labels.index(category)]
    return contrasts.assign(value_without=value_without, explained_by=because)


def _first_round(tested: pd.DataFrame, group_ids: list[str]) -> tuple[Round, Bools]:
    """What all groups together gave, and what of it is called, by this look or by one before."""
    labels = list(dict.fromkeys(tested.category))
    cell = tested.group_id.map(group_ids.index), tested.category.map(labels.index)
    first = Round(*np.full((2, len(group_ids), len(labels)), np.nan))
    for field, numbers in zip(first, (tested.value, tested.p_value_maxt), strict=True):
        field[cell] = numbers
    is_significant = np.zeros(first.p.shape, dtype=bool)
    is_significant[cell] = tested.is_significant
    return first, is_significant


def _again(
    layout: Layout, hypothesis: Mapping[Hashable, Any], tested: pd.DataFrame, of_set: Floats, options: Options
) -> Callable[[Collection[int]], Round]:
    """A round of some groups alone, by no more draws than what is called in the set asks for."""
    reference = Reference(Against(str(tested.reference.iat[0])))
    n_significant = max(int(hypothesis["n_significant"]), 1)
    wanted = max(FEWEST_DRAWS, int(np.ceil(DRAWS_PER_CALL * len(of_set) / (options.alpha * n_significant))))
    fewer = options.at_once(min(options.n_permutations, wanted))
    key = tuple(str(hypothesis[name]) for name in KEYS_OF_HYPOTHESIS)
    n_groups = len(layout.cells.group_ids)

    def among(groups: Collection[int]) -> Round:
        contrast = layout.contrast(key, groups, reference, fewer)
        if contrast is None:
            return Round(*np.full((2, n_groups, tested.category.nunique()), np.nan))
        return Round(contrast.value.T, contrast.p_maxt.T)

    return among


def peel(
    first: Round,
    significant: Bools,
    again: Callable[[Collection[int]], Round],
    is_significant: Callable[[Floats], Bools],
) -> tuple[list[int], Round]:
    """Groups that stand, in the order in which they were taken out, and the round of those left.

    The called group with the largest difference is taken out first.

    significant: of the first round, where a group that an earlier look called can be smaller than one that never was.
    """
    stand: list[int] = []
    last, left = first, set(np.flatnonzero(~np.isnan(first.p).all(axis=1)).tolist())
    while len(left) > 1 and significant.any():
        # by the difference, not by t: an innocent group that spreads little has the larger t beside a guilty one
        size = np.where(significant, np.abs(last.value), -np.inf)
        group = int(np.unravel_index(int(size.argmax()), size.shape)[0])
        if len(left) == 2:  # each is the other's rest
            return [*stand, *sorted(left)], last
        stand.append(group)
        left.discard(group)
        last = again(left)
        significant = is_significant(last.p)
    return stand, last
