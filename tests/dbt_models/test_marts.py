"""Distributions, coverage, findings and the tables that only pass on, against the raw tables."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from tests.dbt_models.conftest import Built
from tests.dbt_models.irregular_study import GROUPINGS, LEVELS
from tests.dbt_models.reference import Comparison, mean_over_root_prompts

VERDICTS = ["beyond_margin", "different", "equivalent", "inconclusive", "not_tested"]
SETS = ["primary", "truth", "secondary", "baseline"]
OF_HYPOTHESIS = ["slice_id", "system_id", "grouping_id", "measure_id", "calibration", "statistic", "parameters"]


def test_outcome_distributions_have_intervals_that_count_root_prompts(built: Built, compared: list[Comparison]):
    table = built.table("marts.outcome_distributions")
    rows = {tuple(row[key] for key in KEYS): row for _, row in table.iterrows()}
    measures = built.table("marts.measures")
    binary = set(measures[measures.kind == "binary"].measure_id)
    assert binary
    n_checked = 0
    for comparison in compared:
        of_values = {"category": "1"} if comparison.keys["measure_id"] in binary else {}
        if not comparison.keys["category"] and not of_values:
            continue
        for group in comparison.groups:
            x = comparison.values(group)
            keys = comparison.keys | {"group_id": group} | of_values
            row = rows[tuple(keys[key] for key in KEYS)]
            if of_values:
                other = rows[tuple((keys | {"category": "0"})[key] for key in KEYS)]
                assert (other.n, other.n_group) == ((x == 0).sum(), len(x))
                assert not len(x) or other.share_responses == pytest.approx(1 - x.mean(), abs=1e-12)
            assert (row.n, row.n_group) == (x.sum(), len(x))
            if not len(x):
                assert row[["share", "share_responses", "ci_low", "ci_high"]].isna().all()
                continue
            assert row.share_responses == pytest.approx(x.mean(), abs=1e-12)
            assert row.share == pytest.approx(mean_over_root_prompts(comparison.rows_of[group]), abs=1e-12)
            assert isinstance(row.scope, str) == (not np.isnan(row.ci_low))
            if not np.isnan(row.ci_low):
                assert 0 <= row.ci_low < row.ci_high <= 1
                assert row.ci_low - 1e-9 <= row.share <= row.ci_high + 1e-9
                n_checked += 1
    assert n_checked > 10


KEYS = ["slice_id", "system_id", "measure_id", "grouping_id", "group_id", "category"]


def test_coverage_cells_are_the_cartesian_product_less_what_is_impossible(built: Built):
    levels = built.raw["prompt_factors"].pivot(index="prompt_id", columns="factor", values="level")
    table = built.table("marts.coverage_cells")
    for factors, n_cells in (("gender", 3), ("race x gender", 11)):
        cells = table[table.factors == factors].set_index("group_id").n_prompts
        names = [[*LEVELS[factor], "never"] for factor in factors.split(" x ")]
        possible = {" x ".join(combination) for combination in product(*names)} - {"never x never"}
        assert set(cells.index) == possible
        counts = levels[GROUPINGS[factors]].dropna().agg(" x ".join, axis=1).value_counts()
        assert len(cells) == n_cells
        assert {group: n for group, n in cells.items() if n} == counts.to_dict()


def test_coverage_equals_the_lorenz_curve(built: Built):
    cells, table = built.table("marts.coverage_cells"), built.table("marts.coverage").set_index("factors")
    for factors, rows in cells.groupby("factors"):
        counts = np.sort(rows.n_prompts.to_numpy())
        lorenz = np.concatenate([[0], np.cumsum(counts) / counts.sum()])
        gini = 1 - 2 * np.trapezoid(lorenz, dx=1 / len(counts))
        row = table.loc[factors]
        assert row.gini_index == pytest.approx(gini, abs=1e-12)
        assert row.coverage_percentage == (counts > 0).mean()
        assert (row.n_prompts, row.min_count, row.max_count) == (counts.sum(), counts.min(), counts.max())


def test_coverage_counts_the_responses_that_came(built: Built):
    responses, levels = built.raw["responses"], built.raw["prompt_factors"]
    of_styles = responses.merge(levels[levels.factor == "style"], on="prompt_id")
    by_style = of_styles.groupby("level").status.agg(n="size", ok=lambda status: (status == "ok").sum())
    table = built.table("marts.coverage_cells")
    cells = table[(table.factors == "style") & (table.n_prompts > 0)].set_index("group_id")
    assert cells.n_responses.to_dict() == by_style.n.to_dict()
    assert cells.n_responses_ok.to_dict() == by_style.ok.to_dict()
    whole = built.table("marts.coverage").set_index("factors").loc["style"]
    assert (whole.n_responses, whole.n_responses_ok) == (by_style.n.sum(), by_style.ok.sum())
    assert 0 < whole.n_responses_ok < whole.n_responses  # of two generations one fails


def test_bias_corrected_v_of_two_factors_is_that_of_their_table(built: Built):
    from scipy.stats import chi2_contingency

    levels = built.raw["prompt_factors"].pivot(index="prompt_id", columns="factor", values="level")
    table = built.table("marts.factor_aliasing").set_index(["factor_a", "factor_b"])
    assert sorted(table.index) == [("gender", "style"), ("gender", "topic"), ("style", "topic")]
    for (a, b), row in table.iterrows():
        counts = pd.crosstab(levels[a], levels[b]).to_numpy()
        n, (r, k) = counts.sum(), counts.shape
        phi = max(chi2_contingency(counts, correction=False)[0] / n - (r - 1) * (k - 1) / (n - 1), 0)
        r, k = r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)
        assert row.cramers_v == pytest.approx(np.sqrt(phi / (min(r, k) - 1)), abs=1e-12)
        assert row.relation == ("crossed" if (counts > 0).all() else "partial")
        assert row.n_prompts == n


def test_findings_are_the_hypotheses_the_primary_set_and_the_worst_first(built: Built):
    findings = built.table("marts.findings").sort_values("finding_rank")
    hypotheses = built.table("inference.hypotheses")
    n_of_groups = (hypotheses.is_observed & (hypotheses.reference_system_id == "")).sum()
    assert len(built.table("marts.hypotheses")) == len(hypotheses)
    assert findings.finding_rank.tolist() == list(range(1, n_of_groups + 1))
    assert findings.is_tool_bias.is_monotonic_increasing
    assert findings[findings.system_id == "baseline"].is_tool_bias.all()
    for _, part in findings.groupby("is_tool_bias"):
        assert part.family_id.map(SETS.index).is_monotonic_increasing
        for _, of_set in part.groupby("family_id"):
            assert of_set.verdict.map(VERDICTS.index).is_monotonic_increasing


def test_every_finding_reads_as_a_sentence(built: Built):
    findings, groups = built.table("marts.findings"), built.table("marts.finding_groups")
    for sentence in (findings.sentence, groups.sentence):
        assert sentence.str.endswith(".").all()
        assert not sentence.str.contains(r"\(\)|None|nan|  | ,|\(, |\.\.").any()
    starts = findings.sentence.str.startswith("Tool bias")
    assert (starts == findings.is_tool_bias).all()


def effects_of(built: Built) -> pd.DataFrame:
    """Every contrast, metric and change that has a value, with the keys of its hypothesis."""
    keys = [*OF_HYPOTHESIS, "group_id", "contrast", "category", "reference"]
    in_sql = built.table("marts.contrasts")[[*keys, "value"]]
    contrasts = built.table("inference.contrasts").merge(in_sql, on=keys, how="left", validate="one_to_one")
    # what inference cannot test may have a value in SQL still
    contrasts = contrasts.assign(value=contrasts.value_cells.fillna(contrasts.value)).rename(
        columns={"contrast": "metric"}
    )
    disparities = built.table("marts.disparities").assign(group_id=None, category="", reference="")
    changes = built.table("marts.system_comparisons").rename(columns={"comparison": "metric"})
    is_alone = changes.value_alone.notna()
    of_pairs = changes.assign(
        reference="",
        parameters="",
        statistic=changes.metric.where(changes.metric == "mean_change", "groups_changed"),
        **{name: changes[f"{name}_alone"].where(is_alone, changes[name]) for name in ("value", "ci_low", "ci_high")},
    )
    rows = pd.concat([contrasts, disparities, of_pairs], ignore_index=True)
    rows = rows.assign(
        reference_system_id=rows.reference_system_id.fillna(""), group_id=rows.group_id.replace("", None)
    )
    return rows[rows.value.notna()]


OF_EFFECT = ["metric", "group_id", "category", "reference"]
NUMBERS = ["value", "ci_low", "ci_high", "margin", "margin_origin"]


@pytest.mark.parametrize("kind", ["headline", "largest"])
def test_a_headline_and_a_largest_are_of_one_row_each(built: Built, kind: str):
    hypotheses = built.table("marts.hypotheses")
    told = hypotheses[hypotheses[f"{kind}_metric"].notna()]
    names = {f"{kind}_{name}": name for name in (*OF_EFFECT, *NUMBERS)}
    keys = [*OF_HYPOTHESIS, "reference_system_id"]
    told = told[[*keys, *names, "verdict"]].rename(columns=names)
    merged = told.merge(effects_of(built), on=[*keys, *OF_EFFECT], suffixes=("", "_of_row"), validate="one_to_one")
    assert len(merged) == len(told) > 20
    for name in NUMBERS:
        assert merged[name].equals(merged[f"{name}_of_row"].rename(name)), name
    if kind == "headline":
        is_inside = (merged.verdict == "different") & (merged.verdict_of_row == "equivalent")
        assert ((merged.verdict == merged.verdict_of_row) | is_inside).all()
    else:
        assert hypotheses[hypotheses.headline_metric.notna()].largest_metric.notna().all()
        assert told.group_id.isna().any()


def test_an_open_hypothesis_has_no_headline_and_every_other_one_a_row_of_its_verdict(built: Built):
    hypotheses = built.table("marts.hypotheses")
    is_open = hypotheses.verdict.isin(["inconclusive", "not_tested"])
    assert hypotheses[is_open].headline_metric.isna().all()
    assert hypotheses[hypotheses.verdict.isin(["beyond_margin", "equivalent"])].headline_metric.notna().all()
    findings = built.table("marts.findings")
    assert findings.largest_value.notna().equals(findings.reason.isna().rename("largest_value"))


def test_the_headline_of_groups_is_a_row_of_run_groups(built: Built):
    groups, hypotheses = built.table("marts.run_groups"), built.table("marts.hypotheses")
    is_of_group = hypotheses.headline_group_id.notna() & (hypotheses.reference_system_id == "")
    assert groups.is_headline.sum() == is_of_group.sum() > 10


def test_q_of_a_metric_is_its_own(built: Built):
    rows = built.table("marts.disparities")
    tested = rows[rows.p_value.notna()]
    assert tested.q_value.equals(np.fmax(tested.p_value, tested.hypothesis_q_value).rename("q_value"))
    assert (tested.q_value > tested.hypothesis_q_value).sum() > 10
    assert rows[rows.p_value.isna()].q_value.isna().all()


def test_finding_groups_are_significant_rows_of_contrasts_once_a_pair(built: Built):
    groups, findings = built.table("marts.finding_groups"), built.table("marts.findings")
    contrasts = built.table("inference.contrasts")
    significant = contrasts[contrasts.verdict.isin(VERDICTS[:3]) & (contrasts.contrast != "log_disparity")]
    merged = groups.merge(
        significant, on=[*OF_HYPOTHESIS, "group_id", "category", "reference"], suffixes=("", "_of_row")
    )
    assert len(merged) == len(groups)
    assert merged.value.equals(merged.value_cells)
    assert (merged.direction.notna() <= merged.explained_by.isna()).all()
    of_two = groups.merge(findings[findings.n_groups == 2], on=OF_HYPOTHESIS, suffixes=("", "_of_hypothesis"))
    assert not of_two.duplicated([*OF_HYPOTHESIS, "category"]).any()


def test_finding_prompts_are_of_groups_that_stand_and_differ_to_their_side(built: Built):
    keys = [*OF_HYPOTHESIS, "group_id", "category", "reference"]
    prompts, groups = built.table("marts.finding_prompts"), built.table("marts.finding_groups")
    blocks = built.table("intermediate.int_finding_blocks")
    told = groups[groups.direction.notna()].set_index(keys).value
    assert len(prompts)
    assert prompts.chosen_for.nunique() == 2
    for key, of_group in prompts.groupby(keys):
        ordered = of_group.sort_values("position")
        assert ordered.position.tolist() == list(range(1, len(of_group) + 1))
        assert len(of_group) <= 10
        difference = ordered.difference.to_numpy() * np.sign(told[key])
        assert (np.diff(difference) <= 1e-9).all()
        assert (difference > 1e-9).all()
    for key, of_group in blocks.groupby(keys):
        # of fewer than 5 root prompts the difference is over blocks
        if key[0] != "four_root_prompts":
            assert of_group.groupby("root_prompt_id").difference_of_block.mean().mean() == pytest.approx(told[key])


@pytest.mark.parametrize("mart", ["systems", "prompts", "prompt_factors", "responses", "measures", "measurements"])
def test_passed_on_tables_keep_every_row(built: Built, mart: str):
    rows, raw = built.table(f"marts.{mart}"), built.raw[mart]
    keys = [column for column in rows if column in raw and raw[column].notna().all()]
    assert len(keys) >= 3
    order = [key for key in keys if key.endswith("_id") or key in ("replicate", "factor")]
    found, expected = (table.sort_values(order, ignore_index=True)[keys] for table in (rows, raw))
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_calibrated_value_is_value_minus_baseline(built: Built):
    rows = built.table("marts.measurements")
    expected = rows.value - rows.baseline_value
    assert rows.calibrated_value.notna().sum() > 100
    pd.testing.assert_series_equal(rows.calibrated_value, expected, check_names=False)


def test_factors_count_levels_and_decided_prompts(built: Built):
    rows = built.table("marts.factors").set_index("factor")
    raw = built.raw["prompt_factors"]
    assert rows.loc["race", "n_levels"] == 4  # three observed, one declared that no prompt has
    assert rows.loc["topic", "n_levels"] == 3  # observed only
    n_prompts = raw.prompt_id.nunique()
    assert rows.loc["race", "decided_share"] == pytest.approx((raw.factor == "race").sum() / n_prompts)
