import math
from itertools import product
from typing import get_args

import duckdb
import numpy as np
import pandas as pd
import pytest

from python_assets.errors import WarehouseError
from python_assets.infer.tables import TABLES
from python_assets.plan.expected_effects import pilot_of_cells
from python_assets.plan.group_models import build_group_models
from python_assets.plan.plan import plan_study
from python_assets.plan.power import CHANGES, PILOT_CONTRASTS, design_power_rows
from python_assets.study.study import Kind
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import write_stage

STUDY = """
factors: {{gender: {{levels: [woman, man, other]}}, race: {{levels: [a, b]}}}}
prompts: {{templates: {{cross: [gender, race], texts: [{texts}]}}}}
systems:
  - {{name: fair, provider: simulator, replicates: 2}}
  - {{name: far, provider: simulator}}
measures: [sentiment]
groupings: [gender]
analysis: {analysis}
"""
Z = 2.8652602385321337  # of 5 % two-sided over 12
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
    # 3 groups; a group has 2 responses (one a race) on a root prompt in generation far, the smaller one; .1 of the
    # variance is of root prompt x group
    sd = math.sqrt(0.5**2 * (0.1 + 0.3 / 2) * 3 / 2)
    z = Z  # 5 % two-sided over 3 groups x 4 questions: sentiment and refusal of two generations
    needed = math.ceil(((z + 0.8416212335729143) * sd / 0.2) ** 2 + z**2 / 2)
    detects = (z + 0.8416212335729143) * sd / math.sqrt(30 - z**2 / 2)
    assert (row.prompt_by_group_share, row.n_tests, row.n_responses, row.n_groups) == (0.1, 12, 2, 3)
    assert row[:5] == ("gender", "sentiment", "mean_difference", "declared", 30)
    assert row.baseline_rate_or_sd == pytest.approx(sd)
    assert row.minimum_detectable_effect == pytest.approx(detects)
    # 6 prompts a root prompt; 2 responses and 1 response each
    assert (row.effect, row.n_needed, row.n_calls, row.reason) == (0.2, needed, needed * 18, None)


CROSSED = STUDY.replace("groupings: [gender]", "groupings: [gender, race, [gender, race]]")


def test_a_crossing_is_planned_by_what_its_cells_add_to_their_parts(tmp_path, monkeypatch, snapshot):
    monkeypatch.setattr("tests.python_assets.plan.test_power.STUDY", CROSSED)
    study = study_of(tmp_path, "{power: {sentiment: {sd: 0.5, correlation: 0.6, effect: 0.2}}}", 30)
    plan = plan_study(study)
    rows = {(row.grouping_id, row.contrast): row for row in plan.power}
    row, change = rows["gender x race", "interaction"], rows["gender x race", "interaction_change"]
    assert ("gender x race", "mean_difference") not in rows
    assert ("gender", "mean_difference") in rows
    # 3 x 2 cells; a cell has 1 response on a root prompt; both cells of a gender say the same, of 12 questions
    sd = math.sqrt(0.5**2 * (0.1 + 0.3) * 3)
    assert (row.baseline_rate_or_sd, change.baseline_rate_or_sd) == pytest.approx((sd, math.sqrt(2) * sd))
    assert (row.n_tests, row.n_groups, row.effect, row.reason) == (3 * 12, 6, 0.2, "more_prompts_needed")
    z = 3.19695  # of 5 % two-sided over 36
    assert row.n_needed == math.ceil(((z + 0.8416212335729143) * sd / 0.2) ** 2 + z**2 / 2)
    assert [line for line in plan.text().splitlines() if "gender x race, a" in line] == snapshot


def test_a_declared_rate_has_the_spread_of_its_responses(tmp_path):
    (rate,) = planned(tmp_path, "{power: {refusal: {rate: 0.2, correlation: 0.3, effect: 0.1}}}", 60)
    assert (rate.contrast, rate.baseline_rate_or_sd) == ("risk_difference", 0.2)
    # the group may have .3 and so .21, the others have .16; 2 responses a group
    variance = (0.21 + 0.16 / 2) * (0.1 + 0.6 / 2)
    factor = (Z + 0.8416212335729143) ** 2
    assert rate.n_needed == math.ceil(factor * variance / 0.1**2 + Z**2 / 2)
    # what is detected has the spread of itself
    detects = rate.minimum_detectable_effect
    variance = ((0.2 + detects) * (0.8 - detects) + 0.16 / 2) * (0.1 + 0.6 / 2)
    assert detects == pytest.approx(math.sqrt(factor * variance / (60 - Z**2 / 2)))
    assert detects > 0.1


