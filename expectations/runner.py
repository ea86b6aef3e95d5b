"""The gate: the expectations of raw tables, evaluated and kept as raw.data_quality rows. No Dagster here."""

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import duckdb

from expectations import CHECKED_TABLES, JUDGED, SCRAPED
from expectations.rules import Rule, is_kept, rows_of_study
from python_assets.errors import QualityError
from python_assets.study.study import Study
from python_assets.telemetry import disable_telemetry
from python_assets.warehouse.build import transaction, utc_now
from python_assets.warehouse.raw_tables import RAW_TABLES

if TYPE_CHECKING:
    from expectations.validation import Found

EXAMPLE_CHARACTERS: Final = 200


class CheckResult(NamedTuple):
    """What one expectation found; unexpected_share is None where there was nothing to look at."""

    table_name: str
    expectation: str
    column_name: str
    severity: str
    success: bool
    n_evaluated: int
    n_unexpected: int
    unexpected_share: float | None
    examples_json: str
    description: str
    remedy: str


def run_suites(
    connection: duckdb.DuckDBPyConnection, study: Study, tables: Iterable[str], *, run_id: str
) -> list[CheckResult]:
    """Evaluate the expectations of raw tables and replace their raw.data_quality rows.

    Args:
        connection: the open build file, no transaction begun.
        study: the study whose rows are looked at.
        tables: names of raw tables that have expectations; documents and sentences are skipped where the
            study does not scrape, pair_labels where it bounds no share of bad pairs.
        run_id: becomes the run_id of the rows.

    Returns:
        One result an expectation, failed or not: the caller blocks on what `blocking` gives.

    Raises:
        QualityError: an expectation could not be evaluated; no row is written.
        ValueError: a table has no expectations.
    """
    checked = of_study(study, tables)
    if unknown := set(checked) - set(CHECKED_TABLES):
        raise ValueError(f"no expectations for {sorted(unknown)}; known: {', '.join(CHECKED_TABLES)}")
    validation = _validation()
    with validation.open_source(connection) as source:
        results = [
            _result(table, validated)
            for table in checked
            for suite in [import_module(f"expectations.{table}")]
            for validated in validation.validate(source, suite.suite(study), study.study_id, suite.KEYS)
        ]
    _write(connection, study.study_id, run_id, checked, results)
    return results


def run_rules(
    connection: duckdb.DuckDBPyConnection, study: Study, rules: Mapping[str, Sequence[Rule]], *, run_id: str
) -> list[CheckResult]:
    """Evaluate rules without Great Expectations and replace the raw.data_quality rows of their tables.

    Args:
        connection: the open build file, no transaction begun.
        study: the study whose rows are looked at.
        rules: by raw table.
        run_id: becomes the run_id of the rows.

    Returns:
        One result a rule, as run_suites gives it of the same one.
    """
    results = [_of_rule(connection, study, table, rule) for table, table_rules in rules.items() for rule in table_rules]
    _write(connection, study.study_id, run_id, rules, results)
    return results


def _of_rule(connection: duckdb.DuckDBPyConnection, study: Study, table: str, rule: Rule) -> CheckResult:
    rows = connection.execute(rule.query(rows_of_study(table, study.study_id))).fetchall()
    n_evaluated, n_unexpected, at_most, examples = rows[0]
    return CheckResult(
        table_name=table,
        expectation=rule.name,
        column_name=", ".join(rule.columns) or "(table)",
        severity=rule.severity,
        success=is_kept(n_unexpected, n_evaluated, at_most),
        n_evaluated=n_evaluated,
        n_unexpected=n_unexpected,
        unexpected_share=n_unexpected / n_evaluated if n_evaluated else None,
        examples_json=_examples_json(examples or []),
        description=rule.description,
        remedy=rule.notes,
    )


