import pytest

from python_assets.plan.plan import plan_study
from python_assets.study_file.load import load_study

STUDY = """
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
def planned(tmp_path, monkeypatch):
    """Plan the study with some controls."""
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))

    def plan(controls=""):
        path = tmp_path / "mine.yml"
        path.write_text(STUDY + controls, encoding="utf-8")
        return plan_study(load_study(path))

    return plan


def told(plan):
    return [one for one in plan.warnings if "negative_controls" in one or "no level of gender" in one]


def test_prompts_and_calls_of_controls_are_told_apart(planned):
    plan = planned("negative_controls: packaged\n")
    assert (plan.n_prompts, plan.n_control_prompts) == (36, 30)
    assert (plan.n_calls, plan.n_control_calls) == (36 * 3, 30 * 3)
    lines = [" ".join(line.split()) for line in plan.text().splitlines()]
    assert {"prompts 36", "negative controls among them 30", "calls 108", "for negative controls 90"} <= {*lines}
    assert told(plan) == [
        "negative_controls: edits change 2.6 words on average, groups 1.0: an edit says how far words move a score "
        "where it is about as long as what names a group"
    ]


def test_a_study_without_controls_says_nothing_of_them(planned):
    plan = planned()
    assert (plan.n_control_prompts, plan.n_control_calls, told(plan)) == (None, None, [])
    assert "negative" not in plan.text()


def test_few_controls_and_words_of_groups_are_told(planned):
    edits = [
        "{name: day, type: day, place: Monday, text: Friday}",
        "{name: whose, type: person, place: end, text: A man wrote it.}",
    ]
    first, second, third = told(planned(f"negative_controls: {{edits: [{', '.join(edits)}]}}\n"))
    assert first.startswith("negative_controls: 2 controls of 2 types change no p, ")
    assert second.startswith("negative_controls: edits change 2.5 words on average, groups 1.0")
    assert third == (
        "negative_controls.edits[1].text: 'whose' names 'man', a word of gender 'man': an edit that speaks of a group "
        "can matter; reword it"
    )
