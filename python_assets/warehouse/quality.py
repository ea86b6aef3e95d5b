"""What the gates and dbt's own tests said, brought into the published tables after the last of them.

Belongs here: rows of raw.data_quality from dbt's results, and the refresh of the two marts about quality.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import duckdb
import pandas as pd

from python_assets.warehouse.build import transaction, utc_now
from python_assets.warehouse.raw_tables import RAW_TABLES

_DBT = "dbt: "
_MARTS = {"data_quality": "data_quality", "quarantined_records": "quarantine"}


def record_dbt_tests(
    connection: duckdb.DuckDBPyConnection,
    study_id: str,
    run_id: str,
    results: Iterable[Mapping[str, Any]],
    manifest: Mapping[str, Any],
) -> int:
    """Write one row of raw.data_quality for each data test that dbt ran, in place of that test's earlier row.

    Args:
        connection: the build file, with no dbt running on it.
        study_id: the study.
        run_id: the run the tests belong to.
        results: what dbt said of each node: unique_id, status and failures, as in its run_results.json.
        manifest: dbt's manifest.json.

    Returns:
        How many tests there were.
    """
    nodes = manifest["nodes"]
    tests = [r for r in results if nodes.get(r["unique_id"], {}).get("resource_type") == "test"]
    rows = pd.DataFrame([_row(run_id, result, nodes[result["unique_id"]], nodes) for result in tests])
    if rows.empty:
        return 0
    connection.register("dbt_tests", rows)
    names = ", ".join(rows.columns)
    with transaction(connection):
        connection.execute("delete from raw.data_quality where expectation in (select expectation from dbt_tests)")
        connection.execute(
            f"insert into raw.data_quality (study_id, {names}) select ?, {names} from dbt_tests", [study_id]
        )
    connection.unregister("dbt_tests")
    return len(rows)


def dbt_tests(connection: duckdb.DuckDBPyConnection, manifest: Mapping[str, Any]) -> list[tuple[str, str, int]]:
    """What the data tests said that `record_dbt_tests` wrote: unique_id, status and failures of each.

    Args:
        connection: the build file.
        manifest: dbt's manifest.json.
    """
    by_name = {
        f"{_DBT}{node['name']}": unique_id
        for unique_id, node in manifest["nodes"].items()
        if node["resource_type"] == "test"
    }
    rows = connection.execute("select expectation, success, n_unexpected from raw.data_quality").fetchall()
    return [
        (by_name[name], "pass" if success else "warn", n_unexpected)
        for name, success, n_unexpected in rows
        if name in by_name
    ]


def _row(run_id: str, result: Mapping[str, Any], test: Mapping[str, Any], nodes: Mapping[str, Any]) -> dict[str, Any]:
    tested = nodes.get(test.get("attached_node") or "", {})
    return {
        "run_id": run_id,
        "table_name": f"{tested['schema']}.{tested['name']}" if tested else "",
        "expectation": f"{_DBT}{test['name']}",
        "column_name": test.get("column_name") or "",
        "severity": {"error": "critical"}.get(test["config"]["severity"].lower(), "warning"),
        "success": result["status"] == "pass",
        "n_unexpected": result["failures"] or 0,
        "examples_json": json.dumps([]),
        "checked_at": utc_now(),
    }


def refresh_quality_marts(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Fill the two marts about quality from the raw tables, which went on growing after the SQL had made them.

    Returns:
        Rows by mart.
    """
    counts = {}
    with transaction(connection):
        for mart, table in _MARTS.items():
            names = ", ".join(RAW_TABLES[table])
            connection.execute(f"delete from marts.{mart}")
            connection.execute(f"insert into marts.{mart} ({names}) select {names} from raw.{table}")
            counts[mart] = connection.table(f"marts.{mart}").shape[0]
    return counts
