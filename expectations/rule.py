"""What an expectation is, and what of a study its SQL can name. No Great Expectations here."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from python_assets.study.factors import study_factors
from python_assets.study.study import Study, make_id

Severity = Literal["critical", "warning"]


class Rule(NamedTuple):
    """One expectation on the rows of a raw table that belong to the study, which its SQL calls `batch`.

    Attributes:
        name: expect_..., unique in its table together with `columns`.
        columns: the columns it is about.
        severity: critical where wrong numbers would follow, which blocks; warning where a reader must know.
        description: what holds when it succeeds.
        remedy: what the user does when it fails.
        unexpected: SQL; one row for each thing that should not be, with the columns to show of it.
        evaluated: SQL; how many things were looked at.
        at_most: the share of them that may be unexpected, as SQL.

    In all three, {names} are parameters of the study (see `parameters`). They read batch and raw tables that
    are written before the batch or with it, never later ones.
    """

    name: str
    columns: str
    severity: Severity
    description: str
    remedy: str
    unexpected: str
    evaluated: str = "select count(*) from batch"
    at_most: str = "0"


def expect_rows(table: str, remedy: str) -> Rule:
    """The table holds a row of the study; without it every other expectation would hold for nothing.

    Args:
        table: name of the raw table.
        remedy: what the user does when it is empty.
    """
    return Rule(
        name="expect_rows",
        columns="(table)",
        severity="critical",
        description=f"raw.{table} holds rows of the study",
        remedy=remedy,
        unexpected=f"select 'raw.{table}' as empty_table where not exists (select 1 from batch)",
        evaluated="select 1",
    )


def expect_unique_keys(keys: Iterable[str]) -> Rule:
    """No key occurs twice: a row counted twice weighs twice.

    Args:
        keys: the columns of the key besides study_id.
    """
    columns = ", ".join(keys)
    return Rule(
        name="expect_unique_keys",
        columns=columns,
        severity="critical",
        description=f"({columns}) occurs once",
        remedy="Remove the duplicates from the source, or materialise the stage again.",
        unexpected=f"select {columns}, count(*) as n_rows from batch group by {columns} having count(*) > 1",
    )


def expect_filled(columns: Iterable[str]) -> Rule:
    """The columns are neither NULL nor blank.

    Args:
        columns: names of text columns.
    """
    names = list(columns)
    shown = ", ".join(f"left({name}, 200) as {name}" for name in names)
    blank = " or ".join(f"{name} is null or trim({name}) = ''" for name in names)
    return Rule(
        name="expect_filled",
        columns=", ".join(names),
        severity="critical",
        description=f"{', '.join(names)} are neither NULL nor blank",
        remedy="Give the records identifiers and texts, or materialise the stage again.",
        unexpected=f"select {shown} from batch where {blank}",
    )


def expect_few_removed(quarantined: str, severity: Severity) -> Rule:
    """The records that went into quarantine instead of the table are a share of all that the study allows.

    Args:
        quarantined: SQL; which records of raw.quarantine they are.
        severity: critical where they would have been compared.
    """
    removed = f"from raw.quarantine where study_id = '{{study_id}}' and ({quarantined})"
    return Rule(
        name="expect_few_removed",
        columns="(table)",
        severity=severity,
        description="at most a share of {max_removed_share} of the records is in quarantine",
        remedy="Read raw.quarantine and mend the source, or raise analysis.quality.max_removed_share.",
        unexpected=f"select record_key, rule, left(detail, 200) as detail {removed}",
        evaluated=f"select (select count(*) from batch) + (select count(*) {removed})",
        at_most="{max_removed_share}",
    )


def parameters(study: Study) -> dict[str, str]:
    """What of the study the SQL of a rule can name, as SQL.

    Args:
        study: the study whose rows are looked at.

    Returns:
        study_id and the bounds of analysis.quality; is_scrape, is_import, and is_english, whether sentences
        of English are scraped; allows_no_prompt_text and allows_no_response_text, true for an import without
        that column; and as relations declared_levels
        (factor, level), sliced_measures (measure_id), scraped_levels (level), grouping_factors (grouping_id,
        factor, factor_position, n_factors).
    """
    quality, imported, scrape = study.analysis.quality, study.prompts.import_, study.prompts.scrape
    return {
        "study_id": study.study_id,
        "max_removed_share": repr(quality.max_removed_share),
        "max_error_share": repr(quality.max_error_share),
        "min_responses_per_cell": str(quality.min_responses_per_cell),
        "is_scrape": _boolean(scrape is not None),
        "is_import": _boolean(imported is not None),
        "is_english": _boolean(scrape is not None and scrape.language == "en"),
        "allows_no_prompt_text": _boolean(imported is not None and imported.columns.prompt_text is None),
        "allows_no_response_text": _boolean(imported is not None and imported.columns.response is None),
        "declared_levels": _relation({"factor": "varchar", "level": "varchar"}, _declared_levels(study)),
        "grouping_factors": _relation(
            {
                "grouping_id": "varchar",
                "factor": "varchar",
                "factor_position": "integer",
                "n_factors": "integer",
            },
            _grouping_factors(study),
        ),
        "sliced_measures": _relation(
            {"measure_id": "varchar"},
            [(make_id(measure.name),) for measure in study.measures if measure.slice is not None],
        ),
        "scraped_levels": _relation(
            {"level": "varchar"}, [(level,) for level in scrape.levels] if scrape else []
        ),
    }


def _declared_levels(study: Study) -> list[tuple[str, str]]:
    return [
        (factor.name, level)
        for factor in study_factors(study).values()
        if factor.has_prompts and factor.origin != "derived" and factor.type != "model"
        for level in factor.levels or []
    ]


def _grouping_factors(study: Study) -> list[tuple[str, str, int, int]]:
    models = {name for name, factor in study.factors.items() if factor.type == "model"}
    return [
        (" x ".join(grouping), factor, position, len(grouping))
        for grouping in study.groupings
        if not models.intersection(grouping)  # a model is no property of a prompt
        for position, factor in enumerate(grouping)
    ]


def _boolean(value: bool) -> str:
    return "true" if value else "false"


def _relation(columns: dict[str, str], rows: Iterable[tuple[str | int, ...]]) -> str:
    written = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
    if not written:
        nothing = ", ".join(f"cast(null as {kind}) as {name}" for name, kind in columns.items())
        return f"(select {nothing} where false)"
    return f"(select * from (values {written}) as t({', '.join(columns)}))"


def _literal(value: str | int) -> str:
    # as digits: in a level, {x}, :x and %(x)s would be parameters to Great Expectations or SQLAlchemy
    return str(value) if isinstance(value, int) else f"decode(unhex('{value.encode().hex()}'))"
