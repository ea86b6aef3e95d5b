"""Verdicts made anew of the numbers of their rows, by docs/design/inference.md 2.5, without the code that made them."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any, Final

import duckdb

from bench.one_truth.compared import Compared, place, records

_METRICS: Final = Path(__file__).resolve().parents[2] / "dbt_models" / "seeds" / "metrics.csv"
HYPOTHESIS: Final = (
    *("study_id", "slice_id", "system_id", "grouping_id", "measure_id", "calibration", "statistic", "parameters"),
)
OF_PAIR: Final = (*HYPOTHESIS, "reference_system_id")
OF_GROUP: Final = (*HYPOTHESIS, "group_id", "category", "reference")
EFFECT: Final = ("metric", "group_id", "category", "reference")
SIZES: Final = ("value", "ci_low", "ci_high", "margin", "margin_origin")
SHOWN: Final = ("beyond_margin", "different")
# the parameters of a metric stand behind those of the statistic that the hypothesis is of
OF_METRIC: Final = ", ".join(
    f"regexp_replace({name}, ';?(variant|cap)=.*$', '') as {name}" if name == "parameters" else name
    for name in HYPOTHESIS
)
WIDE: Final = ("similar prompts", "similar units and prompts")
NOTHING: Final = 1e-9  # of the larger of two sizes
# every row that has a verdict, and of all models together its dbi, with what a verdict follows from; contrasts of
# statistics that are no means stand in run_groups alone, without p, scope and q of equivalence
_ROWS: Final = f"""
create or replace temp table rows_with_verdict as
with levels as (select study_id, significance_level as level, look from studies),
given as (
    select 'contrasts' as source, {", ".join(HYPOTHESIS)}, '' as reference_system_id, contrast as metric, group_id,
        category, reference, value, ci_low, ci_high, margin, margin_origin, p_value, q_value,
        null::double as hypothesis_q_value, q_equivalence, null_q95, scope, verdict, verdict_reason, explained_by,
        significant_at_look, value_at_call, value_without, inference_reason, contrast <> 'log_disparity' as counts,
        q_permuted, without_groups
    from contrasts where verdict is not null or contrast = 'dbi'
    union all
    select 'run_groups', {", ".join(HYPOTHESIS)}, '', contrast, group_id, category, reference, value, ci_low, ci_high,
        margin, margin_origin, null, q_value, null, null, null, null, verdict, null, explained_by, null, null, null,
        null, true, q_permuted, without_groups
    from run_groups semi join studies using (study_id, run_id)
    anti join contrasts using ({", ".join(HYPOTHESIS)}, group_id, category, reference, contrast)
    union all
    select 'disparities', {OF_METRIC}, '', metric, '', '', '', value, ci_low, ci_high, margin,
        margin_origin, p_value, q_value, hypothesis_q_value, null, greatest(null_q95, control_floor), scope, verdict,
        verdict_reason, null, null, null, null, inference_reason, true, null, null
    from disparities where verdict is not null
    union all
    select 'system_comparisons', study_id, slice_id, system_id, grouping_id, measure_id, calibration,
        if(comparison in ('disparity_change', 'interaction_change'), 'groups_changed', comparison), '',
        reference_system_id, comparison, group_id, category, '', coalesce(value_alone, value),
        if(value_alone is null, ci_low, ci_low_alone), if(value_alone is null, ci_high, ci_high_alone), margin,
        margin_origin, p_value, q_value, null, q_equivalence, null, scope, verdict, verdict_reason, explained_by,
        significant_at_look, value_at_call, value_without, inference_reason,
        comparison in ('mean_change', 'disparity_change', 'interaction_change'), q_permuted, without_groups
    from system_comparisons where verdict is not null
),
-- of a metric, as its q: the larger of the hypothesis' and of its own p
of_words as (
    select given.* exclude (q_permuted),
        case
            when source <> 'disparities' then given.q_permuted
            when hypotheses.q_permuted is not null then greatest(hypotheses.q_permuted, given.p_value)
        end as q_permuted
    from given left join hypotheses using ({", ".join(HYPOTHESIS)}, reference_system_id)
)
select *, metric in (RATIOS) as is_ratio, source <> 'disparities' as is_group from of_words join levels using (study_id)
"""


def _ratios() -> str:
    """The metrics whose no effect is 1, as SQL."""
    with _METRICS.open(encoding="utf-8", newline="") as file:
        return ", ".join(f"'{row['name']}'" for row in csv.DictReader(file) if row["is_ratio"] == "true")


def make_rows(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Make temporary table rows_with_verdict, and return its rows."""
    connection.execute(_ROWS.replace("RATIOS", _ratios()))
    return records(connection, "from rows_with_verdict")


