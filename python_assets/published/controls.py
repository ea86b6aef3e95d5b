"""What negative controls say, in words: of a hypothesis that is compared with them, and of the controls themselves.

Belongs here: sentences on rows of hypotheses and findings, and queries for them. Sentences of findings are
report/sentences.py, which takes these in; the page of the controls is report/negative_controls.py.

Source: inference.md 14.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from python_assets.published.account import ABOUT_GROUPS, why
from python_assets.published.plain_numbers import effect, limits, named_p, size
from python_assets.study.base import BASELINE, NEGATIVE_CONTROL
from python_assets.study.problems import plural

Row = Mapping[str, Any]

NOT_BEYOND_CONTROLS: Final = "not_beyond_controls"  # of column verdict_reason
_THESE_PROMPTS: Final = "these prompts"  # of column scope: nothing is said about others
ONE_WORDING: Final = (
    "Each group has one wording and no control edit: how far the score moves when any words change is unknown. "
    "Add a second wording, or declare negative_controls."
)
# of each measure and system once, of means and rates as they were scored: of all prompts, or of the slice with the
# smallest p where the measure is of slices alone
CONTROLS_MOVED: Final = f"""
    select hypotheses.system_id, measure_id, slice_id, hypotheses.p_value, hypotheses.q_value, outcome,
        cast(coalesce(n_used, hypotheses.n_groups) as bigint) as n_used, largest_group_id, largest_value, kind,
        hypotheses.reason, meaning, remedy
    from hypotheses
    inner join (select study_id, measure_id, kind from measures) using (study_id, measure_id)
    left join reasons using (reason)
    left join (
        select slice_id, system_id, measure_id, max(n_negative_controls) as n_used
        from hypotheses
        where study_id = $study and reference_system_id = '' and calibration = 'raw' and {ABOUT_GROUPS}
        group by slice_id, system_id, measure_id
    ) using (slice_id, system_id, measure_id)
    where study_id = $study and family_id = '{NEGATIVE_CONTROL}' and reference_system_id = ''
        and calibration = 'raw' and statistic in ('mean', 'share') and parameters = ''
    qualify row_number() over (
        partition by system_id, measure_id order by slice_id <> 'all', hypotheses.p_value nulls last, slice_id
    ) = 1
    order by system_id = '{BASELINE}', outcome <> 'significant', hypotheses.p_value nulls last, system_id, measure_id
"""
"""Whether control edits move a measure: a row a system and measure, those that they move first."""
WORDINGS: Final = f"""
    select wording, negative_controls_reason as reason, meaning, remedy,
        count(*) as n_hypotheses, count(*) filter (verdict_reason = '{NOT_BEYOND_CONTROLS}') as n_not_beyond,
        max(n_negative_controls) as n_negative_controls, max(n_control_types) as n_control_types,
        bool_and(wording_sd_high = 0) as are_equal, bool_and(scope <> '{_THESE_PROMPTS}') as is_wide,
        list(distinct grouping_id order by grouping_id) as groupings, (
            select count(distinct unit_id) from prompts
            inner join factors using (study_id)
            where study_id = $study and factor = unit_factor and type = 'prompt'
        ) as n_wordings
    from hypotheses
    left join reasons on negative_controls_reason = reasons.reason
    where study_id = $study and {ABOUT_GROUPS} and wording is not null and p_value is not null
        and reference_system_id = '' and system_id <> '{BASELINE}'
        and statistic in ('mean', 'share') and parameters = ''
    group by wording, negative_controls_reason, meaning, remedy
    order by case wording when 'negative_controls' then 1 when 'units' then 2 else 3 end, reason nulls first