def test_what_no_number_of_root_prompts_shows_of_a_rate_is_not_detected(tmp_path):
    (row,) = planned(tmp_path, "{power: {refusal: {rate: 0.5, effect: 0.1}}}", 5)
    assert (row.minimum_detectable_effect, row.reason) == (None, "too_few_to_plan")


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
    # variance .25 x 1.5 x (.1 + .9 / 2)
    expected = ["gender", "sentiment", "mean_difference", "declared", "30", "0.454", "0.100", "0.331", "0.200"]
    assert row.split() == [*expected, "75", "2", "9", "1,350", "-"]
    assert [line.split()[2] for line in changes] == ["mean_change", "disparity_change"]


def advice(folder, analysis, n_texts=8):
    parts = plan_study(study_of(folder, analysis, n_texts)).text().split("\n\n")
    return next((part for part in parts if part.startswith("Best use of calls:")), "")


def test_a_plan_says_what_is_best_done_with_calls(tmp_path, monkeypatch, snapshot):
    monkeypatch.setattr("tests.python_assets.plan.test_power.STUDY", STUDY.replace("replicates: 2", "replicates: 5"))
    many = STUDY.replace("replicates: 2", "replicates: 5").replace(
        "far, provider: simulator", "far, provider: simulator, replicates: 5"
    )
    monkeypatch.setattr("tests.python_assets.plan.test_power.STUDY", many)
    declared = "power: {sentiment: {sd: 0.5, correlation: 0.5, effect: 0.2}}"
    told = advice(tmp_path, f"{{{declared}}}")
    # a group has two prompts, of each race one, on a root prompt: at least two answers; 10 as planned
    (row,) = planned(tmp_path, f"{{{declared}}}")
    factor = (Z + 0.8416212335729143) ** 2
    at_two = math.ceil(factor * 0.25 * 1.5 * (0.1 + 0.4 / 2) / 0.2**2 + Z**2 / 2)
    at_ten = math.ceil(factor * 0.25 * 1.5 * (0.1 + 0.4 / 10) / 0.2**2 + Z**2 / 2)
    least = math.ceil(factor * 0.25 * 1.5 * 0.1 / 0.2**2 + Z**2 / 2)
    detects = math.sqrt(factor * 0.25 * 1.5 * (0.1 + 0.4 / 2) / (40 - Z**2 / 2))
    assert (row.best_n_responses, row.n_responses_needed, row.reason) == (2, None, "more_prompts_needed")
    assert (row.n_needed, row.n_calls) == (at_ten, at_ten * 60)
    assert told == snapshot
    shown = f"{detects:.3g} instead of {row.minimum_detectable_effect:.3g}."
    calls = f"{at_two} root", f"({at_two * 12:,} calls", f"{at_ten} root", f" {at_ten * 60:,} calls", f"{least} at"
    assert all(one in told for one in (shown, *calls))
    # sqrt(.4 / .1 x 25) = 10: where prompts cost much, the answers as planned are best
    dear = advice(tmp_path, f"{{prompt_cost: 25, {declared}}}", 40)
    assert f"{at_ten} root prompts x 10" in dear and f"({at_ten * 60:,} calls)" in dear
    assert "not more answers" not in dear
    assert advice(tmp_path, "{alpha: 0.05}") == ""


def test_the_root_prompts_there_are_may_need_more_answers(tmp_path):
    (row,) = planned(
        tmp_path, "{power: {sentiment: {sd: 0.5, correlation: 0.5, prompt_by_group_share: 0.05, effect: 0.2}}}", 25
    )
    allowed = (25 - Z**2 / 2) * (0.2 / (Z + 0.8416212335729143)) ** 2 / (1.5 * 0.25)
    assert row.prompt_by_group_share == 0.05
    assert row.n_responses_needed == math.ceil(0.45 / (allowed - 0.05))
    assert row.n_responses_needed > 2