def possible_verdicts(row: Mapping[str, Any], *, is_unsettled: bool) -> tuple[set[str], bool | None]:
    """The verdicts that a row's own numbers give, and whether it is significant; None where they do not tell.

    q of lying beyond a margin is in no mart: a significant group past its margin may be either. Rows whose numbers are
    of another look or round, or that their parts tell, are as significant as they say.
    """
    q, low, high, value, margin, level = (row[k] for k in ("q_value", "ci_low", "ci_high", "value", "margin", "level"))
    if q is None and low is None and high is None:
        if row["inference_reason"] == "told_by_parts":  # of the parts is its q, which is in their rows
            return {row["verdict"]}, row["verdict"] in SHOWN
        return {"not_tested"}, False
    no_effect = 1.0 if row["is_ratio"] else 0.0
    # a limit of a log disparity that is infinite is NULL; an interval that is not there holds nothing
    has_interval = low is not None or high is not None
    low, high = -inf if low is None else low, inf if high is None else high
    is_off = not has_interval or low > no_effect or high < no_effect
    floor = row["null_q95"]
    is_past = row["is_group"] or (None not in (floor, value) and (value < floor if row["is_ratio"] else value > floor))
    is_told_elsewhere = row["value_at_call"] is not None or row["inference_reason"] == "told_by_parts"
    if row["explained_by"] is not None:
        is_significant = False
    elif is_told_elsewhere:
        is_significant = row["verdict"] in SHOWN or (row["is_group"] and row["significant_at_look"] is not None)
    else:
        is_significant = q is not None and q <= level and is_off and is_past and not is_unsettled
    is_wide = row["scope"] in WIDE
    is_beyond, is_inside = _sides_of_margin(row, low, high, has_interval=has_interval)
    if row["source"] == "run_groups":
        # neither scope nor q of equivalence stands there
        return {row["verdict"]} & _verdicts_of_group(is_significant=is_significant, margin=margin), is_significant
    if is_significant and is_wide and is_beyond:
        return ({"beyond_margin", "different"} if row["is_group"] else {"beyond_margin"}), True
    if is_inside and is_wide:
        return {"equivalent"}, is_significant
    return {"different" if is_significant else "inconclusive"}, is_significant


def _sides_of_margin(row: Mapping[str, Any], low: float, high: float, *, has_interval: bool) -> tuple[bool, bool]:
    """Whether a row may lie beyond its margin, and whether it lies inside: groups by q, metrics by their interval."""
    margin, value, q = row["margin"], row["value"], row["q_equivalence"]
    if row["is_group"]:
        is_inside = margin is not None and q is not None and q <= row["level"]
        return None not in (margin, value) and abs(value) > margin, is_inside
    if margin is None or not has_interval:
        return False, False
    return (high < margin, low > margin) if row["is_ratio"] else (low > margin, high < margin)


def _verdicts_of_group(*, is_significant: bool, margin: float | None) -> set[str]:
    """What a group's verdict may be where q of its margin tests is not known."""
    verdicts = {"different" if is_significant else "inconclusive"}
    if margin is not None:
        verdicts |= {"equivalent", "beyond_margin"} if is_significant else {"equivalent"}
    return verdicts


def _reason(row: Mapping[str, Any]) -> set[str | None]:
    """Why an inconclusive row is none although its q, or that of the words alone, is at most alpha."""
    if row["verdict"] != "inconclusive" or row["q_value"] is None or row["q_value"] > row["level"]:
        if row["verdict"] == "inconclusive" and row["q_permuted"] is not None and row["q_permuted"] <= row["level"]:
            return {"not_beyond_controls"}
        is_of_parts = row["inference_reason"] == "told_by_parts" and row["value"] is not None
        return {None, *(["below_noise_floor", "interval_holds_zero"] if is_of_parts else [])}
    if row["explained_by"] is not None:
        return {"explained"}
    no_effect = 1.0 if row["is_ratio"] else 0.0
    if None not in (row["ci_low"], row["ci_high"]) and row["ci_low"] <= no_effect <= row["ci_high"]:
        return {"interval_holds_zero"}
    return {None} if row["is_group"] else {"below_noise_floor"}


