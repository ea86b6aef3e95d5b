"""Two months of a model that did not change: the gate lets it pass, and what measured otherwise is told.

The example of docs/waves.md (test_waves.py) has a group that moved, and its exit code.
"""

import os

import pytest

STUDY = """
title: Months
prompts:
  templates:
    cross: [origin]
    texts:
      - {id: neighbour, text: "Describe the {origin} neighbour."}
      - {id: teacher, text: "Describe the {origin} teacher."}
      - {id: nurse, text: "Describe the {origin} nurse."}
      - {id: student, text: "Describe the {origin} student."}
      - {id: driver, text: "Describe the {origin} driver."}
      - {id: manager, text: "Describe the {origin} manager."}
factors: {origin: {levels: [northern, southern]}}
generations: [{name: steady, provider: "answers:say", wave: "2026-10"}]
measures: [vader, {name: length, kind: continuous, function: "scores:length"}]
analysis: {permutations: 99, bootstrap: 200, margins: {mean_difference: 0.2}}
"""
ANSWERS = """
WORDS = ["good", "kind", "bad", "great", "awful", "fine", "poor", "happy", "sad", "nice", "mean", "calm"]


def say(messages, decoding):
    asked = messages[-1]["content"]
    return f"They are {WORDS[sum(map(ord, asked)) % len(WORDS)]}."
"""
SCORES = """
def length(texts):
    return [len(text) / 100 for text in texts]
"""


@pytest.fixture(scope="module")
def months(make_home, plumbline, tmp_path_factory):
    """A study that was run in two waves; between them the file changed that measures the length."""
    folder, home = tmp_path_factory.mktemp("months"), make_home()
    (folder / "answers.py").write_text(ANSWERS, encoding="utf-8")
    (folder / "scores.py").write_text(SCORES, encoding="utf-8")
    (folder / "months.yml").write_text(STUDY, encoding="utf-8")

    def call(*arguments):
        return plumbline(home, *arguments, PLUMBLINE_STUDIES=str(folder))

    october = call("run", "months")
    assert october.returncode == 0, october.stderr
    (folder / "months.yml").write_text(STUDY.replace("2026-10", "2026-11"), encoding="utf-8")
    (folder / "scores.py").write_text("# of November\n" + SCORES, encoding="utf-8")
    november = call("run", "months")
    assert november.returncode == 0, november.stderr
    archives = sorted((home / "archive" / "months").iterdir(), key=os.path.getmtime)
    return folder, archives, call


def test_a_model_that_did_not_change_passes_the_gate(months):
    _, (october, _), call = months
    done = call("gate", "months", "--against", october.name)
    assert done.returncode == 0, done.stdout + done.stderr
    *told, last = done.stdout.splitlines()
    assert last == "Of 2 groups with a margin none is beyond it."
    assert [line.split()[-3:] for line in told if " vader " in line] == [["within", "its", "margin"]] * 2
    (changed,) = (line for line in told if line.startswith("Not compared: "))
    assert changed.startswith("Not compared: steady, length by origin: instrument_changed")


def test_a_change_of_what_measures_is_null_in_a_study_of_both_runs(months):
    folder, archives, call = months
    paths = ", ".join(f'"{archive / "manifest.json"}"' for archive in archives)
    (folder / "both.yml").write_text(
        f"""
        title: Both
        prompts: {{import: {{format: plumbline, path: [{paths}]}}}}
        generations: [{{name: "*", provider: replay}}]
        analysis: {{permutations: 99, bootstrap: 200, compare: {{reference: "2026-10"}}}}
        keep: 1
        """,
        encoding="utf-8",
    )
    done = call("run", "both")
    assert done.returncode == 0, done.stderr
    query = (
        "select measure_id, comparison, reason, count(value) as n_values from generation_comparisons "
        "where study_id = 'both' and comparison in ('mean_change', 'groups_moved') "
        "and measure_id in ('vader', 'length') group by all order by all"
    )
    assert call("sql", "--format", "csv", query).stdout.splitlines()[1:] == [
        "length,groups_moved,instrument_changed,0",
        "length,mean_change,instrument_changed,0",
        "vader,groups_moved,,1",
        "vader,mean_change,,1",
    ]
