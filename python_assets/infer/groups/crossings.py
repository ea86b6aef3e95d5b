"""Questions of crossings once their set is known: p of t where flips are too few, and which cells stand.

Belongs here: rows of contrasts and questions. What a cell has beyond its parts is contrasts/beyond_parts.py, the rounds
are contrasts/standing.py.

Source: inference.md 6.10.
"""

from collections.abc import Collection, Hashable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy import stats

from python_assets.infer.contrasts.beyond_parts import BY_FLIPS, BY_T
from python_assets.infer.contrasts.standing import standing_cells
from python_assets.infer.design.cells import KEYS_OF_QUESTION
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.formulas.multiplicity import group_levels
from python_assets.infer.groups.layout import Layout
from python_assets.infer.options import Options
from python_assets.infer.result import InferenceReason, Result
from python_assets.infer.tables import BEYOND_PARTS, QUESTION, SEPARATOR

# what a row of a cell that stands in a later round tells of that round
OF_ROUND: Final = (
    *("value", "std_error", "ci_low", "ci_high", "null_median", "null_q95", "studentised", "df"),
    *("p_value", "p_margin", "p_equivalence"),
)
OF_SELECTION: Final = ("ci_low_selected", "ci_high_selected", "value_shrunken", "selected_reason")


def with_t_where_flips_are_few(
    questions: pd.DataFrame, contrasts: pd.DataFrame, alpha: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give questions the p of t where no flip of their root prompts could be called in their set.

    Args:
        questions: with n_questions and p_by_t, NaN where none is of flips.
        contrasts: their rows.
        alpha: error rate.
    """
    reached = questions.n_questions * 2.0 ** (1 - questions.n_root_prompts.astype(float))
    is_few = questions.p_by_t.notna() & questions.is_permuted.astype(bool) & (reached > alpha)
    if not is_few.any():
        return questions, contrasts
    asked = pd.MultiIndex.from_frame(questions.loc[is_few, QUESTION])
    is_row = (contrasts.contrast == BEYOND_PARTS) & pd.MultiIndex.from_frame(contrasts[QUESTION]).isin(asked)
    is_row &= contrasts.p_value_maxt.notna()
    p = 2 * stats.t.sf(contrasts.studentised.abs().astype(float), contrasts.df.astype(float))
    nothing = dict.fromkeys(("null_median", "null_q95", "n_draws"), np.nan)
    of_rows = {
        "p_value": np.where(contrasts.p_by_t.isna(), np.nan, p),
        "p_value_maxt": contrasts.p_by_t,
        "inference_reason": np.where(contrasts.p_by_t.isna(), InferenceReason.NO_ERROR, InferenceReason.P_FLOOR),
        **nothing,
    }
    of_questions = {"p_value": questions.p_by_t, "n_draws": np.nan}
    return _by_t(questions, is_few, of_questions), _by_t(contrasts, is_row, of_rows)


def _by_t(rows: pd.DataFrame, is_few: "pd.Series[bool]", values: Mapping[str, object]) -> pd.DataFrame:
    method = rows.method.str.replace(BY_FLIPS, BY_T, regex=False)
    found = {"is_permuted": False, "method": method, **values}
    changed = {
        name: rows[name].where(~is_few, pd.Series(new, index=rows.index, dtype=rows[name].dtype))
        for name, new in found.items()
    }
    return rows.assign(**changed)


def with_standing_cells(
    contrasts: pd.DataFrame,
    questions: pd.DataFrame,
    layouts: Mapping[tuple[str, str], Layout],
    ordered: Mapping[str, Floats],
    options: Options,
) -> pd.DataFrame:
    """Say which cells of called crossings stand, and which rows say the same.

    Args:
        contrasts: with q_value, value_without, only_because_of and mirror_of.
        questions: with p_value, q_value and is_called.
        layouts: by slice and grouping.
        ordered: p of the questions of each set, ascending.
        options: what the contrasts were computed with.

    Returns:
        Contrasts. A called cell that does not stand has value_without, of the last round, and only_because_of. A row of
        a cell that stands in a later round tells of that round: its value among those left, no size after selection.
    """
    contrasts = contrasts.reset_index(drop=True)
    beyond = contrasts[(contrasts.contrast == BEYOND_PARTS) & contrasts.p_value_maxt.notna()]
    rows_of = beyond.groupby(QUESTION, sort=False).indices
    for question in questions[questions.is_called].to_dict("records"):
        key = tuple(question[name] for name in QUESTION)
        if key not in rows_of:
            continue
        rows = beyond.iloc[rows_of[key]]
        layout, of_set = layouts[question["slice_id"], question["grouping_id"]], ordered[question["set_id"]]
        told = _told(rows, question, layout, of_set, options)
        contrasts.loc[told.index, told.columns] = told
    return contrasts


def _told(
    rows: pd.DataFrame, question: Mapping[Hashable, Any], layout: Layout, of_set: Floats, options: Options
) -> pd.DataFrame:
    """What is told of the rows of one called question: columns of contrasts."""
    key = tuple(str(question[name]) for name in KEYS_OF_QUESTION)
    group_ids, labels = layout.cells.group_ids, layout.labels(key)
    at = rows.category.map(labels.index).to_numpy(), rows.group_id.map(group_ids.index).to_numpy()
    by_t = not rows.is_permuted.any()
    margin = np.full(len(labels), float(rows.margin.iloc[0]))
    n_draws = None if by_t else int(rows.n_draws.max())

    def test(without: Collection[int]) -> Result:
        found = layout.beyond_parts(key, without, margin=margin, n_draws=n_draws, options=options)
        return found._replace(p_maxt=found.p_by_t) if by_t else found

    def q_of(p: Floats) -> Floats:
        return group_levels(p, question["q_value"], of_set)

    standing = standing_cells(test, lambda p: np.asarray(q_of(p) <= options.alpha))
    columns = [*OF_ROUND, "p_value_maxt", "q_value", "value_without", "only_because_of", "mirror_of", *OF_SELECTION]
    told = rows.reindex(columns=columns)
    is_called, stands = rows.q_value.to_numpy() <= options.alpha, np.zeros(len(rows), dtype=bool)
    for number, (cell, found) in enumerate(zip(standing.cells, standing.rounds, strict=True)):
        q = q_of(found.p_maxt)[at]
        own = (at[1] == cell) & (q <= options.alpha)
        stands |= own
        if number:
            fields = {name: getattr(found, name)[at][own] for name in OF_ROUND}
            later = pd.DataFrame({**fields, "p_value_maxt": found.p_maxt[at][own], "q_value": q[own]})
            told.loc[own, later.columns] = later.to_numpy()
            told.loc[own, ["mirror_of", *OF_SELECTION]] = None
            told.loc[own, "selected_reason"] = str(InferenceReason.STANDS_LATER)
    is_because = is_called & ~stands & ~told.mirror_of.isin([group_ids[cell] for cell in standing.cells]).to_numpy()
    because = SEPARATOR.join(group_ids[cell] for cell in sorted(standing.cells))
    if standing.cells:
        told.loc[is_because, "only_because_of"] = because
        told.loc[is_because, "value_without"] = standing.last.value[at][is_because]
    return told
