"""A frozen copy of one stage of a published study: files that anybody can read, and a manifest of them.

Belongs here: from the published database to csv, jsonl or parquet. The manifest's shape is manifest.py.
"""

import json
import os
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb

from python_assets.errors import WarehouseError
from python_assets.published.hidden_texts import hide_texts
from python_assets.published.manifest import (
    FACTOR_PREFIX,
    FORMAT,
    FORMULA,
    NAME,
    QUOTE,
    ExportedFactor,
    ExportedFile,
    ExportFormat,
    Manifest,
    Stage,
    sha256_of_file,
)
from python_assets.published.query import open_published
from python_assets.study.factors import level_positions
from python_assets.study.study import AS_WRITTEN, Prompts
from python_assets.warehouse.build import Home, make_folder, utc_now
from python_assets.warehouse.raw_tables import columns_of

STATISTICS: Final = ("summary_statistics", "contrasts", "disparities", "findings", "finding_groups")
# how DuckDB calls them
_FORMATS: Final[dict[ExportFormat, str]] = {"csv": "csv", "jsonl": "json", "parquet": "parquet"}


class Exported(NamedTuple):
    """The folder of an export, its files with their rows, and in words the licences of the copy."""

    folder: Path
    n_rows: dict[str, int]
    licence_summary: str


def export_study(
    home: Home,
    study_id: str,
    stage: Stage,
    output: ExportFormat,
    folder: Path | None,
    *,
    escapes_formulas: bool = True,
) -> Exported:
    """Copy one stage of a published study into a folder, with a manifest.

    Args:
        home: the warehouse; only its published database is read.
        study_id: a study in it.
        stage: prompts (one row a prompt), responses (one row a response, its prompt beside it) or statistics
            (one file each of STATISTICS).
        output: the kind of file.
        folder: where to; by default <home>/export/<study>/<stage>. Files of an earlier export are replaced.
        escapes_formulas: put ' before a text of a csv file that a spreadsheet would compute, and before one
            that begins with '; whoever reads it takes one ' away.

    Returns:
        What was written: no text of a prompt or a response where the study file hides them.

    Raises:
        WarehouseError: the study is not published, or the folder cannot be written.
    """
    target = home.root / "export" / study_id / stage if folder is None else folder
    with open_published(home.published, writes_to=target) as connection:
        hides_texts = hide_texts(connection, study_id)
        study = _study_row(connection, study_id)
        factors = {} if stage == "statistics" else _factors(connection, study)
        queries = _queries(stage, factors)
        escapes_formulas &= output == "csv"
        if escapes_formulas:
            queries = {name: _escaped(connection, query, study_id) for name, query in queries.items()}
        make_folder(target)
        files = [
            _write(connection, query, study_id, target / f"{name}.{output}", output)
            for name, query in queries.items()
        ]
        manifest = _manifest(connection, study, stage, files, factors)
        manifest = manifest.model_copy(
            update={"escapes_formulas": escapes_formulas, "hides_texts": hides_texts}
        )
    _replace(target / NAME, (manifest.model_dump_json(indent=2) + "\n").encode())
    n_rows = {file.name: file.n_rows for file in files}
    return Exported(target, n_rows, manifest.licence_summary)


def _study_row(connection: duckdb.DuckDBPyConnection, study_id: str) -> dict[str, Any]:
    rows = _rows(connection, "select * from studies where study_id = $study", study_id)
    if not rows:
        known = [name for (name,) in connection.execute("select study_id from studies order by 1").fetchall()]
        raise WarehouseError(
            f"{study_id} has not been published. Published: {', '.join(known) or 'none'}. "
            f"Run it with: plumbline run {study_id}"
        )
    return rows[0]


def _factors(connection: duckdb.DuckDBPyConnection, study: dict[str, Any]) -> dict[str, ExportedFactor]:
    """The factors that prompts have of their own, with the levels that are there in declared order."""
    query = """
        select factor, any_value(type) as type, any_value(reference_level) as reference_level,
            list(distinct level order by level) as levels
        from prompt_factors
        inner join factors using (study_id, factor)
        where study_id = $study and (origin <> 'derived' or rule is not null)
        group by factor
        order by factor
    """
    positions = level_positions(json.loads(study["config_json"]))
    found = {}
    for row in _rows(connection, query, study["study_id"]):
        declared = positions.get(row["factor"], {})
        levels = sorted(row["levels"], key=lambda level: declared.get(level, len(declared)))
        found[row["factor"]] = ExportedFactor(
            type=row["type"], levels=levels, reference_level=row["reference_level"]
        )
    return found


