"""The tables of the report, section by section: which rows, in which order, how many.

Belongs here: queries of the published tables. Where a table is cut, what was left out is counted.
"""

import json
from typing import Any, Final, NamedTuple

from python_assets.published.account import ABOUT_GROUPS
from python_assets.published.calls import CALLS_BY_SYSTEM, calls_in_words, versions_in_words
from python_assets.report.explanations import CONTRASTS, DISPARITIES, STATISTIC_MEANINGS
from python_assets.report.reader import OUTCOME, Reader, Row
from python_assets.texts.conversations import EARLIER

_MAX_HYPOTHESES: Final = 60
MAX_DISPARITIES: Final = 80
MAX_FAILURES: Final = 60
MAX_METRICS: Final = 100
MAX_SET_ASIDE: Final = 20  # of one rule
EXAMPLE_PROMPTS: Final = 3
EXAMPLE_SYSTEMS: Final = 6
VERDICT_RANK: Final = """
    list_position(
        ['beyond_margin', 'different', 'equivalent', 'inconclusive', 'not_tested'], verdict
    )
"""


class Listed(NamedTuple):
    """The first rows of a table and how many there are."""

    rows: list[Row]
    n_all: int


def design(reader: Reader) -> dict[str, Any]:
    """What the study compares: generations, factors, groupings, measures, and how much of each there is."""
    return {
        "systems": reader.rows(
            """
            select *, (
                select count(*) from responses
                where responses.study_id = $study and responses.system_id = systems.system_id
            ) as n_responses
            from systems
            where study_id = $study
            order by is_baseline, system_id
            """
        ),
        "factors": reader.rows(
            """
            select factors.*, coverage.gini_index
            from factors
            left join coverage on coverage.study_id = factors.study_id and coverage.factors = factors.factor
            where factors.study_id = $study
            order by coverage.factors is null and type <> 'model',
                list_position(['domain', 'prompt', 'model'], type), factor
            """
        ),
        "measures": reader.rows(
            """
            select *
            from measures
            where study_id = $study
            order by measure_id in ('refusal', 'empty', 'truncated', 'other_language'), measure_id
            """
        ),
        "groupings": _groupings(reader),
        "counts": reader.rows(
            """
            select
                count(*) as n_prompts,
                count(distinct root_prompt_id) as n_root_prompts,
                (select count(*) from responses where study_id = $study) as n_responses,
                (select count(*) from measurements where study_id = $study) as n_measurements
            from prompts
            where study_id = $study
            """
        )[0],
    }


def _groupings(reader: Reader) -> dict[str, Any]:
    counts = reader.rows(
        f"""
        select slice_id, grouping_id, count(distinct group_id) as n_groups
        from summary_statistics
        where study_id = $study and {ABOUT_GROUPS}
        group by slice_id, grouping_id
        order by slice_id <> 'all', slice_id, len(string_split(grouping_id, ' x ')), grouping_id
        """
    )
    slices: dict[str, dict[str, int]] = {}
    for row in counts:
        slices.setdefault(row["slice_id"], {})[row["grouping_id"]] = row["n_groups"]
    return {"slices": slices, "names": list(dict.fromkeys(row["grouping_id"] for row in counts))}


def examples(reader: Reader) -> list[Row]:
    """The first root prompt with some of its branches, and what each generation answered: as they stand."""
    prompts = reader.rows(
        f"""
        select prompt_id, {EARLIER} as earlier, prompt_text
        from prompts
        where study_id = $study and root_prompt_id = (
            select min(root_prompt_id) from prompts where study_id = $study and prompt_text is not null
        )
        order by not is_root, prompt_id
        limit $n_prompts
        """,
        n_prompts=EXAMPLE_PROMPTS,
    )
    return [{**prompt, "responses": _first_replicates(reader, prompt["prompt_id"])} for prompt in prompts]


def _first_replicates(reader: Reader, prompt_id: str) -> list[Row]:
    return reader.rows(
        f"""
        select system_id, min_by(error, replicate) as error,
            min_by(response_text, replicate) as response_text,
            min_by({OUTCOME}, replicate) as outcome
        from responses
        where study_id = $study and prompt_id = $prompt_id
        group by system_id
        order by system_id
        limit $n_systems
        """,
        prompt_id=prompt_id,
        n_systems=EXAMPLE_SYSTEMS,
    )


