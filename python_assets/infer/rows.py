"""From arrays of columns by rows to rows of the inference tables, before q and verdict.

Belongs here: keys, names, margins and what stands in a row where nothing could be computed.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.cells import KEYS, Cells
from python_assets.infer.comparison import Compared
from python_assets.infer.contrasts import Contrasts, without_inference
from python_assets.infer.indices import (
    BELOW_FOUR_FIFTHS,
    DESCRIPTIVE,
    INDICES,
    RATE_INDICES,
    IndexTest,
    without_test,
)
from python_assets.infer.permutation import Floats, Ints
from python_assets.infer.profiles import PROFILE_CONTRASTS, PROFILE_INDICES
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.reference import Reference
from python_assets.study.base import Against
from python_assets.study.metrics import metric_names

Table = dict[str, NDArray[Any]]  # arrays of one length, by column
Margins = Mapping[str, float | Mapping[str, float]]
DBI: Final = "dbi"
IDI: Final = "idi"
OF_THREE_GROUPS: Final = ("max_z", "max_abs_z")
OF_KIND: Final = {
    "continuous": ("mean_difference",),
    "binary": ("risk_difference", "log_disparity"),
    "categorical": ("risk_difference",),
    "profile": PROFILE_CONTRASTS,
}
_METRICS: Final = {
    "continuous": (*INDICES, *DESCRIPTIVE),
    "nonlinear": (*INDICES, *DESCRIPTIVE),
    "binary": (*INDICES, *RATE_INDICES, BELOW_FOUR_FIFTHS, *DESCRIPTIVE),
    "selection": (*INDICES, *RATE_INDICES, BELOW_FOUR_FIFTHS, *DESCRIPTIVE),
    "precision": (*INDICES, *DESCRIPTIVE),
    "categorical": (),
    "profile": PROFILE_INDICES,
}


class Sheet(NamedTuple):
    """Columns of one role and statistic, and what their rows share.

    reference: what the study compares groups with, None where that group is not there. asked: contrasts that
    the study asks for. n_root_prompts, method, scope: of the indices. n_draws: behind every p.
    """

    cells: Cells
    columns: Ints
    margins: Margins
    reference: Reference | None
    asked: tuple[str, ...]
    n_draws: int
    n_root_prompts: int = 0
    method: str | None = None
    scope: str | None = None

    @property
    def role(self) -> str:
        """What all columns are."""
        return self.cells.role(self.columns[0])

    @property
    def contrasts(self) -> tuple[str, ...]:
        """The contrasts that the columns have rows of.

        Of a statistic that is asked for twice, only the first parameters have one: contrasts have none.
        """
        if self.role == "continuous":
            wanted = DBI
        else:
            names = (self.cells.columns[name].to_numpy(object) for name in ("statistic", "parameters"))
            columns = list(zip(*names, strict=True))
            statistic, own = columns[self.columns[0]]
            as_they_are = (p for s, p in columns if s == statistic and "normalise=" not in p)
            wanted = f"{statistic}_difference" if own == min(as_they_are, default=None) else ""
        return (*OF_KIND.get(self.role, ()), *(name for name in self.asked if name == wanted))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that the columns have rows of."""
        return tuple(name for name in _METRICS[self.role] if name != IDI or self.cells.is_full)

    def reference_of(self, contrast: str) -> Reference | None:
        """What a contrast compares groups with: the study's choice, unless it has one of its own."""
        if contrast in metric_names("contrasts", reference="declared"):
            return self.reference
        of_all = metric_names("contrasts", reference="grand_mean")
        return Reference(Against.GRAND_MEAN) if contrast in of_all else Reference()

    def margin(self, name: str) -> Floats:
        """Declared margin of a contrast or metric, of each column; NaN where there is none."""
        columns = self.cells.columns
        measures, directions = (columns[of].to_numpy(object) for of in ("measure_id", "direction"))
        return np.array([margin_of(self.margins, measures[i], directions[i], name) for i in self.columns])

    @property
    def all_margins(self) -> dict[str, Floats]:
        """Margins by contrast and metric; what the study compares with is called like that of a rate."""
        names = {*self.contrasts, *self.metrics, "mean_difference", "risk_difference", "log_disparity"}
        return {name: self.margin(name) for name in names}


