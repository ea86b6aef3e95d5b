"""The rules as Great Expectations suites, on one DuckDB connection. All that needs the package is here.

Importing this takes seconds and must come after python_assets.telemetry.disable_telemetry.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Final, NamedTuple

import duckdb
import great_expectations as gx
from duckdb_engine import ConnectionWrapper
from great_expectations import expectations as gxe
from great_expectations.core import ExpectationValidationResult
from great_expectations.data_context.types.base import (
    DataContextConfig,
    InMemoryStoreBackendDefaults,
    ProgressBarsConfig,
)
from great_expectations.datasource.fluent import SQLDatasource
from great_expectations.execution_engine import SqlAlchemyExecutionEngine
from great_expectations.expectations.metadata_types import FailureSeverity
from sqlalchemy.pool import StaticPool

from expectations.rule import Rule
from python_assets.errors import QualityError

N_EXAMPLES: Final = 5
ERROR_CHARACTERS: Final = 500


class Found(NamedTuple):
    """What a rule found."""

    n_evaluated: int
    n_unexpected: int
    success: bool
    examples: list[dict[str, Any]]


class ExpectNoUnexpected(gxe.UnexpectedRowsExpectation):
    """At most a share of what the query looks at is unexpected.

    The query gives one row: n_evaluated, n_unexpected, at_most and examples. DuckDB counts, so that no
    expectation brings the rows of a table to Python.
    """

    # without the second query that the base class asks for the count
    metric_dependencies: ClassVar[tuple[str, ...]] = ("unexpected_rows_query.table",)
    position: int

    def _validate(
        self,
        metrics: dict[str, Any],
        runtime_configuration: dict[str, Any] | None = None,
        execution_engine: Any = None,
    ) -> dict[str, Any]:
        (found,) = metrics["unexpected_rows_query.table"]
        n_unexpected, n_evaluated = found["n_unexpected"], found["n_evaluated"]
        few = n_unexpected == 0 or (n_evaluated > 0 and n_unexpected / n_evaluated <= found["at_most"])
        return {"success": few, "result": found}


class _OneConnectionEngine(SqlAlchemyExecutionEngine):
    """Keeps its connection: Great Expectations fetches after closing it, which DuckDB does not allow."""

    @contextmanager
    def get_connection(self) -> Iterator[Any]:
        self._connection = self._connection or self.engine.connect()
        yield self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self.engine.dispose()


SQLDatasource.execution_engine_override = _OneConnectionEngine  # type: ignore[misc]


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


def validate(
    source: SQLDatasource, table: str, rules: Iterable[Rule], parameters: Mapping[str, str]
) -> list[tuple[Rule, Found]]:
    """Evaluate the rules of one raw table.

    Args:
        source: from open_source.
        table: name of the raw table.
        rules: what must hold, as expectations/<table>.py declares it.
        parameters: from rule.parameters.

    Returns:
        The rules, in their order, descriptions filled in, each with what it found.

    Raises:
        QualityError: a rule could not be evaluated.
    """
    filled = [_filled(rule, parameters) for rule in rules]
    suite = gx.ExpectationSuite(
        name=table, expectations=[_expectation(i, rule) for i, rule in enumerate(filled)]
    )
    # a query asset: a table asset forgets the schema of a DuckDB table
    query = f"select * from raw.{table} where study_id = '{parameters['study_id']}'"
    asset = source.add_query_asset(table, query=query)
    results = asset.add_batch_definition_whole_table("all").get_batch().validate(suite).results
    found = {_position(result): result for result in results}
    return [(rule, _found(table, rule, found[i])) for i, rule in enumerate(filled)]


def _filled(rule: Rule, parameters: Mapping[str, str]) -> Rule:
    texts = ("description", "unexpected", "evaluated", "at_most")
    return rule._replace(**{name: getattr(rule, name).format_map(parameters) for name in texts})


def _expectation(position: int, rule: Rule) -> ExpectNoUnexpected:
    return ExpectNoUnexpected(
        position=position,
        severity=FailureSeverity(rule.severity),
        description=rule.description,
        unexpected_rows_query=f"""
            with batch as not materialized (select * from {{batch}}),
            unexpected as materialized ({_escaped(rule.unexpected)})
            select
                ({_escaped(rule.evaluated)}) as n_evaluated,
                (select count(*) from unexpected) as n_unexpected,
                cast({rule.at_most} as double) as at_most,
                (select list(shown) from (select * from unexpected order by all limit {N_EXAMPLES}) as shown)
                    as examples
        """,
    )


def _escaped(sql: str) -> str:
    # Great Expectations reads {name} as a parameter, SQLAlchemy :name
    return sql.replace("{", "{{").replace("}", "}}").replace(":", "\\:")


def _position(result: ExpectationValidationResult) -> int:
    # results come in an order of their own
    return result.expectation_config["kwargs"]["position"] if result.expectation_config else -1


def _found(table: str, rule: Rule, result: ExpectationValidationResult) -> Found:
    if errors := list(_exceptions(result.exception_info or {})):
        raise QualityError(
            f"raw.{table}: {rule.name} ({rule.columns}) could not be evaluated, which says nothing about the "
            f"data: {errors[0][:ERROR_CHARACTERS]}"
        )
    row = result.result
    return Found(row["n_evaluated"], row["n_unexpected"], bool(result.success), row["examples"] or [])


def _exceptions(info: Mapping[str, Any]) -> Iterator[str]:
    """The messages of an exception_info, which holds one exception or one a metric."""
    if "raised_exception" not in info:
        for nested in info.values():
            yield from _exceptions(nested)
    elif info["raised_exception"]:
        yield str(info["exception_message"])