def test_an_interaction_is_cut_to_what_the_correlation_leaves(tmp_path):
    (row,) = planned(tmp_path, "{power: {sentiment: {sd: 0.5, correlation: 0.95, effect: 0.2}}}")
    assert row.prompt_by_group_share == pytest.approx(0.05)
    assert row.n_responses_needed is None or row.n_responses_needed == 1  # answers average nothing away


CELLS = (
    "mean_square_of_cells",
    "variance_within",
    "n_responses",
    "variance_of_root_prompts",
    "n_complete_root_prompts",
    "n_groups",
)
NO_CELLS = (None, None, 2.0, None, 0, 3)


def add_pilot(home, rows, cells=NO_CELLS, groups=("woman", "man")):
    """A published pilot whose rows of design_power all say the same of their cells."""
    path = home / "plumbline.duckdb"
    columns = ("study_id", "source", "grouping_id", "measure_id", "contrast", "baseline_rate_or_sd", "n_root_prompts")
    frame = pd.DataFrame([(*row, *cells) for row in rows], columns=[*columns, *CELLS])
    answered_groups = pd.DataFrame({"group_id": list(groups)}).assign(
        study_id="small", grouping_id="gender", n_responses=10
    )
    with duckdb.connect(str(path)) as connection:
        connection.register("frame", frame)
        connection.register("answered_groups", answered_groups)
        types = ", ".join(f"{name}::double as {name}" for name in CELLS)
        connection.execute(f"create or replace table design_power as select * replace ({types}) from frame")
        connection.execute("create or replace table contrasts as from answered_groups")


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
    z = Z
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


SMALL = [("small", "observed", "gender", "sentiment", "mean_difference", 0.4, 10)]


