import csv
import math

import pytest

from python_assets.plan.control_power import ControlledDesign, power_with_controls
from python_assets.plan.negative_controls import ONE_WORDING
from python_assets.plan.plan import plan_study
from python_assets.study_file.load import load_study

STUDY = """
prompts:
  import:
    path: scores.csv
    columns: {{prompt: [job, edit], root_prompt: job, system: model}}
    factors: {{edit: edit}}
systems: [{{name: "*", provider: replay}}]
measures: [{{name: score, kind: continuous, column: score}}]
groupings: [edit]
negative_controls: {{levels: {levels}}}
analysis: {{power: {{score: {{sd: 1, correlation: 0.5, effect: 0.5, prompt_by_group_share: 0}}}}}}
"""
GROUPS = ["anna", "bert", "cem"]
TYPES = {"car-red": "colour", "day-monday": "weekday", "noop": "blank line", "rain": "weather"}


def planned(folder, levels, text=STUDY, groups=GROUPS, controls=TYPES):
    rows = [(job, edit, "m", 1) for job in range(20) for edit in [*groups, *controls]]
    with (folder / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("job", "edit", "model", "score"), *rows])
    path = folder / "mine.yml"
    written = ", ".join(f"{name}: {of}" for name, of in levels.items()) if isinstance(levels, dict) else None
    path.write_text(text.format(levels=f"{{{written}}}" if written else levels), encoding="utf-8")
    return plan_study(load_study(path))


def test_controls_are_counted_and_what_is_found_beside_them(tmp_path):
    plan = planned(tmp_path, TYPES)
    controls = plan.negative_controls
    assert (controls.n_controls, controls.n_types, controls.n_prompts, controls.n_calls) == (4, 4, 80, 0)
    (row,) = [row for row in plan.power if row.contrast == "mean_difference"]
    controlled = row.with_controls
    cell_sd = math.sqrt(0.5)  # 1, less what the root prompt shares
    assert controlled.wording_sd == pytest.approx(0.3 * cell_sd)
    assert row.minimum_detectable_effect < controlled.detects < controlled.detects_moved
    design = ControlledDesign(3, 20, 3, cell_sd, controlled.wording_sd, 0.05 / (row.n_tests / 3))
    assert power_with_controls(design, controlled.detects_moved) == pytest.approx(0.8, abs=1e-4)
    still = power_with_controls(design._replace(wording_sd=0.0), controlled.detects)
    assert still == pytest.approx(0.8, abs=1e-4)


def test_controls_are_told_as_tables(tmp_path, snapshot):
    text = planned(tmp_path, TYPES).text()
    assert "Declare analysis.power" not in text
    parts = text.split("\n\n")
    assert [part for part in parts if part.startswith(("negative controls", "beside controls"))] == snapshot


def test_controls_without_types_count_half(tmp_path):
    plan = planned(tmp_path, [*TYPES])
    assert (plan.negative_controls.n_types, plan.negative_controls.df) == (None, 2)


@pytest.mark.parametrize(
    "levels",
    [
        {"noop": "blank line", "rain": "weather"},
        {"car-red": "colour", "day-monday": "colour", "noop": "blank line", "rain": "blank line"},
        ["car-red", "car-blue", "noop"],
        {"car-red": "colour", "car-blue": "car", "noop": "blank line"},
    ],
    ids=["two", "two types", "no types", "two types of one sentence"],
)
def test_what_is_wrong_with_controls_is_a_warning(tmp_path, levels, snapshot):
    warnings = planned(tmp_path, levels, controls=levels).warnings
    assert [one for one in warnings if one.startswith("negative_controls")] == snapshot


@pytest.mark.parametrize(
    ("margins", "n"),
    [
        ("", 1),
        (", margins: {mean_difference: 0.4}", 0),
        (", margins: {score: {mean_difference: 0.4}}", 0),
        (", margins: {score: {range: 0.4}}", 1),
    ],
)
def test_controls_without_a_margin_of_a_difference_are_a_warning(tmp_path, margins, n):
    power = "power: {{score: {{sd: 1, correlation: 0.5, effect: 0.5, prompt_by_group_share: 0}}}}"
    warnings = planned(
        tmp_path, TYPES, STUDY.replace(power, power + margins.replace("{", "{{").replace("}", "}}"))
    ).warnings
    assert sum("beyond_margin" in one and "analysis.margins" in one for one in warnings) == n


