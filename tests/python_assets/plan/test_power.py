import math
from itertools import product
from typing import get_args

import duckdb
import numpy as np
import pandas as pd
import pytest

from python_assets.errors import WarehouseError
from python_assets.plan.group_models import build_group_models
from python_assets.plan.plan import plan_study
from python_assets.plan.power import CHANGES, CONTRASTS, design_power_rows
from python_assets.study.study import Kind
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import write_stage

STUDY = """
factors: {{gender: {{levels: [woman, man, other]}}, race: {{levels: [a, b]}}}}
prompts: {{templates: {{cross: [gender, race], texts: [{texts}]}}}}
generations:
  - {{name: fair, provider: simulator, replicates: 2}}
  - {{name: far, provider: simulator}}
measures: [sentiment]
groupings: [gender]
analysis: {analysis}
"""
LINEAR = {"calibration": "raw", "category": "", "slice_id": "all", "grouping_id": "gender"}


def study_of(folder, analysis, n_texts=8):
    texts = ", ".join(f'{{id: t{n}, text: "{n}: a {{gender}} {{race}}"}}' for n in range(n_texts))
    path = folder / "mine.yml"
    path.write_text(STUDY.format(texts=texts, analysis=analysis), encoding="utf-8")
    return load_study(path)


def planned(folder, analysis, n_texts=8):
    """What the design can show of differences between groups."""
    rows = plan_study(study_of(folder, analysis, n_texts)).power
    return [row for row in rows if row.contrast not in CHANGES]


def test_a_plan_without_declared_spread_says_nothing_of_power(tmp_path):
    assert planned(tmp_path, "{alpha: 0.05}") == []


def test_a_declared_sd_tells_what_is_detected_and_what_an_effect_needs(tmp_path):
    (row,) = planned(tmp_path, "{power: {sentiment: {sd: 0.5, correlation: 0.6, effect: 0.2}}}", 30)
    # 3 groups; a group has 2 responses (one a race) on a root prompt in generation far, the smaller one
    sd = math.sqrt(0.5**2 * (1 - 0.6) * 3 / 2 / 2)
    z = 2.3939797998185104  # 5 % two-sided over a family of 3
    needed = math.ceil(((z + 0.8416212335729143) * sd / 0.2) ** 2 + z**2 / 2)
    detects = (z + 0.8416212335729143) * sd / math.sqrt(30 - z**2 / 2)
    assert row[:5] == ("gender", "sentiment", "mean_difference", "declared", 30)
    assert row.baseline_rate_or_sd == pytest.approx(sd)
    assert row.minimum_detectable_effect == pytest.approx(detects)
    # 6 prompts a root prompt; 2 responses and 1 response each
    assert (row.effect, row.n_needed, row.n_calls, row.reason) == (0.2, needed, needed * 18, None)


def test_a_declared_rate_has_the_spread_of_its_responses(tmp_path):
    rate = planned(tmp_path, "{power: {refusal: {rate: 0.2, effect: 0.1}}}")[0]
    sd = planned(tmp_path, "{power: {sentiment: {sd: 0.4, effect: 0.1}}}")[0]
    assert (rate.contrast, rate.baseline_rate_or_sd) == ("risk_difference", 0.2)
    assert rate.n_needed == sd.n_needed
    assert rate.minimum_detectable_effect == pytest.approx(sd.minimum_detectable_effect)


def test_too_few_root_prompts_are_said_to_be(tmp_path):
    (row,) = planned(tmp_path, "{power: {sentiment: {sd: 0.5, effect: 0.2}}}", 2)
    assert (row.minimum_detectable_effect, row.reason) == (None, "too_few_to_plan")
    assert row.n_needed > 2


def test_an_effect_next_to_nothing_needs_more_than_is_counted(tmp_path):
    plan = plan_study(study_of(tmp_path, "{power: {sentiment: {sd: 0.5, effect: 0.0001}}}"))
    assert (plan.power[0].n_needed, plan.power[0].n_calls) == (10_001, None)
    assert "over 10,000" in plan.text()


def test_the_plan_shows_power_as_a_table(tmp_path):
    text = plan_study(study_of(tmp_path, "{power: {sentiment: {sd: 0.5, effect: 0.2}}}", 30)).text()
    power = next(part for part in text.split("\n\n") if part.startswith("power: grouping"))
    header, row, *changes = power.splitlines()
    assert header.split("  ")[0] == "power: grouping"
    expected = ["gender", "sentiment", "mean_difference", "declared", "30", "0.433", "0.269", "0.200", "52"]
    assert row.split() == [*expected, "936"]
    assert [line.split()[2] for line in changes] == ["mean_change", "disparity_change"]


