"""What the questions of a study came to, counted and in words: the one source of every such count that is shown.

Belongs here: counting table hypotheses by its outcomes. A question is a row of it, whoever tells of it.

Source: inference.md 6.11.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from python_assets.study.base import AS_WRITTEN_READING, NEGATIVE_CONTROL, UNDECIDED_AS_NO

Row = Mapping[str, Any]

ABOUT_GROUPS: Final = f"grouping_id <> '{NEGATIVE_CONTROL}'"
"""A condition of rows that are about groups: edits that cannot matter are no finding; controls.py has their words."""

# decisions with undecided responses as no are, without such a response, the decisions themselves: nobody asks twice
_ASKED: Final = f"{ABOUT_GROUPS} and reason is distinct from 'none_undecided'"

OUTCOMES: Final[Mapping[str, str]] = {
    "significant": "significant",
    "equivalent": "equivalent",
    "inconclusive": "inconclusive",
    "not_testable": "not testable",
    "not_observed": "not observed",
    "not_asked": "not asked",
}
"""Every outcome with its words."""
_COUNTS: Final = ", ".join(f"count(*) filter (outcome = '{name}') as n_{name}" for name in OUTCOMES)
_AFTER_DECLARED: Final = ("secondary", "undecided", "pooled", "baseline")


def family_order(table: str) -> str:
    """Order families as they stand everywhere: what a study is about first, those that it declares by name.

    Args:
        table: with family_id, as the query names it.
    """
    last = " ".join(f"when '{name}' then {position}" for position, name in enumerate(_AFTER_DECLARED, start=2))
    return f"case {table}.family_id when 'primary' then 0 {last} else 1 end, {table}.family_id"


# what of the significant repeats the measure of page one: decisions with undecided as no, and texts as written
_IS_UNDECIDED_AS_NO: Final = f"ends_with(measure_id, '{UNDECIDED_AS_NO}')"
_IS_AS_WRITTEN: Final = f"ends_with(measure_id, '{AS_WRITTEN_READING}')"
FAMILIES: Final = f"""
    select family_id, count(*) as n_hypotheses, count(p_value) as n_tested, {_COUNTS}
    from hypotheses
    where study_id = $study and {_ASKED}
    group by family_id
    order by {family_order("hypotheses")}
"""
"""A row a set, those that the study is about first."""
PAIR_OUTCOMES: Final = f"""
    select count(*) as n_hypotheses, {_COUNTS}
    from hypotheses
    where study_id = $study and reference_system_id <> '' and {ABOUT_GROUPS}