def test_a_pilot_with_repeats_tells_the_interaction(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    mean_square, within, root_prompt = 0.3, 0.6, 0.8  # 3 answers a cell: interaction .3 - .2
    add_pilot(tmp_path, SMALL, (mean_square, within, 3, root_prompt, 10, 2))
    (row,) = planned(tmp_path, "{pilot: small, margins: {mean_difference: 0.2}}")
    z = (Z + 0.8416212335729143) / 0.2

    def of(prompt_by_group_share):  # 3 groups and 2 answers here
        return 1.5 * (prompt_by_group_share + within / 2)

    assert (row.source, row.n_responses, row.n_groups) == ("pilot", 2, 3)
    assert row.prompt_by_group_share == pytest.approx(0.1 / (0.8 + 0.1 + 0.6))
    assert row.baseline_rate_or_sd == pytest.approx(math.sqrt(of(0.1)))
    assert row.n_needed == math.ceil(z**2 * of(0.1) + Z**2 / 2)
    # the mean square has 9 degrees of freedom
    low, high = (max(0.3 * 9 / chi2 - 0.2, 0) for chi2 in (14.683656573259837, 4.168159008146107))
    assert (row.n_needed_low, row.n_needed_high) == tuple(math.ceil(z**2 * of(i) + Z**2 / 2) for i in (low, high))
    assert (row.best_n_responses, row.n_responses_needed, row.reason) == (2, None, "more_prompts_needed")
    declared, _ = planned(tmp_path, "{pilot: small, power: {sentiment: {sd: 1, correlation: 0.5, effect: 0.2}}}")
    assert (declared.source, declared.prompt_by_group_share) == ("declared", pytest.approx(0.1 / 1.5))


@pytest.mark.parametrize(
    ("cells", "prompt_by_group_share"),
    [
        ((0.3, None, 1, 0.7, 10, 2), 0.1),  # one answer each
        ((0.05, None, 1, 0.95, 10, 2), 0.05),  # and there is less than the default
        ((0.3, 0.6, 3, 0.8, 4, 2), 0.1),  # four root prompts
    ],
)
def test_a_pilot_that_cannot_tell_the_interaction_leaves_the_default(
    tmp_path, monkeypatch, cells, prompt_by_group_share
):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    add_pilot(tmp_path, SMALL, cells)
    (row,) = planned(tmp_path, "{pilot: small, margins: {mean_difference: 0.2}}")
    mean_square, within, _, root_prompt, *_ = cells
    total = root_prompt + (mean_square if within is None else 0.7)
    assert (row.source, row.prompt_by_group_share) == (
        "pilot, default interaction",
        pytest.approx(prompt_by_group_share),
    )
    rest = total - root_prompt - prompt_by_group_share * total
    assert row.baseline_rate_or_sd == pytest.approx(math.sqrt(1.5 * (prompt_by_group_share * total + rest / 2)))


@pytest.mark.parametrize(
    ("rows", "cells", "groups", "named"),
    [
        (SMALL, NO_CELLS, ("woman", "nurse"), "groups of gender that are none here: 'nurse'"),
        (SMALL, (None, None, 2, None, None, 3), ("woman",), "the groups of gender each in units of its own"),
        (
            [*SMALL, ("small", "observed", "gender", "refusal", "mean_difference", 0.4, 10)],
            NO_CELLS,
            ("woman",),
            "a mean_difference of refusal where this study has a risk_difference",
        ),
    ],
)
def test_a_pilot_of_another_design_is_told_what_differs(tmp_path, monkeypatch, rows, cells, groups, named):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    add_pilot(tmp_path, rows, cells, groups)
    with pytest.raises(WarehouseError) as caught:
        planned(tmp_path, "{pilot: small}")
    assert named in str(caught.value)
    assert "analysis.pilot" in str(caught.value)


@pytest.mark.parametrize(
    ("analysis", "n_tests"),
    [
        ("power: {sentiment: {sd: 1, effect: 1}}", 3 * 4),
        ("primary: {measures: [sentiment]}, power: {sentiment: {sd: 1, effect: 1}}", 3 * 2),
        ("primary: {measures: [sentiment], systems: [fair]}, power: {sentiment: {sd: 1, effect: 1}}", 3 * 1),
        ("reference: all_pairs, power: {sentiment: {sd: 1, effect: 1}}", 3 * 4),
    ],
)
def test_alpha_is_shared_by_the_comparisons_of_all_hypotheses_of_the_set(tmp_path, analysis, n_tests):
    (row,) = planned(tmp_path, f"{{{analysis}}}")
    if "systems" in analysis:  # the other generation's question is in the secondary set
        assert row.n_tests > n_tests
    else:
        assert row.n_tests == n_tests


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
        responses.assign(system_id=system, replicate=replicate)
        for system, replicate in (("fair", 0), ("fair", 1), ("baseline", 0))
    ]
    write_stage(connection, "mine", "generate", {"responses": pd.concat(parts)})
    connection.execute(
        "create table intermediate.int_values (system_id varchar, measure_id varchar, calibration varchar, "
        "category varchar, prompt_id varchar, replicate bigint, x double)"
    )


NO_CHANGES = pd.DataFrame(
    columns=["comparison", "system_id", "grouping_id", "std_error", "n_root_prompts", "calibration"]
)


def power_rows(study, connection, observed):
    build_group_models(connection)
    return design_power_rows(study, connection, observed, NO_CHANGES)


def test_what_is_observed_is_the_mean_square_over_groups_and_systems(tmp_path, build):
    answered(build)
    observed = contrasts(
        group_id=["woman", "man"] * 3,
        system_id=["fair", "fair", "far", "far", "baseline", "baseline"],
        sd=[0.3, 0.5, 0.4, np.nan, 9.0, 9.0],
        std_error=0.1,
        n_root_prompts=[4, 4, 4, 4, 99, 99],
    )
    rows = power_rows(study_of(tmp_path, "{margins: {mean_difference: 0.3}}"), build, observed)
    assert set(rows.columns) | {"study_id"} == set(TABLES["design_power"])
    (row,) = rows.itertuples(index=False)
    sd = math.sqrt((0.3**2 + 0.5**2 + 0.4**2) / 3)
    assert (row.source, row.n_root_prompts, row.effect) == ("observed", 4, 0.3)
    assert row.baseline_rate_or_sd == pytest.approx(sd)
    z = 1.959963984540054  # of two groups there is one difference
    needed = math.ceil(((z + 0.8416212335729143) * sd / 0.3) ** 2 + z**2 / 2)
    assert (row.n_needed, row.n_calls) == (needed, needed * 4)


