"""Statistics and disparities in the study's own SQL: one aggregate expression, checked before it is run.

Belongs here: what such an expression may be made of, told from the tree of DuckDB's own parser. It is stored
as DuckDB writes it back, without comments. A statistic may be a function beside the study file instead: what is told
of it without running it is registry.py.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from python_assets.registry import is_function_path
from python_assets.study.base import Unfit
from python_assets.study.problems import suggestion
from python_assets.study.statistic_options import StatisticRow

OF_STATISTICS: Final = ("x", "baseline")
OF_DISPARITIES: Final = ("value",)
AGGREGATES: Final = frozenset(
    [
        "avg",
        "sum",
        "count",
        "count_star",
        "min",
        "max",
        "product",
        "median",
        "mad",
        "var_samp",
        "var_pop",
        "variance",
        "stddev_samp",
        "stddev_pop",
        "stddev",
        "skewness",
        "kurtosis",
        "kurtosis_pop",
        "sem",
        "quantile_cont",
        "quantile_disc",
        "corr",
        "covar_samp",
        "covar_pop",
        "regr_slope",
        "regr_intercept",
        "regr_r2",
        "regr_count",
    ]
)
"""Aggregates that do not depend on the order of rows."""
FUNCTIONS: Final = AGGREGATES | frozenset(
    [
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "^",
        "**",
        "abs",
        "sign",
        "sqrt",
        "cbrt",
        "exp",
        "pow",
        "power",
        "pi",
        "ln",
        "log",
        "log2",
        "log10",
        "sin",
        "cos",
        "tan",
        "atan",
        "tanh",
        "round",
        "floor",
        "ceil",
        "ceiling",
        "greatest",
        "least",
        "coalesce",
        "ifnull",
        "nullif",
    ]
)
_CLASSES: Final = {
    "FUNCTION",
    "COLUMN_REF",
    "CONSTANT",
    "OPERATOR",
    "COMPARISON",
    "CONJUNCTION",
    "CASE",
    "CAST",
    "BETWEEN",
}
_SUBQUERIES: Final = ("SUBQUERY", "COMPARE_IN", "COMPARE_NOT_IN")
_PROBES: Final[dict[tuple[str, ...], tuple[str, ...]]] = {
    OF_STATISTICS: (
        "(-2.0::double, 1.0::double), (0.5, -3.0), (0.25, null), (4.0, 0.5)",
        "(0.0::double, 0.0::double), (0.0, 0.0)",
        "(-1.0::double, null::double)",
        "(1.0::double, 0.0::double)",
        "(1e20::double, -1e20::double), (-2e20, 1e-20), (3e20, 2e20)",
    ),
    OF_DISPARITIES: (
        "(-2.0::double), (0.5), (4.0)",
        "(0.0::double), (0.0)",
        "(-1.0::double), (-1.0)",
        "(1e20::double), (-2e20)",
    ),
}
"""Groups that an expression meets: mixed signs, equal values, one alone, none with a baseline, large ones."""


class NotAnAggregate(Unfit):
    """An expression that is no single safe aggregate."""


def aggregate_expression(text: str, columns: tuple[str, ...]) -> str:
    """The expression as DuckDB writes it.

    Args:
        text: SQL of the study file.
        columns: OF_STATISTICS or OF_DISPARITIES.

    Raises:
        NotAnAggregate: it is not one expression that gives one number from the columns alone.
    """
    import duckdb

    with duckdb.connect(config={"enable_external_access": "false"}) as connection:
        tree = _tree(connection, f"select {text}\n from given")
        if tree["error"]:
            raise NotAnAggregate(f"one SQL expression ({tree['error_message']})", "correct it")
        expression = _only_expression(tree)
        _check(expression, columns)
        written = _one(connection, "select json_deserialize_sql(?)", json.dumps(tree))
        expression_text = written.removeprefix("SELECT ").removesuffix(" FROM given").rstrip()
        _check_result(connection, expression_text, columns)
    return expression_text


def _tree(connection: Any, query: str) -> dict[str, Any]:
    try:
        return dict(json.loads(_one(connection, "select json_serialize_sql(?)", query)))
    except RecursionError as error:
        raise NotAnAggregate("an expression that is not nested hundreds of times", "shorten it") from error


def _one(connection: Any, query: str, value: str) -> str:
    return str(connection.execute(query, [value]).fetchone()[0])


def _only_expression(tree: dict[str, Any]) -> dict[str, Any]:
    """The one selected expression; nothing else of the statement may come from the text."""
    node = tree["statements"][0]["node"]
    plain = len(tree["statements"]) == 1 and node["type"] == "SELECT_NODE"
    if not plain or len(node["select_list"]) != 1 or node["select_list"][0]["alias"]:
        raise NotAnAggregate("one SQL expression without a name", "leave out commas, as and every clause")
    source = node["from_table"]
    clauses = ("where_clause", "having", "sample", "qualify")
    is_ours = source["type"] == "BASE_TABLE" and source["table_name"] == "given" and not source["alias"]
    if not is_ours or node["modifiers"] or node["group_expressions"] or any(node.get(one) for one in clauses):
        raise NotAnAggregate("one SQL expression without clauses", "leave out from, where and the like")
    return dict(node["select_list"][0])


def _check(expression: dict[str, Any], columns: tuple[str, ...]) -> None:
    names = []
    for node in _nodes(expression):
        if node["class"] not in _CLASSES or node["type"] in _SUBQUERIES:
            kind = str(node["class"]).lower().replace("_", " ")
            raise NotAnAggregate(f"an expression of columns, numbers and functions, without a {kind}", "remove it")
        if node["class"] == "COLUMN_REF" and node["column_names"] not in [[name] for name in columns]:
            name = ".".join(node["column_names"])
            raise NotAnAggregate(f"no column but {' and '.join(columns)}, not {name!r}", "remove it")
        if node["class"] == "FUNCTION":
            names.append(".".join(filter(None, (node["schema"], node["function_name"]))))
    if unknown := [name for name in names if name not in FUNCTIONS]:
        known = [name for name in sorted(FUNCTIONS) if name.isidentifier()]
        remedy = suggestion(unknown[0], known, "write it with functions of numbers such as avg, sum, sqrt and ln")
        raise NotAnAggregate(f"functions of numbers only, not {unknown[0]!r}", remedy)
    if AGGREGATES.isdisjoint(names):
        raise NotAnAggregate(f"an aggregate, such as avg({columns[0]})", "write one")


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every expression in a tree of the parser."""
    if isinstance(tree, dict):
        if "class" in tree:
            yield tree
        for child in tree.values():
            yield from _nodes(child)
    elif isinstance(tree, list):
        for child in tree:
            yield from _nodes(child)


