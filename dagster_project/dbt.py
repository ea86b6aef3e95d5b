"""The dbt project: parsed once a version, built in this process on the build file of a study.

Belongs here: how dbt is called. Which of its tables are assets stands in assets/transform.py.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from python_assets.errors import TransformError
from python_assets.warehouse import paths
from python_assets.warehouse.build import make_folder

PROJECT = paths.PROJECT / "dbt_models"
NO_BUILD_FILE = ":memory:"
NO_DATABASE = '"memory"'  # what dbt calls the database of NO_BUILD_FILE
BEFORE_INFERENCE = ("--exclude", "source:inference+")
AFTER_INFERENCE = ("--select", "source:inference+")
# data tests run in the half that completes what they read; unit tests are of the code: `make test` runs them
TESTS = ("--indirect-selection", "buildable", "--exclude-resource-type", "unit_test")
# the run's own log holds what dbt prints; its file of every event and the graph it was run from, nobody reads
FLAGS = ("--no-send-anonymous-usage-stats", "--no-use-colors", "--log-level-file", "none", "--no-write-json")
FAILED = {"error", "fail", "runtime error"}
READ_BY_DBT = {".sql", ".py", ".yml", ".csv", ".md"}  # .md: the descriptions that columns share


class NodeResult(NamedTuple):
    """What dbt says of one model, seed or test; failures counts the rows that a test found."""

    unique_id: str
    status: str
    failures: int | None


def manifest_path() -> Path:
    """The parsed dbt project, parsed again when a file of it has changed.

    Raises:
        TransformError: dbt cannot parse the project; what it says is in the text.
        WarehouseError: the warehouse cannot be written.
    """
    return _parsed() / "manifest.json"


def build(build_path: Path, *selection: str) -> list[NodeResult]:
    """Build models and run their tests on the build file of a study, which nothing else has open.

    Args:
        build_path: the build file; compiled SQL goes to a folder of the same name beside it.
        selection: dbt's own options, such as BEFORE_INFERENCE.

    Returns:
        One result a node.

    Raises:
        TransformError: a model or a test of severity error failed; the text names each.
    """
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager

    arguments = ["build", *TESTS, *selection]
    try:
        done = _dbt(arguments, build_path, build_path.with_suffix("") / "dbt", _manifest(build_path))
    finally:
        DuckDBConnectionManager.close_all_connections()  # else dbt keeps the file open until the process ends
    if failed := [_failure(result) for result in done.results if result.status in FAILED]:
        raise TransformError("\n".join(["dbt could not build all tables:", *failed]))
    return [NodeResult(result.node.unique_id, str(result.status), result.failures) for result in done.results]


def _failure(result: Any) -> str:
    node = result.node
    return f"{node.resource_type} {node.name} ({node.original_file_path}): {result.message}"


def _parsed() -> Path:
    """The folder of the parsed project; a study needs no parsing of its own."""
    # another version of dbt may read the same files otherwise
    digest = hashlib.sha256(f"{version('dbt-core')} {version('dbt-duckdb')}".encode())
    for path in sorted(path for path in PROJECT.rglob("*") if path.suffix in READ_BY_DBT):
        name, content = path.relative_to(PROJECT).as_posix().encode(), path.read_bytes()
        digest.update(b"%s %d " % (name, len(content)) + content)  # a model is named after its file
    folder = paths.home().root / "build" / "dbt" / digest.hexdigest()[:16]
    if not (folder / "manifest.json").exists():
        _parse(folder)
    return folder


def _parse(folder: Path) -> None:
    own_folder = folder.with_name(f"{folder.name}.{os.getpid()}")  # two processes may start at once
    make_folder(own_folder)
    _dbt(["--quiet", "--write-json", "parse"], Path(NO_BUILD_FILE), own_folder)
    try:
        own_folder.rename(folder)
    except OSError:  # another process was first
        if not (folder / "manifest.json").exists():
            raise


def _manifest(build_path: Path) -> Any:
    """The parsed project, its tables in the database that DuckDB names after the build file."""
    from dbt.contracts.graph.manifest import Manifest

    manifest = Manifest.from_msgpack((_parsed() / "partial_parse.msgpack").read_bytes())
    for node in (*manifest.nodes.values(), *manifest.sources.values()):
        node.database = build_path.stem
        if node.relation_name:
            node.relation_name = node.relation_name.replace(NO_DATABASE, f'"{build_path.stem}"', 1)
    manifest.build_flat_graph()  # macro union_of_metrics reads it; dbt makes it only where it has parsed
    return manifest


def _dbt(arguments: Sequence[str], build_path: Path, target: Path, manifest: Any = None) -> Any:
    """What dbt returns, whether or not every node succeeded.

    A manifest spares dbt the parsing, which it would do anew for each build file.
    """
    from dbt.cli.main import dbtRunner

    folders = {"project-dir": PROJECT, "profiles-dir": PROJECT, "target-path": target, "log-path": target}
    options = [f"--{name}={folder}" for name, folder in folders.items()]
    variables = ["--vars", json.dumps({"build_path": str(build_path)})]
    done = dbtRunner(manifest).invoke([*FLAGS, *arguments, *options, *variables])
    if done.exception and not isinstance(done.exception, Exception):
        raise done.exception  # an interrupt, which dbt catches too
    if done.exception:
        raise TransformError(f"dbt cannot use {PROJECT}: {done.exception}") from done.exception
    return done.result
