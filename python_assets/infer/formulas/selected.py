"""Sizes of what was called: intervals that allow for the choice, and values drawn towards 0.

Belongs here: which rows of a set are chosen from, the level of their intervals, and how far chance stretched them.
Verdicts, q and margins are never of these. A set is picked over for its largest rows, so that those called are too
large on average and intervals of level 1 - alpha miss too often among them.

Source: inference.md 6.9.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from scipy import stats

from python_assets.infer.draws.exchange import Floats
from python_assets.infer.formulas import skewed
from python_assets.infer.formulas.negative_controls import widened
from python_assets.infer.formulas.skewed import Mean
from python_assets.infer.formulas.verdict import rows_off
from python_assets.infer.result import InferenceReason, first_of
from python_assets.infer.tables import (
    ANSWERING_COMPARISONS,
    HYPOTHESIS,
    INTERACTION,
    INTERACTION_CHANGE,
    LOG_DISPARITY,
    MEAN_CHANGE,
    PARTS,
    ROW_KEYS,
    SIZES,
)
from python_assets.study.base import Against

FEWEST_ROWS: Final = 6  # of a set, under which nothing is known of how sizes spread
LARGEST_Z: Final = 8.0
_LARGEST_T: Final = 30.0
SPREADS: Final = np.concatenate([[0.0], 0.5 * 2.0 ** (np.arange(9) / 2)])  # in standard errors
N_STEPS: Final = 200
SELECTED_LEVEL: Final = "level_selected"
_OF_PAIR: Final = [name for name in ROW_KEYS if name not in ("comparison", "group_id", "category")]


def normal_scores(t: Floats, df: Floats) -> Floats:
    """The z as far out as t is in its distribution, at most LARGEST_Z in size."""
    size: Floats = np.minimum(LARGEST_Z, stats.norm.isf(stats.t.sf(np.abs(t), df)))
    return np.sign(t) * size


def shrinkage(t: Floats, df: Floats, weight: Floats) -> Floats:
    """What is left of each size once chance is taken off it: between 0 and 1.

    The true sizes of a set, in standard errors, are taken for a mixture of normal distributions around 0 with SPREADS,
    whose shares are those that the z of the set are likeliest under (200 steps of expectation and maximisation).

    Args:
        t: value over standard error, or the score z of rates; shape (rows,).
        df: its degrees of freedom.
        weight: how much of a row counts where others mirror it.

    Source: inference.md 6.9; Stephens 2017.
    """
    variance = 1 + SPREADS**2

    def densities(of: Floats) -> Floats:
        # the smallest exponent of a row is taken off, so that none underflows everywhere
        exponent = of[:, None] ** 2 / (2 * variance)
        likelihoods: Floats = np.exp(exponent.min(axis=1, keepdims=True) - exponent) / np.sqrt(variance)
        return likelihoods

    density, share = densities(normal_scores(t, df)), weight / weight.sum()
    mixture = np.full(len(SPREADS), 1 / len(SPREADS))
    for _ in range(N_STEPS):
        mixture = mixture * (density.T @ (share / (density @ mixture)))
    density = densities(np.clip(t, -_LARGEST_T, _LARGEST_T))
    kept: Floats = density @ (mixture * SPREADS**2 / variance) / (density @ mixture)
    return kept


def with_weights(contrasts: pd.DataFrame, pairs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Add what each row counts where others mirror it, 0 where nothing is tested.

    Args:
        contrasts: with family_id, p_value_maxt, studentised and mirror_of.
        pairs: of comparisons of generations, with family_id, p_maxt, p_value and mirror_of.
    """
    return contrasts.assign(weight=_weights_of_contrasts(contrasts)), pairs.assign(weight=_weights_of_pairs(pairs))


