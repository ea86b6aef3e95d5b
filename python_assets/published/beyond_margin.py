"""Hypotheses that are beyond their margin, of every family: what every page, count and gate shows of them.

Belongs here: one query of hypotheses, and a row of it in words. Which of them a page shows is that page's to say.

Source: inference.md 2.5.
"""

from collections.abc import Mapping
from typing import Any, Final

import duckdb

from python_assets.published.account import ABOUT_GROUPS, family_order
from python_assets.published.effects import (
    ADJUSTED,
    HYPOTHESIS_KEYS,
    adjusted_effects,
    effect_columns,
    effect_in_words,
    in_points,
    margin_words,
)
from python_assets.published.plain_numbers import named_p
from python_assets.warehouse.build import rows_of

Row = Mapping[str, Any]

# the order of families and findings; pairs of systems, which have no rank, come after the groups of their family
_ROWS: Final = f"""
    select {", ".join(f"hypotheses.{key}" for key in HYPOTHESIS_KEYS[1:])}, hypotheses.reference_system_id,
        hypotheses.family_id, coalesce(families.n_tested, 0) as n_in_family, hypotheses.verdict, hypotheses.outcome,
        hypotheses.p_value, hypotheses.q_value, hypotheses.negative_controls_reason, findings.finding_rank,
        measures.kind,
        {effect_columns("hypotheses")}, {ADJUSTED}
    from hypotheses
    left join findings using ({", ".join(HYPOTHESIS_KEYS)})
    {adjusted_effects("hypotheses")}
    left join measures using (study_id, measure_id)
    left join (
        select family_id, count(p_value) as n_tested from hypotheses where study_id = $study group by family_id
    ) as families on hypotheses.family_id = families.family_id
    where study_id = $study and hypotheses.verdict = 'beyond_margin' and {ABOUT_GROUPS}
        and not coalesce(is_tool_bias, false) and not coalesce(is_repeated, false)
    order by {family_order("hypotheses")},
        hypotheses.reference_system_id <> '', finding_rank nulls last,
        {", ".join(f"hypotheses.{key}" for key in HYPOTHESIS_KEYS[1:])}, hypotheses.reference_system_id
"""


def beyond_margin(connection: duckdb.DuckDBPyConnection, study_id: str) -> list[dict[str, Any]]:
    """Find the hypotheses of a study that are beyond their margin, the primary ones first.

    Hypotheses that repeat another one (calibrated values beside raw ones), tool bias and control edits are not among
    them.

    Args:
        connection: with the published tables.
        study_id: a study in them.

    Returns:
        A row per hypothesis: the keys of hypotheses (system_id, measure_id, calibration, grouping_id, slice_id,
        statistic, parameters, reference_system_id), family_id, n_in_family, p_value, q_value, kind of the measure, and
        the effect that heads it: metric, group_id, category, reference, value, ci_low, ci_high, margin, margin_origin,
        for a group also value_shrunken, ci_low_selected, ci_high_selected.
    """
    return rows_of(connection, _ROWS, {"study": study_id})


def beyond_margin_in_words(row: Row, alpha: float) -> str:
    """Write what is beyond a margin: impact ratio 0.25 (95 % CI 0.16 to 0.48), margin 0.8, q < .001 (secondary ...).

    Args:
        row: of beyond_margin.
        alpha: significance level of the study.
    """
    pieces = [effect_and_margin(row)]
    if row["q_value"] is not None:
        pieces.append(named_p("q", row["q_value"], alpha=alpha))
    family = f"{row['family_id'].replace('_', ' ')}, family of {row['n_in_family']:,} tested"
    controls = "" if row["negative_controls_reason"] is None else "; not compared with negative controls"
    return f"{', '.join(filter(None, pieces))} ({family}{controls})"


def effect_and_margin(row: Row) -> str:
    """Write an effect and the margin that it is beyond, without q and family.

    Args:
        row: of beyond_margin.
    """
    effect = effect_in_words(row)
    if row["margin"] is None:
        return effect
    return f"{effect}, {margin_words(row['margin'], row['margin_origin'], row['metric'], is_rate=in_points(row))}"


def beyond_elsewhere(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep those that are in no primary family: they are printed and counted, and no exit code depends on them."""
    return [row for row in rows if row["family_id"] != "primary"]
