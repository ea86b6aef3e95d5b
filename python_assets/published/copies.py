"""From the published database to files and a manifest of them: what exports and archives have in common.

Belongs here: one table to one file, and what a manifest says of a study. Which tables are copied is export.py
and archive.py.
"""

import json
import os
from pathlib import Path
from typing import Any, Final

import duckdb

from python_assets.errors import WarehouseError
from python_assets.published.manifest import (
    FORMAT,
    FORMULA,
    MANIFEST_FILE,
    QUOTE,
    Archive,
    ExportedFactor,
    ExportedFile,
    ExportFormat,
    Manifest,
    Stage,
)
from python_assets.study.factors import level_positions
from python_assets.study.problems import listed
from python_assets.study.study import AS_WRITTEN, Prompts
from python_assets.warehouse.build import rows_of, utc_now
from python_assets.warehouse.file_hashes import sha256_of_file

_FORMATS: Final[dict[ExportFormat, str]] = {"csv": "csv", "jsonl": "json", "parquet": "parquet"}
_FACTORS: Final = """
    select factor, any_value(type) as type, any_value(reference_level) as reference_level,
        list(distinct level order by level) as levels
    from prompt_factors
    inner join factors using (study_id, factor)
    where study_id = $study and (origin <> 'derived' or rule is not null)
    group by factor
    order by factor
"""
_NESTED_IN: Final = """
    with levels as (
        select unit_factor, unit_id, factor, count(distinct level) as n_levels, min(level) as level
        from prompts
        inner join prompt_factors using (study_id, prompt_id)
        where study_id = $study and unit_factor is not null
        group by all
    )
    select unit_factor, factor
    from levels
    where factor <> unit_factor
    group by all
    having max(n_levels) = 1 and count(distinct level) > 1
    order by all
"""
_UNITS: Final = "select distinct unit_factor from prompts where study_id = $study and unit_factor is not null"


def study_row(connection: duckdb.DuckDBPyConnection, study_id: str) -> dict[str, Any]:
    """The row of a published study in table studies.

    Raises:
        WarehouseError: it has not been published; the text names those that have.
    """
    rows = _rows(connection, "select * from studies where study_id = $study", study_id)
    if not rows:
        known = [name for (name,) in connection.execute("select study_id from studies order by 1").fetchall()]
        expected = f"a published study: {listed(known)}"
        remedy = f"run it with: plumbline run {study_id}"
        raise WarehouseError("studies", repr(study_id), expected, remedy)
    return rows[0]


def factors_of(connection: duckdb.DuckDBPyConnection, study: dict[str, Any]) -> dict[str, ExportedFactor]:
    """The factors that prompts have of their own, with the levels that are there in declared order.

    Args:
        connection: to the published database.
        study: what study_row gave.
    """
    study_id = study["study_id"]
    nested_in: dict[str, list[str]] = {row["unit_factor"]: [] for row in _rows(connection, _UNITS, study_id)}
    rows = _rows(connection, _FACTORS, study_id)
    named = {row["factor"] for row in rows}
    for row in _rows(connection, _NESTED_IN, study_id):
        if row["factor"] in named:
            nested_in[row["unit_factor"]].append(row["factor"])
    positions = level_positions(json.loads(study["config_json"]))
    factors = {}
    for row in rows:
        declared = positions.get(row["factor"], {})
        levels = sorted(row["levels"], key=lambda level: declared.get(level, len(declared)))
        factors[row["factor"]] = ExportedFactor(
            type=row["type"],
            levels=levels,
            reference_level=row["reference_level"],
            nested_in=nested_in.get(row["factor"]),
        )
    return factors


def write_table(
    connection: duckdb.DuckDBPyConnection, query: str, study_id: str, path: Path, output: ExportFormat
) -> ExportedFile:
    """Write the rows of a query to a file, whole or not at all.

    Args:
        connection: may write into the file's folder.
        query: of the published database; $study in it is the study.
        study_id: the study.
        path: the file, which is replaced.
        output: the kind of file.

    Raises:
        OSError, duckdb.IOException: the file cannot be written.
    """
    unfinished = path.with_name(f"{path.name}.writing")
    copy = f"copy ({query}) to {literal(str(unfinished.absolute()))} (format {_FORMATS[output]})"
    (n_rows,) = connection.execute(copy, {"study": study_id}).fetchall()[0]
    os.replace(unfinished, path)  # noqa: PTH105
    columns = [name for name, *_ in connection.execute(f"describe {query}", {"study": study_id}).fetchall()]
    return ExportedFile(name=path.name, sha256=sha256_of_file(path), n_rows=n_rows, columns=columns)