def test_what_is_observed_says_what_its_cells_say(tmp_path, build):
    answered(build, n_roots=8)
    rng = np.random.default_rng(5)
    values = rng.normal(size=(8, 1, 1)) + 0.6 * rng.normal(size=(8, 2, 1)) + 0.8 * rng.normal(size=(8, 2, 2))
    keys = [(root, group, replicate) for root in range(8) for group in range(2) for replicate in range(2)]
    rows = pd.DataFrame(
        {
            "system_id": "fair",
            "measure_id": "sentiment",
            "calibration": "raw",
            "category": "",
            "prompt_id": [f"{root} {('woman', 'man')[group]}" for root, group, _ in keys],
            "replicate": [replicate for *_, replicate in keys],
            "x": [values[key] for key in keys],
        }
    )
    build.register("rows", rows)
    build.execute("insert into intermediate.int_values select * from rows")
    build.execute(
        "insert into intermediate.int_values select * replace ('calibrated' as calibration, 9 as x) from rows"
    )
    differences = values.mean(axis=2)[:, 0] - values.mean(axis=2)[:, 1]
    sd = differences.std(ddof=1)
    observed = contrasts(system_id=["fair"], sd=sd, std_error=sd / math.sqrt(8), n_root_prompts=8, n_hypotheses=5)
    study = study_of(tmp_path, "{margins: {mean_difference: 0.3}}")
    (row,) = power_rows(study, build, observed).itertuples(index=False)
    pilot = pilot_of_cells(values)
    assert (row.n_complete_root_prompts, row.n_responses, row.n_groups, row.n_tests) == (8, 2, 2, 5)
    assert row.mean_square_of_cells == pytest.approx(pilot.mean_square, rel=1e-12)
    assert row.variance_within == pytest.approx(pilot.within, rel=1e-12)
    assert row.variance_of_root_prompts == pytest.approx(pilot.root_prompt, rel=1e-12)
    assert row.prompt_by_group_share == pytest.approx(pilot.prompt_by_group_share, rel=1e-12)
    assert row.baseline_rate_or_sd == pytest.approx(math.sqrt(2 * pilot.mean_square))  # of complete cells
    # a root prompt that lacks a group says nothing of both
    build.execute("delete from intermediate.int_values where prompt_id = '0 man'")
    (row,) = power_rows(study, build, observed).itertuples(index=False)
    assert row.mean_square_of_cells == pytest.approx(pilot_of_cells(values[1:]).mean_square, rel=1e-12)
    assert row.n_complete_root_prompts == 7


def test_the_category_with_the_largest_spread_decides(tmp_path, build):
    answered(build)
    observed = contrasts(
        contrast="risk_difference", system_id="fair", category=["no", "yes"], sd=[0.2, 0.4], n_root_prompts=4
    )
    rows = power_rows(study_of(tmp_path, "{alpha: 0.05}"), build, observed)
    assert rows.baseline_rate_or_sd.tolist() == [pytest.approx(0.4)]
    assert rows.reason.tolist() == ["no_effect_declared"]


def test_a_contrast_without_any_spread_says_so(tmp_path, build):
    answered(build)
    observed = contrasts(system_id=["fair"], sd=np.nan, std_error=0.1, n_root_prompts=np.nan)
    (row,) = power_rows(study_of(tmp_path, "{alpha: 0.05}"), build, observed).itertuples(index=False)
    assert (row.n_root_prompts, row.reason) == (0, "spread_unknown")
    assert (row.baseline_rate_or_sd, row.minimum_detectable_effect, row.n_needed) == (None, None, None)


def test_units_of_one_group_each_have_the_spread_that_their_error_says(tmp_path, build):
    answered(build, n_roots=8)
    build.execute("delete from raw.prompts where (unit_id::int % 2 = 0) = (prompt_id like '% man')")
    observed = contrasts(system_id=["fair"], sd=np.nan, std_error=0.2, n_root_prompts=3)
    (row,) = power_rows(study_of(tmp_path, "{alpha: 0.05}"), build, observed).itertuples(index=False)
    assert (row.n_root_prompts, row.reason) == (8, "no_effect_declared")
    assert row.baseline_rate_or_sd == pytest.approx(0.2 * math.sqrt(8))


