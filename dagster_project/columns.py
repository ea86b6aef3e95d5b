"""The tables of the compiled dbt project, and the columns of each as its .yml describes them."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import dagster as dg

from python_assets.transform.compile import compiled_project

COMPILED: Final = compiled_project()
MANIFEST: Final = COMPILED.manifest
NODES: Final[Mapping[str, Any]] = {**COMPILED.nodes, **COMPILED.sources}


def column_schema(schema: str, table: str) -> dict[str, dg.TableSchema]:
    """The columns of a table with type and description, as metadata of its asset; none if it lists none."""
    columns = [
        dg.TableColumn(
            name=column["name"], type=column["data_type"] or "string", description=column["description"] or None
        )
        for column in _tables()[schema, table]["columns"].values()
    ]
    return {"dagster/column_schema": dg.TableSchema(columns)} if columns else {}


@cache
def _tables() -> Mapping[tuple[str, str], Any]:
    return {(node["schema"], node["name"]): node for node in NODES.values()}
