"""Every verdict, p, q and interval of every table says whose it is, and follows from the numbers beside it.

The rules are those of docs/design/inference.md 2.5, written again here from the columns alone: the code that decides is
python_assets/infer/formulas/verdict.py.
"""

import re

import numpy as np
import pandas as pd
import pytest

from python_assets.study.metrics import metric_names
from tests.dbt_models.conftest import Analysis, Built

LEVEL = Analysis().alpha
# columns that a claim is made of; counts of verdicts and reasons are none
CLAIM = re.compile(
    r"(?<!n_)(?:^|_)(p_value|q_value|p_equivalence|q_equivalence|verdict|ci_low|ci_high)(?!_(reason|beyond|diff|inc))"
)
# a row of these is a hypothesis: what has no prefix is of it
OF_HYPOTHESES = {
    "hypotheses",
    "findings",
    "run_findings",
    "v_findings",
    "v_history",
    "v_changed_since",
    "interpretations",
}
# how a description starts, by how the name does; of a table of hypotheses what has no prefix and is no size
WHOSE = {
    "hypothesis_": "Of the hypothesis",
    "headline_": "Of the row that heads",
    "largest_": "Of the contrast with the largest",
    "worst_": "Of the hypothesis of another statistic",
}
SIZES = ("ci_low", "ci_high")


def claims_of(built: Built) -> dict[tuple[str, str], str]:
    nodes = [
        n
        for n in built.manifest["nodes"].values()
        if n["resource_type"] == "model" and n["fqn"][1] in ("marts", "views")
    ]
    return {
        (node["name"], name): column["description"]
        for node in nodes
        for name, column in node["columns"].items()
        if CLAIM.search(name)
    }


def test_every_claim_says_whose_it_is_and_no_name_has_two_meanings(built: Built):
    claims = claims_of(built)
    assert len(claims) > 100
    wrong = {}
    for (table, name), description in claims.items():
        start = next((words for prefix, words in WHOSE.items() if name.startswith(prefix)), None)
        if start is None and table in OF_HYPOTHESES:
            is_drawn = name.removesuffix("_before") in SIZES
            start = "Of what (is|was) drawn" if is_drawn else "Of the hypothesis|Of the change"
        if not re.match(start or "Of the row(?! that)", description):
            wrong[f"{table}.{name}"] = description
    assert not wrong


def test_what_is_of_the_hypothesis_is_what_its_hypothesis_has(built: Built):
    hypotheses = built.table("marts.hypotheses")
    own = hypotheses[hypotheses.reference_system_id == ""]
    tables = ("disparities", "v_differences", "v_worse_off", "v_quotes", "red_flags")
    for table in tables:
        rows, keys = built.table(f"marts.{table}"), HYPOTHESIS if table == "disparities" else OF_VIEW
        of_table = (
            own
            if keys == HYPOTHESIS
            else own[own.calibration.eq("raw") & own.statistic.isin(["mean", "share"]) & own.parameters.eq("")]
        )
        told_of_own = of_table.set_index([*keys])[["q_value", "verdict"]].add_suffix("_of_own")
        merged = rows.merge(told_of_own, left_on=[*keys], right_index=True, validate="many_to_one")
        for column in ("q_value", "verdict"):
            if f"hypothesis_{column}" not in rows:
                continue
            told = merged[merged[f"hypothesis_{column}"].notna()]
            assert len(told)
            assert told[f"hypothesis_{column}"].tolist() == told[f"{column}_of_own"].tolist(), (table, column)


HYPOTHESIS = ("slice_id", "system_id", "grouping_id", "measure_id", "calibration", "statistic", "parameters")
OF_VIEW = ("slice_id", "system_id", "grouping_id", "measure_id")


