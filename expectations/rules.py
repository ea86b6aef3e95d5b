"""A rule on raw tables, counted by DuckDB: at most a share of what it looks at is unexpected.

Belongs here: a rule without Great Expectations, whose import takes seconds. few_unexpected.py makes an expectation of
it, runner.py evaluates some alone.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple

from python_assets.study.study import Study

N_EXAMPLES: Final = 5
Severity = Literal["critical", "warning"]


class Rule(NamedTuple):
    """What must hold of the rows of a study in a raw table.

    Attributes:
        name: expect_..., unique in its table, as raw.data_quality calls it.
        columns: those it is about; none if it is about the table.
        severity: critical where wrong numbers would follow, which blocks; warning where a reader must know.
        description: what holds when it succeeds.
        notes: what the user does when it fails.
        relations, unexpected, evaluated, at_most: as few_unexpected takes them.
    """

    name: str
    columns: tuple[str, ...]
    severity: Severity
    description: str
    notes: str
    relations: Mapping[str, str]
    unexpected: str
    evaluated: str
    at_most: float | str

    def query(self, batch: str) -> str:
        """The SQL of one row: n_evaluated, n_unexpected, at_most and examples; DuckDB counts.

        Args:
            batch: SQL; the rows of the table that belong to the study.
        """
        named = "".join(f"{name} as ({sql}),\n" for name, sql in self.relations.items())
        return f"""
            with batch as not materialized ({batch}),
            {named}
            unexpected as materialized ({self.unexpected})
            select
                ({self.evaluated}) as n_evaluated,
                (select count(*) from unexpected) as n_unexpected,
                cast(({self.at_most}) as double) as at_most,
                (select list(shown) from (select * from unexpected order by all limit {N_EXAMPLES}) as shown)
                    as examples
        """


def is_kept(n_unexpected: int, n_evaluated: int, at_most: float) -> bool:
    """Whether few enough of what was looked at is unexpected."""
    return n_unexpected == 0 or (n_evaluated > 0 and n_unexpected / n_evaluated <= at_most)


def rows_of_study(table: str, study_id: str) -> str:
    """SQL of the rows of a raw table that belong to a study."""
    return f"select * from raw.{table} where study_id = '{study_id}'"


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
    severity: Severity = "critical",
) -> Rule:
    """Write the query of a rule.

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
    return Rule(
        name=name,
        columns=tuple(columns),
        severity=severity,
        description=description,
        notes=notes,
        relations=relations or {},
        unexpected=unexpected,
        evaluated=evaluated,
        at_most=at_most,
    )


def few_removed(study: Study, quarantined: str, severity: Severity) -> Rule:
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