def hypotheses(reader: Reader, *, is_tool_bias: bool) -> dict[str, Any]:
    """Hypotheses about the groups of one system with their verdicts, by rank, and how many of each measure differ.

    Args:
        reader: the study.
        is_tool_bias: those of the prompts' own baseline texts, or those of all generations.
    """
    selected = f"study_id = $study and is_tool_bias = {is_tool_bias} and {ABOUT_GROUPS}"
    counts = reader.rows(
        f"""
        select system_id, measure_id, calibration, count(*) as n,
            count(*) filter (verdict in ('beyond_margin', 'different')) as n_shown
        from findings
        where {selected}
        group by system_id, measure_id, calibration
        order by measure_id in ('refusal', 'empty', 'truncated', 'other_language'),
            measure_id, calibration desc
        """
    )
    by_measure: dict[tuple[str, str], dict[str, Row]] = {}
    for row in counts:
        by_measure.setdefault((row["measure_id"], row["calibration"]), {})[row["system_id"]] = row
    verdicts = reader.rows(f"select verdict, count(*) as n from findings where {selected} group by verdict")
    (repeated,) = reader.rows(f"select count(*) as n from findings where {selected} and is_repeated")
    return {
        "listed": _listed(reader, "findings", selected, "finding_rank", _MAX_HYPOTHESES),
        "by_measure": by_measure,
        "systems": sorted({row["system_id"] for row in counts}),
        "by_verdict": {row["verdict"]: row["n"] for row in verdicts},
        "n_hypotheses": sum(row["n"] for row in counts),
        "n_repeated": repeated["n"],
    }


def preregistered(reader: Reader) -> str:
    """Which findings are of an analysis recorded before the first response that they rest on: all, none or partly."""
    query = "select distinct is_preregistered from findings where study_id = $study"
    flags = {row["is_preregistered"] for row in reader.rows(query)}
    return "partly" if len(flags) > 1 else "all" if flags == {True} else "none"


def power(reader: Reader) -> list[Row]:
    """The smallest difference each contrast could show, where anything is known of its spread."""
    return reader.rows(
        """
        select *
        from design_power
        where study_id = $study and baseline_rate_or_sd is not null
        order by grouping_id, measure_id in ('refusal', 'empty', 'truncated', 'other_language'),
            measure_id, contrast, source
        """
    )


def disparities(reader: Reader) -> Listed:
    """One number a grouping: what chance alone gives stands beside every value."""
    order = (
        f"system_id = 'baseline', {VERDICT_RANK} nulls last, list_position({[*DISPARITIES]}, metric) nulls last, "
        "p_value nulls last, system_id, "
        "measure_id, calibration, slice_id, grouping_id, statistic, parameters, metric"
    )
    return _listed(reader, "disparities", f"study_id = $study and {ABOUT_GROUPS}", order, MAX_DISPARITIES)


def imported_metrics(reader: Reader) -> dict[str, Any]:
    """What imported logs publish beside the same computed again: counts, and rows with those that differ first."""
    rows = reader.rows(
        """
        select imported_metrics.*, split_part(reasons.meaning, ': ', 2) as because
        from imported_metrics
        left join reasons using (reason)
        where study_id = $study
        order by list_position(['different', 'different_by_design', 'equal', 'not_imported'], status), metric_position
        limit $n
        """,
        n=MAX_METRICS,
    )
    counts = reader.rows(
        "select status, count(*) as n from imported_metrics where study_id = $study group by status order by status"
    )
    return {"counts": counts, "listed": Listed(rows, sum(row["n"] for row in counts))}


