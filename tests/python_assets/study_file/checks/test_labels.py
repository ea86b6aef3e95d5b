import pytest

from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import TEMPLATES

SHEET = "row_id,label,study,measure\nr1,0.5,mine,vader\nr2,,mine,vader\n"
PAIRS = "row_id,label,study,measure\nr1,yes,mine,minimal pair\n"


@pytest.fixture
def labelled(tmp_path, write_study):
    """Sections of a study with two sheets beside it: of answers and of pairs."""
    (tmp_path / "a.csv").write_text(SHEET, encoding="utf-8")
    (tmp_path / "pairs.csv").write_text(PAIRS, encoding="utf-8")

    def sections(human="[{measure: vader, file: a.csv, rater: anna}]", **more):
        return {**TEMPLATES, "human_labels": human, **more}

    return sections


def test_sheets_that_hold_labels_are_valid(labelled, write_study):
    pairs = "[{file: pairs.csv, rater: anna}]"
    human = "[{measure: vader, file: a.csv, rater: anna}, {measure: Vader, file: a.csv, rater: ben}]"
    study = load_study(write_study(labelled(human, pair_labels=pairs)))
    assert [(spec.measure, spec.rater) for spec in study.human_labels] == [("vader", "anna"), ("Vader", "ben")]
    assert [spec.file for spec in study.pair_labels] == ["pairs.csv"]


def test_a_study_without_labels_is_the_same_version_as_before_there_were_any(write_study):
    assert "labels" not in load_study(write_study(TEMPLATES)).config_json


@pytest.mark.parametrize(
    ("human", "field"),
    [
        ("[{measure: vadre, file: a.csv, rater: anna}]", "human_labels[0].measure"),
        ("[{measure: vader, file: gone.csv, rater: anna}]", "human_labels[0].file"),
        ("[{measure: refusal, file: a.csv, rater: anna}]", "human_labels[0].file"),
        ("[{measure: vader, file: pairs.csv, rater: anna}]", "human_labels[0].file"),
        ('[{measure: vader, file: a.csv, rater: ""}]', "human_labels[0].rater"),
        ("[{measure: vader, file: a.csv}]", "human_labels[0].rater"),
    ],
    ids=["unknown measure", "no file", "another measure", "pairs", "no name", "no rater"],
)
def test_a_sheet_that_says_nothing_of_the_study_is_told(labelled, mistaken, human, field):
    assert mistaken(labelled(human), check_files=True) == [field]


def test_a_sheet_is_named_once_for_a_rater(labelled, mistaken):
    human = "[{measure: vader, file: a.csv, rater: anna}, {measure: vader, file: a.csv, rater: anna}]"
    assert mistaken(labelled(human)) == ["human_labels[0].file"]


@pytest.mark.parametrize("content", ["row_id,label\nr1,\nr2, \n", "row_id,label\n"], ids=["blank", "no row"])
def test_a_blank_sheet_is_told(labelled, mistaken, tmp_path, content):
    (tmp_path / "a.csv").write_text(content, encoding="utf-8")
    assert mistaken(labelled(), check_files=True) == ["human_labels[0].file"]


def test_a_sheet_of_another_study_is_told(labelled, mistaken):
    assert mistaken(labelled(), check_files=True, name="other") == ["human_labels[0].file"]


def test_a_bound_of_bad_pairs_needs_pairs(labelled, mistaken):
    analysis = "{quality: {max_bad_pairs: 0.1}}"
    assert mistaken(labelled(analysis=analysis)) == ["analysis.quality.max_bad_pairs"]


def test_nobody_is_a_person_here_and_a_program_there(labelled, mistaken):
    human = "[{measure: vader, file: a.csv, rater: anna}]"
    pairs = "[{file: pairs.csv, rater: anna, automatic: true}]"
    assert mistaken(labelled(human, pair_labels=pairs)) == ["pair_labels[0].automatic"]
