"""The rows of one slice and grouping: each column by its scheme, and by what it measures.

Belongs here: which comparison serves which kind of measure. Schemes are scheme.py, comparisons comparison.py.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from python_assets.infer.asked import Asked
from python_assets.infer.cells import KEYS, Cells, Rows, Values, of_columns
from python_assets.infer.comparison import Compared, compare_labels, compare_means, compare_rates
from python_assets.infer.contrasts import Contrasts, blanked, without_inference
from python_assets.infer.indices import IndexTest
from python_assets.infer.nonlinear import METHOD, compare_statistic, is_shuffled
from python_assets.infer.permutation import TIE, Floats, Ints
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.reference import Reference
from python_assets.infer.rows import DBI, Sheet, Tables, compared_rows, question_rows, refused_rows
from python_assets.infer.scheme import Blocks, Chosen, InUnits, Options, choose_schemes
from python_assets.study.base import Against


class Responses(NamedTuple):
    """What is read of a slice and grouping besides its cells, and only where it is needed."""

    rows: Callable[[], Rows]
    values: Callable[[], Values]


def compare_groups(cells: Cells, sources: Responses, options: Options) -> Tables:
    """Yield rows of contrasts and disparities of the means and rates of one slice and grouping.

    Args:
        cells: the cells.
        sources: reads responses, where they are needed.
        options: what is asked for.
    """
    for chosen in choose_schemes(cells, sources.rows, options):
        for sheet, members in _sheets(cells, chosen.columns, options):
            if isinstance(chosen.scheme, InferenceReason):
                yield from refused_rows(sheet, chosen.scheme)
                if sheet.role == "labels":
                    yield from refused_rows(_of_labels(sheet, cells, members), chosen.scheme)
            else:
                yield from _compared(sheet, cells, members, chosen, sources)


def _compared(sheet: Sheet, cells: Cells, members: Ints, chosen: Chosen, sources: Responses) -> Tables:
    if isinstance(chosen.scheme, InferenceReason):
        raise TypeError("a reason compares nothing")
    scheme = chosen.scheme._replace(reference=sheet.reference or Reference())
    x = chosen.take(members.ravel())
    sheet = _described(sheet, scheme)
    is_untested = isinstance(scheme, InUnits) and scheme.units.owner is not None
    if sheet.role == "labels":
        compared = compare_labels(scheme, x.reshape(-1, *members.shape), sheet.all_margins)
        if is_untested:
            compared = _with_floors_alone(compared)
        of_labels = {"risk_difference": compared.contrasts["risk_difference"]}
        yield from compared_rows(_of_labels(sheet, cells, members), Compared(of_labels, {}))
        yield from compared_rows(sheet, compared)
        asked = of_labels["risk_difference"]
        yield "questions", question_rows(sheet, asked.p_question[:: members.shape[1]], asked.reason)
        return
    if sheet.role == "continuous":
        compared = compare_means(scheme, x, sheet.all_margins)
        if DBI in sheet.contrasts:
            compared.contrasts[DBI] = _in_standard_deviations(sheet, scheme, x, sources)
    else:
        compared = compare_rates(scheme, x, sheet.all_margins, with_log=sheet.role == "binary")
        compared.contrasts[sheet.contrasts[0]] = compared.contrasts["risk_difference"]
    if is_untested:
        compared = _with_floors_alone(compared)
    yield from compared_rows(sheet, _without_constants(compared, _is_constant(x)))


def _is_constant(x: Floats) -> np.ndarray:
    """Whether all values of a column are equal, shape (columns,)."""
    low, high = np.nanmin(x, axis=0), np.nanmax(x, axis=0)
    return high - low <= TIE * np.maximum(np.abs(low), np.abs(high))


def _without_constants(compared: Compared, is_constant: np.ndarray) -> Compared:
    """Blank what follows from columns without variation: nothing could differ (inference.md 6.7)."""
    if not is_constant.any():
        return compared
    nothing = ("p_value", "p_maxt", "p_question", "p_margin", "p_equivalence", "null_median", "null_q95")
    reason = InferenceReason.NO_VARIATION

    def of_contrast(one: Contrasts) -> Contrasts:
        gone = is_constant[:, None] & one.method.astype(bool)
        fields = {name: np.where(gone, np.nan, getattr(one, name)) for name in nothing}
        return one._replace(**fields, reason=first_of([gone, ~gone], [reason, one.reason]))

    def of_index(one: IndexTest) -> IndexTest:
        gone = is_constant & ~np.isnan(one.p_value)
        fields = {name: np.where(gone, np.nan, getattr(one, name)) for name in nothing if hasattr(one, name)}
        return one._replace(**fields, reason=first_of([gone, ~gone], [reason, one.reason]))

    return Compared(
        {name: of_contrast(one) for name, one in compared.contrasts.items()},
        {name: of_index(one) for name, one in compared.indices.items()},
    )


def _with_floors_alone(compared: Compared) -> Compared:
    """Of a grouping that is nested in part: values and noise floors, no test (inference.md 2.7)."""
    reason = np.array(InferenceReason.PARTLY_NESTED, dtype=object)

    def of_contrast(one: Contrasts) -> Contrasts:
        told = ("value", "null_median", "null_q95", "n_root_prompts", "n_units")
        kept = {name: getattr(one, name) for name in told}
        return without_inference(one.value.shape, reason)._replace(**kept)

    def of_index(one: IndexTest) -> IndexTest:
        has_p = ~np.isnan(one.p_value)
        nothing = np.full_like(one.p_value, np.nan)
        return one._replace(p_value=nothing, reason=first_of([has_p, ~has_p], [reason, one.reason]))

    return Compared(
        {name: of_contrast(one) for name, one in compared.contrasts.items()},
        {name: of_index(one) for name, one in compared.indices.items()},
    )


def _described(sheet: Sheet, scheme: Blocks | InUnits) -> Sheet:
    """With what the means of all groups rest on."""
    means = scheme.means
    return sheet._replace(
        n_root_prompts=means.n_root_prompts, n_units=means.n_units, method=means.method, scope=means.scope
    )


def _in_standard_deviations(
    sheet: Sheet, scheme: Blocks | InUnits, x: Floats, sources: Responses
) -> Contrasts:
    """Difference from the grand mean over the standard deviation of all responses (metrics.md 4)."""
    sd = sources.values().standard_deviations(sheet.cells.columns.iloc[sheet.columns])
    has_spread = sd > 0
    margins = {"mean_difference": sheet.margin(DBI)}
    scheme = scheme._replace(reference=Reference(Against.GRAND_MEAN))
    compared = compare_means(scheme, x / np.where(has_spread, sd, 1.0), margins, with_indices=False)
    return blanked(compared.contrasts["mean_difference"], ~has_spread, InferenceReason.NO_SPREAD)


def _sheets(cells: Cells, columns: Ints, options: Options) -> Iterator[tuple[Sheet, Ints]]:
    """Part columns by role and statistic; categorical measures as wholes, by their number of labels.

    Yields:
        A sheet, and the columns of its values, shape (columns,) or (measures, labels).
    """

    def sheet_of(cells: Cells, columns: Ints, role: str) -> Sheet:
        return Sheet(cells, columns, role, options.margins, options.reference(cells), options.contrasts)

    roles = cells.roles[columns]
    keys = roles + (cells.columns.statistic + cells.columns.parameters).to_numpy(object)[columns]
    for key in dict.fromkeys(keys[roles != "label"]):
        members = columns[keys == key]
        yield sheet_of(cells, members, str(roles[columns == members[0]][0])), members
    labels = columns[roles == "label"]
    of_measures = cells.columns.iloc[labels].groupby(list(KEYS[:3]), sort=True).indices.values()
    wholes = [labels[at] for at in of_measures]
    for n_labels in sorted({len(whole) for whole in wholes}):
        members = np.array([whole for whole in wholes if len(whole) == n_labels])
        first = of_columns(cells, members[:, 0])
        named = first.columns.assign(category="", statistic="share")
        yield sheet_of(first._replace(columns=named), np.arange(len(members)), "labels"), members


def _of_labels(sheet: Sheet, cells: Cells, members: Ints) -> Sheet:
    """The shares of single labels of the measures of a sheet."""
    return sheet._replace(cells=of_columns(cells, members), columns=np.arange(members.size), role="label")


def compare_statistics(cells: Cells, values: Values, asked: Asked, options: Options) -> Tables:
    """Yield rows of a statistic that is no mean.

    Args:
        cells: those that the statistic has values in, cells.of_statistic.
        values: the rows.
        asked: the statistic.
        options: what every statistic is computed with.
    """
    options = options._replace(n_permutations=options.n_draws_nonlinear)
    none = InferenceReason.PARTLY_NESTED if cells.is_partly_nested else InferenceReason.SCHEME_NOT_AVAILABLE
    for chosen in choose_schemes(cells, lambda: Rows(cells.frame, cells.x), options):
        scheme = chosen.scheme
        sheet = Sheet(
            cells, chosen.columns, "nonlinear", options.margins, options.reference(cells), options.contrasts
        )
        if isinstance(scheme, InferenceReason):
            yield from refused_rows(sheet, scheme)
        elif isinstance(scheme, Blocks) and is_shuffled(asked):
            sheet = _described(sheet, scheme)
            compared = compare_statistic(scheme, values, chosen.columns, asked)
            yield from compared_rows(sheet._replace(method=f"{METHOD}, {sheet.method}"), compared)
        else:
            yield from refused_rows(sheet, none)
