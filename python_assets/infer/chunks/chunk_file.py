"""What inference reads of some measures, in a file of its own that another process or machine opens.

Belongs here: which tables these are, and where the file lies: in a folder, or in a bucket by any address of fsspec.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import duckdb

from python_assets.errors import PlumblineError, WarehouseError
from python_assets.warehouse.build import connect, write_remedy

_VARIABLE: Final = "PLUMBLINE_CHUNKS"
_REMEDY: Final = f"set {_VARIABLE} to a folder, or an address such as s3://bucket/folder, that every worker reaches"
# what Part reads, which a test finds in its queries
CHUNK_TABLES: Final = {
    "raw": (
        *("system_factors", "systems", "ground_truths", "groupings", "human_labels", "measurements"),
        *("measures", "negative_controls", "prompt_factors", "prompts", "responses", "statistics", "subgroup_ideals"),
    ),
    "intermediate": (
        *("int_blocking_factors", "int_cells", "int_labelled_answers", "int_missing_answers", "int_normal_scales"),
        *("int_outcomes", "int_prompt_groups", "int_selected_answers", "int_settings", "int_subgroup_sums"),
        *("int_subgroup_units", "int_truth_answers", "int_value_ranges", "int_values"),
    ),
}
# no text leaves the build file: of answers only whether two are the same is read, which their hash tells
_COLUMNS: Final = {
    "responses": "system_id, prompt_id, replicate, md5(cast(response_text as varchar)) as response_text",
    "negative_controls": "negative_control, control_type",
    "prompts": "columns(lambda name: not regexp_matches(name, '_text$|_json$'))",
}
_BY_MEASURE: Final = """
    select table_schema, table_name from information_schema.columns
    where column_name = 'measure_id' and table_catalog = current_database()
"""
CHUNK_FILE: Final = "chunk.duckdb"


def write_chunk(connection: duckdb.DuckDBPyConnection, measures: Sequence[str], address: str) -> None:
    """Write what inference reads of some measures of a build file.

    Args:
        connection: to the build file, after the SQL's first half.
        measures: those of the part.
        address: of the file, a path or an address of fsspec; there it stands whole or not at all.

    Raises:
        WarehouseError: it cannot be written there.
    """
    with tempfile.TemporaryDirectory(prefix="plumbline-chunk-") as folder:
        path = Path(folder) / CHUNK_FILE
        by_measure = set(connection.execute(_BY_MEASURE).fetchall())
        try:
            connection.execute(f"attach '{path}' as chunk")
            try:
                for schema, names in CHUNK_TABLES.items():
                    connection.execute(f"create schema chunk.{schema}")
                    for name in names:
                        columns = _COLUMNS.get(name, "*")
                        where = "where list_contains($1, measure_id)" if (schema, name) in by_measure else ""
                        query = f"create table chunk.{schema}.{name} as select {columns} from {schema}.{name} {where}"
                        connection.execute(query, [list(measures)] if where else [])
            finally:
                connection.execute("detach chunk")
        except duckdb.Error as error:
            raise WarehouseError(path, error, "room for a part", write_remedy(path.parent, error)) from error
        _put(path, address)


def _put(path: Path, address: str) -> None:
    files, file_path = file_system(address)
    try:
        if not is_local(files):  # there a file gets its name when it is whole, and a bucket is not made unasked
            files.put_file(str(path), file_path)
            return
        Path(file_path).parent.mkdir(parents=True, exist_ok=True)
        Path(f"{file_path}.unfinished").write_bytes(path.read_bytes())
        Path(f"{file_path}.unfinished").replace(file_path)
    except Exception as error:
        raise WarehouseError(address, error, "a folder or bucket that can be written", _REMEDY) from error


@contextmanager
def opened(address: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that reads a part, from where it lies or from a copy beside this process.

    Raises:
        WarehouseError: it cannot be read from this machine.
    """
    files, file_path = file_system(address)
    with tempfile.TemporaryDirectory(prefix="plumbline-chunk-") as folder:
        path = Path(file_path) if is_local(files) else Path(folder) / CHUNK_FILE
        try:
            if not is_local(files):
                files.get_file(file_path, str(path))
            connection = connect(path, read_only=True)
        except Exception as error:
            raise WarehouseError(address, error, "a part that this machine can read", _REMEDY) from error
        try:
            yield connection
        finally:
            connection.close()


def file_system(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it.

    Raises:
        WarehouseError: nothing that is installed reads such an address.
    """
    from fsspec.core import url_to_fs

    try:
        files, path = url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise WarehouseError(_VARIABLE, error, "a folder, or an address of fsspec", _REMEDY) from error
    return files, str(path)


def is_local(files: Any) -> bool:
    """Whether it is a folder of this machine, or one that is mounted."""
    return "file" in (files.protocol if isinstance(files.protocol, tuple | list) else [files.protocol])


def write_problem(address: str) -> PlumblineError | None:
    """Why parts cannot be written to an address; tried with an empty file, which is removed."""
    try:
        files, folder = file_system(address)
        if is_local(files):
            files.makedirs(folder, exist_ok=True)
        files.pipe_file(f"{folder}/.plumbline", b"")
        files.rm_file(f"{folder}/.plumbline")
    except PlumblineError as error:
        return error
    except Exception as error:
        return WarehouseError(address, error, "a folder or bucket that can be written", _REMEDY)
    return None