@pytest.mark.parametrize(
    "table",
    [
        "disparities",
        "contrasts",
        "system_comparisons",
        "hypotheses",
        "findings",
        "run_findings",
        "factor_models",
        "factor_importance",
    ],
)
def test_no_q_is_smaller_than_the_p_of_the_same_thing(built: Built, table: str):
    rows = built.table(f"marts.{table}")
    # a cell that stands once larger ones are taken out is told by its round, p and q alike
    tested = rows[rows.q_value.notna() & rows.p_value.notna()]
    assert len(tested)
    assert not (tested.q_value < tested.p_value - 1e-12).any()


def off(rows: pd.DataFrame, no_effect: "float | pd.Series[float]" = 0.0) -> "pd.Series[bool]":
    return (rows.ci_low > no_effect) | (rows.ci_high < no_effect) | (rows.ci_low.isna() & rows.ci_high.isna())


def contradictions(rows: pd.DataFrame, *, is_metric: bool) -> pd.DataFrame:
    """Rows whose verdict their own q, interval and margin do not give.

    Exceptions of the text: what an earlier look called stays (the study has none), what differs because of another
    group or stands behind one that is open is inconclusive, a row told by parts has no p.
    """
    rows = rows[rows.verdict.notna()]
    is_ratio = rows.name.isin(metric_names(is_ratio=True))
    is_wide = rows.scope.isin(["similar prompts", "similar units and prompts"])
    may = (rows.q_value <= LEVEL) & off(rows, is_ratio.astype(float) if is_metric else 0.0)
    inside, beyond = rows.q_equivalence <= LEVEL, rows.value.abs() > rows.margin
    if is_metric:
        may &= np.where(is_ratio, rows.value < rows.null_q95, rows.value > rows.null_q95)
        inside = (rows.ci_low > rows.margin).where(is_ratio, rows.ci_high < rows.margin)
        beyond = (rows.ci_high < rows.margin).where(is_ratio, rows.ci_low > rows.margin)
    has_none = rows.q_value.isna() & rows.ci_low.isna() & rows.ci_high.isna()
    is_said = {
        "beyond_margin": may & is_wide & beyond,
        "equivalent": inside & is_wide,
        "different": may & ~(inside & is_wide),
        "inconclusive": ~(inside & is_wide) & ~(may & rows.explained_by.isna() & ~rows.is_behind),
        "not_tested": has_none,
    }
    holds = pd.Series(False, index=rows.index)
    for verdict, condition in is_said.items():
        holds |= (rows.verdict == verdict) & condition
    if is_metric:  # of these the margin is held against the interval alone
        holds &= ~((rows.verdict == "different") & may & is_wide & beyond)
    return rows[~holds]


def rows_of_metrics(built: Built) -> pd.DataFrame:
    rows = built.table("marts.disparities").rename(columns={"metric": "name"})
    is_told = rows.inference_reason == "told_by_parts"
    return rows[~is_told].assign(explained_by=None, is_behind=False, q_equivalence=np.nan)


def rows_of_groups(built: Built) -> pd.DataFrame:
    rows = built.table("marts.contrasts").rename(columns={"contrast": "name"})
    # of rounds: a group that lies nearer than one that is open
    size = rows.value.abs().round(12)
    keys = [*HYPOTHESIS, "name"]
    is_open = rows.verdict.eq("inconclusive") & (rows.q_value.gt(LEVEL) | ~off(rows))
    farthest = size.where(is_open).groupby([rows[key] for key in keys]).transform("max")
    return rows.assign(is_behind=size <= farthest)


def test_verdicts_of_metrics_follow_from_their_row(built: Built):
    rows = rows_of_metrics(built)
    assert set(rows.verdict.dropna()) >= {"beyond_margin", "different", "equivalent", "inconclusive", "not_tested"}
    assert contradictions(rows, is_metric=True).empty


def test_verdicts_of_groups_follow_from_their_row(built: Built):
    rows = rows_of_groups(built)
    assert set(rows.verdict.dropna()) >= {"different", "equivalent", "inconclusive", "not_tested"}
    assert contradictions(rows, is_metric=False).empty