def margin_of(margins: Margins, measure_id: str, direction: str, name: str) -> float:
    """The declared margin: of the measure, else of the name alone, else NaN.

    Of the impact ratio the name alone holds only where the measure has a direction: to be selected by a
    number without a good end is no favourable outcome.
    """
    own = margins.get(measure_id)
    if isinstance(own, Mapping) and name in own:
        return float(own[name])
    common = None if name == "impact_ratio" and direction == "none" else margins.get(name)
    return np.nan if common is None or isinstance(common, Mapping) else float(common)


def compared_rows(sheet: Sheet, compared: Compared) -> Iterator[tuple[str, Table]]:
    """Yield the rows of contrasts and disparities of columns of one role."""
    for name in sheet.contrasts:
        if sheet.reference_of(name) is not None:
            yield "contrasts", _contrast_rows(sheet, name, compared.contrasts[name])
    keys = column_keys(sheet.cells, sheet.columns, 1)
    for metric in sheet.metrics:
        test = compared.indices.get(metric)
        if test is None:
            test = _missing_index(sheet, metric, compared)
        if metric in OF_THREE_GROUPS:
            test = _without_two_groups(sheet, test)
        yield "disparities", keys | _index_rows(sheet, metric, test)


def refused_rows(sheet: Sheet, reason: InferenceReason) -> Iterator[tuple[str, Table]]:
    """Yield rows with nothing but the reason, for columns of one role and statistic."""
    for name in sheet.contrasts:
        if (reference := sheet.reference_of(name)) is not None:
            n_rows = len(reference.rows(sheet.cells.frame.n_groups)[0])
            nothing = without_inference((len(sheet.columns), n_rows), np.array(reason, dtype=object))
            yield "contrasts", _contrast_rows(sheet, name, nothing)
    keys = column_keys(sheet.cells, sheet.columns, 1)
    for metric in sheet.metrics:
        yield "disparities", keys | _index_rows(sheet, metric, _no_index(sheet, metric, reason))


def by_statistic(sheet: Sheet) -> Iterator[Sheet]:
    """Part the columns of a sheet by role, statistic and parameters."""
    columns = sheet.cells.columns
    keys = sheet.cells.roles + (columns.statistic + columns.parameters).to_numpy(object)
    of_columns = keys[sheet.columns]
    for key in dict.fromkeys(of_columns):
        yield sheet._replace(columns=sheet.columns[of_columns == key])


def profile_sheets(sheet: Sheet) -> Iterator[tuple[Sheet, Ints]]:
    """The categorical measures of a sheet as wholes, by their number of categories.

    Yields:
        A sheet with one column a measure, and the columns of its categories, shape (measures, categories).
    """
    categorical = sheet.columns[sheet.cells.roles[sheet.columns] == "categorical"]
    columns = sheet.cells.columns.iloc[categorical]
    members = [categorical[at] for at in columns.groupby(list(KEYS[:3]), sort=True).indices.values()]
    for n_categories in sorted({len(member) for member in members}):
        of_measures = np.array([member for member in members if len(member) == n_categories])
        first = of_measures[:, 0]
        wholes = sheet.cells.columns.iloc[first].reset_index(drop=True)
        cells = sheet.cells._replace(
            columns=wholes.assign(category="", statistic="share"), x=sheet.cells.x[:, first]
        )
        yield sheet._replace(cells=cells, columns=np.arange(len(first))), of_measures


