"""The dbt project: parsed once a version, built in this process on the build file of a study.

Belongs here: how dbt is called. Which of its tables are assets stands in assets/transform.py.
"""

import fcntl
import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from dagster_project.template import Name, lacking_parts, take_tables, write_no_study
from python_assets.errors import TransformError
from python_assets.warehouse import paths
from python_assets.warehouse.build import connect, make_folder

PROJECT = paths.PROJECT / "dbt_models"
NO_BUILD_FILE = ":memory:"
TEMPLATE = "template.duckdb"
NO_VARIABLES: Mapping[str, Any] = {}
NO_DATABASE = '"memory"'  # what dbt calls the database of NO_BUILD_FILE
BEFORE_INFERENCE = ("--exclude", "source:inference+")
AFTER_INFERENCE = ("--select", "source:inference+")
# data tests run in the half that completes what they read. Unit tests, and those of the keys of tables between, are of
# the code: `make test` runs them
OF_THE_CODE = "grain"
TESTS = ("--indirect-selection", "buildable", "--exclude-resource-type", "unit_test", "--exclude", f"tag:{OF_THE_CODE}")
# nobody reads its file of every event, nor the graph it was run from; its own printing would format each event that
# nobody sees too, a tenth of its time: _print shows what is said to people
FLAGS = (
    *("--no-send-anonymous-usage-stats", "--no-use-colors", "--no-write-json"),
    *("--log-level", "none", "--log-level-file", "none"),
)
TAKEN = "taken_from_the_template"  # a tag of the run's own: dbt looks for one in less time than for each part
FAILED = {"error", "fail", "runtime error"}
READ_BY_DBT = (*("macros", "models", "seeds", "tests"), *("dbt_project.yml", "profiles.yml"))


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
    folder = _parsed()
    template = _template(folder)
    manifest = _manifest(folder, build_path)
    with connect(build_path) as connection:
        lacking = lacking_parts(connection)
        made, taken = [], []
        for node in manifest.nodes.values():
            if node.resource_type == "seed" or lacking & set(node.tags):
                node.tags.append(TAKEN)
                taken.append(node)
            elif node.config.materialized in ("table", "view"):
                made.append(node)
        declared = take_tables(connection, template, map(_name, made), map(_name, taken))
    variables = {"declared": [node.unique_id for node in made if _name(node) in declared]}
    arguments = ["build", *TESTS, *selection, "--exclude", f"tag:{TAKEN}"]
    target = build_path.with_suffix("") / "dbt"
    results = _built(arguments, build_path, target, manifest, variables, callbacks=[_print])
    return results + _passed(manifest, {node.unique_id for node in taken})


def _name(node: Any) -> Name:
    return node.schema, node.name


def _passed(manifest: Any, tables: set[str]) -> list[NodeResult]:
    """What the tests of tables that are the template's say of any study."""
    nodes = manifest.nodes.values()
    tests = [node for node in nodes if node.resource_type == "test" and OF_THE_CODE not in node.tags]
    return [NodeResult(test.unique_id, "pass", 0) for test in tests if tables.issuperset(test.depends_on_nodes)]


def _built(
    arguments: Sequence[str],
    build_path: Path,
    target: Path,
    manifest: Any,
    variables: Mapping[str, Any] = NO_VARIABLES,
    callbacks: Sequence[Callable[[Any], None]] = (),
) -> list[NodeResult]:
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager

    try:
        done = _dbt(arguments, build_path, target, manifest, variables, callbacks)
    finally:
        DuckDBConnectionManager.close_all_connections()  # else dbt keeps the file open until the process ends
    if failed := [_failure(result) for result in done.results if result.status in FAILED]:
        raise TransformError("dbt", "\n".join(["tables that it cannot build:", *failed]))
    return [NodeResult(result.node.unique_id, str(result.status), result.failures) for result in done.results]


def _failure(result: Any) -> str:
    node = result.node
    return f"{node.resource_type} {node.name} ({node.original_file_path}): {result.message}"


def _parsed() -> Path:
    """The folder of the parsed project; a study needs no parsing of its own."""
    # another version of dbt may read the same files otherwise
    digest = hashlib.sha256(f"{version('dbt-core')} {version('dbt-duckdb')}".encode())
    for path in sorted(path for name in READ_BY_DBT for path in _files(PROJECT / name)):
        name, content = path.relative_to(PROJECT).as_posix().encode(), path.read_bytes()
        digest.update(b"%s %d " % (name, len(content)) + content)  # a model is named after its file
    return _once(paths.home().root / "build" / "dbt" / digest.hexdigest()[:16], _parse)


def _files(path: Path) -> list[Path]:
    return [file for file in (path, *path.rglob("*")) if file.is_file() and file.suffix != ".pyc"]


def _once(folder: Path, make: Callable[[Path], None]) -> Path:
    """A folder that all studies share, under its name once it is whole; of several processes the first makes it."""
    if not folder.exists():
        make_folder(folder.parent)
        with folder.with_name(f".{folder.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                unfinished = folder.with_name(f"{folder.name}.unfinished")
                shutil.rmtree(unfinished, ignore_errors=True)  # what a killed process left of it
                unfinished.mkdir()
                make(unfinished)
                unfinished.rename(folder)
    return folder


def _parse(folder: Path) -> None:
    _dbt(["--write-json", "parse"], Path(NO_BUILD_FILE), folder)


def _template(parsed: Path) -> Path:
    """A build file of no study: every table of the project as it is without a row, and the seeds; made once."""

    def make(folder: Path) -> None:
        path, target = folder / TEMPLATE, folder / "dbt"
        write_no_study(path)
        _built(["build", *TESTS], path, target, _manifest(parsed, path))
        shutil.rmtree(target)

    return _once(parsed / "template", make) / TEMPLATE


def _manifest(folder: Path, build_path: Path) -> Any:
    """The parsed project, its tables in the database that DuckDB names after the build file."""
    from dbt.contracts.graph.manifest import Manifest

    manifest = Manifest.from_msgpack((folder / "partial_parse.msgpack").read_bytes())
    for node in (*manifest.nodes.values(), *manifest.sources.values()):
        node.database = build_path.stem
        if node.relation_name:
            node.relation_name = node.relation_name.replace(NO_DATABASE, f'"{build_path.stem}"', 1)
    return manifest


def _dbt(
    arguments: Sequence[str],
    build_path: Path,
    target: Path,
    manifest: Any = None,
    variables: Mapping[str, Any] = NO_VARIABLES,
    callbacks: Sequence[Callable[[Any], None]] = (),
) -> Any:
    """What dbt returns, whether or not every node succeeded.

    A manifest spares dbt the parsing, which it would do anew for each build file.
    """
    from dbt.cli.main import dbtRunner

    folders = {"project-dir": PROJECT, "profiles-dir": PROJECT, "target-path": target, "log-path": target}
    options = [f"--{name}={folder}" for name, folder in folders.items()]
    given = ["--vars", json.dumps({"build_path": str(build_path), **variables})]
    done = dbtRunner(manifest, list(callbacks)).invoke([*FLAGS, *arguments, *options, *given])
    if done.exception and not isinstance(done.exception, Exception):
        raise done.exception  # an interrupt, which dbt catches too
    if done.exception:
        raise TransformError(PROJECT, done.exception, "a project that dbt can use") from done.exception
    return done.result


def _print(event: Any) -> None:
    """Show what dbt says to people, which the log of a run holds."""
    if event.info.level not in ("debug", "test"):
        print(f"{event.info.ts.ToDatetime():%H:%M:%S}  {event.info.msg}")