def _queries(stage: Stage, factors: dict[str, ExportedFactor]) -> dict[str, str]:
    if stage == "statistics":
        return {table: f"select * from {table} where study_id = $study order by all" for table in STATISTICS}
    levels = "".join(
        f", max(case when factor = {_literal(name)} then level end) as {_identifier(FACTOR_PREFIX + name)}"
        for name in factors
    )
    named = ", ".join(columns_of("prompts"))
    columns = "".join(f", {_identifier(FACTOR_PREFIX + name)}" for name in factors)
    prompts = f"""
        select {named}{columns}
        from prompts
        left join (
            select prompt_id{levels} from prompt_factors where study_id = $study group by prompt_id
        ) using (prompt_id)
        where study_id = $study
    """
    if stage == "prompts":
        return {"prompts": f"{prompts} order by prompt_id"}
    answers = ", ".join(columns_of("responses", without={"prompt_id"}))
    return {
        "responses": f"""
            select {answers}, prompt.*
            from responses
            inner join ({prompts}) as prompt using (prompt_id)
            where study_id = $study
            order by generation_id, prompt_id, replicate
        """
    }


def _escaped(connection: duckdb.DuckDBPyConnection, query: str, study_id: str) -> str:
    """A query with ' before what a spreadsheet would compute."""
    described = connection.execute(f"describe {query}", {"study": study_id}).fetchall()
    columns = [
        _escaped_column(_identifier(name)) if kind == "VARCHAR" else _identifier(name)
        for name, kind, *_ in described
    ]
    return f"select {', '.join(columns)} from ({query})"


def _escaped_column(column: str) -> str:
    is_formula = f"regexp_matches({column}, {_literal(FORMULA)})"
    return f"case when {is_formula} then {_literal(QUOTE)} || {column} else {column} end as {column}"


def _write(
    connection: duckdb.DuckDBPyConnection, query: str, study_id: str, path: Path, output: ExportFormat
) -> ExportedFile:
    unfinished = path.with_name(f"{path.name}.writing")
    copy = f"copy ({query}) to {_literal(str(unfinished.absolute()))} (format {_FORMATS[output]})"
    try:
        (n_rows,) = connection.execute(copy, {"study": study_id}).fetchall()[0]
        os.replace(unfinished, path)  # noqa: PTH105
    except (OSError, duckdb.IOException) as error:
        raise _not_writable(path, error) from error
    columns = [name for name, *_ in connection.execute(f"describe {query}", {"study": study_id}).fetchall()]
    return ExportedFile(name=path.name, sha256=sha256_of_file(path), n_rows=n_rows, columns=columns)


def _manifest(
    connection: duckdb.DuckDBPyConnection,
    study: dict[str, Any],
    stage: Stage,
    files: list[ExportedFile],
    factors: dict[str, ExportedFactor],
) -> Manifest:
    study_id, config = study["study_id"], json.loads(study["config_json"])
    documents = _rows(connection, _of_study("documents", "document_id"), study_id)
    generations = _rows(connection, _of_study("generations", "generation_id"), study_id)
    measures = _rows(connection, _of_study("measures", "measure_id"), study_id)
    return Manifest(
        format=FORMAT,
        study_id=study_id,
        title=study["title"],
        stage=stage,
        files=files,
        factors=factors,
        documents=documents,
        generations=[] if stage == "prompts" else generations,
        measures=measures if stage == "statistics" else [],
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


def _of_study(table: str, key: str) -> str:
    return f"select * exclude (study_id) from {table} where study_id = $study order by {key}"


def _rows(connection: duckdb.DuckDBPyConnection, query: str, study_id: str) -> list[dict[str, Any]]:
    cursor = connection.execute(query, {"study": study_id})
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _replace(path: Path, content: bytes) -> None:
    unfinished = path.with_name(f"{path.name}.writing")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, path)  # noqa: PTH105
    except OSError as error:
        raise _not_writable(path, error) from error


def _not_writable(path: Path, error: Exception) -> WarehouseError:
    return WarehouseError(
        f"{path} cannot be written: {error}. Name a folder that can be written with --to FOLDER."
    )
