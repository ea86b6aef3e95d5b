"""Labels and groups of a study in the words of a table of real shares."""

import pandas as pd
import pytest

from python_assets.extract.ground_truth import factors_of, group_ids, name_problems, paired, truth_problems
from python_assets.importers.truth_tables import TruthTable
from python_assets.study.ground_truth import GroundTruth
from python_assets.study.measures import MeasureSpec

CATEGORIES, GROUPS = ["Cooks", 'Chief "boss", retired', "Poets"], ["Female", "Male"]
GROUPINGS = {("gender",): ["female", "Male"], ("race",): ["a", "b"]}


@pytest.fixture
def table():
    rows = pd.DataFrame([(c, g, 0.5, 1.0) for c in CATEGORIES for g in GROUPS])
    rows.columns = ["category", "group", "share", "count"]
    return TruthTable(rows, "jobs.csv", "2024", "Office", "CC0", "table=jobs.csv;period=2024")


def measure(labels=("cooks", "Poets"), **fields):
    return MeasureSpec(name="job", choices=list(labels), ground_truth=GroundTruth(path="jobs.csv", **fields))


def problems(spec, table, groupings=None):
    found = name_problems(("measures", 0), spec, table, groupings or GROUPINGS)
    return [str(problem) for problem in found]


def test_names_are_alike_whatever_their_case_blanks_and_quotes(table):
    labels = ["COOKS", 'chief  "boss", retired', "chief boss retired"]
    found = paired(GroundTruth(path="jobs.csv"), table, labels, ["female", "Male "])
    assert list(found.labels.values()) == ["Cooks", 'Chief "boss", retired', None]
    assert list(found.groups.values()) == ["Female", "Male"]


def test_mapped_names_mean_what_the_study_says(table):
    truth = GroundTruth(path="jobs.csv", mapping={"chef": "cooks", "poets": "Cooks"}, groups={"woman": "Female"})
    found = paired(truth, table, ["Chef", "Poets"], ["woman", "man"])
    assert found.labels == {"Chef": "Cooks", "Poets": "Cooks"}
    assert found.groups == {"woman": "Female", "man": None}


def test_the_prompts_industries_are_those_of_singstat():
    from pathlib import Path

    from python_assets.importers.truth_tables import read_truth_table
    from python_assets.study.label_sets import label_sets

    for name, n in (("industries", 17), ("occupations", 9)):
        truth = GroundTruth(table=f"singstat_{name}")
        table = read_truth_table(Path(), truth, ("f",))
        labels = label_sets()[f"fair_sea_{name}"].texts
        found = paired(truth, table, labels, ())
        assert len(found.labels) == n
        assert None not in found.labels.values()


def test_the_one_grouping_with_the_groups_of_the_table_is_meant(table):
    truth = GroundTruth(path="jobs.csv")
    assert factors_of(truth, table, GROUPINGS) == ("gender",)
    assert factors_of(truth, table, {("race",): ["a", "b"]}) is None
    assert factors_of(truth, table, {**GROUPINGS, ("sex",): ["female", "male"]}) is None
    assert factors_of(GroundTruth(path="x", grouping=["gender", "race"]), table, {}) == ("gender", "race")
    levels = {"gender": ["f", "m"], "race": ["a"]}
    assert group_ids(("gender", "race"), levels) == ["f x a", "m x a"]
    assert group_ids(("gender", "age"), levels) == []


def test_a_study_whose_names_are_the_table_s_has_no_problem(table):
    assert problems(measure(), table) == []
    assert problems(measure(["cooks", "other"], without=["Other"]), table) == []


@pytest.mark.parametrize(
    ("spec", "groupings", "expected"),
    [
        (
            measure(["cooks", 'the "other"']),
            None,
            "ground_truth.mapping: got {}; expected what label 'the \"other\"' is there: one of 'Cooks', "
            "'Chief \"boss\", retired', 'Poets'; add it, or write 'the \"other\"' under without:",
        ),
        (
            measure(),
            {("gender",): ["female", "Male", "Nonbinary"]},
            "ground_truth.groups: got {}; expected what group 'Nonbinary' is there: one of 'Female', 'Male'; "
            "add it, or write 'Nonbinary' under without:",
        ),
        (
            measure(mapping={"cooks": "Cook"}),
            None,
            "expected a category of jobs.csv: 'Cooks', 'Chief \"boss\", retired', 'Poets'; did you mean",
        ),
        (measure(groups={"female": "Femal"}), None, "expected a group of jobs.csv: 'Female', 'Male'; "),
        (
            measure(mapping={"cook": "Cooks"}),
            None,
            "expected a label of the study: 'cooks', 'Poets'; did you mean 'cooks'?",
        ),
        (
            measure(grouping="race", groups={"a": "Female"}, without=["b"]),
            None,
            "expected a group of race for each of jobs.csv, which has 'Male' too; map a group to it, or",
        ),
        (
            measure(),
            {("race",): ["a", "b"]},
            "expected grouping, the one whose groups are 'Female', 'Male' of jobs.csv; add it: one of 'race'",
        ),
        (
            measure(without=["poets"]),
            None,
            "ground_truth.without[0]: got \"poets\"; expected a label or group that jobs.csv lacks; it has "
            "'Poets'; remove it",
        ),
    ],
)  # fmt: skip
def test_names_that_do_not_meet_are_told_with_the_names_there(table, spec, groupings, expected):
    assert expected in "\n".join(problems(spec, table, groupings))


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            MeasureSpec(name="n", kind="continuous", column="c", ground_truth="singstat_industries"),
            'measures[0].ground_truth: got "continuous"; expected a categorical measure',
        ),
        (
            MeasureSpec(name="n", choices=["a", "b"], ground_truth="singstat_industry"),
            "expected a packaged table: 'singstat_industries', 'singstat_occupations'; did you mean "
            "'singstat_industries'?",
        ),
        (measure(grouping=["race", "gender"]), "expected a grouping of the study: 'gender', 'race'; "),
    ],
)
def test_what_can_be_told_without_the_table_is(spec, expected):
    found = [str(problem) for problem in truth_problems(("measures", 0), spec, GROUPINGS)]
    assert len(found) == 1
    assert expected in found[0]


def test_one_table_is_named():
    with pytest.raises(ValueError, match="table, a packaged one, or path, a file of one's own; keep one"):
        GroundTruth(table="singstat_industries", path="a.csv")
    with pytest.raises(ValueError, match="keep one"):
        GroundTruth(period="2024")
