"""The one effect that is shown of a hypothesis: its headline, or the largest one where it has none.

Belongs here: reading columns headline_ and largest_, and a margin in words. Which row heads a hypothesis is inference's
to say (verdict.py).

Source: inference.md 2.5.
"""

from collections.abc import Mapping
from typing import Any, Final

from python_assets.published.plain_numbers import plain_value, signed_limits

EFFECT_FIELDS: Final = (
    *("metric", "group_id", "category", "reference", "value", "ci_low", "ci_high", "margin", "margin_origin"),
)
HYPOTHESIS_KEYS: Final = (
    *("study_id", "slice_id", "system_id", "grouping_id", "measure_id", "calibration", "statistic", "parameters"),
)
_EFFECT_KEYS: Final = {"contrast": "metric", "group_id": "group_id", "category": "category", "reference": "reference"}
# differences in the unit of the measure, and statistics that are rates where the measure has two values or labels
_DIFFERENCES: Final = (
    *("mean_difference", "risk_difference", "selection_rate_difference", "precision_difference", "interaction"),
    *("range", "standard_deviation", "mean_change", "disparity_change", "interaction_change"),
)
_RATES: Final = ("mean", "share", "selection_rate", "precision", "mean_change", "groups_changed")
_MUCH_LARGER: Final = 1.25  # times the adjusted effect
# who says so of a margin that a study does not declare; all others are thresholds of FAIR-SEA
_DEFAULTS: Final[Mapping[str, str]] = {"impact_ratio": "four-fifths rule"}


def effect_columns(table: str) -> str:
    """Select what is shown of a hypothesis: is_headline, metric, group_id, value and so on.

    Args:
        table: hypotheses, findings or run_findings, as the query names it.
    """
    chosen = (f"{_effect_column(table, name)} as {name}" for name in EFFECT_FIELDS)
    return ", ".join([f"{table}.headline_metric is not null as is_headline", *chosen])


ADJUSTED: Final = "adjusted.value_shrunken, adjusted.ci_low_selected, adjusted.ci_high_selected"
"""Columns of a row that adjusted_effects joins; NULL for metrics of all groups and where nothing is significant."""


GROUP_CONTRASTS: Final = """
    left join (from contrasts where study_id = $study and verdict is not null and contrast <> 'log_disparity')
        as contrasts
        using (
            study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters, group_id,
            category, reference
        )
"""
"""Joins to finding_groups the contrast that a row of it is of, with what selection leaves of it."""


def adjusted_effects(table: str) -> str:
    """Join what selection leaves of the effect of each hypothesis, as table adjusted.

    Args:
        table: as in effect_columns.
    """
    effect = {name: _effect_column(table, of) for name, of in _EFFECT_KEYS.items()}
    keys = {key: f"{table}.{key}" for key in HYPOTHESIS_KEYS} | effect
    matches = " and ".join(f"adjusted.{name} = {value}" for name, value in keys.items())
    # shrunken values are of all groups, adjusted limits of selected ones
    is_selected = "coalesce(adjusted.ci_low_selected, adjusted.ci_high_selected) is not null"
    return f"left join contrasts as adjusted on {matches} and {is_selected}"


def _effect_column(table: str, name: str) -> str:
    return f"case when {table}.headline_metric is not null then {table}.headline_{name} else {table}.largest_{name} end"


def in_points(row: Mapping[str, Any]) -> bool:
    """Whether an effect is a difference of rates, which are written in points.

    Args:
        row: with metric, kind of the measure and statistic.
    """
    is_of_rates = row["kind"] in ("binary", "categorical") or row["statistic"] in ("selection_rate", "precision")
    return is_of_rates and row["metric"] in _DIFFERENCES and row["statistic"] in _RATES


def estimate(row: Mapping[str, Any]) -> tuple[float | None, float | None, float | None]:
    """The one estimate that is written of an effect, with its limits: what selection leaves of it, if significant.

    Args:
        row: with value, ci_low and ci_high; may have value_shrunken, ci_low_selected and ci_high_selected.
    """
    is_adjusted = row.get("ci_low_selected") is not None or row.get("ci_high_selected") is not None
    if is_adjusted and row["value_shrunken"] is not None:
        return row["value_shrunken"], row["ci_low_selected"], row["ci_high_selected"]
    return row["value"], row["ci_low"], row["ci_high"]


