"""What a run found, as a few lines for the terminal.

Belongs here: which facts are told, and in how many lines. In words they are column sentence of findings.
"""

from typing import Any, Final, NamedTuple

import duckdb

from python_assets.published.query import open_published
from python_assets.study.base import GROUND_TRUTH
from python_assets.warehouse.build import Home

MOST_LINES: Final = 12
MOST_GROUPS: Final = 4
MOST_CHANGES: Final = 3
MOST_METRICS: Final = 3
STUDY: Final = """
    select cast(json_extract(config_json, '$.analysis.alpha') as double) as alpha,
        look, n_looks, n_root_prompts_asked, n_root_prompts_planned, level,
        (
            select bool_or(inference_reason in ('between_looks', 'looks_spent')) from findings where study_id = $study
        ) as is_withheld,
        (select bool_or(is_simulated) from generations where study_id = $study) as is_simulated
    from studies
    where study_id = $study
"""
# a question is a row of findings, or a pair of generations in generation_comparisons
QUESTION_SETS: Final = """
    select set_id, count(*) as n_questions, count(p_value) as n_tested,
        count(called_at_look) as n_called
    from (
        select set_id, p_value, called_at_look, finding_rank from findings where study_id = $study
        union all
        select set_id, p_value, called_at_look, null from generation_comparisons
        where study_id = $study and comparison in ('mean_change', 'groups_moved') and set_id is not null
    )
    group by set_id
    order by min(finding_rank) nulls last, set_id
"""
FOUND: Final = """
    select generation_id, measure_id, calibration, grouping_id, slice_id, statistic, parameters, q_value
    from findings
    where study_id = $study and verdict in ('bias_shown', 'difference_shown')
        and not is_tool_bias and not is_repeated
    order by finding_rank
"""
STANDING: Final = """
    select group_id, category, value
    from finding_groups
    where study_id = $study and direction is not null
        and (generation_id, measure_id, calibration, grouping_id, slice_id, statistic, parameters)
        = ($generation_id, $measure_id, $calibration, $grouping_id, $slice_id, $statistic, $parameters)
    order by position
"""
# calibrated values are told where the raw ones do not tell the same
CHANGED: Final = """
    select
        generation_a_id, generation_b_id, measure_id, calibration, grouping_id, slice_id, comparison, q_value
    from generation_comparisons
    where study_id = $study and comparison in ('mean_change', 'groups_moved')
        and verdict in ('bias_shown', 'difference_shown')
    qualify row_number() over (
        partition by generation_a_id, generation_b_id, measure_id, grouping_id, slice_id, comparison
        order by calibration desc
    ) = 1
    order by q_value, p_value, generation_a_id, measure_id, grouping_id, slice_id, comparison
"""
NOT_FOUND: Final = """
    select count(*) filter (verdict = 'equivalence_shown') as n_equivalent,
        count(*) filter (verdict = 'inconclusive') as n_inconclusive,
        count(*) filter (is_tool_bias and verdict in ('bias_shown', 'difference_shown')) as n_tool_bias
    from findings
    where study_id = $study
"""
# units are compared whole: what varies within one is left out of no block
OF_BLOCKS: Final = """
    select grouping_id, string_agg(factor, ', ' order by factor) filter (is_held) as held,
        string_agg(factor, ', ' order by factor) filter (not is_held) as left_out
    from blocking_factors
    where study_id = $study and slice_id = 'all' and left_out_because is distinct from 'varies_within_unit'
    group by grouping_id
    having left_out is not null
    order by grouping_id
"""
UNTESTED: Final = """
    select word as reason, meaning, remedy, count(*) as n,
        list(distinct measure_id order by measure_id) as measures
    from (select *, coalesce(inference_reason, reason) as word from findings) as questions
    left join (select reason as word, meaning, remedy from reasons) as reasons using (word)
    where study_id = $study and p_value is null
    group by word, meaning, remedy
    order by n desc, meaning, word
"""
# what a log publishes, held against what was imported from it
OF_LOGS: Final = """
    select status, count(*) as n,
        list(concat_ws(' ', nullif(scorer, ''), nullif(reducer, ''), metric) order by metric_position) as metrics,
        list(value_published order by metric_position) as theirs,
        list(value_recomputed order by metric_position) as ours
    from imported_metrics
    where study_id = $study
    group by status
"""
Row = dict[str, Any]


