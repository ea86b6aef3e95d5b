"""What stands in two places of a published warehouse: relations that must tell the same of their rows."""

from collections.abc import Sequence
from typing import Final

from bench.one_truth.compared import Pair
from bench.one_truth.verdicts import EFFECT, HYPOTHESIS, OF_GROUP, OF_METRIC, OF_PAIR, SHOWN, SIZES

PINNED_KEYS: Final = ("study_id", "slice_id", "system_id", "measure_id", "grouping_id")
PINNED: Final = "calibration = 'raw' and statistic in ('mean', 'share') and parameters = ''"
_LATEST: Final = "(from {table} semi join studies using (study_id, run_id))"
# the contrasts that count: one a statistic, in the unit of its margin
_GROUPS: Final = "(from contrasts where verdict is not null and contrast <> 'log_disparity')"
_MEANS: Final = "statistic = 'mean' and parameters = '' and calibration = 'raw'"
# of these every group answered every root prompt, and as often: means over either are the same
_COMPLETE: Final = """
    (study_id, slice_id, system_id, measure_id, grouping_id) in (
        select (study_id, slice_id, system_id, measure_id, grouping_id) from summary_statistics
        where statistic = 'mean' and parameters = '' and calibration = 'raw'
        group by study_id, slice_id, system_id, measure_id, grouping_id
        having max(n_missing) = 0 and count(distinct n_responses) = 1 and count(distinct n_root_prompts) = 1
            and max(n_responses) % max(n_root_prompts) = 0
    )
"""
_OF_GROUPS: Final = ", ".join([*PINNED_KEYS, "calibration"])
_FROM_REST: Final = (
    "(from contrasts where contrast in ('mean_difference', 'risk_difference') and reference = 'rest'"
    f" and value is not null and category = '' and {_MEANS} and {_COMPLETE})"
)
_RANGES: Final = f"(from disparities where metric = 'range' and value is not null and {_MEANS} and {_COMPLETE})"
_EVERY_GROUP: Final = "(select *, metric as contrast from rows_with_verdict where is_group and counts)"


def _drawn(relation: str, kind: str, keys: Sequence[str]) -> str:
    """The headline or the largest row of hypotheses under the names of rows_with_verdict."""
    columns = ", ".join(f"{kind}_{name} as {name}" for name in [*EFFECT, *SIZES] if name != "group_id")
    named = f"coalesce({kind}_group_id, '') as group_id"
    return f"(select {', '.join(keys)}, {columns}, {named} from {relation} where {kind}_metric is not null)"


def _history(columns: str, run: str) -> str:
    keys = ", ".join(OF_PAIR)
    return f"(select {keys}, {run} as run_id, {columns} from v_changed_since)"


_BEFORE: Final = ("verdict", "is_headline", "metric", "group_id", "category", "value", "ci_low", "ci_high", "margin")
_DRAWN_OF_RUN: Final = ", ".join(
    f"if(headline_metric is not null, headline_{name}, largest_{name}) as {name}"
    for name in ["metric", "group_id", "category", *SIZES]
)
_OF_WORDING: Final = [name for name in OF_PAIR if name != "grouping_id"]
_OF_WORST: Final = [*PINNED_KEYS, "statistic", "verdict", "headline_metric"]
_IS_DRAWN: Final = "coalesce(headline_metric, largest_metric) is not null"
_VERDICTS: Final = ", ".join(
    f"count(*) filter (verdict = '{word}') as n_verdict_{word}" for word in (*SHOWN, "inconclusive")
)
_OUTCOMES: Final = ", ".join(
    f"count(*) filter (outcome = '{word}') as n_{word}"
    for word in ("significant", "equivalent", "inconclusive", "not_testable", "not_observed", "not_asked")
)
_CHANGES: Final = [
    "study_id",
    "slice_id",
    "measure_id",
    "grouping_id",
    "system_id",
    "reference_system_id",
    "group_id",
    "category",
]


def _of_change(comparison: str, **names: str) -> str:
    columns = ", ".join(f"{old} as {new}" for new, old in names.items())
    where = f"calibration = 'raw' and comparison = '{comparison}'"
    return f"(select {', '.join(_CHANGES)}, {columns} from system_comparisons where {where})"


