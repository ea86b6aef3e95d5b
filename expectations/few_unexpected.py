"""Our own expectation, for what none of Great Expectations' says: shares, and relations between tables."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity

from python_assets.study.study import Study

N_EXAMPLES: Final = 5


class ExpectFewUnexpected(gxe.UnexpectedRowsExpectation):
    """At most a share of what a query looks at is unexpected.

    The query gives one row: n_evaluated, n_unexpected, at_most and examples. DuckDB counts, so that no
    expectation brings the rows of a table to Python. `few_unexpected` writes it.

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
        (found,) = metrics["unexpected_rows_query.table"]
        n_unexpected, n_evaluated = found["n_unexpected"], found["n_evaluated"]
        few = n_unexpected == 0 or (n_evaluated > 0 and n_unexpected / n_evaluated <= found["at_most"])
        told = f"{n_unexpected:,} of {n_evaluated:,} unexpected"
        return {"success": few, "result": {**found, "observed_value": told}}


def few_unexpected(
    name: str,
    columns: Iterable[str],
    *,
    description: str,
    notes: str,
    unexpected: str,
    evaluated: str = "select count(*) from batch",
    at_most: float | str = 0.0,
    relations: Mapping[str, str] | None = None,
    severity: FailureSeverity = FailureSeverity.CRITICAL,
) -> ExpectFewUnexpected:
    """Write the query of an ExpectFewUnexpected.

    Args:
        name: expect_..., unique in its table.
        columns: the columns it is about; none if it is about the table.
        description: what holds when it succeeds.
        notes: what the user does when it fails.
        unexpected: SQL; one row for each thing that should not be, with the columns to show of it. It reads
            `batch`, the rows of the table that belong to the study, `relations`, and raw tables that are
            written before the batch or with it, never later ones.
        evaluated: SQL; how many things were looked at.
        at_most: the share of them that may be unexpected; SQL where the rows decide it.
        relations: SQL by the name under which both read it.
        severity: critical where wrong numbers would follow, which blocks; warning where a reader must know.
    """
    named = "".join(f"{name} as ({_escaped(sql)}),\n" for name, sql in (relations or {}).items())
    return ExpectFewUnexpected(
        name=name,
        column_list=list(columns),
        description=description,
        notes=notes,
        severity=severity,
        unexpected_rows_query=f"""
            with batch as not materialized (select * from {{batch}}),
            {named}
            unexpected as materialized ({_escaped(unexpected)})
            select
                ({_escaped(evaluated)}) as n_evaluated,
                (select count(*) from unexpected) as n_unexpected,
                cast(({_escaped(str(at_most))}) as double) as at_most,
                (select list(shown) from (select * from unexpected order by all limit {N_EXAMPLES}) as shown)
                    as examples
        """,
    )


def few_removed(study: Study, quarantined: str, severity: FailureSeverity) -> ExpectFewUnexpected:
    """The records that went into quarantine instead of the table are a share of all that the study allows.

    Args:
        study: the study.
        quarantined: SQL; which records of raw.quarantine they are.
        severity: critical where they would have been compared.
    """
    share = study.analysis.quality.max_removed_share
    removed = f"from raw.quarantine where study_id = '{study.study_id}' and ({quarantined})"
    return few_unexpected(
        "expect_few_removed",
        [],
        severity=severity,
        description=f"at most a share of {share!r} of the records is in quarantine",
        notes="read raw.quarantine and mend the source, or raise analysis.quality.max_removed_share",
        unexpected=f"select record_key, rule, left(detail, 200) as detail {removed}",
        evaluated=f"select (select count(*) from batch) + (select count(*) {removed})",
        at_most=share,
    )


def relation(columns: Mapping[str, str], rows: Iterable[tuple[str | int, ...]]) -> str:
    """A table of the study as SQL.

    Args:
        columns: DuckDB type by name.
        rows: one value a column; none is needed.
    """
    written = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
    if not written:
        nothing = ", ".join(f"cast(null as {kind}) as {name}" for name, kind in columns.items())
        return f"select {nothing} where false"
    return f"select * from (values {written}) as t({', '.join(columns)})"


def literal(value: str | int) -> str:
    """A value as SQL."""
    # as digits: in a level, {x}, :x and %(x)s would be parameters to Great Expectations or SQLAlchemy
    return str(value) if isinstance(value, int) else f"decode(unhex('{value.encode().hex()}'))"


def _escaped(sql: str) -> str:
    # Great Expectations reads {name} as a parameter, SQLAlchemy :name
    return sql.replace("{", "{{").replace("}", "}}").replace(":", "\\:")