def test_groups_of_one_wording_without_controls_are_a_warning(tmp_path):
    without = STUDY.replace("negative_controls: {{levels: {levels}}}\n", "")
    assert f"grouping edit: {ONE_WORDING}" in planned(tmp_path, "", without, controls=()).warnings
    assert not [one for one in planned(tmp_path, TYPES).warnings if ONE_WORDING in one]


def test_groups_of_names_have_several_wordings(tmp_path):
    (tmp_path / "names.csv").write_text("gender,name\n" + "".join(f"{g},{g}{n}\n" for g in "fm" for n in range(5)))
    path = tmp_path / "mine.yml"
    path.write_text(
        """
factors: {gender: {levels: [f, m]}}
prompts:
  templates:
    texts:
      - {id: a, text: "{name} a", units: {file: names.csv, nested_in: [gender]}}
      - {id: b, text: "{name} b", units: {file: names.csv, nested_in: [gender]}}
systems: [{name: model, provider: simulator}]
measures: [sentiment]
groupings: [gender]
"""
    )
    plan = plan_study(load_study(path))
    assert plan.groupings[0].reason is None
    assert not [one for one in plan.warnings if ONE_WORDING in one]


TEMPLATES = """
factors: {gender: {levels: [woman, man]}}
prompts:
  templates:
    cross: [gender]
    texts:
      - {id: t1, text: "A {gender} asks on Monday."}
      - {id: t2, text: "Is a {gender} here on Monday?"}
      - {id: t3, text: "A {gender} asks on Monday for help."}
systems:
  - {name: fair, provider: simulator, replicates: 2}
  - {name: other, provider: simulator}
"""


@pytest.fixture
def planned_edits(tmp_path, monkeypatch):
    """Plan templates with some controls."""
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))

    def plan(controls=""):
        path = tmp_path / "mine.yml"
        path.write_text(TEMPLATES + controls, encoding="utf-8")
        return plan_study(load_study(path))

    return plan


def told(plan):
    return [one for one in plan.warnings if one.startswith("negative_controls") or "no level of gender" in one]


def test_prompts_and_calls_of_controls_are_told_apart(planned_edits):
    plan = planned_edits("negative_controls: packaged\n")
    controls = plan.negative_controls
    assert (controls.n_controls, controls.n_types) == (10, 10)
    assert (plan.n_prompts, controls.n_prompts) == (36, 30)
    assert (plan.n_calls, controls.n_calls) == (36 * 3, 30 * 3)
    assert "Declare analysis.power to see which difference the design finds beside these controls." in plan.text()
    assert [line for line in told(plan) if "words on average" in line] == []  # nobody can shorten the packaged ones


def test_edits_longer_than_the_words_of_groups_are_told(planned_edits):
    names = ("Rain", "Post", "Dusk")
    written = [f"{{name: {name}, type: {name}, place: start, text: {name} came by at noon.}}" for name in names]
    plan = planned_edits(f"negative_controls: {{edits: [{', '.join(written)}]}}\n")
    assert [line for line in told(plan) if "words on average" in line] == [
        "negative_controls: edits change 5.0 words on average, groups 1.0: an edit says how far words move a score "
        "where it is about as long as what names a group"
    ]


def test_of_many_controls_a_few_are_named(planned_edits):
    written = [f"{{name: x{n}, place: start, text: Page {n} of it.}}" for n in range(40)]
    lines = told(planned_edits(f"negative_controls: {{edits: [{', '.join(written)}]}}\n"))
    assert lines[0] == "negative_controls: 40 controls are asked in every root prompt: ten of ten types are usual"
    (types,) = [line for line in lines if "types not declared" in line]
    assert types.count("x4: ") == 1


def test_a_study_without_controls_counts_none(planned_edits):
    plan = planned_edits()
    assert (plan.negative_controls, told(plan)) == (None, [])
    assert "negative controls" not in plan.text()


def test_few_controls_and_words_of_groups_are_told(planned_edits):
    edits = [
        "{name: day, type: day, place: Monday, text: Friday}",
        "{name: whose, type: person, place: end, text: A man wrote it.}",
    ]
    first, second, third = told(planned_edits(f"negative_controls: {{edits: [{', '.join(edits)}]}}\n"))
    assert first.startswith("negative_controls: 2 controls of 2 types change no p, ")
    assert second.startswith("negative_controls: edits change 2.5 words on average, groups 1.0")
    assert third == (
        "negative_controls.edits[1].text: 'whose' names 'man', a word of gender 'man': an edit that speaks of a group "
        "can matter; reword it"
    )
