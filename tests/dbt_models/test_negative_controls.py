"""Controls are in their own tables and in none that is about groups: a grouping of the irregular study taken for them."""

import shutil
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from tests.dbt_models.conftest import Built, make_tables

TAKEN = "gender"  # the grouping whose groups are taken for controls
NEVER = (
    *("v_findings", "v_differences", "v_worse_off", "v_quotes", "v_history", "v_changed"),
    *("interpretations", "red_flags", "cross_model_consistency"),
)
TABLES = (*NEVER, "findings", "hypotheses", "runs", "contrasts", "run_findings", "v_negative_controls")
CONTROLLED = {
    "p_permuted": 0.001,
    "q_permuted": 0.004,
    "p_negative_controls": 0.61,
    "n_negative_controls": 7,
    "n_control_types": 4,
    "wording_sd": 0.25,
    "wording_sd_low": 0.1,
    "wording_sd_high": 0.875,
    "control_floor": 3.5,
    "p_wording": 0.0002,
    "p_value": 0.61,
    "q_value": 0.72,
}


@pytest.fixture(scope="module")
def controlled(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study with one grouping renamed, and one hypothesis of another that its controls leave nothing of."""
    path = tmp_path_factory.mktemp("controlled") / "build.duckdb"
    shutil.copy(built.path, path)
    with duckdb.connect(str(path)) as connection:
        tables = connection.execute(
            "select schema_name, table_name from duckdb_columns()"
            " where schema_name in ('raw', 'inference') and column_name = 'grouping_id'"
        ).fetchall()
        for schema, table in tables:
            connection.execute(
                f"update {schema}.{table} set grouping_id = 'negative_control' where grouping_id = ?", [TAKEN]
            )
        connection.execute(
            "update inference.hypotheses set family_id = 'negative_control' where grouping_id = 'negative_control'"
        )
        values = ", ".join(f"{name} = {value}" for name, value in CONTROLLED.items())
        connection.execute(
            f"update inference.hypotheses set {values}, verdict = 'inconclusive', significant_at_look = null,"
            " verdict_reason = 'not_beyond_controls', wording = 'negative_controls', loudest_control = 'car',"
            " headline_effect = null, headline_group_id = null, headline_category = null, headline_reference = null"
            " where p_value is not null and grouping_id = 'race' and statistic = 'mean' and parameters = ''"
            " and calibration = 'raw' and reference_system_id = ''"
        )
    steps = make_tables(path, *TABLES)
    assert {step.status for step in steps} <= {"pass", "success", "warn"}, [s for s in steps if s.failures]
    return path


def table(path: Path, name: str) -> pd.DataFrame:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(f"from marts.{name}").df()


@pytest.mark.parametrize("name", NEVER)
def test_no_table_about_groups_has_controls(controlled: Path, built: Built, name: str):
    rows = table(controlled, name)
    assert "negative_control" not in set(rows.grouping_id)
    if TAKEN in set(built.table(f"marts.{name}").grouping_id) and name != "red_flags":
        assert len(rows) < len(built.table(f"marts.{name}"))


def test_controls_are_the_last_findings_and_say_so(controlled: Path):
    findings = table(controlled, "findings")
    own = findings[findings.family_id == "negative_control"]
    others = findings[(findings.family_id != "negative_control") & ~findings.is_tool_bias]
    assert len(own)
    assert not own.is_tool_bias.any()
    assert own.finding_rank.min() > others.finding_rank.max()
    told = own.sentence.str.contains("rrelevant edits move|controls moved")
    assert told.all()


def test_controls_are_in_no_count_of_a_run(controlled: Path):
    (run,) = table(controlled, "runs").to_dict("records")
    hypotheses = table(controlled, "hypotheses")
    is_own = hypotheses.grouping_id == "negative_control"
    assert run["n_hypotheses"] == (~is_own).sum() < len(hypotheses)
    assert run["n_significant"] == ((hypotheses.outcome == "significant") & ~is_own).sum()


def test_what_controls_make_of_a_hypothesis_is_in_every_table_of_it(controlled: Path):
    for name in ("hypotheses", "findings"):
        rows = table(controlled, name)
        (first, *_) = rows[rows.verdict_reason == "not_beyond_controls"].to_dict("records")
        assert {key: first[key] for key in CONTROLLED} == CONTROLLED
        assert first["loudest_control"] == "car"
    view = table(controlled, "v_findings")
    taken = view[view.verdict_reason == "not_beyond_controls"]
    assert len(taken)
    assert taken.sentence.str.contains("no more than irrelevant edits do").all()
    assert taken.sentence.str.contains("Of these words alone: q = .004").all()
    assert taken.scope_with_wording.str.endswith(", these words").all()


def test_the_view_of_controls_has_their_contrasts(controlled: Path):
    view, contrasts = table(controlled, "v_negative_controls"), table(controlled, "contrasts")
    own = contrasts[
        contrasts.grouping_id.eq("negative_control")
        & contrasts.calibration.eq("raw")
        & contrasts.contrast.isin(["mean_difference", "risk_difference"])
        & contrasts.parameters.eq("")
        & contrasts.statistic.isin(["mean", "share"])
    ]
    assert len(view) == len(own) > 0
    assert view.p_wording.notna().any()


def test_without_controls_a_study_has_none_of_their_numbers(built: Built):
    for name in ("hypotheses", "findings", "contrasts", "system_comparisons", "disparities"):
        rows = built.table(f"marts.{name}")
        columns = [
            column
            for column in rows
            if column in (*CONTROLLED, "q_permuted", "ci_low_sampling", "ci_high_sampling", "loudest_control")
            and column not in ("p_value", "q_value")
        ]
        assert columns
        assert rows[columns].isna().all(axis=None), name