"""
"""What the questions of pairs of generations came to, in one row."""
SIGNIFICANT_FINDINGS: Final = f"""
    select findings.*
    from findings
    semi join (
        select * from hypotheses where outcome = 'significant' and reference_system_id = '' and {ABOUT_GROUPS}
    ) as significant
        using (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
"""
"""Significant findings of every verdict: where every difference is inside its margin it is equivalent."""
# what became of the questions that are called: each is told once, as one of these; n_inside is a part of n_facts
SIGNIFICANT: Final = f"""
    select count(*) as n_significant,
        count(*) filter (is_pair) as n_changes,
        count(*) filter (not is_pair and is_tool_bias) as n_tool,
        count(*) filter (not is_pair and not is_tool_bias and statistic = 'ground_truth') as n_truth,
        count(*) filter (is_own and is_repeated) as n_repeated,
        count(*) filter (is_own and is_repeated and {_IS_UNDECIDED_AS_NO}) as n_repeated_undecided_as_no,
        count(*) filter (is_own and is_repeated and {_IS_AS_WRITTEN}) as n_repeated_as_written,
        count(*) filter (is_own and not is_repeated and verdict = 'equivalent') as n_inside,
        count(*) filter (is_own and not is_repeated) as n_facts
    from (
        select measure_id, hypotheses.statistic, hypotheses.verdict, is_tool_bias, is_repeated,
            reference_system_id <> '' as is_pair,
            reference_system_id = '' and not is_tool_bias and hypotheses.statistic <> 'ground_truth' as is_own
        from hypotheses
        left join findings
            using (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
        where study_id = $study and outcome = 'significant' and {ABOUT_GROUPS}
    )
"""
UNTESTED: Final = f"""
    select reason, meaning, remedy, count(*) as n, list(distinct measure_id order by measure_id) as measures
    from hypotheses
    left join reasons using (reason)
    where study_id = $study and p_value is null and {_ASKED}
    group by reason, meaning, remedy
    order by n desc, meaning, reason
"""
"""Why questions have no p: a row a reason."""
# in whatever slice or grouping: nothing of it was read
UNSCORED_MEASURES: Final = f"""
    with of_answers as (
        select system_id, measure_id, max(n_responses) as n_read, max(n_missing) as n_asked,
            arg_max(reason, n_missing) as reason
        from hypotheses
        where study_id = $study and reference_system_id = '' and calibration = 'raw'
            and statistic in ('mean', 'share') and parameters = '' and system_id <> 'all' and {_ASKED}
        group by system_id, measure_id
    )
    select system_id, measure_id, n_asked, reason, meaning, remedy
    from of_answers
    left join reasons using (reason)
    where n_read = 0 and n_asked > 0
    order by system_id, measure_id
"""
"""Generations none of whose answers could be read by a measure."""


def outcomes_in_words(row: Row, alpha: float | None = None) -> str:
    """How many questions came to what, those that there are none of left out: '2 significant, 4 inconclusive'.

    Args:
        row: with n_significant, n_inconclusive and so on.
        alpha: at which they were called; tells how many of the called are expected to be false. None: no word of it.
    """
    counts = [_counted(row, name, alpha) for name in OUTCOMES if row[f"n_{name}"] or name == "significant"]
    return ", ".join(counts)


def _counted(row: Row, outcome: str, alpha: float | None) -> str:
    n = row[f"n_{outcome}"]
    is_false = outcome == "significant" and n and alpha is not None
    false = f" (at most {n * alpha:.2g} expected to be false)" if is_false and alpha is not None else ""
    return f"{n:,} {OUTCOMES[outcome]}{false}"


def why(reason: str | None, meaning: str | None, remedy: str | None) -> str:
    """What a reason means, without the kind of number that it is about, and what can be done.

    Args:
        reason: the word; None where none was recorded.
        meaning: of table reasons; None of a word that it lacks, and so the remedy.
        remedy: what to do.
    """
    kind, _, explanation = (meaning or (reason or "no reason was recorded").replace("_", " ")).partition(": ")
    return "; ".join(filter(None, (explanation or kind, remedy)))


def unscored_in_words(row: Row) -> str:
    """Which model gave no readable answer to which measure, of how many, and why."""
    n = row["n_asked"]
    answers = "its one answer" if n == 1 else f"any of its {n:,} answers"
    explanation = why(row["reason"], row["meaning"], row["remedy"])
    return f"{row['system_id']}: {row['measure_id']} could not be read in {answers}: {explanation}"


OUTCOME_CHANGES: Final = """
    select grouping_id, group_id, sum(n_responses) as n_responses, sum(n_changed) as n_changed
    from outcome_changes
    where study_id = $study
    group by grouping_id, group_id
    order by grouping_id, sum(n_changed) / sum(n_responses) desc, group_id
"""
"""How many responses of the last run are read otherwise now: the first row of all, then one a group."""
_MOST_GROUPS: Final = 6


def outcome_changes_in_words(rows: Sequence[Row]) -> str:
    """How many outcomes of the last run are others now, and in which groups most.

    Args:
        rows: as OUTCOME_CHANGES has them, at least one.
    """
    everyone, *groups = rows
    n, n_changed = int(everyone["n_responses"]), int(everyone["n_changed"])
    if not n_changed:
        return f"another version of the reader, or other study words, read all {n:,} outcomes of the last run as it did"
    counts = [
        f"{row['group_id']} {int(row['n_changed']):,} of {int(row['n_responses']):,}"
        for row in groups[:_MOST_GROUPS]
        if row["n_changed"]
    ]
    listed = f" ({', '.join(counts)})" if counts else ""
    return (
        f"another version of the reader, or other study words, read {n_changed:,} of {n:,} outcomes of the last run "
        f"otherwise{listed}; "
        "a difference from that run may be this"
    )
