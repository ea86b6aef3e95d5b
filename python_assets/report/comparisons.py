"""Generations compared with each other: what changed by group, and the answers behind it.

Belongs here: reading system_comparisons, and which changes are shown with which answers. Changes are
tested in infer/changes/; nothing is computed here but which root prompts moved most.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from python_assets.infer.result import NOBODY_STANDS, InferenceReason
from python_assets.infer.tables import INTERACTION_CHANGE
from python_assets.published.account import ABOUT_GROUPS
from python_assets.report.behind import response
from python_assets.report.reader import Reader, Row
from python_assets.report.readings import read_by_of
from python_assets.report.sentences import (
    DIFFERENCE_VERDICTS,
    NEIGHBOUR_SEPARATOR,
    UNEQUALLY_MISSING,
    at_the_worst_end,
    measure_name,
    of_look,
)
from python_assets.report.text import interval, listed, number, probability
from python_assets.study.base import CALIBRATIONS
from python_assets.study.measures import REFUSAL

MAX_TABLES: Final = 6
_MAX_PAIRS: Final = 8
_MAX_CHANGES: Final = 6
_MAX_PROMPTS: Final = 10
_MAX_GROUPS: Final = 6  # of one sentence
# the mean of all prompts is of no grouping, and stands above the groups of each
_SIDES: Final = {"a": "system_id", "b": "reference_system_id"}
_PLACES: Final = f"""
    with asked as (
        select measure_id, grouping_id, verdict, p_value
        from system_comparisons
        where study_id = $study and slice_id = 'all' and calibration = 'raw'
            and comparison in ('mean_change', 'groups_changed')
            and inference_reason is distinct from 'no_variation' and {ABOUT_GROUPS}
    ),
    of_mean as (
        select measure_id, count(*) filter (verdict = 'different') as n_shown, min(p_value) as smallest
        from asked where grouping_id = '' group by measure_id
    )
    select measure_id, grouping_id,
        count(*) filter (verdict = 'different') + coalesce(any_value(of_mean.n_shown), 0) as n_shown,
        least(min(p_value), any_value(of_mean.smallest)) as smallest
    from asked
    left join of_mean using (measure_id)
    where grouping_id <> ''
    group by measure_id, grouping_id
    order by n_shown desc, smallest nulls last, measure_id, grouping_id
"""
_ROWS: Final = """
    select *
    from system_comparisons
    where study_id = $study and slice_id = 'all' and calibration = 'raw'
        and measure_id = $measure_id and grouping_id in ('', $grouping_id)
        and comparison in (
            'mean_change', 'groups_changed', 'group_change', 'disparity_change', 'interaction_change',
            'log_disparity_change'
        )
    order by system_id
"""
_EXTREMES: Final = """
    select system_id, metric, value, ci_low, ci_high
    from disparities
    where study_id = $study and slice_id = 'all' and calibration = 'raw'
        and (measure_id, grouping_id) = ($measure_id, $grouping_id)
        and statistic = 'mean' and parameters = '' and metric in ('range', 'impact_ratio')
    order by system_id
"""
_SIGNIFICANT: Final = f"""
    select *,
        (select kind from measures where study_id = $study and measure_id = changes.measure_id) as kind,
        exists (
            select * from system_comparisons as refusals
            where refusals.study_id = $study and refusals.measure_id = $refusal and changes.measure_id <> $refusal
                and refusals.comparison in ('mean_change', 'groups_changed')
                and refusals.verdict in ('beyond_margin', 'different')
                and refusals.slice_id = changes.slice_id and refusals.grouping_id = changes.grouping_id
                and refusals.system_id = changes.system_id
                and refusals.reference_system_id = changes.reference_system_id
        ) as refuses
    from system_comparisons as changes
    join (select study_id, look, n_looks, significance_level from studies) using (study_id)
    where study_id = $study and verdict in ('beyond_margin', 'different')
        and comparison in ('mean_change', 'disparity_change', 'interaction_change') and {ABOUT_GROUPS}
    qualify comparison = 'mean_change' or row_number() over (
        partition by slice_id, measure_id, calibration, grouping_id, system_id, reference_system_id,
            comparison
        order by abs(coalesce(value_alone, value)) desc, group_id, category
    ) = 1
    order by q_value, p_value, measure_id, grouping_id, system_id, comparison