def _range_of_groups(column: str) -> str:
    sizes = f"max({column}) - min({column}) as {column}"
    return f"(select {_OF_GROUPS}, {sizes} from summary_statistics where {_MEANS} group by all)"


PAIRS: Final = (
    Pair(
        "findings, hypotheses", "findings", "(from hypotheses where reference_system_id = '')", HYPOTHESIS, ("reason",)
    ),
    Pair(
        "v_findings, findings",
        "v_findings",
        f"(from findings where {PINNED} and not is_tool_bias and grouping_id <> 'negative_control')",
        PINNED_KEYS,
        ("reason",),
    ),
    Pair("run_findings, hypotheses", _LATEST.format(table="run_findings"), "hypotheses", OF_PAIR),
    Pair(
        "v_history, run_findings",
        "v_history",
        f"(select *, {_DRAWN_OF_RUN}, if({_IS_DRAWN}, headline_metric is not null, null) as is_headline"
        " from run_findings)",
        [*OF_PAIR, "run_id"],
    ),
    Pair("v_changed_since, v_history: now", _history(", ".join(_BEFORE), "run_id"), "v_history", [*OF_PAIR, "run_id"]),
    Pair(
        "v_changed_since, v_history: before",
        _history(", ".join(f"{name}_before as {name}" for name in _BEFORE), "run_id_before"),
        "v_history",
        [*OF_PAIR, "run_id"],
    ),
    *(
        Pair(
            f"{kind} of hypotheses, its row",
            _drawn("hypotheses", kind, OF_PAIR),
            "rows_with_verdict",
            [*OF_PAIR, *EFFECT],
        )
        for kind in ("headline", "largest")
    ),
    Pair(
        "finding_groups, contrasts",
        f"(from finding_groups semi join {_GROUPS} using ({', '.join(OF_GROUP)}))",
        _GROUPS,
        OF_GROUP,
    ),
    Pair("finding_groups, run_groups", "finding_groups", _LATEST.format(table="run_groups"), OF_GROUP),
    Pair("run_groups, contrasts", _LATEST.format(table="run_groups"), _EVERY_GROUP, [*OF_GROUP, "contrast"]),
    Pair(
        "run_groups, headlines of groups",
        f"(from {_LATEST.format(table='run_groups')} where is_headline)",
        f"(select * rename (metric as contrast) from {_drawn('hypotheses', 'headline', HYPOTHESIS)})",
        [*OF_GROUP, "contrast"],
    ),
    Pair(
        "v_differences, contrasts",
        "v_differences",
        f"(from {_GROUPS} where {PINNED})",
        [*PINNED_KEYS, "group_id", "category", "reference", "contrast"],
    ),
    Pair(
        "v_worse_off, contrasts",
        "v_worse_off",
        f"(from {_GROUPS} where {PINNED})",
        [*PINNED_KEYS, "group_id", "category", "reference"],
    ),
    *(
        Pair(
            f"hypotheses in {view}, v_findings",
            f"(select *, hypothesis_verdict as verdict from (select * exclude (verdict) from {view}))",
            "v_findings",
            PINNED_KEYS,
            ("value", "ci_low", "ci_high", "q_value", "reason", "n_responses", "n_root_prompts", "n_units", "scope")
            + ("meaning", "remedy", "q_permuted", "verdict_reason"),
        )
        for view in ("v_differences", "v_worse_off")
    ),
    Pair(
        "worst hypotheses in v_worse_off, hypotheses",
        f"(select distinct {', '.join(PINNED_KEYS)}, worst_statistic as statistic, worst_verdict as verdict,"
        " worst_metric as headline_metric from v_worse_off where worst_verdict is not null)",
        f"(select distinct {', '.join(_OF_WORST)} from hypotheses"
        " where calibration = 'raw' and reference_system_id = '')",
        _OF_WORST,
    ),
    Pair(
        "v_refusals, contrasts",
        "(select study_id, system_id, grouping_id, group_id, q_value, verdict from v_refusals"
        " where verdict is not null)",
        f"(from {_GROUPS} where {PINNED} and slice_id = 'all' and measure_id = 'refusal')",
        ["study_id", "system_id", "grouping_id", "group_id"],
    ),
    Pair(
        "hypotheses in v_refusals, findings",
        "(select study_id, system_id, grouping_id, hypothesis_q_value as q_value, hypothesis_verdict as verdict"
        " from v_refusals where hypothesis_verdict is not null)",
        f"(from findings where {PINNED} and slice_id = 'all' and measure_id = 'refusal')",
        ["study_id", "system_id", "grouping_id"],
    ),
    Pair(
        "v_refusals, responses",
        "(from v_refusals semi join (select distinct study_id, factor as grouping_id from prompt_factors)"
        " using (study_id, grouping_id))",
        "(select study_id, system_id, factor as grouping_id, level as group_id, count(is_refused) as n_responses,"
        " count(*) filter (is_refused) as n_refused"
        " from responses join prompt_factors using (study_id, prompt_id) group by all)",
        ["study_id", "system_id", "grouping_id", "group_id"],
    ),
    Pair(
        "measure refusal, responses",
        "(select study_id, system_id, prompt_id, replicate, value = 1 as is_refused from measurements"
        " where measure_id = 'refusal' and system_id <> 'baseline')",
        "responses",
        ["study_id", "system_id", "prompt_id", "replicate"],
    ),
    Pair(
        "v_refusals, subgroups",
        "(select *, n_refused as n_deviating, refusal_rate as deviation_rate from v_refusals)",
        "(from subgroups where slice_id = 'all' and measure_id = 'refusal')",
        ["study_id", "system_id", "grouping_id", "group_id"],
        ("reason", "inference_reason"),
    ),
    Pair(
        "n of summary_statistics, subgroups",
        "(select study_id, slice_id, system_id, measure_id, grouping_id, group_id, n_responses, n_missing"
        f" from summary_statistics where {PINNED} and grouping_id <> 'negative_control' and"
        " (study_id, measure_id) in (select (study_id, measure_id) from measures where kind = 'binary'))",
        "subgroups",
        [*PINNED_KEYS, "group_id"],
    ),
    Pair(
        "q of hypotheses in disparities, hypotheses",
        f"(select {OF_METRIC}, hypothesis_q_value as q_value from disparities"
        " where hypothesis_q_value is not null and inference_reason is distinct from 'told_by_parts')",
        "(from hypotheses where reference_system_id = '')",
        HYPOTHESIS,
    ),
    Pair(
        "family of contrasts, hypotheses",
        f"(select distinct {', '.join(HYPOTHESIS)}, family_id, n_hypotheses from contrasts where family_id is not null"
        " and verdict is not null)",
        "(from hypotheses where reference_system_id = '')",
        HYPOTHESIS,
    ),
    Pair(
        "runs, hypotheses",
        _LATEST.format(table="runs"),
        f"(select study_id, count(*) as n_hypotheses, {_OUTCOMES}, {_VERDICTS} from hypotheses"
        " where grouping_id <> 'negative_control' group by study_id)",
        ["study_id"],
    ),
    Pair(
        "n_groups_different, run_groups",
        f"(select {', '.join(HYPOTHESIS)}, n_groups_different from hypotheses"
        " where reference_system_id = '' and n_groups_different > 0)",
        f"(select {', '.join(HYPOTHESIS)}, count(distinct group_id) filter (verdict in {SHOWN}) as n_groups_different"
        f" from {_LATEST.format(table='run_groups')} group by all)",
        HYPOTHESIS,
    ),
    Pair(
        "n_groups_different of pairs, system_comparisons",
        f"(select {', '.join(OF_PAIR)}, n_groups_different from hypotheses"
        " where reference_system_id <> '' and statistic = 'groups_changed' and n_groups_different > 0)",
        f"(select {', '.join(OF_PAIR)}, count(distinct group_id) filter (verdict in {SHOWN}) as n_groups_different"
        " from rows_with_verdict where source = 'system_comparisons' and counts group by all)",
        OF_PAIR,
    ),
    Pair(
        "hypotheses of pairs, system_comparisons",
        "(from hypotheses where reference_system_id <> '' and p_value is not null)",
        "(select * exclude (verdict, verdict_reason, inference_reason), comparison as statistic, '' as parameters"
        " from system_comparisons where comparison in ('mean_change', 'groups_changed'))",
        OF_PAIR,
        ("n_root_prompts", "n_draws", "scope"),
    ),
    Pair(
        "v_changed, system_comparisons",
        "(select * exclude (q_value, verdict, verdict_with_missing) from v_changed where change is not null)",
        _of_change(
            "group_change",
            value_a="value_a",
            value_b="value_b",
            change="value",
            change_ci_low="ci_low",
            change_ci_high="ci_high",
        ),
        _CHANGES,
    ),
    Pair(
        "groups in v_changed, system_comparisons",
        "(from v_changed where interaction_change is null and disparity_change is not null)",
        _of_change(
            "disparity_change",
            disparity_change="value",
            value_alone="value_alone",
            ci_low_alone="ci_low_alone",
            ci_high_alone="ci_high_alone",
            q_value="q_value",
            verdict="verdict",
            verdict_with_missing="verdict_with_missing",
            explained_by="explained_by",
        ),
        _CHANGES,
    ),
    Pair(
        "hypotheses in v_quotes, v_findings",
        f"(select distinct {', '.join(PINNED_KEYS)}, finding_rank, hypothesis_verdict as verdict from v_quotes)",
        "v_findings",
        PINNED_KEYS,
    ),
    Pair(
        "hypotheses in red_flags, v_findings",
        f"(select distinct {', '.join(PINNED_KEYS)}, hypothesis_verdict as verdict from red_flags"
        " where hypothesis_verdict is not null)",
        "v_findings",
        PINNED_KEYS,
    ),
    Pair(
        "subgroups, summary_statistics",
        "(select *, deviation_rate as value_responses from (select * exclude (ci_low, ci_high) from subgroups"
        " semi join summary_statistics using (study_id, slice_id, system_id, measure_id, grouping_id, group_id)))",
        f"(from summary_statistics where {PINNED})",
        [*PINNED_KEYS, "group_id"],
        ("reason", "inference_reason", "n_root_prompts"),
    ),
    Pair(
        "outcome_distributions, subgroups",
        "(select * exclude (ci_low, ci_high), n_group as n_responses from outcome_distributions"
        " semi join subgroups using (study_id, slice_id, system_id, measure_id, grouping_id, group_id))",
        "subgroups",
        [*PINNED_KEYS, "group_id"],
    ),
    # of groups with several prompts of a root prompt inference has no range: value is that over responses
    Pair(
        "ranges of means, summary_statistics",
        f"(from {_RANGES} where inference_reason is distinct from 'several_prompts')",
        _range_of_groups("value"),
        [*PINNED_KEYS, "calibration"],
    ),
    Pair(
        "ranges over responses, summary_statistics",
        f"(from {_RANGES})",
        _range_of_groups("value_responses"),
        [*PINNED_KEYS, "calibration"],
    ),
    Pair(
        "differences from the rest, summary_statistics",
        f"(from {_FROM_REST})",
        f"(select {_OF_GROUPS}, contrasts.group_id, any_value(own.value) - avg(other.value) as value"
        f" from {_FROM_REST} as contrasts"
        f" join (from summary_statistics where {_MEANS}) as own using ({_OF_GROUPS}, group_id)"
        f" join (from summary_statistics where {_MEANS}) as other using ({_OF_GROUPS})"
        " where other.group_id <> contrasts.group_id"
        " and not list_contains(string_split(coalesce(contrasts.without_groups, ''), ' | '), other.group_id)"
        " group by all)",
        [*PINNED_KEYS, "calibration", "group_id"],
    ),
    Pair(
        "p of the controls in hypotheses, their own hypothesis",
        f"(select {', '.join(_OF_WORDING)}, p_wording as p_value from hypotheses where p_wording is not null)",
        "(from hypotheses where grouping_id = 'negative_control')",
        _OF_WORDING,
    ),
    Pair(
        "v_negative_controls, contrasts",
        "(select *, negative_control as group_id from v_negative_controls)",
        f"(from contrasts where {PINNED} and grouping_id = 'negative_control' and reference in ('rest', 'grand_mean')"
        " and contrast in ('mean_difference', 'risk_difference'))",
        ["study_id", "slice_id", "system_id", "measure_id", "group_id", "category"],
    ),
    Pair("v_coverage, coverage", "v_coverage", "coverage", ["study_id", "factors"]),
)