def of_study(study: Study, tables: Iterable[str] = CHECKED_TABLES) -> list[str]:
    """The raw tables that a study has expectations of: documents and sentences where it scrapes.

    Written items are of no sentence, and of no document where themes are given.
    """
    left_out = set() if study.prompts.scrape is not None else set(SCRAPED)
    if study.prompts.assemble.chosen_method == "written":
        left_out = {"sentences"} if study.prompts.assemble.themes is None else set(SCRAPED)
    left_out |= {JUDGED} if study.analysis.quality.max_bad_pairs is None else set()
    return [table for table in tables if table not in left_out]


def write_data_docs(connection: duckdb.DuckDBPyConnection, study: Study, folder: Path) -> Path:
    """Write Great Expectations' pages of the raw tables of a study; data_docs.py says how.

    Returns:
        The page to begin with.

    Raises:
        WarehouseError: the folder cannot be written.
    """
    with _quietly():
        from expectations import data_docs
    return data_docs.write_data_docs(connection, study, of_study(study), folder)


def blocking(results: Iterable[CheckResult]) -> list[CheckResult]:
    """The failed results that wrong numbers would follow from.

    Args:
        results: from run_suites.
    """
    return [result for result in results if not result.success and result.severity == "critical"]


def explain(results: Iterable[CheckResult]) -> str:
    """Say of each result what was expected of which column, what came and what to do.

    Args:
        results: failed results.
    """
    return "\n".join(str(_mistake(result)) for result in results)


def _mistake(result: CheckResult) -> QualityError:
    where = f"raw.{result.table_name}: {result.expectation} ({result.column_name})"
    n = f"{result.n_unexpected:,} of {result.n_evaluated:,} unexpected"
    got = f"{n}, for example {result.examples_json}"
    return QualityError(where, got, f"that {result.description}", result.remedy)


def require(results: Iterable[CheckResult]) -> None:
    """Stop where wrong numbers would follow.

    Args:
        results: from run_suites.

    Raises:
        QualityError: a critical expectation failed; the text explains every one.
    """
    if failed := blocking(results):
        raise QualityError("raw tables", f"rows that wrong numbers would follow from:\n{explain(failed)}")


def _validation() -> ModuleType:
    with _quietly():
        from expectations import validation
    return validation


@contextmanager
def _quietly() -> Iterator[None]:
    """How Great Expectations is imported."""
    disable_telemetry()
    with warnings.catch_warnings():
        # the package imports modules of the standard library that are deprecated
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def _result(table: str, found: "Found") -> CheckResult:
    expectation = found.expectation
    return CheckResult(
        table_name=table,
        expectation=found.name,
        column_name=found.columns,
        severity=expectation.severity.value,
        success=found.success,
        n_evaluated=found.n_evaluated,
        n_unexpected=found.n_unexpected,
        unexpected_share=found.n_unexpected / found.n_evaluated if found.n_evaluated else None,
        examples_json=_examples_json(found.examples),
        description=str(expectation.description),
        remedy=str(expectation.notes),
    )


def _examples_json(examples: Iterable[dict[str, Any]]) -> str:
    return json.dumps([_shown(example) for example in examples], ensure_ascii=False)


def _shown(example: dict[str, Any]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in example.items()}


def _plain(value: Any) -> str | int | bool | None:
    # numbers as text too: JSON knows no infinity
    return value if value is None or isinstance(value, int) else str(value)[:EXAMPLE_CHARACTERS]


def _write(
    connection: duckdb.DuckDBPyConnection,
    study_id: str,
    run_id: str,
    tables: Iterable[str],
    results: Iterable[CheckResult],
) -> None:
    kept = [name for name in CheckResult._fields if name in RAW_TABLES["data_quality"]]
    columns = ["study_id", "run_id", *kept, "checked_at"]
    checked_at = utc_now()
    rows = [(study_id, run_id, *(getattr(result, name) for name in kept), checked_at) for result in results]
    with transaction(connection):
        for table in tables:
            connection.execute("delete from raw.data_quality where study_id = ? and table_name = ?", [study_id, table])
        if rows:
            names, values = ", ".join(columns), ", ".join("?" * len(columns))
            connection.executemany(f"insert into raw.data_quality ({names}) values ({values})", rows)