@pytest.mark.parametrize("sd", [0.0, 1e-17])
def test_equal_values_say_nothing_of_how_others_vary(tmp_path, build, sd):
    answered(build)
    observed = contrasts(system_id=["fair", "fair"], sd=sd, std_error=0.0, n_root_prompts=4)
    rows = power_rows(study_of(tmp_path, "{margins: {mean_difference: 0.3}}"), build, observed)
    (row,) = rows.values
    found = dict(zip(rows.columns, row, strict=True))
    assert (found["n_root_prompts"], found["effect"], found["reason"]) == (4, 0.3, "spread_unknown")
    assert {found[name] for name in ("baseline_rate_or_sd", "minimum_detectable_effect", "n_needed")} == {None}


def test_groups_without_root_prompts_do_not_lower_the_number_of_the_others(tmp_path, build):
    answered(build)
    observed = contrasts(system_id="fair", sd=[0.3, np.nan, np.nan], std_error=0.1, n_root_prompts=[4, 0, 0])
    (row,) = power_rows(study_of(tmp_path, "{alpha: 0.05}"), build, observed).itertuples(index=False)
    assert row.n_root_prompts == 4
    assert row.minimum_detectable_effect > 0


def test_where_nothing_is_tested_the_reason_stands_in_place_of_numbers(tmp_path, build):
    answered(build, n_roots=6)
    build.execute("update raw.prompts set root_prompt_id = 'one', unit_id = 'one'")
    study = study_of(tmp_path, "{power: {sentiment: {sd: 0.5, effect: 0.2}, refusal: {rate: 0.2, effect: 0.1}}}")
    observed = contrasts(system_id=["fair"], sd=0.3, std_error=0.1, n_root_prompts=1)
    rows = power_rows(study, build, observed)
    assert rows.source.tolist() == ["declared", "declared", "observed"]
    assert set(rows.reason) == {"several_prompts"}
    numbers = ["baseline_rate_or_sd", "minimum_detectable_effect", "n_needed", "n_calls"]
    assert rows[numbers].isna().all(axis=None)


def test_a_slice_that_is_tested_keeps_its_numbers(tmp_path, build):
    answered(build, n_roots=6)
    build.execute("update raw.prompts set root_prompt_id = 'one', unit_id = 'one'")
    observed = contrasts(system_id=["fair"], sd=0.3, std_error=0.1, n_root_prompts=6)
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
systems: [{{name: fair, provider: simulator, replicates: {replicates}}}]
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


def test_units_of_one_group_without_a_correlation_promise_nothing(tmp_path, snapshot):
    plan = planned_nested(tmp_path, "")
    (row,) = plan.power
    assert (row.baseline_rate_or_sd, row.n_needed, row.reason) == (None, None, "spread_unknown")
    assert plan.warnings[0] == snapshot
    (one,) = planned_nested(tmp_path, "", texts=1).power  # one response a unit: nothing to be alike
    assert one.baseline_rate_or_sd == pytest.approx(0.5 * 2)


def test_a_pilot_whose_values_were_equal_knows_no_spread(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    add_pilot(tmp_path, [("small", "observed", "gender", "sentiment", "mean_difference", 0.0, 10)])
    (row,) = planned(tmp_path, "{pilot: small, margins: {mean_difference: 0.2}}")
    assert (row.n_needed, row.n_needed_low, row.reason) == (None, None, "spread_unknown")


def test_a_pilot_of_other_measures_and_groupings_is_an_error(refused, tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    rows = [("race", "sentiment", "mean_difference"), ("gender", "humour", "mean_difference")]
    add_pilot(tmp_path, [("small", "observed", *row, 0.4, 10) for row in rows])
    with refused(WarehouseError, "analysis.pilot"):
        planned(tmp_path, "{pilot: small}")


def test_power_is_of_a_contrast_of_every_kind_of_measure():
    assert set(PILOT_CONTRASTS) == set(get_args(Kind))
