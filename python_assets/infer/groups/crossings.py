"""Questions of crossings once their set is known: p of t where flips are too few, and which cells stand.

Belongs here: rows of contrasts and questions. What a cell has beyond its parts is contrasts/interaction.py, the rounds
are contrasts/standing.py.

Source: inference.md 6.10.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from python_assets.infer.contrasts.standing import OF_SELECTION, Standing, by_t, of_t, standing_cells, told_of_standing
from python_assets.infer.design.cells import KEYS_OF_HYPOTHESIS
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.formulas.multiplicity import group_levels
from python_assets.infer.groups.layout import Layout
from python_assets.infer.options import Options
from python_assets.infer.result import Result
from python_assets.infer.tables import HYPOTHESIS, INTERACTION

# what a row of a cell that stands in a later round tells of that round
_OF_ROUND: Final = {
    **{name: name for name in ("value", "std_error", "ci_low", "ci_high", "null_median", "null_q95", "studentised")},
    **{name: name for name in ("df", "p_value", "p_margin", "p_equivalence")},
    "p_value_maxt": "p_maxt",
}
OF_BLOCK: Final = ("group_id", "category", "block_position", "difference")


def few_flips(hypotheses: pd.DataFrame, alpha: float) -> "pd.Series[bool]":
    """Whether no flip of the root prompts of a question could be called in its set.

    Args:
        hypotheses: with n_hypotheses, n_root_prompts, n_units and p_by_t, NaN where none is of flips.
        alpha: error rate.
    """
    n_flipped = np.fmin(hypotheses.n_root_prompts.astype(float), hypotheses.n_units.astype(float))
    reached = hypotheses.n_hypotheses * 2.0 ** (1 - n_flipped)
    return hypotheses.p_by_t.notna() & (reached > alpha)


def hypotheses_by_t(
    hypotheses: pd.DataFrame, contrasts: pd.DataFrame, is_few: "pd.Series[bool]"
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Questions and their contrasts, with p of t of those of few_flips."""
    few_hypotheses = pd.MultiIndex.from_frame(hypotheses.loc[is_few, HYPOTHESIS])
    is_row = (contrasts.contrast == INTERACTION) & contrasts.p_value_maxt.notna()
    is_row &= pd.MultiIndex.from_frame(contrasts[HYPOTHESIS]).isin(few_hypotheses)
    nothing = dict.fromkeys(("null_median", "null_q95"), np.nan)
    row_columns = {**of_t(contrasts), "p_value_maxt": contrasts.p_by_t, "is_permuted": False, **nothing}
    hypothesis_columns = {"p_value": hypotheses.p_by_t, "n_draws": np.nan, "is_permuted": False}
    return by_t(hypotheses, is_few, hypothesis_columns), by_t(contrasts, is_row, row_columns)


def with_standing_cells(
    contrasts: pd.DataFrame,
    hypotheses: pd.DataFrame,
    layouts: Mapping[tuple[str, str], Layout],
    ordered: Mapping[str, Floats],
    options: Options,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Say which cells of called crossings stand, and which rows say the same.

    Args:
        contrasts: with q_value, is_significant, value_without, explained_by, without_groups and mirror_of.
        hypotheses: with p_value, q_value and is_significant.
        layouts: by slice and grouping.
        ordered: p of the questions of each set, ascending.
        options: what the contrasts were computed with.

    Returns:
        Contrasts. A called cell that does not stand has value_without, of the last round, and explained_by. A row of
        a cell that stands in a later round tells of that round: its value among those left, no size after selection.
        And what the cells that stand have beyond their parts in each block that they meet others in.
    """
    contrasts = contrasts.reset_index(drop=True)
    beyond = contrasts[(contrasts.contrast == INTERACTION) & contrasts.p_value_maxt.notna()]
    rows_of, blocks = beyond.groupby(HYPOTHESIS, sort=False).indices, []
    for hypothesis in hypotheses[hypotheses.is_significant].to_dict("records"):
        key = tuple(hypothesis[name] for name in HYPOTHESIS)
        if key not in rows_of:
            continue
        rows = beyond.iloc[rows_of[key]]
        layout, p_of_set = layouts[hypothesis["slice_id"], hypothesis["grouping_id"]], ordered[hypothesis["family_id"]]
        standing, changed_rows = _told(rows, hypothesis, layout, p_of_set, options)
        contrasts.loc[changed_rows.index, changed_rows.columns] = changed_rows
        blocks += [
            cell_blocks.assign(**dict(zip(HYPOTHESIS, key, strict=True)))
            for cell_blocks in _blocks(standing, hypothesis, layout, options)
        ]
    return contrasts, pd.concat([pd.DataFrame(columns=[*HYPOTHESIS, *OF_BLOCK]), *blocks], ignore_index=True)


def _blocks(
    standing: Standing, hypothesis: Mapping[Hashable, Any], layout: Layout, options: Options
) -> Iterator[pd.DataFrame]:
    """What each cell that stands has beyond its parts in single blocks, the cells before it taken out."""
    key = tuple(str(hypothesis[name]) for name in KEYS_OF_HYPOTHESIS)
    for number, cell in enumerate(standing.cells):
        block, values = layout.blocks_interaction(key, standing.cells[:number], options)
        for label, differences in zip(layout.labels(key), values[:, cell].T, strict=True):
            is_there = ~np.isnan(differences)
            yield pd.DataFrame({"block_position": block[is_there], "difference": differences[is_there]}).assign(
                group_id=layout.cells.group_ids[cell], category=label
            )


def _told(
    rows: pd.DataFrame, hypothesis: Mapping[Hashable, Any], layout: Layout, of_set: Floats, options: Options
) -> tuple[Standing, pd.DataFrame]:
    """Which cells of one called question stand, and what its rows tell then: columns of contrasts."""
    key = tuple(str(hypothesis[name]) for name in KEYS_OF_HYPOTHESIS)
    group_ids, labels = layout.cells.group_ids, layout.labels(key)
    at = rows.category.map(labels.index).to_numpy(), rows.group_id.map(group_ids.index).to_numpy()
    is_of_t = not rows.is_permuted.any()
    margin = np.full(len(labels), float(rows.margin.iloc[0]))
    n_draws = None if is_of_t else int(rows.n_draws.max())

    def test(without: Collection[int]) -> Result:
        interaction = layout.interaction(key, without, margin=margin, n_draws=n_draws, options=options)
        # units of one cell each have no other p than that of t
        return (
            interaction._replace(p_maxt=interaction.p_by_t)
            if is_of_t and not np.isnan(interaction.p_by_t).all()
            else interaction
        )

    def q_of(p: Floats) -> Floats:
        return group_levels(p, hypothesis["q_value"], of_set)

    standing = standing_cells(test, lambda p: np.asarray(q_of(p) <= options.alpha))
    row_columns = ("q_value", "is_significant", "value_without", "explained_by", "without_groups", "mirror_of")
    columns = [*_OF_ROUND, *row_columns, *OF_SELECTION]
    standing_rows = told_of_standing(
        rows[columns], standing, at, group_ids, of_round=_OF_ROUND, q_of=q_of, alpha=options.alpha
    )
    return standing, standing_rows.drop(columns=["differs_on_its_own", "is_significant"])