def add_pilot(home, rows):
    path = home / "plumbline.duckdb"
    columns = ("study_id", "source", "grouping_id", "measure_id", "contrast")
    frame = pd.DataFrame(rows, columns=[*columns, "baseline_rate_or_sd", "n_root_prompts"])
    with duckdb.connect(str(path)) as connection:
        connection.register("frame", frame)
        connection.execute("create table design_power as from frame")


def test_a_pilot_gives_its_spread_and_how_sure_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    column = ("gender", "sentiment", "mean_difference")
    add_pilot(
        tmp_path,
        [
            ("small", "observed", *column, 0.4, 10),
            ("small", "declared", *column, 9.0, 10),
            ("other", "observed", *column, 8.0, 10),
            ("small", "observed", "gender", "humour", "mean_difference", 0.4, 10),
        ],
    )
    (row,) = planned(tmp_path, "{pilot: small, margins: {mean_difference: 0.2}}")
    assert (row.source, row.n_root_prompts, row.baseline_rate_or_sd, row.effect) == ("pilot", 8, 0.4, 0.2)
    # sd between 0.4 sqrt(9 / 14.684) and 0.4 sqrt(9 / 4.168), the percentiles of chi-square of 9
    z = 2.3939797998185104
    low, high = (
        math.ceil(((z + 0.8416212335729143) * 0.4 * math.sqrt(9 / chi2) / 0.2) ** 2 + z**2 / 2)
        for chi2 in (14.683656573259837, 4.168159008146107)
    )
    assert (row.n_needed_low, row.n_needed_high) == (low, high)
    assert low < row.n_needed < high


