"""The bundle that Superset imports: a zip of YAML files, written from what is published."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import duckdb
import yaml

from python_assets.errors import WarehouseError
from python_assets.published.merge import Mart, marts_of
from python_assets.published.query import open_published
from python_assets.report.superset.charts import charts, columns_of
from python_assets.report.superset.datasets import BUNDLE_VERSION, DATABASE, SCHEMA, database_config, dataset_configs
from python_assets.report.superset.layout import dashboard_config
from python_assets.report.superset.written_charts import chart_config
from python_assets.warehouse.build import Home, unwritable

_FOLDER: Final = "plumbline"  # that all files of the bundle lie in: Superset takes off the first part of each path
DUMPER: Final = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # many times as fast, where it was compiled
WRITABLE, ANOTHER = "a file that can be written", "name another one"
FIRST_TIME: Final = (1980, 1, 1, 0, 0, 0)  # of a zip: a bundle of the same has the same bytes


class BundleWritten(NamedTuple):
    """The file and how much it holds."""

    path: Path
    n_datasets: int
    n_charts: int


def write_bundle(home: Home, path: Path) -> BundleWritten:
    """Write the dashboard over the published views; what an earlier call wrote there is replaced.

    The descriptions of views and columns are the comments of the published database: they are those of dbt's manifest,
    and of the version that published it, whatever version is installed.

    Args:
        home: the warehouse; only its published database is read, and named in the bundle.
        path: the zip.

    Raises:
        WarehouseError: nothing is published, or by a version without one of the views; the file cannot be written, or
            the path of the warehouse holds a ?.
    """
    problem = unwritable(path.absolute().parent)
    if problem or path.is_dir():
        raise WarehouseError(path, problem.got if problem else "a folder", WRITABLE, ANOTHER)
    if "?" in str(home.published.absolute()):
        # a SQLAlchemy address ends its path there, and has no way to write one
        raise WarehouseError(home.published, "a path with ?", "one that an address can hold", "move the warehouse")
    with open_published(home.published) as connection:
        marts = _marts(connection)
    _require_columns(home.published, marts)
    datasets = dataset_configs(marts)
    files = {
        "metadata": {"version": BUNDLE_VERSION},
        f"databases/{DATABASE}": database_config(home.published),
        **{f"datasets/{DATABASE}/{name}": config for name, config in datasets.items()},
        **{f"charts/{chart.name}": chart_config(chart, datasets[chart.dataset]) for chart in charts()},
        "dashboards/plumbline": dashboard_config(datasets),
    }
    try:
        _write(path, files)
    except OSError as error:
        raise WarehouseError(path, error, WRITABLE, ANOTHER) from error
    return BundleWritten(path, len(datasets), len(charts()))


def _marts(connection: duckdb.DuckDBPyConnection) -> list[Mart]:
    ((database,),) = connection.execute("select current_database()").fetchall()
    return marts_of(connection, database, SCHEMA)


def _require_columns(published: Path, marts: list[Mart]) -> None:
    columns_by_mart = {mart.name: {column.name for column in mart.columns} for mart in marts}
    for chart in charts():
        lacking = sorted(columns_of(chart) - columns_by_mart.get(chart.dataset, set()))
        if lacking:
            got = (
                f"no column {lacking[0]} in {chart.dataset}"
                if chart.dataset in columns_by_mart
                else f"no {chart.dataset}"
            )
            remedy = "run any study again: plumbline run STUDY"
            raise WarehouseError(published, got, "the views of this version of Plumbline", remedy)


def _write(path: Path, files: Mapping[str, Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.writing")
    with ZipFile(unfinished, "w", ZIP_DEFLATED) as bundle:
        for name, config in files.items():
            text = yaml.dump(config, Dumper=DUMPER, allow_unicode=True, sort_keys=False)
            bundle.writestr(ZipInfo(f"{_FOLDER}/{name}.yaml", FIRST_TIME), text, ZIP_DEFLATED)
    unfinished.replace(path)
