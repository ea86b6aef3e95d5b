"""Months of a model that did not change: the gate lets it pass, and what measured otherwise is told.

The example of docs/waves.md (test_waves.py) has a group that moved, and its exit code.
"""

import os

import pytest

from tests.end_to_end.conftest import open_warehouse

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
    """A study that was run in three waves; before the second the file changed that measures the length.

    Its folder, its archives, what calls plumbline, and what reads the warehouse.
    """
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
    (folder / "months.yml").write_text(STUDY.replace("2026-10", "2026-12"), encoding="utf-8")
    december = call("run", "months")
    assert december.returncode == 0, december.stderr
    archives = sorted((home / "archive" / "months").iterdir(), key=os.path.getmtime)

    def read(query):
        with open_warehouse(home) as connection:
            return connection.execute(query).fetchall()

    return folder, archives, call, read


def test_a_model_that_did_not_change_passes_the_gate(months):
    _, (october, *_), call, _ = months
    done = call("gate", "months", "--against", october.name)
    assert done.returncode == 0, done.stdout + done.stderr
    *told, last = done.stdout.splitlines()
    assert last == "Of 2 groups with a margin none is beyond it."
    assert [line.split()[-3:] for line in told if " vader " in line] == [["within", "its", "margin"]] * 2
    (changed,) = (line for line in told if line.startswith("Not compared: "))
    assert changed.startswith("Not compared: steady, length by origin: instrument_changed")


def test_a_change_of_what_measures_is_null_in_a_study_of_both_runs(months):
    folder, archives, call, read = months
    paths = ", ".join(f'"{archive / "manifest.json"}"' for archive in archives[:2])
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
    assert read(query) == [
        ("length", "groups_moved", "instrument_changed", 0),
        ("length", "mean_change", "instrument_changed", 0),
        ("vader", "groups_moved", None, 1),
        ("vader", "mean_change", None, 1),
    ]


HISTORY = (
    "select measure_id, wave, run_position, instrument_changed, extractor_versions is not null from v_history "
    "where study_id = 'months' and measure_id in ('vader', 'length') and statistic = 'mean' and slice_id = 'all' "
    "and generation_id = 'steady' and grouping_id = 'origin' and calibration = 'raw' order by measure_id, run_position"
)


def test_every_run_is_in_the_history_with_the_change_of_what_measures(months):
    *_, read = months
    assert read(HISTORY) == [
        ("length", "2026-10", 1, None, True),
        ("length", "2026-11", 2, True, True),
        ("length", "2026-12", 3, False, True),
        ("vader", "2026-10", 1, None, True),
        ("vader", "2026-11", 2, False, True),
        ("vader", "2026-12", 3, False, True),
    ]


def test_only_what_a_gate_held_against_the_run_before_is_called_tested(months, tmp_path):
    _, (october, november, december), call, read = months
    query = (
        "select measure_id, is_tested, change_outcome, reason from v_changed_since where study_id = 'months' "
        "and measure_id in ('vader', 'length') and statistic = 'mean' and generation_id = 'steady' order by 1"
    )
    assert call("gate", "months", "--against", october.name).returncode == 0
    assert read(query) == [(measure, False, None, "not_gated") for measure in ("length", "vader")]
    page = tmp_path / "gate.html"
    done = call("gate", "months", "--against", november.name, "--report", str(page))
    assert done.returncode == 0, done.stderr
    length, vader = read(query)
    assert (length[:2], vader) == (("length", True), ("vader", True, "within_margin", None))
    kept = read("select distinct against_run_id from run_changes where reason is not null")
    assert [run_id for (run_id,) in kept] == [october.name]
    text = page.read_text(encoding="utf-8")
    assert done.stdout.splitlines()[-1] in text
    assert november.name in text and december.name in text
    assert call("verify").returncode == 0


def test_a_page_that_cannot_be_written_is_told_before_anything_runs(months, tmp_path):
    _, (october, *_), call, _ = months
    done = call("gate", "months", "--against", october.name, "--report", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "a folder" in done.stderr