def quality(reader: Reader) -> dict[str, Any]:
    """What the gates checked, what they rejected, and which values are missing for which reason."""
    failed = "study_id = $study and not success"
    order = "severity, table_name, expectation, column_name"
    return {
        "by_table": reader.rows(
            """
            select
                case when contains(table_name, '.') then split_part(table_name, '.', 1) || ', computed tables'
                    else table_name end as tables,
                count(*) as n_checks, count(*) filter (not success) as n_failed
            from data_quality
            where study_id = $study
            group by tables
            order by n_failed desc, contains(tables, ','), tables
            """
        ),
        "rules": reader.rows("select * from v_quality_rules where study_id = $study order by rule_position"),
        "failed": _listed(reader, "data_quality", failed, order, MAX_FAILURES),
        "quarantined": reader.rows(
            f"""
            select stage, rule, count(*) as n,
                list({{'record_key': record_key, 'detail': detail}} order by record_key)[:{MAX_SET_ASIDE}]
                    as records
            from quarantined_records
            where study_id = $study
            group by stage, rule
            order by n desc, stage, rule
            """
        ),
        "dropped": reader.rows(
            """
            select dropped_reason, count(*) as n
            from sentences
            where study_id = $study
            group by dropped_reason
            order by dropped_reason is not null, n desc, dropped_reason
            """
        ),
        "funnel": reader.rows(
            "select step, n_sentences from prompt_funnel where study_id = $study order by step_position"
        ),
        "not_portable": reader.rows(
            """
            select portability, count(*) as n, min(portability_words) as example
            from sentences
            where study_id = $study and portability <> 'portable'
            group by portability
            order by n desc, portability
            """
        ),
        "pairs": reader.rows(
            f"""
            select grouping_id, group_id, n_pairs, n_root_prompts, value, ci_low, ci_high
            from pair_errors
            where study_id = $study and value is not null
            order by grouping_id = 'all' desc, value desc, grouping_id, group_id
            limit {MAX_FAILURES}
            """
        ),
        "outcomes": reader.rows(
            f"""
            select system_id, {OUTCOME} as outcome, count(*) as n
            from responses
            where study_id = $study
            group by all
            order by system_id, n desc, outcome
            """
        ),
        "calls": [calls_in_words(row) for row in reader.rows(CALLS_BY_SYSTEM)],
        "missing": reader.rows(
            """
            select system_id, measure_id, reason, count(*) as n
            from measurements
            where study_id = $study and reason is not null
            group by system_id, measure_id, reason
            order by n desc, system_id, measure_id, reason
            limit 60
            """
        ),
    }


def explained(reader: Reader) -> dict[str, dict[str, str]]:
    """What each number is that the study has: of a group, of a difference, of a whole grouping."""
    of = {
        "summary_statistics": ("statistic", STATISTIC_MEANINGS),
        "contrasts": ("contrast", CONTRASTS),
        "disparities": ("metric", DISPARITIES),
    }
    explanations = {}
    for table, (name, lines) in of.items():
        query = f"select distinct {name} as name from {table} where study_id = $study"
        names = {row["name"] for row in reader.rows(query)}
        explanations[table] = {name: line for name, line in lines.items() if name in names}
    return explanations


def served_versions(reader: Reader) -> list[str]:
    """Say which systems answered in several versions or configurations of their service.

    Args:
        reader: the study.
    """
    return [
        f"{row['system_id']}: {'; '.join(clauses)}"
        for row in reader.rows(CALLS_BY_SYSTEM)
        if (clauses := versions_in_words(row))
    ]


def provenance(reader: Reader) -> dict[str, Any]:
    """Where the numbers come from: documents, baselines, extractors and the study file."""
    return {
        "documents": reader.rows("select * from documents where study_id = $study order by document_id"),
        "baselines": reader.rows(
            """
            select coalesce(baseline_kind, 'none') as baseline_kind, count(*) as n
            from prompts
            where study_id = $study
            group by baseline_kind
            order by n desc, baseline_kind
            """
        ),
        "scorers": reader.rows(
            """
            select distinct measure_id, scorer_version
            from measurements
            where study_id = $study
            order by measure_id, scorer_version
            """
        ),
        "config": json.dumps(reader.config, ensure_ascii=False, indent=2),
    }


def _listed(reader: Reader, table: str, condition: str, order: str, limit: int) -> Listed:
    rows = reader.rows(f"select * from {table} where {condition} order by {order} limit {limit}")
    n_all = reader.rows(f"select count(*) as n from {table} where {condition}")[0]["n"]
    return Listed(rows, n_all)
