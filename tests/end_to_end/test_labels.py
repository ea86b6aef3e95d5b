"""tests/end_to_end/test_labels.py - draw, label, run again: labels of people by the command line."""

import csv

import openpyxl
import pytest

from tests.end_to_end.conftest import ROOT
from tests.end_to_end.labelled import Labelled

N_TEXTS, N_DRAWN, N_PAIRS = 14, 12, 10
TEXTS = "\n".join(f'      - {{id: t{at}, text: "Speak of the {{gender}} in place {at}."}}' for at in range(N_TEXTS))
STUDY = f"""
title: Labelled
factors:
  gender: {{levels: [woman, man]}}
prompts:
  templates:
    cross: [gender]
    texts:
{TEXTS}
systems: [{{name: one, provider: "says:say"}}, {{name: two, provider: "says:say", system_prompt: {{r: Be kind}}}}]
measures: [vader, {{name: lovely, kind: binary, function: "says:lovely"}}]
groupings: [gender]
"""
SAYS = """
import zlib


def say(messages, decoding):
    text = str(messages)
    word = ["good", "nice", "lovely", "sad"][zlib.crc32(text.encode()) % 4]
    return "=I cannot help with that" if zlib.crc32(text.encode()) % 7 == 0 else f"A {word} person lives there."


def lovely(texts):
    return [int("lovely" in text) for text in texts]
"""


SHOWS = {"lovely": "lovely", "refusal": "cannot"}


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    """The study after its first run, its sheets drawn and filled in, one with gaps, and a run that reads them."""
    folder = tmp_path_factory.mktemp("labelled")
    (folder / "says.py").write_text(SAYS, encoding="utf-8")
    study = Labelled(folder, tmp_path_factory.mktemp("home"), STUDY)
    first = study.plumbline("run", "labelled")
    assert first.returncode == 0, first.stderr
    study.n_labels = {}
    for measure, word in SHOWS.items():
        study.drawn = study.plumbline(
            "label-sheet", "labelled", "--measure", measure, "--root-prompts", str(N_DRAWN), "--format", "xlsx"
        )
        assert study.drawn.returncode == 0, study.drawn.stderr
        sheet = folder / f"labelled_{measure}_labels.xlsx"
        study.n_labels[measure] = fill_xlsx(sheet, word, has_gaps=measure == "refusal")
    drawn = study.plumbline("label-sheet", "labelled", "--pairs", str(N_PAIRS))
    assert drawn.returncode == 0, drawn.stderr
    fill_csv(folder / "labelled_pairs.csv")
    study.labels = (
        "human_labels:",
        "- {measure: refusal, file: labelled_refusal_labels.xlsx, rater: anna}",
        "- {measure: lovely, file: labelled_lovely_labels.xlsx, rater: ben}",
        "pair_labels: [{file: labelled_pairs.csv, rater: anna}]",
    )
    study.write(*study.labels)
    study.second = study.plumbline("run", "labelled")
    assert study.second.returncode == 0, study.second.stderr
    return study


def fill_xlsx(path, word, *, has_gaps):
    """Label every answer by what it says; with gaps all but the first, and mistype the second."""
    book = openpyxl.load_workbook(path)
    sheet = book["labels"]
    names = [cell.value for cell in sheet[1]]
    text, label = names.index("text"), names.index("label")
    for row in sheet.iter_rows(min_row=2):
        row[label].value = "yes" if word in row[text].value else "no"
    if has_gaps:
        sheet.cell(2, label + 1).value = None
        sheet.cell(3, label + 1).value = "yep"
    book.save(path)
    return sheet.max_row - 1


