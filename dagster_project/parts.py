"""In how many parts a run computes inference, and who computes: its own process, or the workers of a cluster."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import dagster as dg
import duckdb

from dagster_project.progress import progress_of
from dagster_project.resources import WarehouseResource
from python_assets.errors import StudyError
from python_assets.warehouse.workers import THIS_PROCESS, Workers

if TYPE_CHECKING:
    from python_assets.infer.parts.parts import Parts
    from python_assets.study.study import Study

PARTS_TAG: Final = "plumbline/parts"  # of a run: how many parts; by its size without it, on Ray one for each CPU
Told = dict[str, Any]
"""What is told of them once they are done, for Dagster's metadata."""


@contextmanager
def workers_of() -> Iterator[tuple[Workers, Told]]:
    """Who scores texts: this process, or the cluster that PLUMBLINE_RAY names.

    Raises:
        ClusterError: Ray is not there or does not answer.
    """
    if not (address := _cluster_address()):
        yield THIS_PROCESS, {}
        return
    from python_assets.cluster.cluster import Cluster

    told: Told = {}
    with Cluster(address) as cluster:
        yield cluster, told
        told["n_lost_workers"] = cluster.n_lost


@contextmanager
def parts_of(
    context: dg.AssetExecutionContext,
    study: "Study",
    warehouse: WarehouseResource,
    connection: duckdb.DuckDBPyConnection,
    level: float,
) -> "Iterator[tuple[Parts, Told]]":
    """Parts of a study as the run has them.

    On this machine without anything else: a large study in processes, one a core. PLUMBLINE_RAY, "local" or the address
    of a cluster, has them computed on Ray; their files lie in PLUMBLINE_PARTS, or beside the build file.

    Raises:
        StudyError: the tag is no number, or more parts are asked for than there are measures.
        ClusterError: Ray is not there or does not answer.
        WarehouseError: the files of parts cannot be written.
    """
    from python_assets.infer.parts.processes import parts_here

    progress, n = progress_of(context), _wanted(context)
    told: Told = {}
    if not (address := _cluster_address()):
        with parts_here(connection, study, progress, level, n) as here:
            yield here, told
            told |= _told_of(here)
        return
    from python_assets.cluster.cluster import Cluster
    from python_assets.infer.parts.on_ray import OnRay
    from python_assets.infer.parts.part_file import write_problem

    if problem := write_problem(folder := warehouse.home.parts):
        raise problem
    with Cluster(address) as cluster:
        parts = OnRay(connection, study, cluster, folder, progress=progress, level=level, n=n)
        try:
            yield parts, told
            told |= _told_of(parts) | {"n_retries": parts.n_retries}
        finally:
            parts.close()


def _told_of(parts: "Parts") -> Told:
    return {"n_parts": len(parts.seconds), "seconds_of_parts": parts.seconds}


def _cluster_address() -> str | None:
    from python_assets.cluster.cluster import VARIABLE, cluster_problem

    address = os.environ.get(VARIABLE)
    if address and (problem := cluster_problem(address)):
        raise problem
    return address


def _wanted(context: dg.AssetExecutionContext) -> int | None:
    tag = context.run.tags.get(PARTS_TAG)
    if tag is not None and not (tag.isdecimal() and int(tag)):
        raise StudyError(f"tag {PARTS_TAG}", tag, "a number of parts, 1 at least", "correct it, or remove the tag")
    return None if tag is None else int(tag)