class _Study(NamedTuple):
    connection: duckdb.DuckDBPyConnection
    study_id: str

    def rows(self, query: str, **parameters: object) -> list[Row]:
        cursor = self.connection.execute(query, {"study": self.study_id, **parameters})
        names = [column[0] for column in cursor.description or []]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def summary(home: Home, study_id: str) -> str:
    """What was found, how many questions were tested and what could not be: at most MOST_LINES lines.

    Args:
        home: the warehouse.
        study_id: a published study.
    """
    with open_published(home.published) as connection:
        study = _Study(connection, study_id)
        facts = study.rows(STUDY)[0]
        lines = [f"Report     {home.report(study_id)}", f"Database   {home.published}"]
        if facts["is_simulated"]:
            lines.append("Simulated responses: this says nothing about a real model.")
        lines += _of_look(facts)
        lines += _of_logs(study.rows(OF_LOGS))
        sets = study.rows(QUESTION_SETS)
        untested = _untested(study.rows(UNTESTED))
        if not any(row["n_tested"] for row in sets):
            return "\n".join([*lines, f"Nothing could be tested. {untested}"])
        lines.append(f"Tested     {'; '.join(_of_set(row, facts['alpha']) for row in sets)}")
        if blocks := study.rows(OF_BLOCKS):
            lines.append(f"Blocks     {'; '.join(map(_of_blocks, blocks))}")
        last = [
            *_changed(study.rows(CHANGED)),
            _not_found(study.rows(NOT_FOUND)[0]),
            *([f"Untested   {untested}"] if untested else []),
        ]
        lines += _found(study, MOST_LINES - len(lines) - len(last))
    return "\n".join([*lines, *last])


def _of_look(facts: Row) -> list[str]:
    """In one line, which look at a study this was, at what level, and what a further run asks."""
    if facts["look"] is None:
        return []
    look, n = facts["look"], facts["n_looks"]
    asked = f"{facts['n_root_prompts_asked']:,} of {facts['n_root_prompts_planned']:,} root prompts"
    told = "nothing is called" if facts["is_withheld"] else f"called at {facts['level']:.2g}"
    more = f"; the next run asks look {look + 1}" if look < n and not facts["is_withheld"] else ""
    return [f"Look       {look} of {n}, {asked}: {told}{more}"]


def why(reason: str | None, meaning: str | None, remedy: str | None) -> str:
    """What a reason means, without the kind of number that it is about, and what can be done.

    Args:
        reason: the word; None where none was recorded.
        meaning: of table reasons; None of a word that it lacks, and so the remedy.
        remedy: what to do.
    """
    kind, _, told = (meaning or (reason or "no reason was recorded").replace("_", " ")).partition(": ")
    return "; ".join(filter(None, (told or kind, remedy)))


def _of_logs(rows: list[Row]) -> list[str]:
    """In one line, how many metrics of imported logs come out the same, and the first ones that do not."""
    if not rows:
        return []
    of = {row["status"]: row for row in rows}
    n_of = {status: row["n"] for status, row in of.items()}
    told = [f"{n_of.get('equal', 0):,} equal"]
    if different := of.get("different"):
        named = [
            f"{metric} {ours:.6g} for {theirs:.6g}"
            for metric, theirs, ours in zip(different["metrics"], different["theirs"], different["ours"], strict=True)
        ]
        more = [f"{len(named) - MOST_METRICS} more"] if len(named) > MOST_METRICS else []
        told.append(f"WARNING: {different['n']:,} different ({', '.join([*named[:MOST_METRICS], *more])})")
    if n := n_of.get("different_by_design"):
        told.append(f"{n:,} different by design")
    if n := n_of.get("not_imported"):
        told.append(f"{n:,} not imported")
    return [
        f"Log        {_plural(sum(n_of.values()), 'metric')} of the log: {', '.join(told)} (table imported_metrics)"
    ]


