"""The dbt project compiled once a version: by dbt's own command, read from its public manifest.json alone.

Belongs here: calling dbt, seeing that every statement runs on an empty build file and gives what its contract says,
and refusing what a run does not do (unsupported.py).
"""

import csv
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import duckdb

from python_assets.errors import TransformError
from python_assets.transform.cache import cached
from python_assets.transform.project import OF_THE_CODE, SEED, Project, relation
from python_assets.transform.run import is_contract, run_steps
from python_assets.transform.unsupported import unsupported
from python_assets.warehouse import paths
from python_assets.warehouse.build import SCHEMAS, connect
from python_assets.warehouse.progress import SILENT

DBT_FOLDER: Final = paths.PROJECT / "dbt_models"
COMPILING: Final = "Compiling the SQL of this version, once (some 20 seconds)"
_LOADED: Final[dict[tuple[Path, str], Project]] = {}  # by this process, the latest alone
_READ_BY_DBT: Final = (
    *("analyses", "functions", "macros", "models", "seeds", "snapshots", "tests"),
    *("dbt_project.yml", "dependencies.yml", "packages.yml", "profiles.yml"),
)
_DBT: Final = ("dbt-core", "dbt-adapters", "dbt-duckdb", "duckdb")
_REMEDY: Final = "mend the file, or install dbt with: pip install -c constraints.txt dbt-core dbt-duckdb"
# what a run, Dagster and the docs read of a manifest, whose rest is three fifths of it
_PARTS: Final = ("nodes", "sources", "exposures", "macros", "parent_map", "child_map")
_OF_A_NODE: Final = frozenset(
    {
        *("alias", "attached_node", "checksum", "column_name", "columns", "compiled_code", "config", "depends_on"),
        *("description", "fqn", "identifier", "language", "name", "original_file_path", "resource_type", "schema"),
        *("severity", "source_name", "tags", "test_metadata", "unique_id", "macro_sql", "package_name"),
    }
)


def compiled_project(folder: Path = DBT_FOLDER, *, say: Callable[[str], None] | None = None) -> Project:
    """The compiled dbt project, of the cache where its files, dbt and the code that runs it are as they were.

    Args:
        folder: the project.
        say: is told that it is compiled, which takes a while; standard error where None.

    Raises:
        TransformError: dbt is missing or cannot compile it, a statement does not run or does not give what its
            contract says, or the project asks for what a run does not do.
        WarehouseError: neither the cache nor the warehouse can be written.
    """
    digest = _digest(folder)
    if (project := _LOADED.get((folder, digest))) is None:
        project = Project(folder, cached(digest, lambda parsed: _compile(folder, parsed, say)))
        _LOADED.clear()
        _LOADED[folder, digest] = project
    return project


def _compile(folder: Path, parsed: Path, say: Callable[[str], None] | None) -> Mapping[str, Any]:
    (say or _to_stderr)(COMPILING)
    manifest = _manifest(folder, parsed)
    if problems := list(unsupported(manifest)):
        got = "\n".join(["what a run does not do:", *problems])
        raise TransformError(folder, got, remedy="leave it out: docs/design/architecture.md 4 says what a run does")
    project = Project(folder, _less(manifest))
    with empty_build_file(project):
        return project.manifest


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _digest(folder: Path) -> str:
    """Of the files that dbt reads, of dbt, and of the code that runs what it compiles."""
    try:
        digest = hashlib.sha256(" ".join(version(package) for package in _DBT).encode())
    except PackageNotFoundError as error:
        raise TransformError("dbt", f"no package {error.name}", "dbt", _REMEDY) from error
    for root, names in ((folder, _READ_BY_DBT), (Path(__file__).parent, ("",))):
        for path in sorted(path for name in names for path in _files(root / name)):
            content = path.read_bytes()
            digest.update(b"%s %d " % (path.relative_to(root).as_posix().encode(), len(content)) + content)
    return digest.hexdigest()[:32]


def _files(path: Path) -> list[Path]:
    return [file for file in (path, *path.rglob("*")) if file.is_file() and file.suffix != ".pyc"]


