"""What a run found, as a few lines for the terminal.

Belongs here: which facts are told, and in how many lines. In words they are column sentence of findings.
"""

from typing import Any, Final, NamedTuple

import duckdb

from python_assets.published.account import (
    ABOUT_GROUPS,
    FAMILIES,
    OUTCOME_CHANGES,
    SIGNIFICANT,
    SIGNIFICANT_FINDINGS,
    UNTESTED,
    outcome_changes_in_words,
    outcomes_in_words,
    why,
)
from python_assets.published.calls import CALLS_BY_SYSTEM, calls_in_words
from python_assets.published.controls import (
    CONTROLS_MOVED,
    UNUSED,
    WORDINGS,
    controls_moved,
    unused_in_words,
    wording_in_words,
)
from python_assets.published.effects import effect_columns, first_of_both_signs, margin_words
from python_assets.published.losses import Losses, loss_warnings, losses_of, responses_in_words
from python_assets.published.query import open_published
from python_assets.study.base import CALIBRATIONS, GROUND_TRUTH
from python_assets.study.problems import plural
from python_assets.warehouse.build import Home, rows_of

MOST_LINES: Final = 15  # two of them of the wording, one of the responses
_MOST_GROUPS: Final = 4
MOST_CHANGES: Final = 3
MOST_BY_RANK: Final = 3
MOST_METRICS: Final = 3
MOST_RATERS: Final = 4
MOST_MOVED_IN_RUN: Final = 2  # systems and measures that control edits move
MOST_SYSTEMS: Final = 3
_KEYS: Final = (
    *("system_id", "measure_id", "calibration", "grouping_id", "slice_id", "statistic", "parameters"),
)  # of a question of groups
_STUDY: Final = """
    select cast(json_extract(config_json, '$.analysis.alpha') as double) as alpha,
        look, n_looks, n_root_prompts_asked, n_root_prompts_planned, significance_level,
        (
            select bool_or(inference_reason in ('between_looks', 'looks_spent')) from findings where study_id = $study
        ) as is_withheld,
        (select bool_or(is_simulated) from systems where study_id = $study) as is_simulated
    from studies
    where study_id = $study
"""
_FINDINGS: Final = f"""
    select system_id, measure_id, calibration, grouping_id, slice_id, statistic, parameters, q_value, verdict,
        negative_controls_reason, {effect_columns("findings")}
    from {{findings}} as findings
    where study_id = $study and verdict <> 'not_tested' and not is_tool_bias and not is_repeated and {ABOUT_GROUPS}
    order by finding_rank
"""
_STANDING: Final = """
    select group_id, category, value, verdict
    from finding_groups
    where study_id = $study and (direction is not null or (verdict = 'equivalent' and explained_by is null))
        and (system_id, measure_id, calibration, grouping_id, slice_id, statistic, parameters)
        = ($system_id, $measure_id, $calibration, $grouping_id, $slice_id, $statistic, $parameters)
    order by position
"""
# calibrated values are told where the raw ones do not tell the same
_CHANGED: Final = f"""
    select
        system_id, reference_system_id, measure_id, calibration, grouping_id, slice_id, comparison, q_value
    from system_comparisons
    where study_id = $study and comparison in ('mean_change', 'groups_changed')
        and verdict in ('beyond_margin', 'different') and {ABOUT_GROUPS}
    qualify row_number() over (
        partition by system_id, reference_system_id, measure_id, grouping_id, slice_id, comparison
        order by calibration desc
    ) = 1
    order by q_value, p_value, system_id, measure_id, grouping_id, slice_id, comparison
"""
# units are compared whole: what varies within one is left out of no block
OF_BLOCKS: Final = """
    select grouping_id, string_agg(factor, ', ' order by factor) filter (is_stratum) as held,
        string_agg(factor, ', ' order by factor) filter (not is_stratum) as left_out
    from blocking_factors
    where study_id = $study and slice_id = 'all' and left_out_because is distinct from 'varies_within_unit'
    group by grouping_id
    having left_out is not null
    order by grouping_id
"""
# what a log publishes, held against what was imported from it
_OF_LOGS: Final = """
    select status, count(*) as n,
        list(concat_ws(' ', nullif(scorer, ''), nullif(reducer, ''), metric) order by metric_position) as metrics,
        list(value_published order by metric_position) as theirs,
        list(value_recomputed order by metric_position) as ours
    from imported_metrics
    where study_id = $study
    group by status
"""
# what raters said, and what of it says nothing; NULL stands for pairs of prompts
OF_RATERS: Final = """
    select measure_id, rater, is_automatic, count(*) filter (reason is null) as n_labels, count(reason) as n_without
    from (
        select study_id, measure_id, rater, is_automatic, reason from human_labels
        union all
        select study_id, null as measure_id, rater, is_automatic, reason from pair_labels
    )
    where study_id = $study
    group by measure_id, rater, is_automatic
    order by measure_id nulls last, rater
"""
SET_ASIDE: Final = """
    select count(*) as n from quarantined_records where study_id = $study and stage = 'labels'
"""
Row = dict[str, Any]


