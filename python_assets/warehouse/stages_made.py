"""What a stopped run had made already: a stage goes on from it where it would be made of the very same.

Belongs here: the stamp of what a stage is made of, and which stages are whole. Which version of the study file
they were made with is study_version.py, which keeps both in one table.
"""

import hashlib
import json
import platform
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import duckdb

from python_assets.study.study import Study
from python_assets.warehouse.build import Home
from python_assets.warehouse.file_hashes import sha256_of_file
from python_assets.warehouse.paths import PROJECT
from python_assets.warehouse.raw_tables import RAW_TABLES

# written beside the stages, and no part of what they are made of
_BESIDE: Final = ("data_quality",)
# of the run, not of what it read
_OF_THE_RUN: Final = ("run_id", "started_at", "quarantined_at", "retrieved_at")
_CODE: Final = ("python_assets", "dagster_project", "dbt_models")
_ENDINGS: Final = (".py", ".sql", ".yml", ".csv", ".txt", ".json")
_LIBRARIES: Final = ("duckdb", "numpy", "scipy", "pandas", "statsmodels", "scikit-learn", "dbt-core", "dbt-duckdb")
_MOST_OF_A_PATH: Final = 1_000
_OF_A_MODEL: Final = "config.json"


def stamp_of(connection: duckdb.DuckDBPyConnection, study: Study, home: Home, made: Collection[str]) -> str:
    """A hash of all that a stage after the answers is made of: equal stamps, equal tables.

    It covers the study file and the files that it names, what is frozen, the code, the libraries that compute, and the
    rows of the raw tables in any order.

    Args:
        connection: the open build file.
        study: as it is now.
        home: its warehouse.
        made: the assets of the stage, as raw/measurements; their own rows are not in it.
    """
    digest = hashlib.sha256(f"{study.config_sha256} {code_sha256()}".encode())
    preregistered = home.preregistrations(study.study_id)
    for path in ([preregistered] if preregistered.is_file() else []) + _files_of(study):
        digest.update(f" {path.name} {sha256_of_file(path)}".encode())
    for table, *counted in _digests(connection, made):
        digest.update(f" {table} {counted}".encode())
    return digest.hexdigest()


def is_made(connection: duckdb.DuckDBPyConnection, made: Collection[str], after: Collection[str], stamp: str) -> bool:
    """Whether a run that was stopped has made a stage of the same, and something that is made of it is still to make.

    Args:
        connection: the open build file, after begin_assets.
        made: the assets of the stage.
        after: all that are made of them, directly or not.
        stamp: what the stage would be made of now.
    """
    rows = connection.execute("select asset, stamp from raw.asset_versions where is_finished").fetchall()
    stamps = dict(rows)
    return all(stamps.get(asset) == stamp for asset in made) and any(stamps.get(asset) is None for asset in after)


def make_anew(connection: duckdb.DuckDBPyConnection, assets: Collection[str]) -> None:
    """Forget what assets were made of: they are about to be made, or something that they are made of."""
    connection.execute("update raw.asset_versions set stamp = null where asset in ?", [list(assets)])


def _digests(connection: duckdb.DuckDBPyConnection, made: Collection[str]) -> list[tuple[Any, ...]]:
    """Each raw table that a stage may read: its name, and a count and two sums of hashes of its rows."""
    selects = [
        f"select '{table}' as raw_table, count(*), bit_xor(row_hash), sum(row_hash) "
        f"from (select hash({', '.join(columns)}) as row_hash from raw.{table})"
        for table in sorted(RAW_TABLES)
        if table not in _BESIDE and f"raw/{table}" not in made
        for columns in [[f'"{name}"' for name in RAW_TABLES[table] if name not in _OF_THE_RUN]]
    ]
    return connection.execute(" union all ".join(selects) + " order by raw_table").fetchall()


@cache
def code_sha256() -> str:
    """A hash of the code and of the libraries that compute, of this machine."""
    digest = hashlib.sha256(platform.python_version().encode())
    for library in _LIBRARIES:
        digest.update(f" {library} {version(library)}".encode())
    for path in sorted(path for room in _CODE for path in (PROJECT / room).rglob("*") if path.suffix in _ENDINGS):
        digest.update(f" {path.relative_to(PROJECT)} ".encode() + path.read_bytes())
    return digest.hexdigest()


def _files_of(study: Study) -> list[Path]:
    """The functions beside a study file, whatever file it names, and those of models in folders that it names."""
    folder = study.path.parent
    named = sorted(text for text in _texts(json.loads(study.config_json)) if 0 < len(text) < _MOST_OF_A_PATH)
    return [*sorted(folder.glob("*.py")), *(path for text in named for path in _there(folder / text))]


def _there(path: Path) -> list[Path]:
    with suppress(OSError, ValueError):  # a text that is no path
        if path.is_file():
            return [path]
        if (path / _OF_A_MODEL).is_file():
            return sorted(file for file in path.iterdir() if file.is_file())
    return []


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
