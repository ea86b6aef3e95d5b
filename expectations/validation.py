"""Suites evaluated by Great Expectations on one DuckDB connection.

Importing this, or a suite, takes seconds and must come after python_assets.telemetry.disable_telemetry.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import duckdb
import great_expectations as gx
from duckdb_engine import ConnectionWrapper
from great_expectations.core import ExpectationValidationResult
from great_expectations.data_context.types.base import (
    DataContextConfig,
    InMemoryStoreBackendDefaults,
    ProgressBarsConfig,
)
from great_expectations.datasource.fluent import SQLDatasource
from great_expectations.datasource.fluent.interfaces import Batch
from great_expectations.execution_engine import SqlAlchemyExecutionEngine
from great_expectations.expectations import Expectation
from sqlalchemy.dialects import postgresql
from sqlalchemy.pool import StaticPool

from expectations.few_unexpected import ExpectFewUnexpected
from expectations.rules import N_EXAMPLES, rows_of_study
from python_assets.errors import QualityError

ERROR_CHARACTERS: Final = 500
# one query counts for all columns; rows would be a query for each expectation, and only failures need any
COUNTS: Final = {"result_format": "BASIC", "partial_unexpected_count": 0}
_ROWS: Final = {"result_format": "BASIC", "partial_unexpected_count": N_EXAMPLES, "include_unexpected_rows": True}


class Found(NamedTuple):
    """What an expectation found; an example holds the key of a row and the columns that are expected of."""

    expectation: Expectation
    name: str
    columns: str
    n_evaluated: int
    n_unexpected: int
    success: bool
    examples: list[dict[str, Any]]


class _DuckDBEngine(SqlAlchemyExecutionEngine):
    """Keeps its connection: Great Expectations fetches after closing it, which DuckDB does not allow."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # DuckDB's dialect is PostgreSQL's; unless told, Great Expectations knows no regex operator of it
        self.dialect_module = postgresql

    @contextmanager
    def get_connection(self) -> Iterator[Any]:
        self._connection = self._connection or self.engine.connect()
        yield self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self.engine.dispose()


SQLDatasource.execution_engine_override = _DuckDBEngine  # type: ignore[misc]


@contextmanager
def open_source(connection: duckdb.DuckDBPyConnection) -> Iterator[SQLDatasource]:
    """A data source on the database that a connection has open; nothing of it is left behind.

    Args:
        connection: an open build file. What it has committed is seen; its settings are shared, which two
            connections to one file in one process must.
    """
    configuration = DataContextConfig(
        store_backend_defaults=InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
        analytics_enabled=False,
        progress_bars=ProgressBarsConfig(globally=False),
    )
    context = gx.get_context(mode="ephemeral", project_config=configuration)
    # goes to sqlalchemy.create_engine as it is; the address names the dialect only
    shared = {"creator": lambda: ConnectionWrapper(connection.cursor()), "poolclass": StaticPool}
    source = context.data_sources.add_sql(  # type: ignore[call-arg]
        "build", connection_string="duckdb://", create_temp_table=False, kwargs=shared
    )
    engine = source.get_execution_engine()
    try:
        yield source
    finally:
        engine.close()
        source.get_engine().dispose()


def validate(source: SQLDatasource, suite: gx.ExpectationSuite, study_id: str, keys: Sequence[str]) -> list[Found]:
    """Evaluate the suite of one raw table.

    Args:
        source: from open_source.
        suite: what must hold; its name is the name of the table.
        study_id: whose rows are looked at.
        keys: the columns that tell a row from others.

    Returns:
        What each expectation found, in the order of the suite.

    Raises:
        QualityError: an expectation could not be evaluated.
    """
    for position, expectation in enumerate(suite.expectations):
        expectation.id = str(position)  # results come in an order of their own
    batch = rows_of(source, suite.name, study_id).get_batch()
    results = {_id(result): result for result in batch.validate(suite, result_format=COUNTS).results}
    return [_found(batch, suite.name, expectation, results[expectation.id], keys) for expectation in suite.expectations]


def rows_of(source: SQLDatasource, table: str, study_id: str) -> gx.core.batch_definition.BatchDefinition:
    """The rows of a raw table that belong to a study.

    Args:
        source: from open_source.
        table: the raw table.
        study_id: whose rows.
    """
    # a query asset: a table asset forgets the schema of a DuckDB table
    return source.add_query_asset(table, query=rows_of_study(table, study_id)).add_batch_definition_whole_table("all")


def _id(result: ExpectationValidationResult) -> str | None:
    return result.expectation_config.id if result.expectation_config else None


def _found(
    batch: Batch, table: str, expectation: Expectation, result: ExpectationValidationResult, keys: Sequence[str]
) -> Found:
    columns = _columns(expectation)
    name, shown = _name(expectation), ", ".join(columns) or "(table)"
    if errors := list(_exceptions(result.exception_info or {})):
        expected = "an evaluation, for a failed one says nothing about the data"
        raise QualityError(f"raw.{table}: {name} ({shown})", errors[0].splitlines()[0][:ERROR_CHARACTERS], expected)
    success, counts = bool(result.success), result.result
    if "n_evaluated" in counts:  # ours
        n_evaluated, n_unexpected, examples = (counts[k] for k in ("n_evaluated", "n_unexpected", "examples"))
    elif "element_count" in counts:
        n_evaluated = counts["element_count"] - counts.get("missing_count", 0)
        n_unexpected = counts["unexpected_count"] or 0
        examples = [] if success else _unexpected_rows(batch, expectation, [*keys, *columns])
    else:  # of the table as a whole
        n_evaluated, n_unexpected, examples = 1, int(not success), []
    return Found(
        expectation=expectation,
        name=name,
        columns=shown,
        n_evaluated=n_evaluated,
        n_unexpected=n_unexpected,
        success=success,
        examples=examples or [],
    )


def _name(expectation: Expectation) -> str:
    if isinstance(expectation, ExpectFewUnexpected):
        return expectation.name
    return str(expectation.expectation_type)


def _columns(expectation: Expectation) -> list[str]:
    column = getattr(expectation, "column", None)
    return [column] if column else list(getattr(expectation, "column_list", []))


def _unexpected_rows(batch: Batch, expectation: Expectation, columns: Sequence[str]) -> list[dict[str, Any]]:
    rows = batch.validate(expectation, result_format=_ROWS).result["unexpected_rows"]
    return [{column: row[column] for column in dict.fromkeys(columns)} for row in rows]


def _exceptions(info: Mapping[str, Any]) -> Iterator[str]:
    """The messages of an exception_info, which holds one exception or one a metric."""
    if "raised_exception" not in info:
        for nested in info.values():
            yield from _exceptions(nested)
    elif info["raised_exception"]:
        yield str(info["exception_message"])