"""
_WHO: Final = """
    select comparison, group_id, category, verdict, explained_by, reason_alone, value, ci_low, ci_high, value_alone,
        ci_low_alone, ci_high_alone, value_without
    from system_comparisons
    where study_id = $study and comparison = $comparison
        and (slice_id, measure_id, calibration, grouping_id, system_id, reference_system_id)
        = ($slice_id, $measure_id, $calibration, $grouping_id, $system_id, $reference_system_id)
    order by abs(coalesce(value_alone, value)) desc, group_id, category
"""
_MOVED: Final = """
    with values_of as (
        select system_id, prompt_id, replicate,
            case
                when $category <> '' then (label = $category)::int
                when $calibration = 'calibrated' then calibrated_value
                else value
            end as value
        from measurements
        where study_id = $study and measure_id = $measure_id
            and system_id in ($system_id, $reference_system_id)
    ),
    means as (
        select system_id, prompt_id, avg(value) as value
        from values_of
        where value is not null
        group by system_id, prompt_id
    ),
    changes as (
        select own.prompt_id, own.value - other.value as change,
            round(sign($value) * (own.value - other.value), 9) as moved
        from means as own
        join means as other using (prompt_id)
        where own.system_id = $system_id and other.system_id = $reference_system_id
    ),
    grouped as (
        select prompt_id, string_agg(level, ' x ' order by list_position($factors, factor)) as group_id
        from prompt_factors
        where study_id = $study and list_contains($factors, factor)
        group by prompt_id
        having count(*) = len($factors)
    ),
    cells as (
        select root_prompt_id, group_id, avg(change) as change, round(sign($value) * avg(change), 9) as moved,
            -- the prompt of the cell that shows its change, on either side of the comparison
            first(prompt_id order by moved desc, prompt_id) as own_prompt_id,
            first(prompt_id order by moved, prompt_id) as other_prompt_id,
            first(change order by moved, prompt_id) as other_change
        from changes
        join grouped using (prompt_id)
        join prompts using (prompt_id)
        where study_id = $study
        group by root_prompt_id, group_id
    ),
    moved as (
        select own.root_prompt_id, own.change - avg(other.change) as difference, own.own_prompt_id as prompt_id,
            first(other.other_prompt_id order by other.moved, other.group_id) as other_prompt_id,
            first(other.other_change order by other.moved, other.group_id) as other_change
        from cells as own
        join cells as other on own.root_prompt_id = other.root_prompt_id and own.group_id <> other.group_id
        where own.group_id = $group_id
        group by own.root_prompt_id, own.own_prompt_id, own.change
        union all
        select root_prompt_id, avg(change), first(prompt_id order by moved desc, prompt_id), null, 0
        from changes
        join prompts using (prompt_id)
        where study_id = $study and $group_id = ''
        group by root_prompt_id
    ),
    pairs as (
        select own.prompt_id, own.replicate as replicate_a, other.replicate as replicate_b,
            own.value - other.value as change
        from values_of as own
        join values_of as other using (prompt_id)
        where own.system_id = $system_id and other.system_id = $reference_system_id
            and own.value is not null and other.value is not null
    ),
    -- the other prompt first: the pair that changed as it did on average, or less to this side
    of_others as (
        select moved.*, pairs.replicate_a as other_replicate_a, pairs.replicate_b as other_replicate_b,
            coalesce(pairs.change, 0) as pair_change
        from moved
        left join pairs
            on moved.other_prompt_id = pairs.prompt_id
            and round(sign($value) * (pairs.change - moved.other_change), 9) <= 0
        qualify row_number() over (
            partition by root_prompt_id
            order by round(sign($value) * pairs.change, 9) desc, pairs.replicate_a <> pairs.replicate_b,
                pairs.replicate_a, pairs.replicate_b
        ) = 1
    )
    select root_prompt_id, difference, prompt_id, replicate_a, replicate_b, other_prompt_id, other_replicate_a,
        other_replicate_b
    from of_others
    join pairs using (prompt_id)
    where round(sign($value) * difference, 9) > 0
        and round(sign($value) * (pairs.change - pair_change), 9) > 0
    qualify row_number() over (
        partition by root_prompt_id
        order by round(abs(pairs.change - pair_change - $value), 9), replicate_a <> replicate_b, replicate_a,
            replicate_b
    ) = 1
    order by round(sign($value) * difference, 9) desc, root_prompt_id
    limit $n_prompts
