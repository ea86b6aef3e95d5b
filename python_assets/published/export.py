"""A frozen copy of one stage of a published study: files that anybody can read, and a manifest of them.

Belongs here: from the published database to csv, jsonl or parquet. The manifest's shape is manifest.py.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Final, NamedTuple

import duckdb

from python_assets.errors import WarehouseError
from python_assets.published.copies import (
    escaped,
    factors_of,
    identifier,
    knew_less,
    literal,
    manifest_of,
    study_row,
    write_manifest,
    write_table,
)
from python_assets.published.hidden_texts import hide_texts
from python_assets.published.manifest import FACTOR_PREFIX, Archive, ExportedFactor, ExportFormat, Stage
from python_assets.published.query import open_published
from python_assets.warehouse.build import Home, make_folder
from python_assets.warehouse.raw_tables import columns_of

EXPORTED_WITH: Final[dict[str, Stage | Archive]] = {
    # in the file of the stage or in its manifest
    "studies": "prompts",
    "documents": "prompts",
    "factors": "prompts",
    "prompts": "prompts",
    "prompt_factors": "prompts",
    "systems": "responses",
    "system_factors": "responses",
    "responses": "responses",
    # a file each
    "association_tests": "statistics",
    "blocking_factors": "statistics",
    "cluster_precision": "statistics",
    "clusters": "statistics",
    "concentrations": "statistics",
    "contrasts": "statistics",
    "coverage": "statistics",
    "coverage_cells": "statistics",
    "cross_model_consistency": "statistics",
    "data_quality": "statistics",
    "design_power": "statistics",
    "disparities": "statistics",
    "factor_aliasing": "statistics",
    "factor_importance": "statistics",
    "factor_models": "statistics",
    "finding_groups": "statistics",
    "finding_prompts": "statistics",
    "findings": "statistics",
    "system_comparisons": "statistics",
    "ground_truth": "statistics",
    "human_labels": "statistics",
    "imported_metrics": "statistics",
    "impossible_cells": "statistics",
    "scored_responses": "statistics",
    "scorers": "statistics",
    "interpretations": "statistics",
    "label_agreement": "statistics",
    "measures": "statistics",
    "negative_controls": "statistics",
    "outcome_changes": "statistics",
    "outcome_distributions": "statistics",
    "pair_errors": "statistics",
    "pair_judges": "statistics",
    "pair_labels": "statistics",
    "prompt_funnel": "statistics",
    "hypotheses": "statistics",
    "red_flag_evidence": "statistics",
    "red_flags": "statistics",
    "repetition_consistency": "statistics",
    "response_coverage": "statistics",
    "subgroup_metrics": "statistics",
    "subgroups": "statistics",
    "summary_statistics": "statistics",
    "unscored_forms": "statistics",
    "variance_components": "statistics",
    # how the others came to be: every run that is kept has them
    "branches": "archive",
    "calls": "archive",
    "failed_calls": "archive",
    "keywords": "archive",
    "measurements": "archive",
    "runs": "archive",
    "quarantined_records": "archive",
    "run_changes": "archive",
    "run_findings": "archive",
    "run_groups": "archive",
    "sentences": "archive",
}
"""Every published table of studies, with the first stage of an export that holds what it says."""

STATISTICS_TABLES: Final = tuple(table for table, stage in EXPORTED_WITH.items() if stage == "statistics")
"""The tables that an export of statistics has a file each of."""


class Exported(NamedTuple):
    """The folder of an export, its files with their rows, and in words the licences of the copy."""

    folder: Path
    n_rows: dict[str, int]
    licence_summary: str


def export_study(
    home: Home, study_id: str, stage: Stage, output: ExportFormat, folder: Path | None, *, escapes_formulas: bool = True
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
        WarehouseError: the study is not published, was published by a version that knew less, or the folder
            cannot be written.
    """
    target = home.root / "export" / study_id / stage if folder is None else folder
    try:
        return _exported(home, study_id, stage, output, target, escapes_formulas=escapes_formulas)
    except (duckdb.CatalogException, duckdb.BinderException) as error:
        raise knew_less(home.published, study_id, error) from error


def _exported(
    home: Home, study_id: str, stage: Stage, output: ExportFormat, target: Path, *, escapes_formulas: bool
) -> Exported:
    with open_published(home.published, writes_to=target) as connection:
        hides_texts = hide_texts(connection, study_id)
        study = study_row(connection, study_id)
        factors = {} if stage == "statistics" else factors_of(connection, study)
        queries = _queries(stage, factors)
        escapes_formulas &= output == "csv"
        if escapes_formulas:
            queries = {name: escaped(connection, query, study_id) for name, query in queries.items()}
        make_folder(target)
        try:
            files = [
                write_table(connection, query, study_id, target / f"{name}.{output}", output)
                for name, query in queries.items()
            ]
            manifest = manifest_of(connection, study, stage, files, factors)
            manifest = manifest.model_copy(update={"escapes_formulas": escapes_formulas, "hides_texts": hides_texts})
            write_manifest(target, manifest)
        except (OSError, duckdb.IOException) as error:
            remedy = "name one with --to FOLDER"
            raise WarehouseError(target, error, "a folder that can be written", remedy) from error
    n_rows = {file.name: file.n_rows for file in files}
    return Exported(target, n_rows, manifest.licence_summary)


def _queries(stage: Stage, factors: dict[str, ExportedFactor]) -> dict[str, str]:
    if stage == "statistics":
        return {table: f"select * from {table} where study_id = $study order by all" for table in STATISTICS_TABLES}
    if stage == "prompts":
        return {"prompts": f"{prompts_query(factors)} order by prompt_id"}
    return {"responses": responses_query(factors)}


def prompts_query(factors: Collection[str]) -> str:
    """One row a prompt of $study, with a column of each factor.

    Args:
        factors: their names.
    """
    levels = "".join(
        f", max(case when factor = {literal(name)} then level end) as {identifier(FACTOR_PREFIX + name)}"
        for name in factors
    )
    columns = "".join(f", {identifier(FACTOR_PREFIX + name)}" for name in factors)
    return f"""
        select prompts.* exclude (study_id){columns}
        from prompts
        left join (
            select prompt_id{levels} from prompt_factors where study_id = $study group by prompt_id
        ) using (prompt_id)
        where study_id = $study
    """


def responses_query(factors: Collection[str]) -> str:
    """One row a response of $study, its prompt beside it.

    Args:
        factors: names of the factors that have a column each.
    """
    # archives that were written before them have none of these
    later = {"outcome", "outcome_version", "is_declined", "n_retries", "failed_calls_json", "served_model"}
    answers = ", ".join(columns_of("responses", without={"prompt_id", *later}))
    return f"""
        select {answers}, prompt.*
        from responses
        inner join ({prompts_query(factors)}) as prompt using (prompt_id)
        where study_id = $study
        order by system_id, prompt_id, replicate
    """
