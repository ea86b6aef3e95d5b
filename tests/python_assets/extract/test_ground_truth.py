"""Labels and groups of a study in the words of a table of real shares."""

import pandas as pd
import pytest
from pydantic import ValidationError

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


def test_names_that_do_not_meet_are_told_with_the_names_there(table, snapshot):
    asked = [
        (measure(["cooks", 'the "other"']), None),
        (measure(), {("gender",): ["female", "Male", "Nonbinary"]}),
        (measure(mapping={"cooks": "Cook"}), None),
        (measure(groups={"female": "Femal"}), None),
        (measure(mapping={"cook": "Cooks"}), None),
        (measure(grouping="race", groups={"a": "Female"}, without=["b"]), None),
        (measure(), {("race",): ["a", "b"]}),
        (measure(without=["poets"]), None),
    ]
    assert [problems(spec, table, groupings) for spec, groupings in asked] == snapshot


def test_what_can_be_told_without_the_table_is(snapshot):
    specs = [
        MeasureSpec(name="n", kind="continuous", column="c", ground_truth="singstat_industries"),
        MeasureSpec(name="n", choices=["a", "b"], ground_truth="singstat_industry"),
        measure(grouping=["race", "gender"]),
    ]
    found = [str(problem) for spec in specs for problem in truth_problems(("measures", 0), spec, GROUPINGS)]
    assert found == snapshot


def test_one_table_is_named(snapshot):
    with pytest.raises(ValidationError) as raised:
        GroundTruth(table="singstat_industries", path="a.csv")
    assert raised.value.errors()[0]["msg"] == snapshot
    with pytest.raises(ValueError, match="keep one"):
        GroundTruth(period="2024")