class _Study(NamedTuple):
    connection: duckdb.DuckDBPyConnection
    study_id: str

    def rows(self, query: str, **parameters: object) -> list[Row]:
        return rows_of(self.connection, query, {"study": self.study_id, **parameters})


def summary(home: Home, study_id: str) -> str:
    """What was found, how many questions were tested and what could not be: at most MOST_LINES lines.

    Args:
        home: the warehouse.
        study_id: a published study.
    """
    with open_published(home.published) as connection:
        study = _Study(connection, study_id)
        facts = study.rows(_STUDY)[0]
        losses = losses_of(connection, study_id)
        lines = [*_first_line(losses), f"Report     {home.report(study_id)}", f"Database   {home.published}"]
        if facts["is_simulated"]:
            lines.append("Simulated responses: this says nothing about a real model.")
        lines += _responses(losses)
        lines += _of_look(facts)
        lines += _of_calls(study.rows(CALLS_BY_SYSTEM))
        lines += _of_logs(study.rows(_OF_LOGS))
        if read_again := study.rows(OUTCOME_CHANGES):
            lines.append(f"Re-read    {outcome_changes_in_words(read_again)}")
        lines += _of_raters(study.rows(OF_RATERS), study.rows(SET_ASIDE)[0]["n"])
        families, significant = study.rows(FAMILIES), study.rows(SIGNIFICANT)[0]
        untested = _untested(study.rows(UNTESTED))
        if not any(row["n_tested"] for row in families):
            return "\n".join([*lines, f"Nothing could be tested. {untested}"])
        lines.append(f"Questions  {'; '.join(_of_set(row, facts['alpha']) for row in families)}")
        if blocks := study.rows(OF_BLOCKS):
            lines.append(f"Blocks     {'; '.join(map(_of_blocks, blocks))}")
        lines += [
            f"{'Wording' if index == 0 else '':<10} {line}" for index, line in enumerate(_of_wording(study, facts))
        ]
        changes = study.rows(_CHANGED)
        last = [
            *_changed(changes),
            _not_found(
                families, significant["n_tool"], significant["n_repeated"] + significant["n_changes"] - len(changes)
            ),
            *([f"Untested   {untested}"] if untested else []),
        ]
        lines += _found(study, MOST_LINES - len(lines) - len(last))
    return "\n".join([*lines, *last])


def _first_line(losses: list[Losses]) -> list[str]:
    """In one line, the first, where too few responses are scored; the largest share of unscored ones is told."""
    if not (warnings := loss_warnings(losses)):
        return []
    more = f"; {len(warnings) - 1:,} more in scored_responses" if len(warnings) > 1 else ""
    return [f"WARNING    {warnings[0]}{more}"]


def _responses(losses: list[Losses]) -> list[str]:
    """In one line, how many responses are scored and what became of the others."""
    words = responses_in_words(losses)
    return [f"Responses  {words}"] if words else []


def _of_look(facts: Row) -> list[str]:
    """In one line, which look at a study this was, at what level, and what a further run asks."""
    if facts["look"] is None:
        return []
    look, n = facts["look"], facts["n_looks"]
    root_prompts = f"{facts['n_root_prompts_asked']:,} of {facts['n_root_prompts_planned']:,} root prompts"
    outcome = "nothing is called" if facts["is_withheld"] else f"called at {facts['significance_level']:.2g}"
    more = f"; the next run asks look {look + 1}" if look < n and not facts["is_withheld"] else ""
    return [f"Look       {look} of {n}, {root_prompts}: {outcome}{more}"]


def _of_calls(rows: list[Row]) -> list[str]:
    """In one line, which systems had retries, failed requests or several served versions."""
    if not rows:
        return []
    named = [calls_in_words(row) for row in rows[:MOST_SYSTEMS]]
    more = [f"{len(rows) - MOST_SYSTEMS:,} more in calls"] if len(rows) > MOST_SYSTEMS else []
    return [f"Calls      {' | '.join([*named, *more])}"]


def _of_raters(rows: list[Row], n_set_aside: int) -> list[str]:
    """How many labels there are and whose, and of which rows something is wrong."""
    if not rows:
        return []
    given = [
        f"{row['n_labels']:,} of {row['measure_id'] or 'pairs of prompts'} by {row['rater']}"
        f"{' (automatic)' if row['is_automatic'] else ''}"
        for row in rows[:MOST_RATERS]
    ]
    more = len(rows) - len(given)
    clauses = [", ".join(given) + (f", and {more:,} more" if more else "")]
    if n_without := sum(row["n_without"] for row in rows):
        clauses.append(f"{plural(n_without, 'row')} without one")
    if n_set_aside:
        clauses.append(f"{n_set_aside:,} wrong, in quarantined_records")
    return [f"Labels     {'; '.join(clauses)}"]