"""


class Table(NamedTuple):
    """The changes of one measure by one grouping, a column a pair.

    pairs: generations compared, with the rows of their two questions. groups: by group and label, the cells
    in the order of pairs. has_log_odds: whether cells have a change of log odds, which binary measures have.
    n_pairs: also those left out. extremes: range or impact ratio of each generation.
    """

    measure: str
    grouping_id: str
    reference: str
    pairs: list[Row]
    groups: list[Row]
    has_log_odds: bool
    n_pairs: int
    extremes: list[Row]


class ShownChange(NamedTuple):
    """A change that was shown, in words, with what read it and the root prompts that moved most.

    who: which groups moved; empty of a mean. of_look: which look called it; empty where a study is looked at once.
    missing: what its missing answers could have done; empty where they can matter little.
    """

    title: str
    size: str
    who: str
    of_look: str
    missing: str
    own: str
    other: str
    read_by: str
    prompts: list[Row]


class Comparisons(NamedTuple):
    """What the report tells of pairs of generations; n_* count also what is left out."""

    tables: list[Table]
    n_tables: int
    changes: list[ShownChange]
    n_changes: int
    n_pairs: int


def comparisons_section(reader: Reader) -> Comparisons:
    """Every pair of generations by its main measures, and the changes that were shown.

    Args:
        reader: the study.
    """
    places = reader.rows(_PLACES)
    significant = reader.rows(_SIGNIFICANT, refusal=REFUSAL)
    count = "select count(distinct (system_id, reference_system_id)) as n from system_comparisons"
    condition = "comparison in ('mean_change', 'groups_changed')"
    n_pairs = reader.rows(f"{count} where study_id = $study and {condition}")[0]["n"]
    return Comparisons(
        tables=[
            _table(reader, table_keys["measure_id"], table_keys["grouping_id"]) for table_keys in places[:MAX_TABLES]
        ],
        n_tables=len(places),
        changes=[_shown(reader, row) for row in significant[:_MAX_CHANGES]],
        n_changes=len(significant),
        n_pairs=n_pairs,
    )


def _table(reader: Reader, measure_id: str, grouping_id: str) -> Table:
    table_keys = {"measure_id": measure_id, "grouping_id": grouping_id}
    rows = reader.rows(_ROWS, **table_keys)
    rows_by_pair = {
        pair: list(pair_rows)
        for pair, pair_rows in groupby(rows, key=lambda row: (row["system_id"], row["reference_system_id"]))
    }
    shown = list(rows_by_pair)[:_MAX_PAIRS]
    references = {other for _, other in rows_by_pair}
    keys = {
        (row["group_id"], row["category"])
        for pair in shown
        for row in rows_by_pair[pair]
        if row["comparison"] == "group_change"
    }
    in_order = sorted(keys, key=lambda key: (reader.group_order(grouping_id, key[0]), key[1]))
    groups = [_group(key, [rows_by_pair[pair] for pair in shown]) for key in in_order]
    return Table(
        measure=measure_name(measure_id),
        grouping_id=grouping_id,
        reference=next(iter(references)) if len(references) == 1 else "",
        pairs=[_pair(pair, rows_by_pair[pair]) for pair in shown],
        groups=groups,
        has_log_odds=any(cell["log_odds"] for group in groups for cell in group["cells"]),
        n_pairs=len(rows_by_pair),
        extremes=reader.rows(_EXTREMES, **table_keys),
    )


def _pair(pair: tuple[str, str], rows: list[Row]) -> Row:
    by_comparison = {row["comparison"]: row for row in rows if row["group_id"] == ""}
    overall = {name: by_comparison.get(name) for name in ("mean_change", "groups_changed")}
    return {"own": pair[0], "other": pair[1], **overall}


def _group(key: tuple[str, str], of_pairs: list[list[Row]]) -> Row:
    cells = []
    for rows in of_pairs:
        by_comparison = {row["comparison"]: row for row in rows if (row["group_id"], row["category"]) == key}
        moved = by_comparison.get("interaction_change", by_comparison.get("disparity_change"))
        cells.append(
            {
                "change": by_comparison.get("group_change"),
                "log_odds": by_comparison.get("log_disparity_change"),
                "is_shown": moved is not None and moved["verdict"] in DIFFERENCE_VERDICTS,
            }
        )
    return {"group_id": key[0], "category": key[1], "cells": cells}


def _shown(reader: Reader, row: Row) -> ShownChange:
    measure, label = measure_name(row["measure_id"]), f" ({row['category']})" if row["category"] else ""
    calibrated = f", {CALIBRATIONS[row['calibration']]}" if row["calibration"] != "raw" else ""
    in_slice = "" if row["slice_id"] == "all" else f", slice {row['slice_id']}"
    by = f" by {row['grouping_id']}" if row["grouping_id"] else ""
    who = ""
    if row["group_id"]:
        key_names = (
            *("slice_id", "measure_id", "calibration", "grouping_id", "system_id", "reference_system_id"),
            "comparison",
        )
        who = who_moved(reader.rows(_WHO, **{name: row[name] for name in key_names}))
    is_alone = row["value_alone"] is not None
    what = f"{row['group_id']} against the other groups{' that stay' if is_alone else ''}"
    if row["comparison"] == INTERACTION_CHANGE:
        what = f"{row['group_id']} beyond its parts"
    what = what if row["group_id"] else "the mean of all prompts"
    estimate = _told(row)
    size = f"{number(estimate['value'])} {interval(estimate['ci_low'], estimate['ci_high'])}"
    return ShownChange(
        title=f"{measure}{label}{calibrated}{by}{in_slice}: {what}",
        size=f"{size} · q {probability(row['q_value'])} · {row['n_root_prompts']:,} root prompts",
        who=who,
        of_look=of_look(row),
        missing=missing_sentence(row),
        own=row["system_id"],
        other=row["reference_system_id"],
        read_by=read_by_of(reader, row["measure_id"], [row["system_id"], row["reference_system_id"]]),
        prompts=_moved(reader, {**row, "value": estimate["value"]}),
    )


def _told(row: Row) -> Row:
    """The change that is told: against the groups that stay, or against all others where it is not known who does."""
    suffix = "" if row["value_alone"] is None else "_alone"
    return {name: row[f"{name}{suffix}"] for name in ("value", "ci_low", "ci_high")}


def who_moved(groups: Sequence[Row]) -> str:
    """Which groups moved against the others, and which are called only because of those.

    Args:
        groups: the rows disparity_change of a question that is called, or interaction_change, the largest first.
    """
    shown = [row for row in groups if row["verdict"] in DIFFERENCE_VERDICTS]
    is_beyond = any(row["comparison"] == INTERACTION_CHANGE for row in groups)
    if not is_beyond and any(row["reason_alone"] in NOBODY_STANDS for row in shown):
        sides = (
            f"{listed([_name(row) for row in side], _MAX_GROUPS)} {word}"
            for word, side in (
                ("up", [r for r in shown if r["value"] > 0]),
                ("down", [r for r in shown if r["value"] < 0]),
            )
            if side
        )
        few = shown[0]["reason_alone"] == InferenceReason.TOO_FEW_ROOT_PROMPTS
        why = ", for there are fewer than 6 root prompts" if few else ""
        return f"Two camps moved apart: {'; '.join(sides)}. Which of them moved is not settled{why}."
    statements = []
    if shown:
        how = "by more than its parts make of it" if is_beyond else "against the groups that stay"
        statements.append(f"Moved, {how}: {listed([_sized(row) for row in shown], _MAX_GROUPS)}.")
    because = [row for row in groups if row["explained_by"] is not None]
    if because:
        names = listed([f"{_name(row)} ({number(row['value_without'])} without)" for row in because], _MAX_GROUPS)
        others = because[0]["explained_by"].replace(NEIGHBOUR_SEPARATOR, ", ")
        statements.append(f"Called {'' if is_beyond else 'against all others '}only because of {others}: {names}.")
    return " ".join(statements)


def missing_sentence(row: Row) -> str:
    """What the missing answers would have to be like for a change not to stand; '' where they can matter little.

    Args:
        row: of a change that is shown, with the kind of its measure and whether refusals changed in the same pair.
    """
    if row["verdict_with_missing"] is None:
        return ""
    share_a, share_b, shift = row["missing_share_a"], row["missing_share_b"], row["tipping_shift"]
    is_unequal = abs(share_a - share_b) > UNEQUALLY_MISSING
    if not (row["verdict_with_missing"] != row["verdict"] or is_unequal or row["refuses"]):
        return ""
    name = _name(row) if row["group_id"] else "all groups"
    if shift is None:
        differs_on_its_own = f"No answer of {name} is missing"
    elif row["kind"] != "continuous" and shift > 1:
        differs_on_its_own = f"The change stands whatever the missing answers of {name} would have been"
    else:
        is_up = (row["value"] if row["value_alone"] is None else row["value_alone"]) > 0
        sides = ((share_a, row["system_id"], is_up), (share_b, row["reference_system_id"], not is_up))
        conditions = [
            f"those missing in {system} are on average {number(shift)} {'lower' if is_lower else 'higher'}"
            for share, system, is_lower in sides
            if share
        ]
        differs_on_its_own = (
            f"The change stands unless of the answers of {name} {' and '.join(conditions)} than the others"
        )
    return f"{differs_on_its_own}{at_the_worst_end(row)}."


def _name(row: Row) -> str:
    return f"{row['group_id']} ({row['category']})" if row["category"] else str(row["group_id"])


def _sized(row: Row) -> str:
    beyond = ", beyond its margin" if row["verdict"] == "beyond_margin" else ""
    estimate = _told(row)
    return f"{_name(row)} {number(estimate['value'])} {interval(estimate['ci_low'], estimate['ci_high'])}{beyond}"


def _moved(reader: Reader, row: Row) -> list[Row]:
    """The root prompts that moved most to the side of the change; none of a slice."""
    if row["slice_id"] != "all":
        return []
    names = ("measure_id", "calibration", "category", "group_id", "system_id", "reference_system_id", "value")
    rows = reader.rows(
        _MOVED, **{name: row[name] for name in names}, factors=row["grouping_id"].split(" x "), n_prompts=_MAX_PROMPTS
    )
    return [{**one, "branches": _branches(reader, row, one)} for one in rows]


def _branches(reader: Reader, row: Row, moved: Row) -> list[dict[str, Any]]:
    """The prompt of the group and the one beside it, each with the responses of both systems that show the change."""
    prefixes = ["", *(["other_"] if moved["other_prompt_id"] else [])]
    return [
        {
            side: response(reader, row, row[key], moved[f"{prefix}prompt_id"], moved[f"{prefix}replicate_{side}"])
            for side, key in _SIDES.items()
        }
        for prefix in prefixes
    ]