def test_a_pilot_without_an_effect_says_only_what_is_detected(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    add_pilot(tmp_path, [("small", "observed", "gender", "sentiment", "mean_difference", 0.4, 10)])
    (row,) = planned(tmp_path, "{pilot: small}")
    assert (row.n_needed, row.n_calls, row.reason) == (None, None, "no_effect_declared")
    assert row.minimum_detectable_effect > 0


@pytest.mark.parametrize("is_published", [False, True])
def test_a_pilot_that_is_not_there_is_an_error(refused, tmp_path, monkeypatch, is_published):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    if is_published:
        add_pilot(tmp_path, [("other", "observed", "gender", "sentiment", "mean_difference", 0.4, 10)])
    with refused(WarehouseError, "analysis.pilot"):
        planned(tmp_path, "{pilot: small}")


def contrasts(**columns):
    return pd.DataFrame({**LINEAR, "contrast": "mean_difference", "measure_id": "sentiment", **columns})


def answered(connection, n_roots=4):
    """Prompts of a study of two groups on every root prompt, each answered twice."""
    cells = list(product(range(n_roots), ("woman", "man")))
    prompts = pd.DataFrame(
        {"prompt_id": [f"{root} {group}" for root, group in cells], "unit_id": [str(r) for r, _ in cells]}
    ).assign(is_root=False, task="question", source_tag="", keyword="", document_id="")
    prompts["root_prompt_id"] = prompts["unit_id"]
    factors = prompts[["prompt_id"]].assign(factor="gender", level=[group for _, group in cells])
    write_stage(connection, "mine", "assemble", {"prompts": prompts, "prompt_factors": factors})
    gender = {"factor": ["gender"], "factor_type": "domain", "origin": "declared", "is_blocking": True}
    levels = {"factor": "gender", "level": ["woman", "man", "other"], "level_position": range(3)}
    grouping = {"grouping_id": ["gender"], "grouping_position": 0, "factor": "gender", "factor_position": 0}
    design = {
        "factors": pd.DataFrame(gender),
        "factor_levels": pd.DataFrame(levels),
        "slice_ids": pd.DataFrame({"slice_id": ["all"]}),
        "groupings": pd.DataFrame(grouping),
    }
    write_stage(connection, "mine", "design", design)
    responses = prompts[["prompt_id"]].assign(response_id="r", status="ok")
    parts = [
        responses.assign(generation_id=generation, replicate=replicate)
        for generation, replicate in (("fair", 0), ("fair", 1), ("baseline", 0))
    ]
    write_stage(connection, "mine", "generate", {"responses": pd.concat(parts)})


NO_CHANGES = pd.DataFrame(
    columns=["comparison", "generation_a_id", "grouping_id", "std_error", "n_root_prompts", "calibration"]
)


def power_rows(study, connection, observed):
    build_group_models(connection)
    return design_power_rows(study, connection, observed, NO_CHANGES)


def test_what_is_observed_is_the_mean_square_over_groups_and_generations(tmp_path, build):
    answered(build)
    observed = contrasts(
        group_id=["woman", "man"] * 3,
        generation_id=["fair", "fair", "far", "far", "baseline", "baseline"],
        sd=[0.3, 0.5, 0.4, np.nan, 9.0, 9.0],
        std_error=0.1,
        n_root_prompts=[4, 4, 4, 4, 99, 99],
    )
    rows = power_rows(study_of(tmp_path, "{margins: {mean_difference: 0.3}}"), build, observed)
    assert rows.columns.tolist() == [
        "grouping_id",
        "measure_id",
        "contrast",
        "source",
        "n_root_prompts",
        "baseline_rate_or_sd",
        "minimum_detectable_effect",
        "effect",
        "n_needed",
        "n_calls",
        "reason",
    ]
    (row,) = rows.itertuples(index=False)
    sd = math.sqrt((0.3**2 + 0.5**2 + 0.4**2) / 3)
    assert (row.source, row.n_root_prompts, row.effect) == ("observed", 4, 0.3)
    assert row.baseline_rate_or_sd == pytest.approx(sd)
    z = 1.959963984540054  # of two groups there is one difference
    needed = math.ceil(((z + 0.8416212335729143) * sd / 0.3) ** 2 + z**2 / 2)
    assert (row.n_needed, row.n_calls) == (needed, needed * 4)


def test_the_category_with_the_largest_spread_decides(tmp_path, build):
    answered(build)
    observed = contrasts(
        contrast="risk_difference", generation_id="fair", category=["no", "yes"], sd=[0.2, 0.4], n_root_prompts=4
    )
    rows = power_rows(study_of(tmp_path, "{alpha: 0.05}"), build, observed)
    assert rows.baseline_rate_or_sd.tolist() == [pytest.approx(0.4)]
    assert rows.reason.tolist() == ["no_effect_declared"]


def test_a_contrast_without_any_spread_says_so(tmp_path, build):
    answered(build)
    observed = contrasts(generation_id=["fair"], sd=np.nan, std_error=0.1, n_root_prompts=np.nan)
    (row,) = power_rows(study_of(tmp_path, "{alpha: 0.05}"), build, observed).itertuples(index=False)
    assert (row.n_root_prompts, row.reason) == (0, "spread_unknown")
    assert (row.baseline_rate_or_sd, row.minimum_detectable_effect, row.n_needed) == (None, None, None)


def test_units_of_one_group_each_have_the_spread_that_their_error_says(tmp_path, build):
    answered(build, n_roots=8)
    build.execute("delete from raw.prompts where (unit_id::int % 2 = 0) = (prompt_id like '% man')")
    observed = contrasts(generation_id=["fair"], sd=np.nan, std_error=0.2, n_root_prompts=3)
    (row,) = power_rows(study_of(tmp_path, "{alpha: 0.05}"), build, observed).itertuples(index=False)
    assert (row.n_root_prompts, row.reason) == (8, "no_effect_declared")
    assert row.baseline_rate_or_sd == pytest.approx(0.2 * math.sqrt(8))


@pytest.mark.parametrize("sd", [0.0, 1e-17])
def test_equal_values_say_nothing_of_how_others_vary(tmp_path, build, sd):
    answered(build)
    observed = contrasts(generation_id=["fair", "fair"], sd=sd, std_error=0.0, n_root_prompts=4)
    (row,) = power_rows(study_of(tmp_path, "{margins: {mean_difference: 0.3}}"), build, observed).values
    assert row.tolist()[-7:] == [4, None, None, 0.3, None, None, "spread_unknown"]


def test_groups_without_root_prompts_do_not_lower_the_number_of_the_others(tmp_path, build):
    answered(build)
    observed = contrasts(generation_id="fair", sd=[0.3, np.nan, np.nan], std_error=0.1, n_root_prompts=[4, 0, 0])
    (row,) = power_rows(study_of(tmp_path, "{alpha: 0.05}"), build, observed).itertuples(index=False)
    assert row.n_root_prompts == 4
    assert row.minimum_detectable_effect > 0


def test_where_nothing_is_tested_the_reason_stands_in_place_of_numbers(tmp_path, build):
    answered(build, n_roots=6)
    build.execute("update raw.prompts set root_prompt_id = 'one', unit_id = 'one'")
    study = study_of(tmp_path, "{power: {sentiment: {sd: 0.5, effect: 0.2}, refusal: {rate: 0.2, effect: 0.1}}}")
    observed = contrasts(generation_id=["fair"], sd=0.3, std_error=0.1, n_root_prompts=1)
    rows = power_rows(study, build, observed)
    assert rows.source.tolist() == ["declared", "declared", "observed"]
    assert set(rows.reason) == {"several_prompts"}
    numbers = ["baseline_rate_or_sd", "minimum_detectable_effect", "n_needed", "n_calls"]
    assert rows[numbers].isna().all(axis=None)


def test_a_slice_that_is_tested_keeps_its_numbers(tmp_path, build):
    answered(build, n_roots=6)
    build.execute("update raw.prompts set root_prompt_id = 'one', unit_id = 'one'")
    observed = contrasts(generation_id=["fair"], sd=0.3, std_error=0.1, n_root_prompts=6)
    rows = power_rows(study_of(tmp_path, "{alpha: 0.05}"), build, observed.assign(slice_id="plain"))
    assert rows.baseline_rate_or_sd.tolist() == [0.3]
    assert rows.reason.tolist() == ["no_effect_declared"]


NESTED = """
unit: name
factors: {{gender: {{levels: [woman, man]}}, name: {{levels: [{names}]}}}}
prompts:
  templates:
    combinations: [{combinations}]
    texts: [{{id: a, text: "a {{name}} {{gender}}"}}, {{id: b, text: "b {{name}} {{gender}}"}}]
generations: [{{name: fair, provider: simulator, replicates: {replicates}}}]
measures: [sentiment]
groupings: [gender]
analysis: {{power: {{sentiment: {{sd: 0.5, effect: 0.2{correlation}}}}}}}
"""


def planned_nested(folder, correlation, texts=2, replicates=1):
    """Twelve names, each of one gender, in two prompts."""
    names = [f"n{n}" for n in range(12)]
    groups = {name: ("woman", "man")[n % 2] for n, name in enumerate(names)}
    combinations = ", ".join(f"{{gender: {group}, name: {name}}}" for name, group in groups.items())
    text = NESTED.format(
        names=", ".join(names), combinations=combinations, correlation=correlation, replicates=replicates
    )
    if texts == 1:
        text = text.replace(', {id: b, text: "b {name} {gender}"}', "")
    path = folder / "mine.yml"
    path.write_text(text, encoding="utf-8")
    return plan_study(load_study(path))


def test_units_of_one_group_vary_by_how_alike_their_responses_are(tmp_path):
    plan = planned_nested(tmp_path, ", correlation: 0.6", replicates=2)
    (row,) = plan.power
    # 4 responses a name; K / (K - 1) = 2 of two groups, and each of them has half of the names
    assert row.baseline_rate_or_sd == pytest.approx(0.5 * math.sqrt((0.6 + 0.4 / 4) * 2 * 2))
    assert (row.n_root_prompts, row.n_calls) == (12, row.n_needed * 4)
    assert not [warning for warning in plan.warnings if "correlation" in warning]


def test_units_of_one_group_without_a_correlation_promise_nothing(tmp_path):
    plan = planned_nested(tmp_path, "")
    (row,) = plan.power
    assert (row.baseline_rate_or_sd, row.n_needed, row.reason) == (None, None, "spread_unknown")
    assert (
        "grouping gender: no power of sentiment, because a unit has several responses of one group: add "
        "correlation:, how alike two of them are (0 to 1), under analysis.power.sentiment"
    ) in plan.warnings
    (one,) = planned_nested(tmp_path, "", texts=1).power  # one response a unit: nothing to be alike
    assert one.baseline_rate_or_sd == pytest.approx(0.5 * 2)


def test_a_pilot_whose_values_were_equal_knows_no_spread(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    add_pilot(tmp_path, [("small", "observed", "gender", "sentiment", "mean_difference", 0.0, 10)])
    (row,) = planned(tmp_path, "{pilot: small, margins: {mean_difference: 0.2}}")
    assert (row.n_needed, row.n_needed_low, row.reason) == (None, None, "spread_unknown")


def test_a_pilot_of_other_measures_and_groupings_is_an_error(refused, tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    rows = [
        ("race", "sentiment", "mean_difference"),
        ("gender", "humour", "mean_difference"),
        ("gender", "refusal", "mean_difference"),  # once a score, now 0 or 1
    ]
    add_pilot(tmp_path, [("small", "observed", *row, 0.4, 10) for row in rows])
    with refused(WarehouseError, "analysis.pilot"):
        planned(tmp_path, "{pilot: small}")


def test_power_is_of_a_contrast_of_every_kind_of_measure():
    assert set(CONTRASTS) == set(get_args(Kind))
