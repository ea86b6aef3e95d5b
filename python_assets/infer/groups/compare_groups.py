"""The rows of one slice and grouping: each column by its scheme, and by what it measures.

Belongs here: which comparison serves which kind of measure. Comparisons are contrasts/compare.py.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np

from python_assets.infer.contrasts.amplification import amplification, draws_within
from python_assets.infer.contrasts.compare import Compared, Scheme, compare_labels, compare_values
from python_assets.infer.contrasts.controlled import with_controls
from python_assets.infer.contrasts.labelled import compare_labelled, without_p
from python_assets.infer.design.cells import (
    COLUMN_KEYS,
    CellRows,
    Cells,
    GroupingPart,
    StatisticSpec,
    Values,
    are_equal,
    of_columns,
)
from python_assets.infer.draws.exchange import TIE, Draws, Floats, Ints, stable_seed
from python_assets.infer.groups.rows import LABEL_ROLES, Sheet, amplification_rows, refused, sheet_rows
from python_assets.infer.options import Options, Reference
from python_assets.infer.result import ERROR_FIELDS, EVERY_P, Bools, InferenceReason, Result
from python_assets.infer.schemes.choose import Blocks, Chosen, InUnits, choose_schemes
from python_assets.infer.statistics.compare_statistics import compare_statistic, is_shuffled, method_of
from python_assets.infer.tables import DBI, LOG_DISPARITY, Table, Tables
from python_assets.study.base import Against

_OF_FLOORS = {"value", "null_median", "null_q95", "n_root_prompts", "n_units"}


class GroupResponses(NamedTuple):
    """What is read of a slice and grouping besides its cells, and only where it is needed."""

    rows: Callable[[], CellRows]
    values: Callable[[], Values]


def compare_groups(cells: Cells, sources: GroupResponses, options: Options) -> Tables:
    """Yield rows of contrasts, disparities and amplifications of the means and rates of one slice and grouping.

    Args:
        cells: the cells.
        sources: reads responses, where they are needed.
        options: what is asked for.
    """
    for chosen in choose_schemes(cells, sources.rows, options):
        for sheet, members in _sheets(cells, chosen.columns, options):
            label_sheet = None
            if sheet.role == "labels" and not sheet.is_pooled:
                columns = np.arange(members.size)
                label_sheet = replace(sheet, cells=of_columns(cells, members), columns=columns, role="label")
            if label_sheet is not None and cells.parts:
                yield "amplifications", _amplifications(sheet, chosen, members, options)
            if isinstance(chosen.scheme, InferenceReason):
                yield from sheet_rows(sheet, refused(sheet, chosen.scheme))
                if label_sheet is not None:
                    yield from sheet_rows(label_sheet, refused(label_sheet, chosen.scheme))
                continue
            scheme = chosen.scheme._replace(reference=sheet.reference or Reference())
            x = chosen.take(members.ravel())
            compared = _compared(sheet, scheme, x, members.shape, sources)
            sheet, compared = _controlled(sheet.resting_on(scheme), scheme, x, compared)
            if label_sheet is not None:
                label_contrasts = {name: compared.contrasts[name] for name in label_sheet.contrasts}
                yield from sheet_rows(label_sheet, Compared(label_contrasts, {}))
            yield from sheet_rows(sheet, compared)


def _compared(sheet: Sheet, scheme: Scheme, x: Floats, shape: tuple[int, ...], sources: GroupResponses) -> Compared:
    """Contrasts and indices of a sheet; x: values, shape (cells, columns), the columns of the shape given."""
    if sheet.role in LABEL_ROLES and isinstance(scheme, Blocks):
        compared = compare_labelled(scheme, x, sheet.margin(sheet.contrasts[0]))
        compared = compared if sheet.cells.asks_of_parts is None else without_p(compared)
    elif sheet.role == "labels":
        n_responses = _fewest_responses(sheet)
        compared = compare_labels(scheme, x.reshape(-1, *shape), sheet.all_margins, n_responses=n_responses)
    else:
        is_rate = sheet.role != "continuous"
        compared = compare_values(
            scheme,
            x,
            sheet.all_margins,
            is_rate=is_rate,
            with_log=sheet.role == "binary",
            with_indices=not sheet.is_pooled,
            with_flips=True,
        )
        compared.contrasts[sheet.contrasts[0]] = compared.contrasts["risk_difference" if is_rate else "mean_difference"]
        if DBI in sheet.contrasts:
            compared.contrasts[DBI] = _in_standard_deviations(sheet, scheme, x, sources)
    if isinstance(scheme, InUnits) and scheme.units.owner is not None:
        # nested in part: values and noise floors, no test (inference.md 2.7)
        everything, reason = np.ones(1, dtype=bool), InferenceReason.PARTLY_NESTED
        compared = compared.each(
            lambda one: one.refused(everything, reason, set(Result._fields) - _OF_FLOORS),
            lambda one: one.refused(~np.isnan(one.p_value), reason, ("p_value",)),
        )
    if sheet.role == "labels":
        return compared
    # where all values of a column are equal nothing could differ (inference.md 6.7)
    is_constant = are_equal(x)
    nothing = TIE * np.nanmax(np.abs(x), axis=0)

    def without_error(one: Result, where: Bools, scale: Floats) -> Result:
        is_zero = where & (np.abs(one.value) <= scale)
        kept = one._replace(value=np.where(is_zero, 0.0, one.value))
        return kept.refused(where, InferenceReason.NO_VARIATION, ERROR_FIELDS)

    return compared.each(
        lambda one: without_error(one, is_constant[:, None] & one.method.astype(bool), nothing[:, None]),
        lambda one: without_error(one, is_constant & ~np.isnan(one.p_value), nothing),
    )


def takes_controls(cells: Cells, scheme: Scheme | None, role: str) -> bool:
    """Whether columns are compared with negative controls: means and rates of groups that meet in blocks."""
    return (
        cells.controls is not None
        and not cells.is_of_models
        and isinstance(scheme, Blocks)
        and scheme.parts is None
        and role in ("continuous", "binary")
    )


def _controlled(sheet: Sheet, scheme: Scheme, x: Floats, compared: Compared) -> tuple[Sheet, Compared]:
    """Contrasts that allow for what negative controls do, where these apply; a sheet says what they say of its columns.

    A log disparity has the p of its difference.
    """
    if not isinstance(scheme, Blocks) or not takes_controls(sheet.cells, scheme, sheet.role):
        return sheet, compared
    name, is_rate = sheet.contrasts[0], sheet.role != "continuous"
    results, findings = with_controls(
        sheet.cells,
        scheme.design.cell,
        sheet.columns,
        x,
        compared.contrasts[name],
        reference=scheme.reference,
        margin=sheet.margin(name),
        alpha=scheme.alpha,
        is_rate=is_rate,
    )
    contrasts = compared.contrasts | {name: results}
    if (log := contrasts.get(LOG_DISPARITY)) is not None:
        p = np.where(np.isnan(log.p_maxt), np.nan, results.p_negative_controls)
        p_maxt = np.where(np.isnan(p), log.p_maxt, np.maximum(log.p_maxt, p))
        permuted = np.where(np.isnan(p), np.nan, log.p_maxt)
        contrasts[LOG_DISPARITY] = log._replace(p_negative_controls=p, p_maxt_permuted=permuted, p_maxt=p_maxt)
    return replace(sheet, control_findings=findings), compared._replace(contrasts=contrasts)


def _fewest_responses(sheet: Sheet) -> Floats:
    """Responses of the group that has fewest of those that have any, of each column."""
    frame, n = sheet.cells.frame, sheet.cells.n_responses[:, sheet.columns]
    n_by_group = np.zeros((frame.n_groups, n.shape[1]))
    np.add.at(n_by_group, frame.group, n)
    return cast(Floats, np.where(n_by_group > 0, n_by_group, np.inf).min(axis=0))


def _amplifications(sheet: Sheet, chosen: Chosen, members: Ints, options: Options) -> Table:
    """By how much the profiles of a crossing differ more than those of its parts; members: (measures, labels)."""
    cells, scheme = sheet.cells, chosen.scheme
    if isinstance(scheme, InferenceReason) or cells.is_partly_nested:
        reason = scheme if isinstance(scheme, InferenceReason) else InferenceReason.PARTLY_NESTED
        return amplification_rows(sheet, Result.of((len(members),), reason=reason))

    def within(grouping_part: GroupingPart) -> Draws:
        seed = stable_seed(
            options.seed, cells.slice_id, cells.grouping_id, "within the levels of", grouping_part.grouping_id
        )
        return draws_within(scheme, grouping_part.level, seed)

    shares = chosen.take(members.ravel()).reshape(-1, *members.shape)
    return amplification_rows(sheet, amplification(scheme.means, shares, cells.parts, within))


def _in_standard_deviations(sheet: Sheet, scheme: Scheme, x: Floats, sources: GroupResponses) -> Result:
    """Difference from the grand mean over the standard deviation of all responses (metrics.md 4)."""
    sd = sources.values().standard_deviations(sheet.cells.columns.iloc[sheet.columns])
    has_spread = sd > 0
    scaled, margins = x / np.where(has_spread, sd, 1.0), {"mean_difference": sheet.margin(DBI)}
    unparted = scheme._replace(reference=Reference(Against.GRAND_MEAN), parts=None)
    scaled_differences = compare_values(unparted, scaled, margins, is_rate=False, with_indices=False).contrasts[
        "mean_difference"
    ]
    if scheme.parts is not None:
        scaled_differences = scaled_differences.refused(
            ~np.isnan(scaled_differences.p_value), InferenceReason.TOLD_BY_PARTS, EVERY_P
        )
    return scaled_differences.refused(~has_spread[:, None], InferenceReason.NO_SPREAD)


def _sheets(cells: Cells, columns: Ints, options: Options) -> Iterator[tuple[Sheet, Ints]]:
    """Part columns by role and statistic, those of all models together apart; of labels whole measures, by how many.

    Yields:
        A sheet, and the columns of its values, shape (columns,) or (measures, labels).
    """

    def sheet_of(cells: Cells, columns: Ints, role: str) -> Sheet:
        return Sheet(
            cells,
            columns,
            role,
            options.margins,
            options.reference(cells.grouping_id, cells.group_ids),
            options.contrasts,
        )

    roles, is_pooled = cells.roles[columns], cells.is_pooled
    keys = roles + (cells.columns.statistic + cells.columns.parameters).to_numpy(object)[columns]
    keys += np.where(is_pooled[columns], " of all models", "").astype(object)
    for key in dict.fromkeys(keys[roles != "label"]):
        members = columns[keys == key]
        yield sheet_of(cells, members, str(roles[columns == members[0]][0])), members
    labels = columns[roles == "label"]
    by_measure = cells.columns.iloc[labels].groupby(list(COLUMN_KEYS[:3]), sort=True).indices.values()
    wholes = [labels[at] for at in by_measure]
    shapes = [(len(whole), bool(is_pooled[whole[0]])) for whole in wholes]
    for shape in sorted(set(shapes)):
        members = np.array([whole for whole, own_shape in zip(wholes, shapes, strict=True) if own_shape == shape])
        first = of_columns(cells, members[:, 0])
        named = first.columns.assign(category="", statistic="share")
        yield sheet_of(first._replace(columns=named), np.arange(len(members)), "labels"), members


def compare_statistics(cells: Cells, values: Values, spec: StatisticSpec, options: Options) -> Tables:
    """Yield rows of a statistic that is no mean.

    Args:
        cells: those that the statistic has values in, cells.of_statistic.
        values: the rows.
        spec: the statistic.
        options: what every statistic is computed with.
    """
    options = options._replace(n_permutations=options.n_draws_nonlinear)
    none = InferenceReason.PARTLY_NESTED if cells.is_partly_nested else InferenceReason.SCHEME_NOT_AVAILABLE
    for chosen in choose_schemes(cells, lambda: CellRows.of_cells(cells), options):
        scheme = chosen.scheme
        sheet = Sheet(
            cells,
            chosen.columns,
            "nonlinear",
            options.margins,
            options.reference(cells.grouping_id, cells.group_ids),
            options.contrasts,
        )
        if isinstance(scheme, Blocks) and is_shuffled(spec):
            sheet = sheet.resting_on(scheme)
            compared = compare_statistic(scheme, values, chosen.columns, spec)
            yield from sheet_rows(replace(sheet, method=f"{method_of(spec)}, {sheet.method}"), compared)
        else:
            yield from sheet_rows(sheet, refused(sheet, scheme if isinstance(scheme, InferenceReason) else none))