def _of_logs(rows: list[Row]) -> list[str]:
    """In one line, how many metrics of imported logs come out the same, and the first ones that do not."""
    if not rows:
        return []
    of = {row["status"]: row for row in rows}
    n_of = {status: row["n"] for status, row in of.items()}
    clauses = [f"{n_of.get('equal', 0):,} equal"]
    if different := of.get("different"):
        named = [
            f"{metric} {ours:.6g} for {theirs:.6g}"
            for metric, theirs, ours in zip(different["metrics"], different["theirs"], different["ours"], strict=True)
        ]
        more = [f"{len(named) - MOST_METRICS} more"] if len(named) > MOST_METRICS else []
        clauses.append(f"WARNING: {different['n']:,} different ({', '.join([*named[:MOST_METRICS], *more])})")
    if n := n_of.get("different_by_design"):
        clauses.append(f"{n:,} different by design")
    if n := n_of.get("not_imported"):
        clauses.append(f"{n:,} not imported")
    return [
        f"Log        {plural(sum(n_of.values()), 'metric')} of the log: {', '.join(clauses)} (table imported_metrics)"
    ]


def _of_set(row: Row, alpha: float) -> str:
    """How many questions a set has, and what they came to."""
    return f"{row['family_id']}: {plural(row['n_hypotheses'], 'question')}, {outcomes_in_words(row, alpha)}"


def _of_wording(study: _Study, facts: Row) -> list[str]:
    """How the wording of groups was controlled, and in a second line whether control edits move a measure."""
    ways = [*wording_in_words(study.rows(WORDINGS)), *unused_in_words(study.rows(UNUSED))]
    tested = [row for row in study.rows(CONTROLS_MOVED) if row["p_value"] is not None]
    if not tested:
        return [" ".join(ways)] if ways else []
    level = facts["significance_level"]
    moved = [
        f"{row['system_id']}: {controls_moved(row, row['measure_id'], alpha=level)}"
        for row in tested[:MOST_MOVED_IN_RUN]
    ]
    more = (
        [f"{len(tested) - MOST_MOVED_IN_RUN:,} more in v_negative_controls"] if len(tested) > MOST_MOVED_IN_RUN else []
    )
    return [" ".join(ways), " | ".join([*moved, *more])]


def _of_blocks(row: Row) -> str:
    """Which factors the comparison of a grouping holds fixed, and which it cannot."""
    fixed_factors = f"within {row['held']}" if row["held"] else "nothing held fixed"
    return f"{row['grouping_id']}: {fixed_factors} ({row['left_out']} left out as redundant)"


def _found(study: _Study, n_lines: int) -> list[str]:
    """A line a finding, as many as fit; where there is none the first hypotheses by rank."""
    rows = study.rows(_FINDINGS.format(findings=f"({SIGNIFICANT_FINDINGS})"))
    if not rows:
        tested = study.rows(_FINDINGS.format(findings="findings"))
        lines = [_effect(row) for row in tested if row["value"] is not None][: max(min(n_lines - 1, MOST_BY_RANK), 0)]
        none = "Found      no question of a generation was called different"
        return [none, *(f"{'By rank' if index == 0 else '':<10} {text}" for index, text in enumerate(lines))]
    n_told = len(rows) if len(rows) <= n_lines else n_lines - 1
    lines = [_fact(study, row) for row in rows[:n_told]]
    if len(rows) > n_told:
        query = f"select sentence from findings where study_id = '{study.study_id}' order by finding_rank"
        lines.append(f'{len(rows) - n_told} more: plumbline sql "{query}"')
    return [f"{'Found' if index == 0 else '':<10} {text}" for index, text in enumerate(lines)]


def _fact(study: _Study, row: Row) -> str:
    groups = study.rows(_STANDING, **{name: row[name] for name in _KEYS})
    write = _group if row["verdict"] == "equivalent" else _group_found  # all of them are inside their margin
    named = [write(group) for group in first_of_both_signs(groups, _MOST_GROUPS)]
    if len(groups) > _MOST_GROUPS:
        named.append(f"{len(groups) - _MOST_GROUPS} more")
    is_truth = row["statistic"] == GROUND_TRUTH
    unsettled = "not as in the ground truth" if is_truth else "groups differ; which is not settled"
    # without a group that is significant a metric may head it
    who = ", ".join(named) or (f"{unsettled}; {_named(row)}" if row["is_headline"] else unsettled)
    alone = "; not compared with the controls" if row["negative_controls_reason"] is not None else ""
    return f"{_of_statistic(row)}: {who} (q {row['q_value']:.2g}{_past_margin(row)}{alone})"