def _manifest(folder: Path, parsed: Path) -> dict[str, Any]:
    """What dbt compiles without a build file: nothing of a study is in it."""
    with tempfile.TemporaryDirectory() as target:
        kept = Path(target) / parsed.name
        if parsed.is_file():
            kept.write_bytes(parsed.read_bytes())
        command = [
            *(sys.executable, "-m", "dbt.cli.main", "--quiet", "--no-use-colors", "--no-send-anonymous-usage-stats"),
            *("compile", "--exclude", "resource_type:unit_test", f"tag:{OF_THE_CODE}"),
            *(f"--project-dir={folder}", f"--profiles-dir={folder}", f"--target-path={target}", f"--log-path={target}"),
        ]
        # nothing of this environment is in what others will run: DBT_EMPTY alone would empty every table
        environment = {name: value for name, value in os.environ.items() if not name.startswith("DBT_")}
        environment["PLUMBLINE_BUILD"] = ":memory:"
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode and parsed.is_file():  # models that have other names since are no mistake of the project
            parsed.unlink()
            return _manifest(folder, parsed)
        if done.returncode:
            output = (done.stdout + done.stderr).strip()
            raise TransformError(folder, output, "a project that dbt can compile", _REMEDY)
        if kept.is_file():
            parsed.write_bytes(kept.read_bytes())
        manifest: dict[str, Any] = json.loads((Path(target) / "manifest.json").read_bytes())
    for node in manifest["nodes"].values():
        if node["resource_type"] == SEED:
            node["config"]["column_types"] = _typed_header(folder / node["original_file_path"], node)
    return manifest


def _typed_header(path: Path, seed: Mapping[str, Any]) -> dict[str, str | None]:
    """The type of each column of a seed in the order of its file; None where the project gives none."""
    with path.open(encoding="utf-8", newline="") as file:
        return {name: seed["config"]["column_types"].get(name) for name in next(csv.reader(file))}


def _less(manifest: Mapping[str, Any]) -> dict[str, Any]:
    def part(name: str) -> Any:
        if name.endswith("_map"):
            return manifest[name]
        return {
            key: {field: value for field, value in node.items() if field in _OF_A_NODE}
            for key, node in manifest[name].items()
            if name != "macros" or node["package_name"] == manifest["metadata"]["project_name"]
        }

    return {name: part(name) for name in _PARTS}


@contextmanager
def empty_build_file(project: Project) -> Iterator[duckdb.DuckDBPyConnection]:
    """A build file in memory that holds every table of a project without a row, but for seeds.

    Raises:
        TransformError: a statement fails, or gives other columns than its contract says.
    """
    with connect() as connection:
        for schema in SCHEMAS:
            connection.execute(f"create schema {schema}")
        for source in project.sources.values():
            columns = ", ".join(f'"{column["name"]}" {column["data_type"]}' for column in source["columns"].values())
            connection.execute(f"create table {relation(source)} ({columns})")
        for step in project.steps:
            if is_contract(node := project.nodes[step]) and (mismatch := _broken_contract(connection, node)):
                where = f"model {node['name']} ({node['original_file_path']})"
                raise TransformError(where, mismatch, "the columns of its contract", "change the SQL or the .yml")
            run_steps(connection, project, [step], SILENT)
        yield connection


def _broken_contract(connection: duckdb.DuckDBPyConnection, node: Mapping[str, Any]) -> str:
    """What the SQL of a model gives otherwise than its contract, as dbt tells it; "" where it gives just that."""
    defined = dict(_described(connection, node["compiled_code"]))
    declared = node["columns"].values()
    kinds = ", ".join(f'cast(null as {column["data_type"]}) as "{column["name"]}"' for column in declared)
    wanted = dict(_described(connection, f"select {kinds}"))
    rows = [
        ("column_name", "definition_type", "contract_type", "mismatch_reason"),
        *((name, defined[name], "", "missing in contract") for name in defined if name not in wanted),
        *((name, "", wanted[name], "missing in definition") for name in wanted if name not in defined),
        *((n, defined[n], wanted[n], "data type mismatch") for n in wanted if n in defined and defined[n] != wanted[n]),
    ]
    if len(rows) == 1:
        return ""
    return "\n".join(["This model has an enforced contract that failed.", *(" | ".join(row) for row in rows)])


def _described(connection: duckdb.DuckDBPyConnection, sql: str) -> Iterator[tuple[str, str]]:
    relation_of = connection.sql(sql)
    return zip(relation_of.columns, map(str, relation_of.types), strict=True)