def effect_in_words(row: Mapping[str, Any], *, with_ci: bool = True) -> str:
    """Write an effect with its interval: Russia -0.33 (95 % CI -0.47 to -0.22), impact ratio 0.25 (...).

    Args:
        row: with EFFECT_FIELDS, kind and statistic, and as estimate reads it.
        with_ci: whether the interval begins with 95 % CI.

    Returns:
        '' where there is no value.
    """
    is_rate = in_points(row)
    value, low, high = estimate(row)
    if value is None:
        return ""
    if row["group_id"]:
        label = f" ({row['category']})" if row["category"] else ""
        name, written = f"{row['group_id']}{label}", plain_value(value, is_rate=is_rate, with_sign=True)
    else:
        name, written = str(row["metric"]).replace("_", " "), plain_value(value, is_rate=is_rate)
    interval = signed_limits(low, high, of=value, is_rate=is_rate, with_sign=bool(row["group_id"]))
    named = f" ({'95 % CI ' if with_ci else ''}{interval})" if interval else ""
    return f"{name} {written}{named}"


def unadjusted_in_words(row: Mapping[str, Any], *, is_rate: bool) -> str:
    """Write the effect before selection where the adjusted one would puzzle: unadjusted +11.5 points (+4.0 to +24.5).

    That is where the adjusted interval of a significant effect holds 0, or its estimate is much smaller.

    Args:
        row: with value, ci_low, ci_high, value_shrunken, ci_low_selected and ci_high_selected.
        is_rate: whether it is a difference of rates, which are written in points.

    Returns:
        '' where the effect is not selected, or both say much the same.
    """
    value, (shrunken, low, high) = row["value"], estimate(row)
    if value is None or shrunken is None or (shrunken, low, high) == (value, row["ci_low"], row["ci_high"]):
        return ""
    holds_zero = (low is None or low <= 0) and (high is None or high >= 0)
    if not holds_zero and abs(value) <= _MUCH_LARGER * abs(shrunken):
        return ""
    interval = signed_limits(row["ci_low"], row["ci_high"], of=value, is_rate=is_rate)
    return f"unadjusted {plain_value(value, is_rate=is_rate, with_sign=True)}{f' ({interval})' if interval else ''}"


def whole_effect_in_words(row: Mapping[str, Any], *, with_ci: bool = True) -> str:
    """Write an effect as effect_in_words, and the one before selection where unadjusted_in_words has it.

    Args:
        row: as effect_in_words reads it, with value_shrunken, ci_low_selected and ci_high_selected.
        with_ci: whether the interval begins with 95 % CI.
    """
    unadjusted = unadjusted_in_words(row, is_rate=in_points(row))
    return "; ".join(filter(None, (effect_in_words(row, with_ci=with_ci), unadjusted)))


def margin_words(value: float, origin: str | None, metric: str | None, *, is_rate: bool = False) -> str:
    """Write a margin, with its origin where the study does not declare it: margin 0.8 (four-fifths rule, default).

    Args:
        value: in the unit of the metric.
        origin: declared or default.
        metric: that it is a margin of.
        is_rate: whether it is of rates, which are written in points.
    """
    default = f" ({_DEFAULTS.get(metric or '', 'FAIR-SEA')}, default)" if origin == "default" else ""
    written = f"{round(100 * value, 9):g} points" if is_rate else f"{value:g}"
    return f"margin {written}{default}"


def first_of_both_signs(rows: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """The first rows, the last of them replaced where all lie on one side and a later one on the other.

    Args:
        rows: with value, in the order of the report.
        most: how many are printed.
    """
    is_higher = [(row["value"] or 0) > 0 for row in rows]
    opposite = [row for row, higher in zip(rows, is_higher, strict=True) if higher is not is_higher[0]]
    is_one_sided = len(set(is_higher[:most])) == 1
    return [*rows[: most - 1], opposite[0]] if opposite and is_one_sided else rows[:most]