"""
"""How the wording of groups was controlled: a row a way, with the groupings and hypotheses that it is of."""
# in one slice; of groupings in several numbers of root prompts the most
UNUSED: Final = f"""
    with of_groups as (
        select slice_id, system_id, measure_id, max(n_root_prompts) as n_of_groups
        from hypotheses
        where study_id = $study and {ABOUT_GROUPS} and wording is not null and reference_system_id = ''
            and calibration = 'raw' and statistic in ('mean', 'share') and parameters = ''
        group by slice_id, system_id, measure_id
    )
    select system_id, measure_id, group_id as negative_control, coalesce(n_root_prompts, 0) as n_root_prompts,
        n_of_groups
    from summary_statistics
    inner join of_groups using (slice_id, system_id, measure_id)
    where study_id = $study and grouping_id = '{NEGATIVE_CONTROL}' and calibration = 'raw'
        and statistic in ('mean', 'share') and parameters = '' and system_id <> '{BASELINE}'
        and coalesce(n_root_prompts, 0) < n_of_groups / 2
        and (system_id, measure_id) in (
            select (system_id, measure_id)
            from summary_statistics
            where study_id = $study and grouping_id = '{NEGATIVE_CONTROL}' and n_root_prompts > 0
        )
    qualify row_number() over (
        partition by system_id, measure_id, group_id order by slice_id <> 'all', slice_id
    ) = 1
    order by system_id, measure_id, negative_control