def escaped(connection: duckdb.DuckDBPyConnection, query: str, study_id: str) -> str:
    """A query with ' before each text that a spreadsheet would compute, or that begins with '."""
    described = connection.execute(f"describe {query}", {"study": study_id}).fetchall()
    columns = [
        _escaped_column(identifier(name)) if kind == "VARCHAR" else identifier(name) for name, kind, *_ in described
    ]
    return f"select {', '.join(columns)} from ({query})"


def _escaped_column(column: str) -> str:
    is_formula = f"regexp_matches({column}, {literal(FORMULA)})"
    return f"case when {is_formula} then {literal(QUOTE)} || {column} else {column} end as {column}"


def knew_less(published: Path, study_id: str, error: duckdb.Error) -> WarehouseError:
    """What is said of a study that was published by a version without a table or column that is read."""
    got, expected = str(error).splitlines()[0], "what this version of Plumbline exports"
    return WarehouseError(published, got, expected, f"run the study again: plumbline run {study_id}")


def manifest_of(
    connection: duckdb.DuckDBPyConnection,
    study: dict[str, Any],
    stage: Stage | Archive,
    files: list[ExportedFile],
    factors: dict[str, ExportedFactor],
) -> Manifest:
    """What a copy of a published study says of itself.

    Args:
        connection: to the published database.
        study: what study_row gave.
        stage: what was copied.
        files: the copies.
        factors: those of the prompts that are copied.
    """
    study_id, config = study["study_id"], json.loads(study["config_json"])
    documents = _rows(connection, _of_study("documents", "document_id"), study_id)
    systems = _rows(connection, _of_study("systems", "system_id"), study_id)
    measures = _rows(connection, _of_study("measures", "measure_id"), study_id)
    return Manifest(
        format=FORMAT,
        study_id=study_id,
        title=study["title"],
        stage=stage,
        files=files,
        factors=factors,
        documents=documents,
        systems=[] if stage == "prompts" else systems,
        system_factors={} if stage == "prompts" else _system_factors(connection, study_id),
        measures=measures if stage in ("statistics", "archive") else [],
        licences=sorted({row["licence"] for row in documents if row["licence"]}),
        n_unknown_licence=sum(not row["licence"] for row in documents),
        removes_prompt=removes_prompt(config),
        config=config,
        config_sha256=study["config_sha256"],
        plumbline_version=study["plumbline_version"],
        run_id=study["run_id"],
        published_at=study["published_at"],
        exported_at=utc_now(),
    )


def removes_prompt(config: dict[str, Any]) -> bool:
    """Whether a published study measured responses and baselines without their prompts.

    Args:
        config: its file with every default.
    """
    return Prompts.model_validate(config["prompts"], context=AS_WRITTEN).removes_prompt


def _system_factors(connection: duckdb.DuckDBPyConnection, study_id: str) -> dict[str, dict[str, str]]:
    levels: dict[str, dict[str, str]] = {}
    for row in _rows(connection, _of_study("system_factors", "system_id, factor"), study_id):
        levels.setdefault(row["system_id"], {})[row["factor"]] = row["level"]
    return levels


def _of_study(table: str, key: str) -> str:
    return f"select * exclude (study_id) from {table} where study_id = $study order by {key}"


def _rows(connection: duckdb.DuckDBPyConnection, query: str, study_id: str) -> list[dict[str, Any]]:
    return rows_of(connection, query, {"study": study_id})


def identifier(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write a manifest into the folder of its files, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    unfinished = folder / f"{MANIFEST_FILE}.writing"
    unfinished.write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
    os.replace(unfinished, folder / MANIFEST_FILE)  # noqa: PTH105