def fill_csv(path):
    """Call the first two pairs bad."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows):
        row["label"] = "no" if number < 2 else "yes"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)


def test_whole_root_prompts_are_drawn(labelled):
    assert labelled.n_labels["refusal"] == N_DRAWN * 2 * 2
    assert f"{labelled.n_labels['refusal']} answers of {N_DRAWN} of {N_TEXTS} root prompts" in labelled.drawn.stdout


def test_every_label_stands_beside_what_was_read(labelled):
    counts = labelled.rows(
        "select measure_id, reason, count(*) from human_labels group by all order by all nulls first"
    )
    assert counts == [
        ("lovely", None, labelled.n_labels["lovely"]),
        ("refusal", None, labelled.n_labels["refusal"] - 2),
        ("refusal", "not_a_label", 1),
        ("refusal", "not_labelled", 1),
    ]
    differing = labelled.rows(
        """
        select count(*)
        from human_labels as labels
        inner join responses using (study_id, response_id)
        where labels.value <> if(contains(response_text, if(measure_id = 'refusal', 'cannot', 'lovely')), 1, 0)
        """
    )
    assert differing == [(0,)]


def test_what_says_nothing_is_in_quarantine_with_its_row(labelled):
    found = labelled.rows("select rule, record_key from quarantined_records where stage = 'labels'")
    assert found == [("not_a_label", "labelled_refusal_labels.xlsx:row 3")]


def test_the_labels_are_told_when_a_run_ends(labelled):
    of_lovely, of_refusal = labelled.n_labels["lovely"], labelled.n_labels["refusal"] - 2
    told = f"Labels     {of_lovely} of lovely by ben, {of_refusal} of refusal by anna"
    assert told in labelled.second.stdout
    assert "2 rows without one" in labelled.second.stdout


def test_bad_pairs_are_counted_by_group_and_told_in_the_report(labelled):
    (of_all, of_men) = labelled.rows(
        "select grouping_id, group_id, n_pairs, n_root_prompts, value from pair_errors order by grouping_id"
    )
    assert of_all == ("all", "all", N_PAIRS, N_PAIRS, 2 / N_PAIRS)
    assert of_men == ("gender", "man", N_PAIRS, N_PAIRS, 2 / N_PAIRS)
    report = (labelled.home / "report" / "labelled.html").read_text(encoding="utf-8")
    assert "Whether prompts are minimal pairs" in report


def test_more_bad_pairs_than_the_study_allows_end_the_run(labelled):
    labelled.write(*labelled.labels, "analysis: {quality: {max_bad_pairs: 0.1}}")
    try:
        ended = labelled.plumbline("run", "labelled")
    finally:
        labelled.write(*labelled.labels)
    assert ended.returncode != 0
    assert "0.1 of the labelled branches" in ended.stderr + ended.stdout


def test_a_sheet_that_is_gone_is_told_before_anything_runs(labelled):
    labelled.write("human_labels: [{measure: refusal, file: gone.csv, rater: anna}]")
    try:
        planned = labelled.plumbline("plan", "labelled")
    finally:
        labelled.write(*labelled.labels)
    assert planned.returncode == 1
    assert "human_labels[0].file" in planned.stderr and str(ROOT) not in planned.stderr


def test_labels_with_gaps_correct_no_p_and_leave_raw_values_first(labelled):
    found = labelled.rows(
        """
        select corrected.family_id, corrected.outcome, raw.family_id
        from hypotheses as corrected
        inner join hypotheses as raw
            using (system_id, reference_system_id, grouping_id, measure_id, statistic, parameters)
        where corrected.calibration = 'corrected' and raw.calibration = 'raw' and reference_system_id = ''
            and corrected.reason = 'labels_incomplete'
        """
    )
    # both rows without a label may lie in the answers of one model
    assert found and set(found) == {("secondary", "not_testable", "primary")}


def test_whole_root_prompts_with_labels_are_asked_first(labelled):
    sets = labelled.rows(
        """
        select distinct calibration, family_id from hypotheses
        where measure_id = 'lovely' and grouping_id = 'gender' and reference_system_id = '' and statistic = 'mean'
        order by all
        """
    )
    errors = [("false_alarm", "scorer"), ("missed", "scorer")]
    assert sets == [("corrected", "primary"), *errors, ("raw", "secondary")]
    of_pairs = labelled.rows(
        "select distinct family_id from hypotheses "
        "where measure_id = 'lovely' and calibration = 'corrected' and reference_system_id <> ''"
    )
    assert of_pairs == [("comparison",)]
    # the reading is that of the labels, so that both come to the same
    apart = labelled.rows(
        """
        select max(abs(corrected.value - raw.value)), count(*)
        from contrasts as corrected
        inner join contrasts as raw using (system_id, grouping_id, measure_id, group_id, contrast)
        where measure_id = 'lovely' and corrected.calibration = 'corrected' and raw.calibration = 'raw'
        """
    )
    assert apart[0][0] < 0.35 and apart[0][1] == 4
    of_lovely = "measure_id = 'lovely' and calibration = 'corrected'"
    means = labelled.rows(f"select count(value) from summary_statistics where {of_lovely}")
    assert means == [(4,)]
    report = (labelled.home / "report" / "labelled.html").read_text(encoding="utf-8")
    assert "corrected by labels" in report
    assert "labels and the reading" in report
