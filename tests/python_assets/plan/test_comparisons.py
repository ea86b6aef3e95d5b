"""Which generations a plan says will be compared, and what changes between them it could show."""

import csv
import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bench.bench_system_changes import power_of_plan
from python_assets.plan.expected_effects import Spread, sd_of_change
from python_assets.plan.group_models import build_group_models
from python_assets.plan.plan import plan_study
from python_assets.plan.power import CHANGES, design_power_rows
from python_assets.plan.text import PlannedComparison
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import write_stage
from tests.python_assets.plan.test_power import add_pilot, answered, contrasts, study_of

ROLES = """
prompts:
  templates:
    cross: [gender]
    texts: [{{id: t1, text: "a {{gender}}"}}, {{id: t2, text: "the {{gender}}"}}]
factors: {{gender: {{levels: [woman, man]}}}}
systems:
  - name: "{{model}}_{{system_prompt_name}}"
    provider: openai
    base_url: http://h
    model: [m1, m2]
    system_prompt: {{none: "", judge: "You judge."}}
measures: [sentiment]
groupings: [gender]
analysis: {analysis}
"""
IMPORT = """
prompts:
  import:
    path: scores.csv
    columns: {prompt: id, root_prompt: root, replicate: auto, system: model, response: answer}
    factors: {gender: gender}
systems: [{name: "*", provider: replay}]
groupings: [gender]
"""


def plan_of(folder, text):
    path = folder / "mine.yml"
    path.write_text(text, encoding="utf-8")
    return plan_study(load_study(path))


def imported(folder, roots_of, text=IMPORT):
    """A plan of an import where each model answered some root prompts."""
    rows = [(f"{root}{g}", root, model, g, "x") for model, roots in roots_of.items() for root in roots for g in "fm"]
    with (folder / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "root", "model", "gender", "answer"), *rows])
    return plan_of(folder, text)


@pytest.mark.parametrize(
    ("analysis", "pairs"),
    [
        ("{alpha: 0.05}", [("m1_judge", "m1_none"), ("m2_none", "m1_none"), ("m2_judge", "m1_none")]),
        ("{compare: {reference: none}}", [("m1_judge", "m1_none"), ("m2_judge", "m2_none")]),
        ("{compare: {reference: m2_none}}", [(one, "m2_none") for one in ("m1_none", "m1_judge", "m2_judge")]),
    ],
)
def test_a_plan_names_the_pairs_and_the_root_prompts_that_they_share(tmp_path, analysis, pairs):
    plan = plan_of(tmp_path, ROLES.format(analysis=analysis))
    assert sorted(plan.comparisons) == sorted(PlannedComparison(*pair, 2, 0) for pair in pairs)
    lines = plan.text().splitlines()
    columns = ["system", "compared", "with", "units", "asked", "of", "both", "of", "one", "alone"]
    header = next(index for index, line in enumerate(lines) if line.split() == columns)
    assert lines[header + 1].split() == [*plan.comparisons[0][:2], "2", "0"]


def test_root_prompts_that_one_alone_answered_are_counted_and_warned_of(tmp_path, snapshot):
    everything = [str(root) for root in range(20)]
    plan = imported(tmp_path, {"one": everything, "two": everything[:19], "three": everything[:18], "four": []})
    of = {row.system_id: (row.compared_with, row.n_both, row.n_alone) for row in plan.comparisons}
    assert of == {"two": ("one", 19, 1), "three": ("one", 18, 2)}
    (warning,) = [text for text in plan.warnings if " against " in text]
    assert warning == snapshot


def test_systems_that_share_no_root_prompt_are_warned_of(tmp_path, snapshot):
    plan = imported(tmp_path, {"one": "123", "two": "456"})
    assert plan.comparisons == [PlannedComparison("two", "one", 0, 6)]
    assert plan.warnings == snapshot