def _without_two_groups(sheet: Sheet, test: IndexTest) -> IndexTest:
    """Nothing where two groups have a value: their largest z is always .707 (inference.md 2.1)."""
    of_two = _has_values(sheet.cells, sheet.columns).sum(axis=1) == 2
    numbers = {name: np.where(of_two, np.nan, number) for name, number in test._asdict().items()}
    reason = first_of([of_two, ~of_two], [InferenceReason.SCALE_FREE, test.reason])
    return IndexTest(**numbers | {"reason": reason})


def _missing_index(sheet: Sheet, metric: str, compared: Compared) -> IndexTest:
    """Why there is no index; a probability is missing for what keeps its ratio from having an interval."""
    ratio = compared.indices.get("impact_ratio")
    if metric == BELOW_FOUR_FIFTHS and ratio is not None:
        return without_test((len(sheet.columns),), None)._replace(reason=ratio.reason)
    return _no_index(sheet, metric, InferenceReason.INCOMPLETE_BLOCKS)


def _no_index(sheet: Sheet, metric: str, reason: InferenceReason) -> IndexTest:
    reason = InferenceReason.DESCRIPTIVE if metric in DESCRIPTIVE else reason
    return without_test((len(sheet.columns),), reason)


def column_keys(cells: Cells, columns: Ints, repeats: int) -> Table:
    """The key columns of the rows of some columns, each repeated."""
    place = np.repeat(columns, repeats)
    keys: Table = {name: cells.columns[name].to_numpy(object)[place] for name in KEYS}
    return keys | _same(len(place), slice_id=cells.slice_id, grouping_id=cells.grouping_id)


def _same(n: int, **values: object) -> Table:
    return {name: np.full(n, value, dtype=object) for name, value in values.items()}


def _contrast_rows(sheet: Sheet, name: str, contrasts: Contrasts) -> Table:
    reference = sheet.reference_of(name) or Reference()
    names = np.array(reference.names(sheet.cells.group_ids), dtype=object).reshape(-1, 2)
    own, _ = reference.rows(len(sheet.cells.group_ids))
    has_values = _has_values(sheet.cells, sheet.columns)[:, own]
    reason = first_of([~has_values, has_values], [InferenceReason.NO_VALUES, contrasts.reason])
    n_columns, n_rows = len(sheet.columns), len(sheet.columns) * len(names)
    numbers = {field: array.ravel() for field, array in contrasts._asdict().items() if field != "reason"}
    numbers["p_value_maxt"] = numbers.pop("p_maxt")
    return {
        **column_keys(sheet.cells, sheet.columns, len(names)),
        **_same(n_rows, contrast=name),
        "group_id": np.tile(names[:, 0], n_columns),
        "reference": np.tile(names[:, 1], n_columns),
        "margin": np.repeat(sheet.margin(name), len(names)),
        "n_draws": np.full(n_rows, sheet.n_draws),
        "inference_reason": reason.ravel(),
        **numbers,
    }


def _has_values(cells: Cells, columns: Ints) -> np.ndarray:
    """Whether each group has a value in each column, shape (columns, groups)."""
    has_values = np.zeros((cells.frame.n_groups, len(columns)), dtype=bool)
    np.logical_or.at(has_values, cells.frame.group, ~np.isnan(cells.x[:, columns]))
    return has_values.T


def _index_rows(sheet: Sheet, metric: str, test: IndexTest) -> Table:
    """The rows of a metric but for the keys of their columns."""
    has_p = ~np.isnan(test.p_value)
    n = len(sheet.columns)
    return {
        **_same(n, metric=metric),
        "margin": sheet.margin(metric),
        "n_root_prompts": np.where(np.isnan(test.value), 0, sheet.n_root_prompts),
        "method": first_of([has_p], [sheet.method]),
        "scope": first_of([has_p], [sheet.scope]),
        "n_draws": np.full(n, sheet.n_draws),
        "is_permuted": has_p,
        "inference_reason": test.reason,
        **{name: array for name, array in test._asdict().items() if name != "reason"},
    }