def row_verdicts(rows: Sequence[dict[str, Any]]) -> Compared:
    """Every verdict of a row, held against what its own numbers give; adds whether each row is significant."""
    farthest: dict[tuple[Any, ...], float] = {}
    keys = (*OF_PAIR, "source")
    for row in rows:
        # a group stands only if none that lies farther is inconclusive
        is_open = row["is_group"] and row["counts"] and row["verdict"] == "inconclusive" and row["value"] is not None
        # what differs because of others is settled
        if is_open and row["q_value"] is not None and row["explained_by"] is None:
            hypothesis = tuple(row[key] for key in keys)
            farthest[hypothesis] = max(farthest.get(hypothesis, 0.0), abs(row["value"]))
    found = []
    for row in rows:
        hypothesis = tuple(row[key] for key in keys)
        is_farther_open = farthest.get(hypothesis, 0.0) > abs(row["value"] or 0.0) * (1 + NOTHING)
        may_be_unsettled = (
            row["is_group"]
            and row["significant_at_look"] is None
            and row["without_groups"] is None  # of a later round: farther groups are not in it
            and (is_farther_open or row["verdict"] == "inconclusive" and farthest.get(hypothesis, 0.0) > 0)
        )
        verdicts, row["is_significant"] = possible_verdicts(row, is_unsettled=may_be_unsettled)
        if row["verdict"] is None:
            continue
        told = f"{row['source']} {place(row, [*OF_PAIR, *EFFECT])}"
        numbers = ", ".join(f"{k} {row[k]}" for k in ("value", "ci_low", "ci_high", "p_value", "q_value", "margin"))
        if row["verdict"] not in verdicts:
            found.append(f"{told}: {row['verdict']}, not {' or '.join(sorted(verdicts))} ({numbers})")
        elif row["verdict_reason"] not in _reason(row) and not may_be_unsettled:
            found.append(f"{told}: {row['verdict']}, {row['verdict_reason']} ({numbers})")
        if row["margin"] is not None and row["margin_origin"] not in ("declared", "default"):
            found.append(f"{told}: margin {row['margin']} of no origin")
    return Compared("verdicts of rows", len(rows), len(rows), found)


def hypothesis_verdicts(connection: duckdb.DuckDBPyConnection, rows: Sequence[dict[str, Any]]) -> Compared:
    """Every outcome, verdict, headline and largest size of a hypothesis, held against its rows."""
    of_hypothesis: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        if row["counts"] and row["verdict"] is not None:
            of_hypothesis.setdefault(tuple(row[key] for key in OF_PAIR), []).append(row)
    hypotheses = records(connection, "select * from hypotheses")
    found = []
    for one in hypotheses:
        own = of_hypothesis.get(tuple(one[key] for key in OF_PAIR), [])
        found += [f"{place(one, OF_PAIR)}: {problem}" for problem in _problems_of(one, own)]
    return Compared("outcomes, verdicts and headlines of hypotheses", len(hypotheses), len(hypotheses), found)


def _problems_of(one: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    is_significant = one["significant_at_look"] is not None
    verdict = _verdict_of(one, rows, is_significant=is_significant)
    if one["verdict"] != verdict:
        yield f"verdict {one['verdict']}, its rows give {verdict}"
    outcome = "significant" if is_significant else verdict if verdict == "equivalent" else "inconclusive"
    if one["p_value"] is not None and one["outcome"] != outcome:
        yield f"outcome {one['outcome']}, its rows give {outcome}"
    may = [row for row in rows if row["value"] is not None and _may_head(one, row)]
    if verdict in ("inconclusive", "not_tested"):
        if one["headline_metric"] is not None:
            yield f"{verdict}, and headed by {one['headline_metric']}"
    elif (one["headline_metric"] is None) != (not may):
        yield f"{verdict}: headline {one['headline_metric']}, {len(may)} rows may head it"
    elif may:
        yield from _smaller(one, "headline", [row for row in may if row["is_group"]] or may)
    yield from _smaller(one, "largest", [row for row in rows if row["is_group"] and row["value"] is not None])


def _verdict_of(one: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], *, is_significant: bool) -> str:
    groups = [row for row in rows if row["is_group"] and row["value"] is not None]
    metrics = [row for row in rows if not row["is_group"] and row["value"] is not None and row["margin"] is not None]
    answers = groups if any(row["is_group"] for row in rows) else metrics
    if is_significant and any(row["verdict"] == "beyond_margin" for row in rows):
        return "beyond_margin"
    if answers and all(row["verdict"] == "equivalent" for row in answers):
        return "equivalent"
    if is_significant:
        return "different"
    return "not_tested" if one["p_value"] is None else "inconclusive"


def _smaller(one: Mapping[str, Any], kind: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A headline or largest row that is smaller than one of those that it is the largest of, or is not there."""
    largest = max((abs(row["value"]) for row in rows), default=0.0)
    value = one[f"{kind}_value"]
    if rows and (value is None or abs(value) < largest * (1 - NOTHING)):
        yield f"{kind} {one[f'{kind}_metric']} {value}, a row has {largest}"


def _may_head(one: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    is_inside = one["verdict"] == "different" and row["verdict"] == "equivalent" and row["is_significant"]
    return bool(row["verdict"] == one["verdict"] or is_inside)
