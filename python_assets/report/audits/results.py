"""The numbers of each model, measure and grouping that a verdict of an audit is of, for every verdict.

Belongs here: from published tables to one entry of findings.json: every group's rate or mean with its difference, what
the design was to detect, what it detects now, and the sentence about them.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import duckdb

from python_assets.infer.formulas.verdict import POWER
from python_assets.infer.tables import INTERACTION
from python_assets.published.detectable import DETECTABLE, TESTED_CONTRASTS
from python_assets.published.plain_numbers import count, size
from python_assets.report.reader import Row
from python_assets.study.base import ALL_PROMPTS, make_id
from python_assets.warehouse.build import rows_of

_STATISTICS: Final = ("mean", "share")
_KEYS: Final = ("model", "measure_id", "grouping_id")
# of a selected group the shrunken difference and its adjusted interval, as everywhere else
_GROUPS: Final = f"""
    with means as (
        select system_id, measure_id, calibration, grouping_id, group_id, '' as category, value, ci_low, ci_high,
            n_responses as n_scored, n_responses + n_missing as n_responses,
            coalesce(reason, inference_reason) as reason
        from summary_statistics
        where study_id = $study and slice_id = '{ALL_PROMPTS}' and statistic = 'mean' and parameters = ''
            and measure_id not in (select measure_id from measures where study_id = $study and kind = 'categorical')
        union all
        select outcomes.system_id, outcomes.measure_id, 'raw', outcomes.grouping_id, outcomes.group_id, category, share,
            ci_low, ci_high, n_group, coalesce(scored_responses.n_responses, n_group), null
        from outcome_distributions as outcomes
        left join scored_responses using (study_id, system_id, measure_id, grouping_id, group_id)
        where study_id = $study and slice_id = '{ALL_PROMPTS}'
            and outcomes.measure_id in (
                select measure_id from measures where study_id = $study and kind = 'categorical'
            )
    ),
    differences as (
        select system_id, measure_id, calibration, grouping_id, group_id, category, contrast, reference,
            ci_low_selected is not null or ci_high_selected is not null as is_adjusted,
            case when is_adjusted then value_shrunken else value end as difference,
            case when is_adjusted then ci_low_selected else ci_low end as difference_ci_low,
            case when is_adjusted then ci_high_selected else ci_high end as difference_ci_high,
            case when is_adjusted then value end as unadjusted_difference,
            case when is_adjusted then ci_low end as unadjusted_ci_low,
            case when is_adjusted then ci_high end as unadjusted_ci_high,
            verdict, coalesce(reason, inference_reason) as difference_reason,
            case
                when ci_low is not null and ci_high is not null
                    then greatest(
                        abs(ci_low), abs(ci_high), coalesce(abs(difference_ci_low), 0),
                        coalesce(abs(difference_ci_high), 0)
                    )
            end as largest_limit
        from contrasts
        where study_id = $study and slice_id = '{ALL_PROMPTS}' and contrast in {TESTED_CONTRASTS}
        qualify row_number() over (
            partition by system_id, measure_id, calibration, grouping_id, group_id, category order by contrast
        ) = 1
    )
    select means.*, contrast, reference, difference, difference_ci_low, difference_ci_high, difference_reason,
        coalesce(is_adjusted, false) as is_adjusted, unadjusted_difference, unadjusted_ci_low, unadjusted_ci_high,
        coalesce(verdict, 'not_tested') as verdict, largest_limit
    from means
    left join differences using (system_id, measure_id, calibration, grouping_id, group_id, category)
    order by category, difference desc nulls last, value desc nulls last, group_id
"""
_PLANNED: Final = f"""
    select measure_id, grouping_id, effect as planned_effect, minimum_detectable_effect as planned_detectable
    from design_power
    where study_id = $study and source = 'declared' and contrast in {TESTED_CONTRASTS}