def _check_result(connection: Any, expression: str, columns: tuple[str, ...]) -> None:
    import duckdb

    for rows in _PROBES[columns]:
        query = f"select cast({expression} as double) from (values {rows}) as given({', '.join(columns)})"
        try:
            rows_given = connection.execute(query).fetchall()
        except duckdb.Error as error:
            message = str(error).split("\n")[0]
            remedy = "guard what is not defined everywhere with case when, nullif or greatest"
            raise NotAnAggregate(f"a number of every group ({message}, of values {rows})", remedy) from error
        if len(rows_given) != 1:
            raise NotAnAggregate("one number of all rows", f"put {columns[0]} into an aggregate, as avg({columns[0]})")


def custom_statistic(text: str) -> str:
    """An expression over x and baseline as DuckDB writes it, or `module:function` as it stands.

    Raises:
        NotAnAggregate: it is neither.
    """
    return text if is_function_path(text) else aggregate_expression(text, OF_STATISTICS)


def custom_rows(declared: Mapping[str, str]) -> list[StatisticRow]:
    """Rows of raw.statistics of custom statistics; an expression that names baseline is of pairs alone."""
    return [_custom_row(name, custom_statistic(text)) for name, text in declared.items()]


def _custom_row(name: str, written: str) -> StatisticRow:
    if is_function_path(written):
        return StatisticRow(name, f"function={written}", function_path=written)
    return StatisticRow(name, f"sql={written}", is_paired="baseline" in written, expression=written)
