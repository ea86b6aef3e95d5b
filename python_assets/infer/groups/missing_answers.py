"""Every contrast with its missing answers at either end: which are missing, and what the filled tables differ by.

Belongs here: groups against the rest in blocks, raw values. What a missing answer can have been, and what is left of a
verdict, are formulas/missing.py.

Source: inference.md 9.5.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.infer.design.cells import COLUMN_KEYS, Cells, Missing, of_columns
from python_assets.infer.design.design import MIN_UNITS, Design, Unit, presence_patterns, shared
from python_assets.infer.draws.exchange import TIE, Floats, Ints
from python_assets.infer.formulas import missing
from python_assets.infer.formulas.interval import Interval
from python_assets.infer.formulas.missing import Ends
from python_assets.infer.formulas.selected import n_comparisons
from python_assets.infer.formulas.verdict import P_WITH_MISSING
from python_assets.infer.groups.layout import Layout
from python_assets.infer.options import Options
from python_assets.infer.result import InferenceReason, first_of
from python_assets.infer.schemes.block_contrast import BlockContrast
from python_assets.infer.schemes.choose import units_of_columns
from python_assets.infer.schemes.differences import over_units
from python_assets.infer.tables import CORRECTED, DIFFERENCES, HYPOTHESIS, LOG_DISPARITY
from python_assets.study.base import ALL_SYSTEMS, Against

_RATES: Final = ("binary", "label")
_ROLES: Final = ("continuous", *_RATES)
_UNITS: Final = (Unit.ROOT_PROMPT, Unit.BLOCK)
_QUOTED: Final = ("value", "std_error", "ci_low", "ci_high", "q_value", "n_units")
_KEYS_OF_ROWS: Final = ["slice_id", "grouping_id", *COLUMN_KEYS, "group_id"]


class Bounds(NamedTuple):
    """Of columns and groups, shape (columns, groups): both filled differences, their df, and shares of missing answers.

    share, share_of_rest: of the group and of those that it is compared with, prompt by prompt.
    """

    ends: Ends
    df: Floats
    share: Floats
    share_of_rest: Floats

    @classmethod
    def of(cls, n_columns: int, n_groups: int) -> "Bounds":
        """Nothing known yet."""
        low, se_low, high, se_high, df, share, share_of_rest = np.full((7, n_columns, n_groups), np.nan)
        return cls(Ends(low, se_low, high, se_high), df, share, share_of_rest)


def bounds_of(cells: Cells, answers: Missing, *, fills_scale: bool = False) -> Bounds:
    """Differences from the rest with every missing answer at either end, of columns whose groups meet in blocks.

    Args:
        cells: with columns of means, rates or shares of labels.
        answers: the missing ones.
        fills_scale: whether they can have been anything on a declared scale.

    Returns:
        NaN of columns that are tested otherwise than in blocks, and of groups in fewer than three root prompts.
    """
    bounds = Bounds.of(len(cells.columns), cells.frame.n_groups)
    if cells.refusal is not None or cells.stratum_of_cell is not None or cells.is_of_models:
        return bounds
    root = cells.frame.root_of_block[cells.frame.block]
    means = missing.prompt_means(cells.x, root)
    is_rate = np.isin(cells.roles.astype(str), _RATES)
    scale = (answers.scale_low, answers.scale_high) if fills_scale else None
    low, high = missing.limits_of(cells.x, means, is_rate, scale)
    n_asked = answers.n + np.where(np.isnan(cells.x), 0, cells.n_responses)
    # a root prompt that nobody answered says nothing of anyone
    is_in = (n_asked > 0) & ~np.isnan(means)
    share = np.divide(answers.n, n_asked, out=np.zeros_like(n_asked), where=is_in)
    at_low, at_high = (missing.filled(cells.x, share, limit) for limit in (low, high))
    for unit, columns in _in_blocks(cells):
        for present, places in presence_patterns(np.where(is_in[:, columns], 0.0, np.nan)):
            members = columns[places]
            cell = shared(cells.frame, present)
            contrast = BlockContrast(Design(cells.frame, cell, unit))
            sides = (contrast.rates(table[np.ix_(cell, members)]) for table in (at_low, at_high, share))
            (own_low, rest_low), (own_high, rest_high), shares = sides
            enough = np.where(contrast.is_present.sum(axis=1) >= MIN_UNITS, 1.0, np.nan)
            n = contrast.is_present.sum(axis=1) * enough
            rows = [
                moment
                for by_unit in (own_low - rest_high, own_high - rest_low)
                for moment in _mean_and_error(over_units(by_unit, contrast.is_present), n)
            ]
            rows += [np.broadcast_to(n - 1, rows[0].shape)]
            rows += [over_units(by_unit, contrast.is_present)[0] * enough for by_unit in shares]
            for field, row in zip((*bounds.ends, bounds.df, bounds.share, bounds.share_of_rest), rows, strict=True):
                field[members] = row
    return bounds


def _mean_and_error(of_units: tuple[Floats, Floats], n: Floats) -> tuple[Floats, Floats]:
    mean, sd = of_units
    return mean + 0 * n, sd / np.sqrt(n)


def _in_blocks(cells: Cells) -> Iterator[tuple[Unit, Ints]]:
    """The columns whose errors are over root prompts or blocks."""
    units: dict[Unit, list[int]] = {unit: [] for unit in _UNITS}
    for present, columns in presence_patterns(cells.x):
        for members, unit in units_of_columns(cells, shared(cells.frame, present), columns):
            if unit in units:
                units[Unit(unit)] += members.tolist()
    for unit, unit_columns in units.items():
        if unit_columns:
            yield unit, np.array(sorted(unit_columns))


def with_missing_answers(
    contrasts: pd.DataFrame, layouts: Mapping[tuple[str, str], Layout], options: Options
) -> pd.DataFrame:
    """Add what the missing answers can do to contrasts, and their sizes without a unit.

    Args:
        contrasts: with value, std_error, ci_low, ci_high, q_value, is_significant, p_value_maxt, n_units and
            inference_reason.
        layouts: by slice and grouping.
        options: what the contrasts were computed with.

    Returns:
        Contrasts with ci_low_missing, ci_high_missing, P_WITH_MISSING, tipping_shift, missing_share,
        missing_share_rest, missing_reason and value_standardised.
    """
    bounds, spreads = [], []
    for layout in layouts.values():
        spreads.append(_by_row(layout.cells, sd=_spread(layout.cells)))
        answers = layout.missing()
        columns = np.flatnonzero(answers.n.any(axis=0) & np.isin(layout.cells.roles.astype(str), _ROLES))
        if len(columns):
            cells = of_columns(layout.cells, columns)
            open_answers = Missing(answers.n[:, columns], answers.scale_low[columns], answers.scale_high[columns])
            column_bounds = bounds_of(cells, open_answers, fills_scale=options.fills_scale)
            shares = {"share": column_bounds.share, "share_of_rest": column_bounds.share_of_rest}
            bounds.append(_by_row(cells, is_open=1.0, df=column_bounds.df, **shares, **column_bounds.ends._asdict()))
    names = ("is_open", "df", "share", "share_of_rest", *Ends._fields)
    is_filled, is_mean = _can_be_filled(contrasts), (contrasts.contrast == DIFFERENCES[0]).to_numpy()
    is_open, df, share, share_of_rest, *both = _read_by(contrasts, is_filled, bounds, names)
    (sd,) = _read_by(contrasts, is_mean, spreads, ("sd",))
    ends, quoted = Ends(*both), contrasts.astype(dict.fromkeys(_QUOTED, float))
    limits = missing.interval_with_missing(ends, df, options.alpha)
    is_bounded, is_significant = ~np.isnan(ends.se_low), quoted.is_significant.to_numpy(dtype=bool)
    published = Interval(quoted.ci_low.to_numpy(), quoted.ci_high.to_numpy())
    shift = missing.tipping_shift(published, np.where(is_bounded, share, 0.0))
    reason = first_of(
        [
            (contrasts.calibration == CORRECTED).to_numpy(),
            ~is_filled,
            np.isnan(is_open),
            ~is_bounded & np.isnan(quoted.q_value.to_numpy()),
            ~is_bounded,
            share == 0,
            ~is_significant,
        ],
        [
            InferenceReason.CORRECTED_NOT_BOUNDED,
            InferenceReason.SCHEME_NOT_AVAILABLE,
            InferenceReason.NOTHING_MISSING,
            contrasts.inference_reason.to_numpy(dtype=object),
            InferenceReason.SCHEME_NOT_AVAILABLE,
            InferenceReason.NOTHING_MISSING,
            InferenceReason.NOT_SIGNIFICANT,
        ],
    )
    return contrasts.assign(
        ci_low_missing=np.where(is_bounded, np.fmin(limits.low, quoted.ci_low), np.nan),
        ci_high_missing=np.where(is_bounded, np.fmax(limits.high, quoted.ci_high), np.nan),
        tipping_shift=np.where(is_significant, shift, np.nan),
        missing_share=np.where(is_bounded, share, np.nan),
        missing_share_rest=np.where(is_bounded, share_of_rest, np.nan),
        missing_reason=reason,
        value_standardised=_standardised(contrasts, sd),
        **{P_WITH_MISSING: missing.p_with_missing(ends, df, n_comparisons(contrasts, HYPOTHESIS))},
    )


def _by_row(cells: Cells, **fields: Floats | float) -> pd.DataFrame:
    """Numbers of columns and groups as rows, with the keys that rows of contrasts have."""
    n_groups = len(cells.group_ids)
    keys = cells.columns[list(COLUMN_KEYS)].loc[cells.columns.index.repeat(n_groups)].reset_index(drop=True)
    # the shares of all labels are one question
    keys["statistic"] = keys.statistic.where(np.repeat(cells.roles != "label", n_groups), "share")
    shape = (len(cells.columns), n_groups)
    numbers = {name: np.broadcast_to(values, shape).ravel() for name, values in fields.items()}
    return keys.assign(
        slice_id=cells.slice_id,
        grouping_id=cells.grouping_id,
        group_id=np.tile(np.array(cells.group_ids, dtype=object), len(cells.columns)),
        **numbers,
    )


def _read_by(
    contrasts: pd.DataFrame, wanted: np.ndarray, found: Sequence[pd.DataFrame], names: Sequence[str]
) -> list[Floats]:
    """Numbers of _by_row for the contrasts that are wanted, NaN elsewhere."""
    if not found:
        return [np.full(len(contrasts), np.nan) for _ in names]
    numbers = pd.concat(found, ignore_index=True).set_index(_KEYS_OF_ROWS)
    position = numbers.index.get_indexer(pd.MultiIndex.from_frame(contrasts[_KEYS_OF_ROWS]))
    is_known = wanted & (position >= 0)
    return [np.where(is_known, numbers[name].to_numpy(dtype=float)[position], np.nan) for name in names]


def _can_be_filled(contrasts: pd.DataFrame) -> np.ndarray:
    """Whether rows are of raw means, rates and shares of labels of one generation, against the rest."""
    is_filled: np.ndarray = (
        contrasts.contrast.isin(DIFFERENCES)
        & (contrasts.reference == str(Against.REST))
        & (contrasts.calibration == "raw")
        & contrasts.statistic.isin(("mean", "share"))
        & (contrasts.parameters == "")
        & (contrasts.system_id != ALL_SYSTEMS)
    ).to_numpy()
    return is_filled


def _spread(cells: Cells) -> Floats:
    """Standard deviation of present cells around the mean of their root prompt, shape (columns, 1).

    NaN of rates, where units lie in one group each, and where cells of root prompts are equal.
    """
    if cells.stratum_of_cell is not None:
        return np.full((len(cells.columns), 1), np.nan)
    deviation = cells.x - missing.prompt_means(cells.x, cells.frame.root_of_block[cells.frame.block])
    n = (~np.isnan(deviation)).sum(axis=0)
    squares = np.nansum(deviation**2, axis=0)
    sd = np.sqrt(np.divide(squares, n - 1, out=np.full(len(n), np.nan), where=n > 1))
    size = np.nanmax(np.abs(cells.x), axis=0, initial=0.0)
    return np.where((sd > TIE * size) & (cells.roles == "continuous"), sd, np.nan)[:, None]


def _standardised(contrasts: pd.DataFrame, sd: Floats) -> Floats:
    """Differences of means in standard deviations; of rates their log odds ratio, where the study has it."""
    keys = [*HYPOTHESIS, "group_id", "reference", "category"]
    logs = contrasts[contrasts.contrast == LOG_DISPARITY].set_index(keys).value
    log_odds = logs.reindex(pd.MultiIndex.from_frame(contrasts[keys])).to_numpy(dtype=float)
    value = contrasts.value.to_numpy(dtype=float)
    return np.where((contrasts.contrast == DIFFERENCES[1]).to_numpy(), log_odds, value / sd)