def _of_set(row: Row, alpha: float) -> str:
    """How many questions of a set were tested and called, and how many of these are expected to be false."""
    n_called = row["n_called"]
    false = f" (at most {n_called * alpha:.2g} expected to be false)" if n_called else ""
    return f"{row['set_id']}: {_plural(row['n_tested'], 'question')}, {n_called} called different{false}"


def _of_blocks(row: Row) -> str:
    """Which factors the comparison of a grouping holds fixed, and which it cannot."""
    held = f"within {row['held']}" if row["held"] else "nothing held fixed"
    return f"{row['grouping_id']}: {held} ({row['left_out']} left out as redundant)"


def _found(study: _Study, n_lines: int) -> list[str]:
    """A line a finding, as many as fit; the last says how many more there are."""
    found = study.rows(FOUND)
    if not found:
        return ["Found      no question of a generation was called different"]
    n_told = len(found) if len(found) <= n_lines else n_lines - 1
    told = [_fact(study, row) for row in found[:n_told]]
    if len(found) > n_told:
        query = f"select sentence from findings where study_id = '{study.study_id}'"
        told.append(f'{len(found) - n_told} more: plumbline sql "{query}"')
    return [f"{'Found' if place == 0 else '':<10} {text}" for place, text in enumerate(told)]


def _fact(study: _Study, row: Row) -> str:
    keys = {name: value for name, value in row.items() if name != "q_value"}
    groups = study.rows(STANDING, **keys)
    is_told = row["statistic"] in ("mean", "share", GROUND_TRUTH)
    what = "" if is_told else f"{row['statistic'].replace('_', ' ')} of "
    named = [_group(group) for group in groups[:MOST_GROUPS]]
    if len(groups) > MOST_GROUPS:
        named.append(f"{len(groups) - MOST_GROUPS} more")
    is_truth = row["statistic"] == GROUND_TRUTH
    unsettled = "not as in the ground truth" if is_truth else "groups differ; which is not settled"
    who = ", ".join(named) or unsettled
    return f"{row['generation_id']}: {what}{_quantity(row)}: {who} (q {row['q_value']:.2g})"


def _changed(rows: list[Row]) -> list[str]:
    """In one line, which measures differ between which generations."""
    if not rows:
        return []
    told = [_change(row) for row in rows[:MOST_CHANGES]]
    if len(rows) > MOST_CHANGES:
        told.append(f"{len(rows) - MOST_CHANGES} more in generation_comparisons")
    return [f"Changed    {'; '.join(told)}"]


def _change(row: Row) -> str:
    what = "mean of" if row["comparison"] == "mean_change" else "groups moved in"
    pair = f"{row['generation_a_id']} against {row['generation_b_id']}"
    return f"{pair}: {what} {_quantity(row)} (q {row['q_value']:.2g})"


def _quantity(row: Row) -> str:
    """A measure by a grouping, of which the mean of all prompts has none."""
    calibrated = "calibrated " if row["calibration"] == "calibrated" else ""
    by = f" by {row['grouping_id']}" if row["grouping_id"] else ""
    place = by if row["slice_id"] == "all" else f"{by} in {row['slice_id']}"
    return f"{calibrated}{row['measure_id']}{place}"


def _group(group: Row) -> str:
    label = f' "{group["category"]}"' if group["category"] else ""
    return f"{group['group_id']}{label} {group['value']:+.3g}"


def _not_found(row: Row) -> str:
    told = [
        f"{_plural(row['n_inconclusive'], 'question')} open, neither a difference shown nor one ruled out",
        f"{row['n_equivalent']} equal within their margins" if row["n_equivalent"] else "",
        f"{row['n_tool_bias']} about the measuring tool" if row["n_tool_bias"] else "",
    ]
    return f"Else       {'; '.join(part for part in told if part)}"


def _untested(rows: list[Row]) -> str:
    """How many questions have no p, the most frequent reason and what can be done about it."""
    if not rows:
        return ""
    n_all, first = sum(row["n"] for row in rows), rows[0]
    others = f" ({first['n']}; {_plural(len(rows) - 1, 'other reason')})" if len(rows) > 1 else ""
    told = why(first["reason"], first["meaning"], first["remedy"])
    return f"{_plural(n_all, 'question')}: {told}{others}"


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