"""
"""Controls that no group is compared with, of measures with a value of some control."""
MOST_GROUPINGS: Final = 4
MOST_UNUSED: Final = 4


def edits(row: Row) -> str:
    """How many controls, and whether of declared types: 10 edits that cannot matter."""
    return plural(row["n_negative_controls"] or 0, "edit")


def quiet_share(n_controls: int) -> str:
    """The share of edits that could still move a score although so many do not, in per cent: 26 % of 10.

    Args:
        n_controls: that moved nothing.

    Returns:
        1 - .05^(1/C).
    """
    return f"{100 * (1 - 0.05 ** (1 / n_controls)):.0f} %"


def unused_in_words(rows: Sequence[Row]) -> list[str]:
    """Controls that are not used, and why, a sentence each; of more than MOST_UNUSED how many more.

    Args:
        rows: of UNUSED.
    """
    lines = [
        f"{row['system_id']}, {row['measure_id']}: {row['negative_control']} is not used: it has values in "
        f"{row['n_root_prompts']:,} of {row['n_of_groups']:,} root prompts, half are needed."
        for row in rows[:MOST_UNUSED]
    ]
    n_more = len(rows) - len(lines)
    return (
        [*lines, f"{plural(n_more, 'more control')} without values in half of the root prompts."] if n_more else lines
    )


def are_equal(row: Row) -> bool:
    """Whether all controls of a hypothesis have the same value, so that they say little of other edits."""
    return row["wording_sd_high"] == 0


def _all_equal(row: Row) -> str:
    n = row["n_negative_controls"]
    return f"all {plural(n, 'control')} have the same value; up to {quiet_share(n)} of such edits could still move it"


def is_rate(row: Row) -> bool:
    """Whether a hypothesis is of rates, whose sizes are written in points."""
    return row["kind"] != "continuous" or row.get("statistic") in ("selection_rate", "precision")


def wording_sd(row: Row) -> str:
    """The wording sd with its interval: wording sd 0.050, 95 % CI 0 to 0.12; that all are equal, which has none."""
    if are_equal(row):
        return _all_equal(row)
    rate = is_rate(row)
    interval = limits(row["wording_sd_low"], row["wording_sd_high"], is_rate=rate)
    text = f"wording sd {size(row['wording_sd'] or 0.0, is_rate=rate)}"
    return f"{text}, 95 % CI {interval}" if interval else text


def beyond_controls(row: Row) -> str:
    """That groups differ by more than control edits do; '' where none was compared with them.

    Args:
        row: a hypothesis, with kind.
    """
    if row["p_negative_controls"] is None:
        return ""
    types = "" if row["n_control_types"] is not None else "; types not declared"
    if are_equal(row):
        same = wording_sd(row)
        return f"{same[:1].upper()}{same[1:]}{types}."
    return f"More than {edits(row)} that cannot matter do ({wording_sd(row)}{types})."


def not_beyond_controls(row: Row) -> str:
    """That words differ, but no more than control edits do, with the range and what the edits lead one to expect.

    Args:
        row: a hypothesis, with kind, and group_range: the range over its groups, None where it is not known.
    """
    rate, pieces = is_rate(row), []
    expected = row["control_floor"]
    if row.get("group_range") is not None:
        pieces.append(f"range {size(row['group_range'], is_rate=rate)}")
    if expected is not None:
        pieces.append(f"{edits(row)} lead one to expect up to {size(expected, is_rate=rate)}")
    if row["n_control_types"] is None:
        pieces.append("types not declared")
    in_brackets = f" ({'; '.join(pieces)})" if pieces else ""
    return f"the words differ, but no more than irrelevant edits do{in_brackets}"


def wording_limit(row: Row) -> str:
    """The q of the words alone where the controls take a finding away; '' elsewhere."""
    if row["q_permuted"] is None or row["verdict_reason"] != NOT_BEYOND_CONTROLS:
        return ""
    return f"Of these words alone: {named_p('q', row['q_permuted'], alpha=row['significance_level'])}."


def controls_moved(row: Row, quantity: str, *, alpha: float) -> str:
    """Whether control edits move a score, which of them most, and what they cannot tell.

    Args:
        row: a hypothesis of family negative_control, with kind, outcome or is_significant, n_used (controls that
            groups are compared with) and its largest contrast; p_value is there.
        quantity: what is compared: the average score.
        alpha: at which it is significant.
    """
    is_significant = row["is_significant"] if "is_significant" in row else row["outcome"] == "significant"
    p = named_p("p", row["p_value"], alpha=alpha)
    # corrected over the measures and systems of the family one may differ from the other
    if (row["p_value"] <= alpha) != is_significant and row["q_value"] is not None:
        p = f"{p}, {named_p('q', row['q_value'], alpha=alpha)}"
    most = ""
    if row["largest_group_id"] is not None and row["largest_value"] is not None:
        word = "most" if is_significant else "largest"
        most = f"; {word}: {row['largest_group_id']}, {effect(row['largest_value'], is_rate=is_rate(row))}"
    if is_significant:
        return f"irrelevant edits move {quantity} ({p}{most})"
    n = row["n_used"]
    still = f"up to {quiet_share(n)} of such edits still could"
    return f"none of the {plural(n, 'control')} moved {quantity} significantly ({p}{most}); {still}"


def wording_in_words(rows: Sequence[Row]) -> list[str]:
    """How the wording of groups was controlled, a sentence a way.

    Args:
        rows: of WORDINGS.
    """
    return [_way(row, is_only=len(rows) == 1) for row in rows]


def _way(row: Row, *, is_only: bool) -> str:
    groupings = row["groupings"]
    more = [f"{len(groupings) - MOST_GROUPINGS} more"] if len(groupings) > MOST_GROUPINGS else []
    named = ", ".join([*groupings[:MOST_GROUPINGS], *more])
    if row["wording"] == "units" and row["n_wordings"]:
        ways = f"each group stands in {row['n_wordings']} wordings, which are the units"
        if not row["is_wide"]:
            return f"{named}: {ways}; some hypotheses have too few of them to say anything about similar wordings."
        return f"{named}: {ways}."
    if row["wording"] == "units":
        return f"{named}: each group has several units of its own, such as names."
    if row["wording"] == "negative_controls":
        types = "types not declared" if row["n_control_types"] is None else plural(row["n_control_types"], "type")
        n, n_all = row["n_not_beyond"], row["n_hypotheses"]
        equal = f"; {_all_equal(row)}" if row["are_equal"] else ""
        share = "" if n == n_all else f"in {n:,} of {n_all:,} hypotheses "
        outcome = f"; {share}the words differ, but no more than these edits do" if n else ""
        return f"{named}: compared with {plural(row['n_negative_controls'], 'control edit')} ({types}){outcome}{equal}."
    if row["reason"] is not None:
        because = why(row["reason"], row["meaning"], row["remedy"])
        return f"{named}: one wording a group, not compared with the negative controls: {because}."
    return ONE_WORDING if is_only else f"{named}: {ONE_WORDING[:1].lower()}{ONE_WORDING[1:]}"
