"""A chart as Superset has it: what its editor opens, and its query, which alerts and checks ask without a browser."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from python_assets.report.superset.charts import COUNT, Chart, Condition, Drawing, Figure, Number, TableChart
from python_assets.report.superset.datasets import BUNDLE_VERSION, uuid_of

_MAX_ROWS: Final = 1000
PAGE_LENGTH: Final = 10
NO_TIMES: Final = "No filter"
_KINDS: Final[dict[Drawing, str]] = {
    "bar": "echarts_timeseries_bar",
    "line": "echarts_timeseries_line",
    "points": "echarts_timeseries_scatter",
    "heatmap": "heatmap_v2",
}


def chart_config(chart: Chart, dataset: Mapping[str, Any]) -> dict[str, Any]:
    """A chart with its query.

    Args:
        chart: as charts.py has it.
        dataset: what its view is written as.
    """
    if isinstance(chart, Number):
        shown, query = _number(chart)
    elif isinstance(chart, TableChart):
        shown, query = _rows(chart)
    else:
        shown, query = _figure(chart)
    shown |= {"adhoc_filters": [_adhoc(condition) for condition in chart.where], "time_range": NO_TIMES}
    query |= {"filters": [_filter(condition) for condition in chart.where], "time_range": NO_TIMES}
    query_context = {"datasource": None, "force": False, "queries": [query], "form_data": shown}
    return {
        "slice_name": chart.title,
        "description": dataset["description"],
        "viz_type": shown["viz_type"],
        "params": shown,
        # the import puts the number of the dataset in
        "query_context": json.dumps(query_context | {"result_format": "json", "result_type": "full"}),
        "cache_timeout": None,
        "uuid": uuid_of("chart", chart.name),
        "version": BUNDLE_VERSION,
        "dataset_uuid": dataset["uuid"],
    }


def _number(chart: Number) -> tuple[dict[str, Any], dict[str, Any]]:
    metric = _metric(COUNT)
    shown = {"viz_type": "big_number_total", "metric": metric, "subheader": "", "header_font_size": 0.4}
    return shown, _query(()) | {"metrics": [metric]}


def _rows(chart: TableChart) -> tuple[dict[str, Any], dict[str, Any]]:
    order = [(name.removeprefix("-"), not name.startswith("-")) for name in chart.order]
    shown = {
        "viz_type": "table",
        "query_mode": "raw",
        "all_columns": list(chart.columns),
        "order_by_cols": [json.dumps(one) for one in order],
        "row_limit": _MAX_ROWS,
        "page_length": PAGE_LENGTH,
        "include_search": True,
        "show_cell_bars": False,
        "table_timestamp_format": "smart_date",
    }
    # rows of no metric: with an empty list of them Superset would unite equal rows
    return shown, _query(chart.columns) | {"orderby": order}


def _figure(chart: Figure) -> tuple[dict[str, Any], dict[str, Any]]:
    metrics = [_metric(name) for name in chart.numbers]
    shown: dict[str, Any] = {
        "viz_type": _KINDS[chart.drawing],
        "x_axis": chart.x,
        "row_limit": _MAX_ROWS,
        "y_axis_format": "SMART_NUMBER",
    }
    if chart.drawing == "heatmap":
        shown |= {
            "groupby": chart.by[0],
            "metric": metrics[0],
            "linear_color_scheme": "superset_div_1",
            "normalize_across": "heatmap",
            "legend_type": "continuous",
            "show_legend": True,
            "left_margin": 120,
            "bottom_margin": 60,
            "sort_x_axis": "alpha_asc",
            "sort_y_axis": "alpha_asc",
        }
    else:
        shown |= {
            "groupby": list(chart.by),
            "metrics": metrics,
            "stack": "Stack" if chart.is_stacked else None,
            "show_legend": True,
            "rich_tooltip": True,
            "xAxisLabelRotation": 45,
            "truncate_metric": len(metrics) == 1,
            "markerEnabled": True,
            "markerSize": 6,
        }
    x = {"columnType": "BASE_AXIS", "expressionType": "SQL", "label": chart.x, "sqlExpression": chart.x}
    return shown, _query((x, *chart.by)) | {"metrics": metrics}


def _query(columns: Sequence[Any]) -> dict[str, Any]:
    return {"columns": list(columns), "row_limit": _MAX_ROWS, "extras": {}, "annotation_layers": []}


def _metric(name: str) -> dict[str, Any]:
    sql = "COUNT(*)" if name == COUNT else f"CASE WHEN MIN({name}) = MAX({name}) THEN MAX({name}) END"
    return {"expressionType": "SQL", "sqlExpression": sql, "label": name, "hasCustomLabel": True}


def _filter(condition: Condition) -> dict[str, Any]:
    column, operator, value = condition
    return {"col": column, "op": operator} | ({} if value is None else {"val": value})


def _adhoc(condition: Condition) -> dict[str, Any]:
    column, operator, value = condition
    return {"expressionType": "SIMPLE", "clause": "WHERE", "subject": column, "operator": operator, "comparator": value}