@pytest.mark.parametrize("of_mean", [True, False])
@pytest.mark.parametrize("is_nested", [True, False])
def test_the_spread_of_a_change_is_that_of_made_up_answers(is_nested, of_mean):
    rng = np.random.default_rng(3)
    sd, rho, n, k, m = 0.7, 0.4, 60_000, 3, 2
    prompt = np.sqrt(rho) * sd * rng.normal(size=(n, 1, 1, 1))
    x = prompt + np.sqrt(1 - rho) * sd * rng.normal(size=(n, 2, 1 if is_nested else k, m))
    change = (x[:, 0] - x[:, 1]).mean(axis=2)
    spread = Spread(sd=sd, correlation=rho, n_groups=k, n_responses=m, is_nested=is_nested)
    expected = sd_of_change(spread, of_mean=of_mean)
    if of_mean:
        seen = change.mean(axis=1).std()
    elif is_nested:  # a third of the units are of each group; error of a group minus the mean of the others
        of_group = change[:, 0].reshape(k, -1)
        error = np.sqrt((np.array([1, 1 / 4, 1 / 4]) * of_group.var(axis=1)).sum() / of_group.shape[1])
        seen = error * np.sqrt(n)
    else:
        seen = (change[:, 0] - change[:, 1:].mean(axis=1)).std()
    assert expected == pytest.approx(seen, rel=0.02)


def changes_of(folder, analysis, n_texts=30):
    rows = plan_study(study_of(folder, analysis, n_texts)).power
    return {row.contrast: row for row in rows if row.contrast in CHANGES}


def test_a_declared_spread_tells_which_change_could_be_shown(tmp_path):
    found = changes_of(tmp_path, "{power: {sentiment: {sd: 0.5, correlation: 0.6, effect: 0.2}}}")
    # two generations, 3 groups; 2 answers of a group (one a race) to a root prompt
    of_cell = 2 * 0.5**2 * (0.1 + 0.3 / 2)
    # of a pair two questions each of sentiment and refusal
    for contrast, sd, n_tests in (
        ("mean_change", math.sqrt(of_cell / 3), 4),
        ("disparity_change", math.sqrt(of_cell * 3 / 2), 12),
    ):
        row, z = found[contrast], stats.norm.isf(0.025 / n_tests)
        assert row.baseline_rate_or_sd == pytest.approx(sd)
        assert row.minimum_detectable_effect == pytest.approx((z + stats.norm.ppf(0.8)) * sd / math.sqrt(30 - z**2 / 2))
        assert row.n_needed == math.ceil(((z + stats.norm.ppf(0.8)) * sd / 0.2) ** 2 + z**2 / 2)
        assert (row.source, row.n_root_prompts, row.n_calls) == ("declared", 30, row.n_needed * 18)


