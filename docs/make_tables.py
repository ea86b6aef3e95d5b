"""Write docs/tables.md from the descriptions in the dbt project.

python -m docs.make_tables
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TABLES = Path(__file__).with_name("tables.md")
HEAD = """# The published tables

Every table is in `warehouse/plumbline.duckdb` and, as a Parquet file, in `warehouse/parquet/`. A number that
cannot be computed is NULL and has a `reason`; where p, interval or q is NULL, `inference_reason` says why.
The page is made by `python -m docs.make_tables` from the descriptions in the dbt project.
"""


def table_docs(manifest: Mapping[str, Any]) -> str:
    """The page: each mart with what a row of it is, and its columns.

    Args:
        manifest: dbt's manifest.json.
    """
    return "\n".join([HEAD, *map(_table, published_tables(manifest))])


def published_tables(manifest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The tables that readers see, by name: marts, views, and the seed that is published as it is.

    Args:
        manifest: dbt's manifest.json.
    """
    nodes = manifest["nodes"].values()
    tables = [
        node for node in nodes if node["resource_type"] in ("model", "seed") and node["schema"] == "marts"
    ]
    return sorted(tables, key=lambda table: table["name"])


def _table(mart: Mapping[str, Any]) -> str:
    columns = [
        f"| `{column['name']}` | {column['data_type']} | {_line(column['description'])} |"
        for column in mart["columns"].values()
    ]
    return "\n".join(
        [
            f"## {mart['name']}",
            "",
            _line(mart["description"]),
            "",
            "| column | type | |",
            "|---|---|---|",
            *columns,
            "",
        ]
    )


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main() -> None:
    """Write the page."""
    from dagster_project.dbt import manifest_path

    TABLES.write_text(table_docs(json.loads(manifest_path().read_bytes())), encoding="utf-8")


if __name__ == "__main__":
    main()