def _of_statistic(row: Row) -> str:
    """The system, statistic, measure and grouping of a finding."""
    is_told = row["statistic"] in ("mean", "share", GROUND_TRUTH)
    what = "" if is_told else f"{row['statistic'].replace('_', ' ')} of "
    return f"{row['system_id']}: {what}{_quantity(row)}"


def _effect(row: Row) -> str:
    """The effect of a hypothesis with its interval, its margin and the verdict of the hypothesis."""
    write = "{:+.3g}" if row["group_id"] else "{:.3g}"  # a metric of all groups has no direction
    limits = [write.format(row[name]) for name in ("ci_low", "ci_high") if row[name] is not None]
    interval = f", {limits[0]} to {limits[1]} not adjusted" if len(limits) > 1 else ""
    margin = "" if row["margin"] is None else f", {margin_words(row['margin'], row['margin_origin'], row['metric'])}"
    q = "" if row["q_value"] is None else f"; q {row['q_value']:.2g}"
    return f"{_of_statistic(row)}: {_named(row)}{interval}{margin} ({row['verdict'].replace('_', ' ')}{q})"


def _named(row: Row) -> str:
    """An effect: a group with its value, or a metric of all groups."""
    return _group(row) if row["group_id"] else f"{row['metric'].replace('_', ' ')} {row['value']:.3g}"


def _past_margin(row: Row) -> str:
    """What lies beyond its margin, where the finding does; that all is inside it, where all is."""
    if row["verdict"] == "equivalent":
        return "; every difference is inside its margin"
    if row["verdict"] != "beyond_margin" or row["margin"] is None:
        return ""
    of = row["metric"].replace("_", " ")
    if row["group_id"]:
        label = f' "{row["category"]}"' if row["category"] else ""
        of = f"{of} of {row['group_id']}{label}"
    margin = margin_words(row["margin"], row["margin_origin"], row["metric"])
    return f"; {of} {row['value']:.3g}, beyond its {margin}"


def _changed(rows: list[Row]) -> list[str]:
    """In one line, which measures differ between which generations."""
    if not rows:
        return []
    changes = [_change(row) for row in rows[:MOST_CHANGES]]
    if len(rows) > MOST_CHANGES:
        changes.append(f"{len(rows) - MOST_CHANGES} more in system_comparisons")
    return [f"Changed    {'; '.join(changes)}"]


def _change(row: Row) -> str:
    what = "mean of" if row["comparison"] == "mean_change" else "groups moved in"
    pair = f"{row['system_id']} against {row['reference_system_id']}"
    return f"{pair}: {what} {_quantity(row)} (q {row['q_value']:.2g})"


def _quantity(row: Row) -> str:
    """A measure by a grouping, of which the mean of all prompts has none."""
    what = CALIBRATIONS[row["calibration"]]
    by = f" by {row['grouping_id']}" if row["grouping_id"] else ""
    where = by if row["slice_id"] == "all" else f"{by} in {row['slice_id']}"
    return f"{what} {row['measure_id']}{where}".lstrip()


def _group(group: Row) -> str:
    label = f' "{group["category"]}"' if group["category"] else ""
    return f"{group['group_id']}{label} {group['value']:+.3g}"


def _group_found(group: Row) -> str:
    return f"{_group(group)}{' (inside its margin)' if group['verdict'] == 'equivalent' else ''}"


def _not_found(families: list[Row], n_tool: int, n_repeated: int) -> str:
    """What was tested and not called, and what of the called is told in no line above."""
    n_inconclusive, n_equivalent = (sum(row[name] for row in families) for name in ("n_inconclusive", "n_equivalent"))
    clauses = [
        f"{plural(n_inconclusive, 'question')} open, neither a difference shown nor one ruled out",
        f"{n_equivalent:,} equal within their margins" if n_equivalent else "",
        f"{n_repeated:,} called that repeat what is told above" if n_repeated else "",
        f"{n_tool:,} called about the measuring tool" if n_tool else "",
    ]
    return f"Else       {'; '.join(clause for clause in clauses if clause)}"


def _untested(rows: list[Row]) -> str:
    """How many questions have no p, the most frequent reason and what can be done about it."""
    if not rows:
        return ""
    n_all, first = sum(row["n"] for row in rows), rows[0]
    others = f" ({first['n']}; {plural(len(rows) - 1, 'other reason')})" if len(rows) > 1 else ""
    explanation = why(first["reason"], first["meaning"], first["remedy"])
    return f"{plural(n_all, 'question')}: {explanation}{others}"
