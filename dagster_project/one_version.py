"""One version of a study: an asset refuses what another version of the study file made."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import dagster as dg
import duckdb

from dagster_project.resources import WarehouseResource
from python_assets.study.study import Study
from python_assets.warehouse.study_version import begin_assets, finish_assets


@contextmanager
def stage_connection(
    context: dg.AssetExecutionContext, study: Study, warehouse: WarehouseResource
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The build file, for a stage that reads and writes one version of the study.

    Raises:
        StudyError: what the stage reads was made with another version of the study file.
    """
    with warehouse.build(study.study_id) as connection:
        begin(context, study, connection)
        yield connection
        finish(context, study, connection)


def begin(context: dg.AssetExecutionContext, study: Study, connection: duckdb.DuckDBPyConnection) -> None:
    """See that all the selected assets are made of was made with the study file as it is.

    Raises:
        StudyError: some of it was made with another version.
    """
    begin_assets(connection, study, _names(context.selected_asset_keys), _names(_read(context)))


def finish(context: dg.AssetExecutionContext, study: Study, connection: duckdb.DuckDBPyConnection) -> None:
    """Write down with which version the selected assets were made."""
    finish_assets(connection, study, _names(context.selected_asset_keys))


def _read(context: dg.AssetExecutionContext) -> list[dg.AssetKey]:
    # of all assets, whichever of them the run has
    graph, made = context.job_def.asset_layer.asset_graph.source_asset_graph, context.selected_asset_keys
    read = {up for key in made for up in graph.get_ancestor_asset_keys(key)} - made
    return [key for key in graph.toposorted_asset_keys if key in read]


def _names(keys: Iterable[dg.AssetKey]) -> list[str]:
    return [key.to_user_string() for key in keys]
