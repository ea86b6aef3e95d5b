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
    from python_assets.infer.chunks.chunks import Chunks
    from python_assets.study.study import Study

CHUNKS_TAG: Final = "plumbline/chunks"  # of a run: how many parts; by its size without it, on Ray one for each CPU
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

    notes: Told = {}
    with Cluster(address) as cluster:
        yield cluster, notes
        notes["n_lost_workers"] = cluster.n_lost


@contextmanager
def chunks_of(
    context: dg.AssetExecutionContext,
    study: "Study",
    warehouse: WarehouseResource,
    connection: duckdb.DuckDBPyConnection,
    level: float,
) -> "Iterator[tuple[Chunks, Told]]":
    """Parts of a study as the run has them.

    On this machine without anything else: a large study in processes, one a core. PLUMBLINE_RAY, "local" or the address
    of a cluster, has them computed on Ray; their files lie in PLUMBLINE_CHUNKS, or beside the build file.

    Raises:
        StudyError: the tag is no number, or more parts are asked for than there are measures.
        ClusterError: Ray is not there or does not answer.
        WarehouseError: the files of parts cannot be written.
    """
    from python_assets.infer.chunks.processes import chunks_here

    progress, n = progress_of(context), _wanted(context)
    notes: Told = {}
    if not (address := _cluster_address()):
        with chunks_here(connection, study, progress, level, n) as here:
            yield here, notes
            notes |= _told_of(here)
        return
    from python_assets.cluster.cluster import Cluster
    from python_assets.infer.chunks.chunk_file import write_problem
    from python_assets.infer.chunks.on_ray import OnRay

    if problem := write_problem(folder := warehouse.home.chunks):
        raise problem
    with Cluster(address) as cluster:
        chunks = OnRay(connection, study, cluster, folder, progress=progress, level=level, n=n)
        try:
            yield chunks, notes
            notes |= _told_of(chunks) | {"n_retries": chunks.n_retries}
        finally:
            chunks.close()


def _told_of(chunks: "Chunks") -> Told:
    return {"n_chunks": len(chunks.seconds), "seconds_of_chunks": chunks.seconds}


def _cluster_address() -> str | None:
    from python_assets.cluster.cluster import VARIABLE, cluster_problem

    address = os.environ.get(VARIABLE)
    if address and (problem := cluster_problem(address)):
        raise problem
    return address


def _wanted(context: dg.AssetExecutionContext) -> int | None:
    tag = context.run.tags.get(CHUNKS_TAG)
    if tag is not None and not (tag.isdecimal() and int(tag)):
        raise StudyError(f"tag {CHUNKS_TAG}", tag, "a number of parts, 1 at least", "correct it, or remove the tag")
    return None if tag is None else int(tag)
