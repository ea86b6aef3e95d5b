"""Rows of the account that belong to rows of findings and of pairs of generations, for tests that publish by hand."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from python_assets.published.effects import EFFECT_FIELDS

OUTCOMES = {"inconclusive": "inconclusive", "equivalent": "equivalent", "not_tested": "not_testable"}
KEYS = (*("study_id", "slice_id", "system_id", "grouping_id", "measure_id", "calibration", "statistic", "parameters"),)
CONTROLS = (
    *("verdict_reason", "p_permuted", "q_permuted", "p_negative_controls", "n_negative_controls", "n_control_types"),
    *("wording_sd", "wording_sd_low", "wording_sd_high", "control_floor", "loudest_control", "loudest_control_value"),
    *("wording", "negative_controls_reason", "n_groups", "n_root_prompts", "scope"),
)
EFFECTS = [f"{kind}_{ending}" for kind in ("headline", "largest") for ending in EFFECT_FIELDS]


def account_of(findings: Iterable[Mapping[str, Any]], pairs: Iterable[Mapping[str, Any]] = ()) -> list[dict[str, Any]]:
    """A row of questions for every finding, and for every question of a pair."""
    return [*_of_findings(findings), *_of_pairs(pairs)]


def told_apart(findings: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Findings with parameters of their own where an earlier one has all of their keys."""
    seen: set[tuple[Any, ...]] = set()
    found = []
    for row in findings:
        key = tuple(row.get(name) for name in KEYS)
        found.append(row | {"parameters": f"n={len(seen)}"} if key in seen else row)
        seen.add(key if key not in seen else (*key, len(seen)))
    return found


def _of_findings(findings: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for row in findings:
        own = {name: row[name] for name in KEYS if name in row}
        yield (own | {"reference_system_id": "", "n_responses": row.get("n_responses", 1), "n_missing": 0} | _rest(row))


def _of_pairs(pairs: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for row in pairs:
        if row.get("family_id") and row["comparison"] in ("mean_change", "groups_changed"):
            own = {name: row[name] for name in KEYS if name in row}
            pair = {"system_id": row["system_id"], "reference_system_id": row["reference_system_id"]}
            asked = {"statistic": row["comparison"], "parameters": "", "n_responses": None, "n_missing": None}
            yield own | pair | asked | _rest(row)


def _rest(row: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: row.get(name) for name in ("family_id", "p_value", "q_value", "verdict", *CONTROLS, *EFFECTS)}
    reason = row.get("inference_reason") or row.get("reason") or None
    outcome = OUTCOMES.get(row["verdict"], "significant")
    return found | {"outcome": outcome, "reason": reason if row.get("p_value") is None else None}