def test_verdicts_of_changes_follow_from_their_row(built: Built):
    rows = built.table("marts.system_comparisons")
    rows = rows[rows.verdict.notna() & rows.comparison.isin(["disparity_change", "interaction_change", "mean_change"])]
    is_alone = rows.value_alone.notna()
    told = rows.assign(
        **{name: rows[f"{name}_alone"].where(is_alone, rows[name]) for name in ("value", "ci_low", "ci_high")}
    )
    is_off, is_inside = off(told), told.q_equivalence <= LEVEL
    is_beyond = (told.ci_low > told.margin) | (told.ci_high < -told.margin)
    assert set(told.verdict) >= {"inconclusive", "not_tested"}
    assert (is_off & is_beyond)[told.verdict == "beyond_margin"].all()
    assert (is_off & ~is_inside & ~is_beyond)[told.verdict == "different"].all()
    assert is_inside[told.verdict == "equivalent"].all()
    assert not is_inside[told.verdict == "inconclusive"].any()
    assert told[told.verdict == "not_tested"].q_value.isna().all()


@pytest.mark.parametrize("verdict", ["beyond_margin", "different", "equivalent", "not_tested"])
def test_a_verdict_that_its_row_does_not_give_is_found(built: Built, verdict: str):
    rows = rows_of_metrics(built)
    open_rows = rows[(rows.verdict == "inconclusive") & (rows.q_value > LEVEL)]
    assert len(contradictions(open_rows.assign(verdict=verdict), is_metric=True)) == len(open_rows) > 0


def test_other_tables_say_the_same_of_the_same_row(built: Built):
    keys = ["group_id", "category", "reference"]
    contrasts = built.table("inference.contrasts")
    contrasts = contrasts[contrasts.verdict.notna() & (contrasts.contrast != "log_disparity")]
    for table in ("marts.run_groups", "marts.finding_groups"):
        rows = built.table(table)
        merged = rows.merge(contrasts, on=[*HYPOTHESIS, *keys], suffixes=("", "_of_row"), validate="one_to_one")
        assert len(merged) == len(rows) > 0
        for column in ("verdict", "q_value", "ci_low", "ci_high"):
            assert merged[column].equals(merged[f"{column}_of_row"].rename(column)), (table, column)
    own = contrasts[
        (contrasts.measure_id == "refusal") & (contrasts.slice_id == "all") & (contrasts.calibration == "raw")
    ]
    own = own[own.statistic.eq("mean")]
    refusals = built.table("marts.v_refusals").merge(
        own, on=["system_id", "grouping_id", "group_id"], suffixes=("", "_of_row")
    )
    told = refusals[refusals.verdict.notna()]
    assert len(told)
    assert told.verdict.equals(told.verdict_of_row.rename("verdict"))
    assert told.q_value.to_numpy() == pytest.approx(told.q_value_of_row.to_numpy(), abs=1e-6, nan_ok=True)


def test_a_margin_says_whose_it_is(built: Built):
    rows = built.table("marts.disparities")
    assert rows.margin.notna().equals(rows.margin_origin.notna().rename("margin"))
    origins = rows[rows.margin.notna()].groupby("metric").margin_origin.unique().map(list).to_dict()
    assert origins["range"] == ["declared"]
    assert origins["impact_ratio"] == origins["cramers_v"] == ["default"]
    contrasts = built.table("marts.contrasts")
    of_measures = set(contrasts[contrasts.margin_origin == "declared"].measure_id) & set(
        rows[rows.margin_origin == "default"].measure_id
    )
    assert of_measures  # margins of both kinds on one measure


def test_a_hypothesis_without_any_value_has_a_reason_and_nothing_else(built: Built):
    hypotheses = built.table("marts.hypotheses")
    nothing = hypotheses[hypotheses.largest_value.isna()]
    assert len(nothing) > 10
    assert (nothing.verdict == "not_tested").all()
    assert nothing.reason.notna().all()
    assert nothing[[name for name in nothing if name.startswith(("headline_", "largest_"))]].isna().all(axis=None)
