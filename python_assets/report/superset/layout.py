"""The dashboard: a tab for each thing that is asked, its charts in rows, and the filters over them."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from python_assets.report.superset.charts import TABS, Chart, Figure, Number, charts
from python_assets.report.superset.datasets import BUNDLE_VERSION, N_SHOWN, uuid_of

TITLE: Final = "Plumbline: do groups differ?"
ROOT, GRID, HEADER, ALL_TABS = "ROOT_ID", "GRID_ID", "HEADER_ID", "TABS-all"
HEIGHTS: Final[dict[type, int]] = {Number: 20, Figure: 60}  # in units of Superset
HEIGHT_OF_ROWS: Final = 56
COLOURS: Final = {  # those of the report
    "beyond_margin": "#ad4206",
    "different": "#e08a52",
    "equivalent": "#1f5c99",
    "inconclusive": "#a9b4c1",
    "not_tested": "#566273",
}


class Filter(NamedTuple):
    """What readers choose; tabs: where it holds, on charts whose view has the column.

    is_one: always one of them, the first until another is chosen: a figure of several would mix what has other units.
    """

    name: str
    column: str
    description: str
    tabs: tuple[str, ...]
    is_one: bool


EVERY_TAB: Final = tuple(TABS)
ONE_MEASURE_PAGES: Final = ("Groups", "Model against model", "History")
FILTERS: Final = (
    Filter("Study", "study_id", "Whose numbers are shown.", EVERY_TAB, is_one=True),
    Filter(
        "Model",
        "system_id",
        "A model as it is asked, with its role and prompt; all of them where none is chosen.",
        ("Overview", *ONE_MEASURE_PAGES),
        is_one=False,
    ),
    Filter("Measure", "measure_id", "One at a time: measures have units of their own.", ONE_MEASURE_PAGES, is_one=True),
    Filter(
        "Grouping",
        "grouping_id",
        "The factors whose levels are compared, one set of them at a time.",
        (*ONE_MEASURE_PAGES, "Coverage"),
        is_one=True,
    ),
)
OPTIONS_FROM: Final = "v_differences"


def dashboard_config(datasets: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The one dashboard of a bundle.

    Args:
        datasets: what the views are written as, by name.
    """
    numbers = {chart.name: number for number, chart in enumerate(charts(), 1)}
    filters = [_filter(one, datasets, numbers) for one in FILTERS]
    return {
        "dashboard_title": TITLE,
        "description": "What Plumbline found in its studies: verdicts first, numbers with their intervals beside them.",
        "slug": "plumbline",
        "uuid": uuid_of("dashboard"),
        "position": _position(numbers),
        "metadata": {
            "native_filter_configuration": filters,
            "cross_filters_enabled": True,
            "label_colors": COLOURS,
            "color_scheme": "supersetColors",
            "refresh_frequency": 0,
        },
        "published": True,
        "version": BUNDLE_VERSION,
    }


def _position(numbers: Mapping[str, int]) -> dict[str, Any]:
    position: dict[str, Any] = {
        "DASHBOARD_VERSION_KEY": "v2",
        ROOT: {"type": "ROOT", "id": ROOT, "children": [GRID]},
        GRID: {"type": "GRID", "id": GRID, "children": [ALL_TABS], "parents": [ROOT]},
        HEADER: {"type": "HEADER", "id": HEADER, "meta": {"text": TITLE}},
        ALL_TABS: {
            "type": "TABS",
            "id": ALL_TABS,
            "children": [_tab(name) for name in TABS],
            "parents": [ROOT, GRID],
            "meta": {},
        },
    }
    for name, rows in TABS.items():
        tab, above = _tab(name), [ROOT, GRID, ALL_TABS]
        ids = [f"ROW-{row[0].name}" for row in rows]
        position[tab] = {"type": "TAB", "id": tab, "children": ids, "parents": above, "meta": {"text": name}}
        for id_, row in zip(ids, rows, strict=True):
            row_charts = {f"CHART-{chart.name}": chart for chart in row}
            position[id_] = {
                "type": "ROW",
                "id": id_,
                "children": [*row_charts],
                "parents": [*above, tab],
                "meta": {"background": "BACKGROUND_TRANSPARENT"},
            }
            for chart_id, chart in row_charts.items():
                node = {"type": "CHART", "id": chart_id, "children": [], "parents": [*above, tab, id_]}
                position[chart_id] = node | {"meta": _meta(chart, numbers[chart.name])}
    return position


def _tab(name: str) -> str:
    return f"TAB-{name.lower().replace(' ', '_')}"


def _meta(chart: Chart, number: int) -> dict[str, Any]:
    return {
        "chartId": number,  # the import puts its own in
        "uuid": uuid_of("chart", chart.name),
        "sliceName": chart.title,
        "width": chart.width,
        "height": HEIGHTS.get(type(chart), HEIGHT_OF_ROWS),
    }


def _filter(one: Filter, datasets: Mapping[str, Mapping[str, Any]], numbers: Mapping[str, int]) -> dict[str, Any]:
    without = [chart.name for chart in charts() if not _has(datasets[chart.dataset], one.column)]
    above = [] if one is FILTERS[0] else [_id(FILTERS[0])]
    return {
        "id": _id(one),
        "name": one.name,
        "description": one.description,
        "type": "NATIVE_FILTER",
        "filterType": "filter_select",
        "targets": [{"datasetUuid": datasets[OPTIONS_FROM]["uuid"], "column": {"name": one.column}}],
        "cascadeParentIds": above,  # of a study only what it has is offered
        "controlValues": {
            "multiSelect": not one.is_one,
            "defaultToFirstItem": one.is_one,
            "enableEmptyFilter": one.is_one,
            "inverseSelection": False,
            "searchAllOptions": False,
            "sortAscending": False,
        },
        "sortMetric": N_SHOWN,  # what has most to show comes first
        "requiredFirst": one.is_one,  # else the first one of a tab that is opened later is shown and not applied
        "defaultDataMask": {"extraFormData": {}, "filterState": {}, "ownState": {}},
        "scope": {"rootPath": [_tab(tab) for tab in one.tabs], "excluded": [numbers[name] for name in without]},
        "chartsInScope": [],
        "tabsInScope": [_tab(tab) for tab in one.tabs],
    }


def _id(one: Filter) -> str:
    return f"NATIVE_FILTER-{one.column}"


def _has(dataset: Mapping[str, Any], column: str) -> bool:
    return any(entry["column_name"] == column for entry in dataset["columns"])