def with_selected_sizes(
    contrasts: pd.DataFrame, pairs: pd.DataFrame, alpha: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Add to contrasts and comparisons of generations what is to be thought of their sizes after selection.

    Args:
        contrasts: of with_weights, with is_significant, value, std_error, studentised and df.
        pairs: the same of comparisons, with the fields of a Mean and ci_low, ci_high.
        alpha: error rate, at a look its level.

    Returns:
        Both with value_shrunken, LEVEL and selected_reason; LEVEL is alpha n / m, for the interval of a called row, NaN
        elsewhere. Comparisons, whose intervals are all of means, have ci_low_selected and ci_high_selected too.
    """
    t_of_pairs = pairs.value / pairs.std_error.where(pairs.std_error > 0)
    both = (
        contrasts.assign(t=contrasts.studentised),
        pairs.assign(t=t_of_pairs, is_significant=pairs.is_significant & rows_off(pairs)),
    )
    rows = pd.concat([one[list(_COLUMNS)] for one in both], ignore_index=True).astype(_COLUMNS)
    rows = rows.assign(is_row=rows.weight > 0)
    is_significant = rows.is_significant.to_numpy()
    level, factor, is_few = (np.full(len(rows), null) for null in (np.nan, np.nan, False))
    has_size = ((rows.std_error > 0) & rows.t.notna() & rows.df.notna()).to_numpy()
    chosen = rows[rows.is_row]
    for positions in chosen.groupby("family_id", sort=False).indices.values():
        member = chosen.index.to_numpy()[positions]
        weight = rows.weight.to_numpy()[member]
        m, n = weight.sum(), weight[is_significant[member]].sum()
        level[member[is_significant[member]]] = alpha * n / m
        is_few[member] = m < FEWEST_ROWS - 1e-9
        sized = member[has_size[member]]
        if m >= FEWEST_ROWS - 1e-9 and len(sized):
            factor[sized] = shrinkage(rows.t.to_numpy()[sized], rows.df.to_numpy()[sized], weight[has_size[member]])
    reason = first_of(
        [~rows.is_row.to_numpy(), is_few | ~has_size, ~is_significant],
        [InferenceReason.NOT_OF_SELECTION, InferenceReason.TOO_FEW_ROWS, InferenceReason.NOT_SIGNIFICANT],
    )
    size_columns = {"value_shrunken": factor * rows.value.to_numpy(), SELECTED_LEVEL: level, "selected_reason": reason}
    n_contrasts = len(contrasts)
    contrast_columns, pair_columns = (
        {name: values[piece] for name, values in size_columns.items()}
        for piece in (slice(0, n_contrasts), slice(n_contrasts, None))
    )
    pairs = pairs.assign(**pair_columns)
    means = Mean(*(pairs[name].to_numpy(dtype=float) for name in Mean._fields))
    level_of_pairs = pairs[SELECTED_LEVEL].to_numpy(dtype=float)
    error, df = (pairs[name].to_numpy(dtype=float) for name in ("control_error", "control_df"))
    limits = widened(means.value, skewed.limits(means, level_of_pairs), error, df, level_of_pairs)
    return contrasts.assign(**contrast_columns), pairs.assign(ci_low_selected=limits.low, ci_high_selected=limits.high)


def n_comparisons(rows: pd.DataFrame, keys: Sequence[str]) -> Floats:
    """Distinct comparisons of the question of each row: two groups say one thing, as two labels do.

    Args:
        rows: of with_weights.
        keys: of the question.
    """
    return rows.groupby([*keys], sort=False)["weight"].transform("sum").clip(lower=1.0).to_numpy(dtype=float)


def _weights_of_contrasts(rows: pd.DataFrame) -> Floats:
    """A row that others mirror counts for its share."""
    is_row = rows.p_value_maxt.notna() & ~rows.contrast.isin([*SIZES, LOG_DISPARITY])
    tested = rows[is_row].groupby(HYPOTHESIS, sort=False)
    n_groups, n_labels = (_of_rows(tested[name].transform("nunique"), rows) for name in ("group_id", "category"))
    is_pairwise = ~rows.reference.isin([str(Against.REST), str(Against.GRAND_MEAN), PARTS])
    # all pairs stand there both ways round; against one level each group stands once
    n_references = _of_rows(tested["reference"].transform("nunique"), rows)
    is_mirrored = np.where(is_pairwise, n_references > 1, n_groups == 2)
    is_beyond = rows.contrast == INTERACTION
    weight = _weight(is_mirrored & ~is_beyond.to_numpy(), n_labels) / _n_alike(rows, is_beyond & is_row, HYPOTHESIS)
    return np.where(is_row, weight, 0.0)


def _weights_of_pairs(pairs: pd.DataFrame) -> Floats:
    """The same of comparisons of generations: the mean of all, and groups that moved apart from the others."""
    is_mean = pairs.comparison == MEAN_CHANGE
    is_group = pairs.comparison.isin(ANSWERING_COMPARISONS) & pairs.p_maxt.notna()
    is_row = ((is_mean & pairs.p_value.notna()) | is_group) & pairs.family_id.notna()
    tested = pairs[is_group].groupby(_OF_PAIR, sort=False)
    n_groups, n_labels = (_of_rows(tested[name].transform("nunique"), pairs) for name in ("group_id", "category"))
    is_beyond = pairs.comparison == INTERACTION_CHANGE
    weight = _weight((is_group & ~is_beyond).to_numpy() & (n_groups == 2), n_labels)
    return np.where(is_row, weight / _n_alike(pairs, is_beyond & is_group, _OF_PAIR), 0.0)


def _n_alike(rows: pd.DataFrame, is_cell: "pd.Series[bool]", keys: Sequence[str]) -> Floats:
    """How many cells of the crossing of each row say the same; 1 of other rows."""
    cells = rows[is_cell]
    first = cells.mirror_of.where(cells.mirror_of.notna(), cells.group_id)
    n = cells.assign(first=first).groupby([*keys, "category", "first"]).group_id.transform("count")
    return _of_rows(n, rows)


_COLUMNS: Final = {
    "family_id": object,
    **dict.fromkeys(("value", "std_error", "t", "df", "weight"), float),
    "is_significant": bool,
}


def _of_rows(found: pd.Series, rows: pd.DataFrame) -> Floats:
    return found.reindex(rows.index).fillna(1).to_numpy(dtype=float)


def _weight(is_mirrored: np.ndarray, n_labels: Floats) -> Floats:
    return 1 / (np.where(is_mirrored, 2.0, 1.0) * np.where(n_labels == 2, 2.0, 1.0))
