"""A second look at significant groups: which of them differ on their own.

Belongs here: what is drawn again once q is known. Against the rest an innocent group is significant where the rest
holds a guilty one: of 3 groups one at +.8 sd, each of the others in 76 %. So the group that lies farthest is removed,
and the others are looked at again.

Source: inference.md 6.6.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.infer.design.cells import KEYS_OF_HYPOTHESIS
from python_assets.infer.draws.exchange import SAME_SIZE, Floats
from python_assets.infer.formulas.multiplicity import group_levels
from python_assets.infer.formulas.verdict import is_off
from python_assets.infer.groups.layout import Layout
from python_assets.infer.options import Options, Reference
from python_assets.infer.result import Bools, InferenceReason, Result, first_of
from python_assets.infer.tables import HYPOTHESIS, LOG_DISPARITY, SEPARATOR, SIZES
from python_assets.study.base import Against

FEWEST_DRAWS: Final = 999
DRAWS_PER_CALL: Final = 40  # so many draws lie below the p at which a group of the set is called
ROUND_FIELDS: Final = {
    **{name: name for name in ("value", "std_error", "ci_low", "ci_high", "null_median", "null_q95", "studentised")},
    **{name: name for name in ("df", "skewness", "p_value", "p_margin", "p_equivalence")},
    **{"p_value_maxt": "p_maxt", "n_draws": "drawn"},
    **{name: name for name in ("p_negative_controls", "p_maxt_permuted", "ci_low_sampling", "ci_high_sampling")},
}
"""What a row that is significant in a later round alone tells of that round, and the field of its result."""
_SELECTED: Final = ("ci_low_selected", "ci_high_selected", "value_shrunken")
_MISSING: Final = ("ci_low_missing", "ci_high_missing", "tipping_shift")


class Peeled(NamedTuple):
    """Groups that stand, in the order in which they were taken out, each with its round, and the last round.

    A round has rows of shape (labels, groups), NaN where a group is out.
    """

    stand: list[int]
    rounds: list[Result]
    last: Result


def peeled(
    contrasts: pd.DataFrame,
    hypotheses: pd.DataFrame,
    layouts: Mapping[tuple[str, str], Layout],
    ordered: Mapping[str, Floats],
    options: Options,
) -> pd.DataFrame:
    """Say which of the called groups stand.

    Args:
        contrasts: with is_significant, in the order of groups within a question, and the columns of ROUND_FIELDS.
        hypotheses: with p_value, q_value and is_significant.
        layouts: by slice and grouping.
        ordered: p of the questions of each set, ascending.
        options: what the contrasts were computed with.

    Returns:
        The contrasts. A called group that does not stand has value_without and explained_by where another one does, and
        else is_unsettled. A row that is significant in a later round alone tells of that round, and without_groups
        of those that it is not compared with. Nothing of it in groupings of two groups, and where groups are compared
        with one level or pairwise.
    """
    contrasts = contrasts.reset_index(drop=True).assign(
        value_without=np.nan,
        explained_by=pd.Series(None, dtype=object),
        without_groups=pd.Series(None, dtype=object),
        is_unsettled=False,
    )
    is_rest = contrasts.reference.isin([str(Against.REST), str(Against.GRAND_MEAN)])
    compared = contrasts[is_rest & ~contrasts.contrast.isin(SIZES)]
    rows_of = compared.groupby(HYPOTHESIS, sort=False).indices
    for hypothesis in hypotheses[hypotheses.is_significant].to_dict("records"):
        key = tuple(hypothesis[name] for name in HYPOTHESIS)
        rows = compared.iloc[rows_of[key]] if key in rows_of else compared[:0]
        is_tested = (rows.contrast != LOG_DISPARITY) & rows.p_value_maxt.notna()
        tested = rows[is_tested]
        if tested.group_id.nunique() < 3:
            continue
        layout = layouts[hypothesis["slice_id"], hypothesis["grouping_id"]]
        p_of_family, group_ids = ordered[hypothesis["family_id"]], layout.cells.group_ids
        hypothesis_key = tuple(str(hypothesis[name]) for name in KEYS_OF_HYPOTHESIS)

        def q_of(p: Floats, p_of_family: Floats = p_of_family, q: float = hypothesis["q_value"]) -> Floats:
            return group_levels(p, q, p_of_family)

        standing = peel(
            *_first_round(tested, group_ids),
            _again(layout, hypothesis, tested, p_of_family, options),
            partial(_is_significant, q_of=q_of, alpha=options.alpha),
            names=group_ids if layout.is_in_blocks(hypothesis_key, options) else None,
        )
        labels = list(dict.fromkeys(tested.category))
        at = rows.category.map(labels.index).to_numpy(), rows.group_id.map(group_ids.index).to_numpy()
        reasons_row = _told(rows, standing, at, SEPARATOR.join(group_ids[group] for group in sorted(standing.stand)))
        contrasts.loc[reasons_row.index, reasons_row.columns] = reasons_row
        at_tested = tuple(one[is_tested.to_numpy()] for one in at)
        later = _told_of_round(tested, standing, at_tested, group_ids, q_of=q_of, alpha=options.alpha)
        contrasts.loc[later.index, later.columns] = later
    return contrasts


def _is_significant(one: Result, q_of: Callable[[Floats], Floats], alpha: float) -> Bools:
    return (q_of(one.p_maxt) <= alpha) & is_off(one.ci_low, one.ci_high)


def _told(rows: pd.DataFrame, standing: Peeled, at: tuple[np.ndarray, np.ndarray], names: str) -> pd.DataFrame:
    """Why significant rows of groups that do not differ on their own do not."""
    does_not = rows.is_significant.to_numpy(dtype=bool) & ~np.isin(at[1], standing.stand)
    is_explained = does_not & bool(standing.stand)
    is_number = is_explained & (rows.contrast != LOG_DISPARITY).to_numpy()
    return pd.DataFrame(
        {
            "value_without": np.where(is_number, standing.last.value[at], np.nan),
            "explained_by": first_of([is_explained], [names]),
            "is_unsettled": does_not & ~is_explained,
        },
        index=rows.index,
    )


def _told_of_round(
    rows: pd.DataFrame,
    standing: Peeled,
    at: tuple[np.ndarray, ...],
    group_ids: Sequence[str],
    *,
    q_of: Callable[[Floats], Floats],
    alpha: float,
) -> pd.DataFrame:
    """Rows that are significant in a later round alone, with the numbers of that round and who is out in it."""
    changed = []
    for group, one in zip(standing.stand[1:], standing.rounds[1:], strict=True):
        q, is_now = q_of(one.p_maxt), _is_significant(one, q_of, alpha)
        is_later = (at[1] == group) & is_now[at] & ~rows.is_significant.to_numpy(dtype=bool)
        numbers = {name: getattr(one, field)[at][is_later] for name, field in ROUND_FIELDS.items()}
        reasons = dict.fromkeys(("selected_reason", "missing_reason"), str(InferenceReason.DIFFERS_LATER))
        # the last two groups have one round, in which neither is out
        out = SEPARATOR.join(group_ids[name] for name in sorted(standing.stand) if np.isnan(one.value[:, name]).all())
        changed.append(
            rows.loc[is_later, list(ROUND_FIELDS)].assign(
                **numbers,
                q_value=q[at][is_later],
                **dict.fromkeys((*_SELECTED, *_MISSING), np.nan),
                **reasons,
                without_groups=out,
            )
        )
    return pd.concat(changed) if changed else rows.iloc[:0, :0]


def _first_round(tested: pd.DataFrame, group_ids: list[str]) -> tuple[Result, Bools]:
    """What all groups together gave, and what of it is called, by this look or by one before."""
    labels = list(dict.fromkeys(tested.category))
    cell = tested.category.map(labels.index), tested.group_id.map(group_ids.index)
    first = Result.of((len(labels), len(group_ids)))
    for field, column in ((first.value, "value"), (first.p_maxt, "p_value_maxt")):
        field[cell] = tested[column]
    is_significant = np.zeros(first.value.shape, dtype=bool)
    is_significant[cell] = tested.is_significant
    return first, is_significant


def _again(
    layout: Layout, hypothesis: Mapping[Hashable, Any], tested: pd.DataFrame, family_p: Floats, options: Options
) -> Callable[[Collection[int]], Result]:
    """A round of some groups alone, by no more draws than what is called in the set asks for."""
    reference = Reference(Against(str(tested.reference.iat[0])))
    n_significant = max(int(hypothesis["n_significant"]), 1)
    wanted = max(FEWEST_DRAWS, int(np.ceil(DRAWS_PER_CALL * len(family_p) / (options.alpha * n_significant))))
    fewer = options.at_once(min(options.n_permutations, wanted))
    key = tuple(str(hypothesis[name]) for name in KEYS_OF_HYPOTHESIS)
    n_groups, margin = len(layout.cells.group_ids), float(tested.margin.to_numpy(dtype=float)[0])

    def among(groups: Collection[int]) -> Result:
        contrast = layout.contrast(key, groups, reference, margin=margin, options=fewer)
        return Result.of((tested.category.nunique(), n_groups)) if contrast is None else contrast

    return among


def peel(
    first: Result,
    significant: Bools,
    again: Callable[[Collection[int]], Result],
    is_significant: Callable[[Result], Bools],
    names: Collection[str] | None,
) -> Peeled:
    """Take out the group that lies farthest while it is significant, and look again at those that are left.

    By the difference, not by t: an innocent group that spreads little has the larger t beside a guilty one. Where the
    farthest is not significant a nearer one is not named: it may be called because of it.

    Args:
        first: the round of all groups.
        significant: of the first round, where a row that an earlier look called can be smaller than one that never was.
        again: the round of some groups alone.
        is_significant: whether rows of a round are.
        names: of the groups: of two that lie as far the first by name is looked at. None where units lie in one group
            each: there the farthest of the significant groups is taken out.
    """
    stand: list[int] = []
    rounds: list[Result] = []
    last = first
    left = set(np.flatnonzero(~np.isnan(first.p_maxt).all(axis=0)).tolist())
    while len(left) > 1 and significant.any():
        if len(left) == 2:  # each is the other's rest
            return Peeled([*stand, *sorted(left)], [*rounds, last, last], last)
        is_looked_at = significant if names is None else ~np.isnan(last.p_maxt)
        size = np.where(is_looked_at, np.abs(last.value), -np.inf).max(axis=0)
        farthest = np.flatnonzero(size >= size.max() * (1 - SAME_SIZE))
        group = int(farthest[0]) if names is None else min(farthest.tolist(), key=[*names].__getitem__)
        if not significant[:, group].any():
            break
        stand.append(group)
        rounds.append(last)
        left.discard(group)
        last = again(left)
        significant = is_significant(last)
    return Peeled(stand, rounds, last)
