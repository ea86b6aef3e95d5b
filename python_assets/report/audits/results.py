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
from python_assets.published.plain_numbers import size
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
        coalesce(is_adjusted, false) as is_adjusted, coalesce(verdict, 'not_tested') as verdict, largest_limit
    from means
    left join differences using (system_id, measure_id, calibration, grouping_id, group_id, category)
    order by category, difference desc nulls last, value desc nulls last, group_id
"""
_PLANNED: Final = f"""
    select measure_id, grouping_id, effect as planned_effect, minimum_detectable_effect as planned_detectable
    from design_power
    where study_id = $study and source = 'declared' and contrast in {TESTED_CONTRASTS}
"""


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
    kinds = dict(connection.execute("select measure_id, kind from measures where study_id = ?", [study_id]).fetchall())
    power = {make_id(name): spec for name, spec in (_analysis(config_json).get("power") or {}).items()}
    results = []
    for row in hypotheses:
        if row["slice_id"] != ALL_PROMPTS or row["statistic"] not in _STATISTICS or row["parameters"]:
            continue
        model_groups = [_of_group(group) for group in groups if _is_of(group, row)]
        promise = planned.get((row["measure_id"], row["grouping_id"]), {})
        now = detectable.get(_key(row), {}) if row["calibration"] == "raw" else {}
        largest = _largest_limit(model_groups)
        effect = promise.get("planned_effect")
        results.append(
            {
                **{name: row[name] for name in (*_KEYS, "calibration", "statistic", "family_id", "verdict", "q_value")},
                "kind": kinds.get(row["measure_id"], "continuous"),
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
    return [sentence for sentence in (_detectable(result), _bound(result)) if sentence]


def _detectable(result: Mapping[str, Any]) -> str:
    rate = is_of_rates(result)
    planned = result["planned_detectable"] or result["planned_effect"]
    promise = "" if planned is None else f"planned: {size(planned, is_rate=rate)}"
    power = f"{100 * result['power']:g} % power"
    if result["detectable"] is None:
        reason = (result["detectable_reason"] or "spread_unknown").replace("_", " ")
        return f"Detectable with {power}: no value ({reason}){'; ' if promise else ''}{promise}."
    now = f"Detectable with {power}: {size(result['detectable'], is_rate=rate)}"
    return f"{now} ({promise})." if promise else f"{now}."


def _bound(result: Mapping[str, Any]) -> str:
    """The upper bound of every difference, only where it is no larger than the difference that was planned for."""
    if not result["is_bounded"]:
        return ""
    bound = size(result["largest_limit"], is_rate=is_of_rates(result))
    differs = "No interaction is larger" if is_of_interaction(result) else "No group differs by more"
    return f"{differs} than {bound}: the largest limit of the groups' 95 % confidence intervals."


def _largest_limit(groups: Sequence[Row]) -> float | None:
    """The largest absolute limit of the groups' intervals; None where a group has no interval.

    It is below the largest true difference only if the interval of that very group misses it on that side, so its
    error is at most 2.5 %, however many groups there are.
    """
    limits = [group["largest_limit"] for group in groups]
    return None if not limits or None in limits else max(limits)


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
