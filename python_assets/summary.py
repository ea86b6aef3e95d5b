"""What a run found, as text for the terminal."""

from python_assets.query import format_table, open_published
from python_assets.warehouse import Home

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
    select generation_id as generation, calibration, measure_id as measure,
           count(*) filter (where verdict = 'bias_shown') as bias_shown,
           count(*) filter (where verdict = 'difference_shown') as difference_shown,
           count(*) filter (where verdict = 'equivalence_shown') as equivalence_shown,
           count(*) filter (where verdict = 'inconclusive') as inconclusive,
           count(*) filter (where verdict = 'not_computable') as not_computable
    from findings
    where study_id = ?
    group by generation, measure, calibration
    order by generation = 'baseline', generation, measure, calibration
"""


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
        verdicts = connection.execute(VERDICTS, [study_id])
        verdict_table = format_table([column[0] for column in verdicts.description], verdicts.fetchall())
        first = connection.execute(FIRST_FINDINGS, [study_id, n_findings])
        names, rows = [column[0] for column in first.description], first.fetchall()
    lines = [f"Database  {home.published}", f"Report    {home.report(study_id)}", "", verdict_table, ""]
    if simulated and simulated[0]:
        lines.append("Simulated responses: this says nothing about a real model.")
    lines.append(format_table(names, rows) if rows else "No difference was shown.")
    lines += ["", f"More: plumbline sql \"select sentence from findings where study_id = '{study_id}'\""]
    return "\n".join(lines)
