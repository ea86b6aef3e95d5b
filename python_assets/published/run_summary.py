"""What a run found, as text for the terminal."""

import duckdb

from python_assets.published.query import format_table, open_published
from python_assets.warehouse.build import Home

MOST_ROWS = 40
FIRST_FINDINGS = """
    select finding_rank as rank, generation_id as generation, calibration, measure_id as measure,
           coalesce(nullif(group_id, ''), grouping_id) as groups,
           name
           || case when statistic <> '' then ' of ' || statistic else '' end
           || case when category <> '' then ' "' || category || '"' else '' end
           || case when reference not in ('', 'rest') then ' against ' || reference else '' end
           || case when slice_id <> 'all' then ' in ' || slice_id else '' end as difference,
           value, ci_low, ci_high,
           q_value as q, verdict
    from findings
    where study_id = ? and verdict in ('bias_shown', 'difference_shown') and not is_tool_bias
    order by finding_rank
    limit ?
"""
VERDICTS = """
    select {keys},
           count(*) filter (where verdict = 'bias_shown') as bias_shown,
           count(*) filter (where verdict = 'difference_shown') as difference_shown,
           count(*) filter (where verdict = 'equivalence_shown') as equivalence_shown,
           count(*) filter (where verdict = 'inconclusive') as inconclusive,
           count(*) filter (where verdict = 'not_computable') as not_computable
    from findings
    where study_id = ?
    group by {keys}
    order by generation_id = 'baseline', {keys}
"""
BY_MEASURE = "generation_id, calibration, measure_id"
BY_GENERATION = "generation_id, calibration"


def summary(home: Home, study_id: str, n_findings: int) -> str:
    """The places of the results, how many comparisons came to which verdict, and the first findings.

    Args:
        home: the warehouse.
        study_id: a published study.
        n_findings: how many findings to show.
    """
    with open_published(home.published) as connection:
        simulated = connection.execute(
            "select bool_or(is_simulated) from generations where study_id = ?", [study_id]
        ).fetchone()
        verdict_table = _verdicts(connection, study_id)
        first = connection.execute(FIRST_FINDINGS, [study_id, n_findings])
        names, rows = [column[0] for column in first.description], first.fetchall()
    lines = [f"Database  {home.published}", f"Report    {home.report(study_id)}", "", verdict_table, ""]
    if simulated and simulated[0]:
        lines.append("Simulated responses: this says nothing about a real model.")
    lines.append(format_table(names, rows) if rows else "No difference was shown.")
    lines += ["", f"More: plumbline sql \"select sentence from findings where study_id = '{study_id}'\""]
    return "\n".join(lines)


def _verdicts(connection: duckdb.DuckDBPyConnection, study_id: str) -> str:
    """How many comparisons came to which verdict, by measure unless that makes too long a table."""
    for keys in (BY_MEASURE, BY_GENERATION):
        cursor = connection.execute(VERDICTS.format(keys=keys), [study_id])
        rows = cursor.fetchall()
        if len(rows) <= MOST_ROWS:
            break
    return format_table([column[0] for column in cursor.description or []], rows)
