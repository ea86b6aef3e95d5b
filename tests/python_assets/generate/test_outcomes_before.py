import duckdb
import pandas as pd
import pytest

from python_assets.generate.outcomes_before import outcomes_before


@pytest.fixture
def published(tmp_path):
    def write(**columns):
        responses = pd.DataFrame(
            {"study_id": "s", "system_id": "g", "prompt_id": ["a", "b"], "replicate": 0, "response_id": ["r", "q"]}
            | {"outcome": ["refused", None]}
            | columns
        )
        with duckdb.connect(str(tmp_path / "plumbline.duckdb")) as connection:
            connection.register("rows", responses)
            connection.execute("create or replace table responses as from rows")
        return tmp_path / "plumbline.duckdb"

    return write


def test_outcomes_of_another_version_are_kept(published):
    found = outcomes_before(published(outcome_version="v1"), "s", ["v2"])
    assert found[["prompt_id", "response_id", "outcome", "outcome_version"]].values.tolist() == [
        ["a", "r", "refused", "v1"]
    ]


def test_outcomes_of_the_same_version_are_not(published):
    assert outcomes_before(published(outcome_version="v2"), "s", ["v1", "v2"]).empty
    assert outcomes_before(published(outcome_version="v1"), "another", ["v2"]).empty


def test_a_version_that_did_not_say_is_another_one(published):
    found = outcomes_before(published(), "s", ["v2"])
    assert found["outcome_version"].isna().tolist() == [True]


def test_before_the_first_run_there_are_none(tmp_path):
    assert outcomes_before(tmp_path / "absent.duckdb", "s", ["v2"]).empty


def test_a_version_without_outcomes_has_none(tmp_path):
    with duckdb.connect(str(tmp_path / "plumbline.duckdb")) as connection:
        connection.execute("create table responses as select 's' as study_id")
    assert outcomes_before(tmp_path / "plumbline.duckdb", "s", ["v2"]).empty
