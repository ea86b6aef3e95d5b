"""Write docs/tables.md from the descriptions in the dbt project and the queries in docs/queries.

python -m docs.make_tables
"""

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from docs.relations import Table, entity_diagram, joins, table_of

QUERIES = Path(__file__).with_name("queries")
TABLES = Path(__file__).with_name("tables.md")
HEAD = """# The published tables

Every table is in `warehouse/plumbline.duckdb` and, as a Parquet file, in `warehouse/parquet/`. A number that
cannot be computed is NULL and has a `reason`; where p, interval or q is NULL, `inference_reason` says why.
Tables whose name begins with `v_` are views for people who query: most keys are pinned (raw values; means,
rates and shares of labels) and names are joined. `reasons` says what every reason means and what can be done.
The page is made by `python -m docs.make_tables` from the descriptions in the dbt project.
"""
DIAGRAM = """## How the tables belong together

A line says that a row of the table at its many end finds one row at most at the other, by the columns on it
and `study_id`. Under each table stand its joins with every other one, as what follows `a inner join b`; of a
table named alone a row finds one at most. Two tables that have no join there have only `study_id` in common,
which says nothing of their rows.
"""
QUESTIONS = """## What an auditor asks

Each query stands in `docs/queries`, and a test runs it on the demo study. Call it with `plumbline sql "..."`.
"""


def table_docs(manifest: Mapping[str, Any]) -> str:
    """The page: each mart with what a row of it is, and its columns.

    Args:
        manifest: dbt's manifest.json.
    """
    tables = [table_of(node) for node in published_tables(manifest)]
    sections = [_section(node, table, tables) for node, table in zip(published_tables(manifest), tables, strict=True)]
    asked = [f"### {query.question}\n\n```sql\n{query.sql}```\n" for query in auditor_queries()]
    return "\n".join([HEAD, QUESTIONS, *asked, DIAGRAM, entity_diagram(tables), "", *sections])


class Query(NamedTuple):
    """A question of an auditor, and the SQL that answers it for the demo study."""

    name: str
    question: str
    sql: str


def auditor_queries() -> list[Query]:
    """Every query of docs/queries in order; its first line is the question."""
    found = []
    for path in sorted(QUERIES.glob("*.sql")):
        question, _, sql = path.read_text(encoding="utf-8").partition("\n")
        found.append(Query(path.stem, question.removeprefix("-- "), sql))
    return found


def published_tables(manifest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The tables that readers see, by name: marts, views, and the seed that is published as it is.

    Args:
        manifest: dbt's manifest.json.
    """
    nodes = manifest["nodes"].values()
    tables = [node for node in nodes if node["resource_type"] in ("model", "seed") and node["schema"] == "marts"]
    return sorted(tables, key=lambda table: table["name"])


def _section(mart: Mapping[str, Any], table: Table, tables: list[Table]) -> str:
    columns = [
        f"| `{column['name']}` | {column['data_type']} | {_line(column['description'])} |"
        for column in mart["columns"].values()
    ]
    return "\n".join(
        [
            f"## {mart['name']}",
            "",
            _wrapped(_line(mart["description"])),
            "",
            "| column | type | |",
            "|---|---|---|",
            *columns,
            "",
            *(_wrapped(f"- `{sql}`: {', '.join(others)}", "  ") for sql, others in joins(table, tables).items()),
            "",
        ]
    )


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def main() -> None:
    """Write the page."""
    from python_assets.transform.compile import compiled_project

    TABLES.write_text(table_docs(compiled_project().manifest), encoding="utf-8")


if __name__ == "__main__":
    main()
