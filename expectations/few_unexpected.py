"""Our own expectation, for what none of Great Expectations' says: shares, and relations between tables."""

from collections.abc import Iterable
from typing import Any, ClassVar

from great_expectations import ExpectationSuite
from great_expectations import expectations as gxe
from great_expectations.expectations import Expectation
from great_expectations.expectations.metadata_types import FailureSeverity

from expectations.rules import Rule, is_kept


class ExpectFewUnexpected(gxe.UnexpectedRowsExpectation):
    """A rule: at most a share of what its query looks at is unexpected.

    DuckDB counts, so that no expectation brings the rows of a table to Python.

    Attributes:
        name: expect_..., as raw.data_quality calls it.
        column_list: the columns it is about; none if it is about the table.
    """

    # without the second query that the base class asks for the count
    metric_dependencies: ClassVar[tuple[str, ...]] = ("unexpected_rows_query.table",)
    name: str
    column_list: list[str]

    def _validate(
        self, metrics: dict[str, Any], runtime_configuration: dict[str, Any] | None = None, execution_engine: Any = None
    ) -> dict[str, Any]:
        (counts,) = metrics["unexpected_rows_query.table"]
        n_unexpected, n_evaluated = counts["n_unexpected"], counts["n_evaluated"]
        observed = f"{n_unexpected:,} of {n_evaluated:,} unexpected"
        success = is_kept(n_unexpected, n_evaluated, counts["at_most"])
        return {"success": success, "result": {**counts, "observed_value": observed}}


def suite_of(table: str, expectations: Iterable[Expectation | Rule]) -> ExpectationSuite:
    """A suite of Great Expectations' own expectations and of rules, in their order."""
    expected = [_expectation(one) if isinstance(one, Rule) else one for one in expectations]
    return ExpectationSuite(name=table, expectations=expected)


def _expectation(rule: Rule) -> ExpectFewUnexpected:
    return ExpectFewUnexpected(
        name=rule.name,
        column_list=list(rule.columns),
        description=rule.description,
        notes=rule.notes,
        severity=FailureSeverity(rule.severity),
        unexpected_rows_query=_escaped(rule.query("select * from {batch}")).replace("{{batch}}", "{batch}"),
    )


def _escaped(sql: str) -> str:
    # Great Expectations reads {name} as a parameter, SQLAlchemy :name
    return sql.replace("{", "{{").replace("}", "}}").replace(":", "\\:")