def test_a_pilot_gives_the_spread_of_changes(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    add_pilot(
        tmp_path,
        [
            ("small", "observed", "gender", "sentiment", change, sd, 10)
            for change, sd in (("mean_change", 0.3), ("disparity_change", 0.4))
        ],
    )
    found = changes_of(tmp_path, "{pilot: small, margins: {mean_difference: 0.2}}")
    assert {name: row.baseline_rate_or_sd for name, row in found.items()} == {
        "mean_change": 0.3,
        "disparity_change": 0.4,
    }
    assert {(row.source, row.effect) for row in found.values()} == {("pilot", 0.2)}


def test_one_system_has_no_change_to_show(tmp_path):
    text = ROLES.format(analysis="{power: {sentiment: {sd: 0.5, effect: 0.2}}}")
    one = text.replace("[m1, m2]", "m1").replace('{none: "", judge: "You judge."}', '{none: ""}')
    plan = plan_of(tmp_path, one)
    assert plan.comparisons == []
    assert [row.contrast for row in plan.power] == ["mean_difference"]
    assert "compared with" not in plan.text()


def test_after_the_responses_the_spread_is_that_of_the_changes(tmp_path, build):
    answered(build)
    again = build.sql("from raw.responses where system_id = 'fair'").df().assign(system_id="far")
    both = pd.concat([build.sql("from raw.responses").df(), again]).drop(columns="study_id")
    columns = {"provider": "replay", "model": "", "system_prompt": "", "decoding_json": "{}"}
    columns |= {"extensions_json": "[]", "model_details_json": "{}", "is_simulated": False}
    names = pd.DataFrame({"system_id": ["fair", "far"], "is_baseline": False}).assign(**columns)
    build.execute("delete from raw.responses")
    write_stage(build, "mine", "generate", {"responses": both, "systems": names})
    build_group_models(build)
    keys = {"slice_id": "all", "measure_id": "sentiment", "calibration": "raw", "grouping_id": "gender", "category": ""}
    comparisons = pd.DataFrame(
        {
            "comparison": ["mean_change", "disparity_change", "disparity_change", "group_change"],
            "system_id": "far",
            "std_error": [0.1, 0.2, 0.3, 9.0],
            "n_root_prompts": 4,
        }
    ).assign(**keys)
    comparisons.loc[comparisons.comparison == "mean_change", "grouping_id"] = ""
    rows = design_power_rows(
        study_of(tmp_path, "{margins: {mean_difference: 0.3}}"),
        build,
        contrasts(system_id=["fair"], sd=0.3, std_error=0.1, n_root_prompts=4),
        comparisons,
    ).set_index("contrast")
    assert rows.baseline_rate_or_sd.to_dict() == pytest.approx(
        {"mean_difference": 0.3, "mean_change": 0.2, "disparity_change": math.sqrt((0.4**2 + 0.6**2) / 2)}
    )
    assert set(rows.effect) == {0.3}
    assert set(rows.n_root_prompts) == {4}


def test_units_of_one_group_each_have_changes_too(tmp_path):
    rows = product(range(12), ("one", "two"))
    with (tmp_path / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [("id", "root", "model", "gender", "answer"), *[(r, r, model, "fm"[r % 2], "x") for r, model in rows]]
        )
    plan = plan_of(tmp_path, IMPORT + "analysis: {power: {refusal: {rate: 0.5, effect: 0.2}}}\n")
    found = {row.contrast: row for row in plan.power}
    # 12 root prompts, half of them of each group: error sd sqrt(2 / 6 + 2 / 6)
    assert found["disparity_change"].baseline_rate_or_sd == pytest.approx(0.5 * math.sqrt(2 * 4))
    assert found["mean_change"].baseline_rate_or_sd == pytest.approx(0.5 * math.sqrt(2))
    assert {row.n_root_prompts for row in found.values()} == {12}


def test_pairs_are_known_before_prompts_are(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))
    templates = ROLES[ROLES.index("  templates:") : ROLES.index("factors:")]
    source = "{{tag: a, type: synthetic, engine: writer, template: 'About {{level}}.'}}"
    scrape = f"  scrape: {{{{levels: [Italy], keywords: {{{{Italy: [Italy]}}}}, sources: [{source}]}}}}\n"
    engine = "  - {{name: writer, provider: ollama, model: any, engine: true}}\nmeasures:"
    study = ROLES.replace(templates, scrape).replace("[gender]", "[concept]").replace("measures:", engine)
    study = study.replace("factors: {{gender: {{levels: [woman, man]}}}}\n", "")
    plan = plan_of(tmp_path, study.format(analysis="{compare: {reference: none}}"))
    assert plan.n_prompts is None
    assert plan.comparisons == [
        PlannedComparison("m1_judge", "m1_none", None, None),
        PlannedComparison("m2_judge", "m2_none", None, None),
    ]
    line = next(line for line in plan.text().splitlines() if line.split()[:2] == ["m1_judge", "m1_none"])
    assert line.split()[2:] == ["unknown", "unknown"]


@pytest.mark.run
def test_a_change_that_is_significant_detectable_is_found_with_the_power_that_was_planned():
    spread = Spread(sd=1, correlation=0.5, n_groups=5, n_responses=2)
    for share in power_of_plan(30, spread, 400, seed=2):
        assert share == pytest.approx(0.8, abs=4 * math.sqrt(0.8 * 0.2 / 400))
