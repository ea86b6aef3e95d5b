"""The published database and its views as Superset has databases and datasets: with the description of every column."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_URL, UUID, uuid5

from python_assets.published.merge import Mart

BUNDLE_VERSION: Final = "1.0.0"  # of the format of a bundle, which every file of it says
DATABASE: Final = "Plumbline"
SCHEMA: Final = "main"
N_SHOWN: Final = "n_shown"
VIEW: Final = "v_"  # begins the names of what is for reading
TIMES: Final = ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "DATE")


def uuid_of(*name: str) -> str:
    """The same id of the same thing in every bundle, so that importing one again meets what the first one made."""
    namespace: UUID = uuid5(NAMESPACE_URL, "plumbline/superset")
    return str(uuid5(namespace, "/".join(name)))


def database_config(published: Path) -> dict[str, Any]:
    """The database, which Superset only reads.

    Args:
        published: the database, by the link that later publications keep.
    """
    return {
        "database_name": DATABASE,
        "sqlalchemy_uri": f"duckdb:///{published.absolute()}?access_mode=read_only",
        "cache_timeout": None,
        "expose_in_sqllab": True,
        "allow_run_async": False,
        "allow_ctas": False,
        "allow_cvas": False,
        "allow_dml": False,
        "allow_file_upload": False,
        "extra": {"allows_virtual_table_explore": True},
        "uuid": uuid_of("database"),
        "version": BUNDLE_VERSION,
    }


def dataset_configs(marts: Sequence[Mart]) -> dict[str, dict[str, Any]]:
    """Every view that is published, by name.

    Args:
        marts: tables and views of the published database.
    """
    views = sorted((mart for mart in marts if mart.name.startswith(VIEW)), key=lambda mart: mart.name)
    return {view.name: _dataset_config(view) for view in views}


def _dataset_config(view: Mart) -> dict[str, Any]:
    times = [column.name for column in view.columns if column.data_type in TIMES]
    return {
        "table_name": view.name,
        "main_dttm_col": times[0] if times else None,
        "description": view.comment,
        "schema": SCHEMA,
        "sql": None,
        "filter_select_enabled": True,
        "uuid": uuid_of("dataset", view.name),
        "metrics": _metrics(view),
        "columns": [
            {
                "column_name": column.name,
                "type": column.data_type,
                "is_dttm": column.name in times,
                "is_active": True,
                "groupby": True,
                "filterable": True,
                "description": column.comment,
            }
            for column in view.columns
        ],
        "version": BUNDLE_VERSION,
        "database_uuid": uuid_of("database"),
    }


def _metrics(view: Mart) -> list[dict[str, str]]:
    counted = [{"metric_name": "count", "verbose_name": "rows", "expression": "COUNT(*)"}]
    if any(column.name == "verdict" for column in view.columns):
        sql = "COUNT(CASE WHEN verdict IN ('beyond_margin', 'different') THEN 1 END)"
        counted.append({"metric_name": N_SHOWN, "verbose_name": "differences shown", "expression": sql})
    return counted
