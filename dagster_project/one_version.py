"""One version of a study: an asset refuses what another version of the study file made.

A stage after the answers also goes on from what a run that was stopped has made, where it would be made of the same.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import dagster as dg
import duckdb

from dagster_project.progress import progress_of
from dagster_project.resources import WarehouseResource
from python_assets.study.study import Study
from python_assets.warehouse.stages_made import is_made, make_anew, stamp_of
from python_assets.warehouse.study_version import begin_assets, finish_assets

KEPT_AS_STOPPED: Final = "as the run that was stopped left it"


class Stage(NamedTuple):
    """A stage that is begun.

    stamp: of all that it is made of. is_kept: whether a run that was stopped has made it of the same: then its tables
    stand as they are.
    """

    connection: duckdb.DuckDBPyConnection
    stamp: str
    is_kept: bool


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


@contextmanager
def stage_after_answers(
    context: dg.AssetExecutionContext, study: Study, warehouse: WarehouseResource
) -> Iterator[Stage]:
    """The build file, for a stage that need not be made again after a run that was stopped.

    Raises:
        StudyError: what the stage reads was made with another version of the study file.
    """
    with warehouse.build(study.study_id) as connection:
        begin(context, study, connection)
        stage = begin_or_keep(context, study, warehouse, connection)
        yield stage
        finish(context, study, connection, stage.stamp)


def begin_or_keep(
    context: dg.AssetExecutionContext, study: Study, warehouse: WarehouseResource, connection: duckdb.DuckDBPyConnection
) -> Stage:
    """See whether the selected assets stand as a stopped run made them, after `begin`; if not, they are made anew.

    Whoever asks for some assets alone wants them made: nothing is kept then.
    """
    made, after = _names(context.selected_asset_keys), _names(_made_of(context))
    stamp = stamp_of(connection, study, warehouse.home, made)
    is_kept = not context.run.asset_selection and is_made(connection, made, after, stamp)
    if is_kept:
        progress_of(context).say(KEPT_AS_STOPPED)
    else:
        make_anew(connection, [*made, *after])
    return Stage(connection, stamp, is_kept)


def begin(context: dg.AssetExecutionContext, study: Study, connection: duckdb.DuckDBPyConnection) -> None:
    """See that all the selected assets are made of was made with the study file as it is.

    Raises:
        StudyError: some of it was made with another version.
    """
    begin_assets(connection, study, _names(context.selected_asset_keys), _names(_read(context)))


def finish(
    context: dg.AssetExecutionContext, study: Study, connection: duckdb.DuckDBPyConnection, stamp: str = ""
) -> None:
    """Write down with which version the selected assets were made, and what of."""
    finish_assets(connection, study, _names(context.selected_asset_keys), stamp)


def _graph(context: dg.AssetExecutionContext) -> Any:
    """Of all assets, whichever of them the run has."""
    return context.job_def.asset_layer.asset_graph.source_asset_graph


def _read(context: dg.AssetExecutionContext) -> list[dg.AssetKey]:
    graph, made = _graph(context), context.selected_asset_keys
    read = {up for key in made for up in graph.get_ancestor_asset_keys(key)} - made
    return [key for key in graph.toposorted_asset_keys if key in read]


def _made_of(context: dg.AssetExecutionContext) -> set[dg.AssetKey]:
    graph, downstream = _graph(context), set(context.selected_asset_keys)
    for key in graph.toposorted_asset_keys:  # what is read comes first
        if downstream & graph.get(key).parent_keys:
            downstream.add(key)
    return downstream - context.selected_asset_keys


def _names(keys: Iterable[dg.AssetKey]) -> list[str]:
    return [key.to_user_string() for key in keys]
