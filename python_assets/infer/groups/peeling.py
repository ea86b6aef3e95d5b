"""A second look at groups that are called different: which stand for themselves, and which lie past their margin.

Belongs here: what is drawn again once q is known. Against the rest an innocent group is called where the rest holds a
guilty one: of 3 groups one at +.8 sd, each of the others in 76 %. So the group that differs most is taken out, and the
others are looked at again. The t of a margin errs where values are skewed, in .16 / .12 / .08 of sets at 10 / 30 / 75
root prompts of exponential values, any of 20 groups at its margin; shuffling what is left past the margin does not.

Source: inference.md 2.5 and 6.6.
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
from python_assets.infer.tables import CORRECTED, HYPOTHESIS, LOG_DISPARITY, SEPARATOR, SIZES
from python_assets.study.base import Against

FEWEST_DRAWS: Final = 999
ENOUGH_ROOT_PROMPTS: Final = 75  # from here on the t of a margin holds
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


def with_permuted_margins(
    contrasts: pd.DataFrame, layouts: Mapping[tuple[str, str], Layout], options: Options
) -> pd.DataFrame:
    """Contrasts with p_margin from draws, where a group of a mean is called and lies past its margin.

    Args:
        contrasts: with is_significant.
        layouts: by slice and grouping.
        options: what the contrasts were computed with.
    """
    is_past = contrasts.value.abs() > contrasts.margin
    few = (contrasts.n_root_prompts < ENOUGH_ROOT_PROMPTS) & contrasts.is_permuted
    # a grand mean holds the group itself, so that shifting the group shifts it too
    chosen = (contrasts.contrast == "mean_difference") & (contrasts.reference != str(Against.GRAND_MEAN))
    chosen &= contrasts.calibration != CORRECTED  # theirs is of the labelled root prompts (9.2)
    rows = contrasts[is_past & few & chosen & contrasts.is_significant]
    p_margin = contrasts.p_margin.to_numpy(copy=True)
    for row_index, row in rows.iterrows():
        layout = layouts[row.slice_id, row.grouping_id]
        group_ids = layout.cells.group_ids
        reference = Reference()
        if row.reference != str(Against.REST):
            reference = Reference(Against.LEVEL, group_ids.index(row.reference))
        p_margin[contrasts.index.get_loc(row_index)] = layout.p_past_margin(
            tuple(row[KEYS_OF_HYPOTHESIS]),
            group_ids.index(row.group_id),
            reference,
            shift=float(np.copysign(row.margin, row.value)),
            options=options,
        )
    return contrasts.assign(p_margin=p_margin)