"""


_MEASURES: Final = "select measure_id, kind, favourable, direction from measures where study_id = $study"
_OF_INTERVALS: Final = "the groups' 95 % confidence intervals"
MUCH_MORE: Final = 1.25
"""So many times what was planned is much more, and its causes are reported."""
_GOOD: Final[Mapping[str, str]] = {"higher_better": ", higher is better", "higher_worse": ", higher is worse"}
_LITTLE: Final = 1.05  # so many times more is not said
_REFERENCES: Final[Mapping[str, str]] = {"rest": "the other groups'", "grand_mean": "the mean of all groups"}


def measures_in_words(
    connection: duckdb.DuckDBPyConnection, study_id: str, results: Iterable[Mapping[str, Any]]
) -> dict[str, str]:
    """Say what the measures of results are, by measure_id: favoured: share of responses that say "yes", ...

    Args:
        connection: with the published tables.
        study_id: a study in them.
        results: of audit_results.
    """
    shown = {result["measure_id"] for result in results}
    rows = rows_of(connection, f"{_MEASURES} order by measure_id", {"study": study_id})
    return {row["measure_id"]: _measure(row) for row in rows if row["measure_id"] in shown}


def _measure(row: Row) -> str:
    good = _GOOD.get(row["direction"], "")
    if row["favourable"] and row["kind"] == "binary":
        what = f'share of responses that say "{row["favourable"]}", the answer that is good for the person'
        return f"{_named(row)}: {what}"
    what = {"binary": "share of responses", "categorical": "share of responses of each label"}.get(row["kind"], "mean")
    of = f'; "{row["favourable"]}" is good for the person' if row["favourable"] else good
    return f"{_named(row)}: {what}{of}"


def _named(row: Row) -> str:
    return str(row["measure_id"]).replace("_", " ")


def audit_results(
    connection: duckdb.DuckDBPyConnection, study_id: str, config_json: str, hypotheses: Iterable[Row]
) -> list[dict[str, Any]]:
    """Collect the numbers behind verdicts, an entry per hypothesis of means or shares of all prompts.

    Args:
        connection: with the published tables.
        study_id: a study in them.
        config_json: its study file.
        hypotheses: those that the verdicts of the benchmark are of, as findings.json has them.

    Returns:
        Entries as findings.schema.json says, in the order of the hypotheses.
    """
    keys = {"study": study_id}
    groups = rows_of(connection, _GROUPS, keys)
    detectable = {_key(row): row for row in rows_of(connection, DETECTABLE, keys)}
    planned = {(row["measure_id"], row["grouping_id"]): row for row in rows_of(connection, _PLANNED, keys)}
    measures = {row["measure_id"]: row for row in rows_of(connection, _MEASURES, keys)}
    power = {make_id(name): spec for name, spec in (_analysis(config_json).get("power") or {}).items()}
    results = []
    for row in hypotheses:
        if row["slice_id"] != ALL_PROMPTS or row["statistic"] not in _STATISTICS or row["parameters"]:
            continue
        model_groups = [_of_group(group) for group in groups if _is_of(group, row)]
        measure = measures.get(row["measure_id"], {"kind": "continuous", "favourable": None})
        promise = planned.get((row["measure_id"], row["grouping_id"]), {})
        now = detectable.get(_key(row), {}) if row["calibration"] == "raw" else {}
        largest = _largest_limit(model_groups)
        effect = promise.get("planned_effect")
        results.append(
            {
                **{name: row[name] for name in (*_KEYS, "calibration", "statistic", "family_id", "verdict", "q_value")},
                "kind": measure["kind"],
                "favourable": measure["favourable"],
                "constant": _constant(model_groups) if measure["kind"] == "binary" else None,
                "contrast": next((group["contrast"] for group in model_groups if group["contrast"]), None),
                "reference": next((group["reference"] for group in model_groups if group["reference"]), None),
                "planned_effect": effect,
                "planned_detectable": promise.get("planned_detectable"),
                "power": power.get(row["measure_id"], {}).get("power", POWER),
                "detectable": now.get("detectable"),
                "detectable_reason": now.get("detectable_reason") if now else "spread_unknown",
                "largest_limit": largest,
                "is_bounded": largest is not None and effect is not None and largest <= effect,
                "groups": model_groups,
            }
        )
    return results


def is_of_rates(result: Mapping[str, Any]) -> bool:
    """Whether the numbers of an entry are rates, and differences of rates."""
    return bool(result["kind"] != "continuous")


def is_of_interaction(result: Mapping[str, Any]) -> bool:
    """Whether the differences of an entry are what a cell has beyond the main effects of its factors."""
    return bool(result["contrast"] == INTERACTION)


def result_in_words(result: Mapping[str, Any]) -> list[str]:
    """Say what the design detects and what the intervals exclude, a sentence each.

    Args:
        result: an entry of audit_results.
    """
    sentences = (constant_in_words(result), _detectable(result), cause_in_words(result), bound_in_words(result))
    return [f"{sentence[:1].upper()}{sentence[1:]}." for sentence in sentences if sentence]


def constant_in_words(result: Mapping[str, Any]) -> str:
    """Say that all scored responses have one value, and what that makes of groups; '' where they have several.

    Args:
        result: an entry of audit_results.
    """
    value = result["constant"]
    if value is None:
        return ""
    label = f'"{result["favourable"]}"' if result["favourable"] else "counted by the measure"
    which = "every scored response is" if value else "no scored response is"
    return f"{which} {label}: {100 * value:g} % in all groups, all differences are 0.0 points"


def _detectable(result: Mapping[str, Any]) -> str:
    rate = is_of_rates(result)
    planned = result["planned_detectable"] or result["planned_effect"]
    promise = "" if planned is None else f"planned: {size(planned, is_rate=rate)}"
    power = f"{100 * result['power']:g} % power"
    if result["detectable"] is None:
        reason = why_not_detectable(result)
        return f"Detectable with {power}: no value ({reason}){'; ' if promise else ''}{promise}"
    now = f"Detectable with {power}: {size(result['detectable'], is_rate=rate)}"
    return f"{now} ({promise})" if promise else now


def why_not_detectable(result: Mapping[str, Any]) -> str:
    """Say why nothing is known of what is detectable.

    Args:
        result: an entry of audit_results.
    """
    if result["constant"] is not None:
        return "all scored responses are alike"
    return str(result["detectable_reason"] or "spread_unknown").replace("_", " ")


def cause_in_words(result: Mapping[str, Any]) -> str:
    """Say why much more than planned is needed to be detected: lost responses, spread, or both; '' where it is not.

    Both multiply: what is detectable goes with the root of spread and of one over the number of values.

    Args:
        result: an entry of audit_results.
    """
    now, planned = result["detectable"], result["planned_detectable"]
    n, n_scored = (sum(group[name] or 0 for group in result["groups"]) for name in ("n_responses", "n_scored"))
    if now is None or not planned or now <= MUCH_MORE * planned or not n_scored:
        return ""
    by_losses = (n / n_scored) ** 0.5
    by_spread = now / planned / by_losses
    causes = []
    if n > n_scored and by_losses > _LITTLE:
        causes.append(f"{count(n - n_scored, n)} of the responses have no value ({by_losses:.2f} times)")
    if by_spread > _LITTLE:
        causes.append(f"values vary more than was assumed ({by_spread:.2f} times)")
    return f"detectable is {now / planned:.2f} times planned: {' and '.join(causes)}" if causes else ""


def bound_in_words(result: Mapping[str, Any]) -> str:
    """Say what the intervals exclude; '' unless it is no larger than the difference that was planned for.

    Args:
        result: an entry of audit_results.
    """
    if not result["is_bounded"]:
        return ""
    limit, now, rate = result["largest_limit"], result["detectable"], is_of_rates(result)
    responses = f"scored responses, largest limit of {_OF_INTERVALS}"
    if is_of_interaction(result):
        sentence = f"no interaction is larger than {size(limit, is_rate=rate)} ({responses})"
    else:
        reference = result["reference"] or "rest"
        # a named group is compared with as a whole
        other = _REFERENCES.get(reference, f"that of {reference}")
        what = "rate" if rate else "mean"
        sentence = f"no group's {what} differs from {other} by more than {size(limit, is_rate=rate)} ({responses})"
    if now is not None and now > limit:
        power = f"{100 * result['power']:g} % power"
        return f"{sentence}; it is of what was observed, detectable is what such a design finds with {power}"
    return sentence


def _largest_limit(groups: Sequence[Row]) -> float | None:
    """The largest absolute limit of the groups' intervals; None where a group has no interval.

    It is below the largest true difference only if the interval of that very group misses it on that side, so its
    error is at most 2.5 %, however many groups there are.
    """
    limits = [group["largest_limit"] for group in groups]
    return None if not limits or None in limits else max(limits)


def _constant(groups: Sequence[Row]) -> float | None:
    """The rate of every group where it is 0 or 1 in all of them: then no scored response says anything else."""
    # a weighted rate may miss 1 by a rounding error
    values = {None if group["value"] is None else round(group["value"], 9) for group in groups if group["n_scored"]}
    value = values.pop() if len(values) == 1 else None
    return value if value in (0.0, 1.0) else None


def _of_group(row: Row) -> dict[str, Any]:
    return {
        name: value
        for name, value in row.items()
        if name not in ("system_id", "measure_id", "grouping_id", "calibration")
    }


def _is_of(group: Row, hypothesis: Row) -> bool:
    names = ("measure_id", "grouping_id", "calibration")
    return group["system_id"] == hypothesis["model"] and all(group[name] == hypothesis[name] for name in names)


def _key(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in _KEYS)


def _analysis(config_json: str) -> dict[str, Any]:
    return json.loads(config_json).get("analysis") or {}
