"""What a comparison of two runs published, row by row, and what the gate reads of it."""

from typing import NamedTuple

import duckdb
import pandas as pd
import pytest

from python_assets.gate.moved import read_gate
from tests.python_assets.report.conftest import contracts

ROW = {
    "study_id": "months",
    "system_id": "g_now",
    "reference_system_id": "g_then",
    "slice_id": "all",
    "measure_id": "vader",
    "calibration": "raw",
    "grouping_id": "gender",
    "group_id": "man",
    "category": "",
    "comparison": "disparity_change",
    "family_id": "comparison",
    "value_b": 0.1,
    "value_a": 0.4,
    "value": 0.3,
    "ci_low": 0.2,
    "ci_high": 0.4,
    "value_alone": 0.3,
    "ci_low_alone": 0.2,
    "ci_high_alone": 0.4,
    "explained_by": None,
    "reason_alone": None,
    "q_value": 0.001,
    "verdict": "beyond_margin",
    "n_dropped": 0,
    "reason": None,
    "inference_reason": None,
}
OPEN = {"verdict": "inconclusive", "q_value": 0.9}
MOVED = {"verdict": "different"}
# of groups that nobody stays to tell from
APART = dict.fromkeys(("value_alone", "ci_low_alone", "ci_high_alone")) | {"reason_alone": "no_majority_stays"}


HYPOTHESIS = {
    "study_id": "months",
    "system_id": "g_now",
    "reference_system_id": "",
    "measure_id": "vader",
    "grouping_id": "gender",
    "slice_id": "all",
    "calibration": "raw",
    "statistic": "mean",
    "parameters": "",
    "family_id": "secondary",
    "verdict": "beyond_margin",
    "outcome": "significant",
    "p_value": 0.0002,
    "q_value": 0.0004,
    "headline_metric": "mean_difference",
    "headline_group_id": "woman",
    "headline_category": "",
    "headline_reference": "rest",
    "headline_value": -0.33,
    "headline_ci_low": -0.4,
    "headline_ci_high": -0.26,
    "headline_margin": 0.1,
    "headline_margin_origin": "declared",
}


class Study(NamedTuple):
    margins: dict = {"vader": {"mean_difference": 0.1}}  # noqa: RUF012
    study_id: str = "months"
    alpha: float = 0.05
    measures: tuple = ()


@pytest.fixture
def gate_of(tmp_path):
    """What the gate reads of some rows of system_comparisons: gate_of(rows, generations)."""

    def read(*rows, systems=("g_now", "g_then"), study=None, hypotheses=()):
        path = tmp_path / "plumbline.duckdb"
        path.unlink(missing_ok=True)
        changes = [ROW | row for row in rows]
        means = [row | {"comparison": "group_change"} for row in changes if row["comparison"] != "groups_changed"]
        comparisons = pd.DataFrame([*changes, *means])
        with duckdb.connect(str(path)) as connection:
            connection.execute("create table system_comparisons as from comparisons")
            for column in comparisons.columns[comparisons.isna().all()]:
                kind = "varchar" if "reason" in column or column == "explained_by" else "double"
                connection.execute(f"alter table system_comparisons alter {column} type {kind}")
            connection.execute(
                "create table measures as from (values ('months', 'vader', 'continuous', 'higher_better'), "
                "('months', 'refusal', 'binary', 'higher_worse')) as t(study_id, measure_id, kind, direction)"
            )
            connection.execute(
                "create table systems as select 'months' as study_id, unnest(?) as system_id, "
                "false as is_baseline, false as is_engine",
                [list(systems)],
            )
            connection.execute(
                "create table v_scorers as from (values ('months', 'refusal', 'gpt', 'binary', 'refusal', '', "
                "null, 'refusal_en_2', 0.96, 0.96, true, null), ('months', 'vader', 'gpt', 'continuous', 'vader', '', "
                "null, 'vader 1', null, null, null, 'not_validated')) as t(study_id, measure_id, model_family, kind, "
                "scorer, label_set, model, scorer_version, recall_low, recall_high, is_current, reason)"
            )
            for table in ("hypotheses", "findings", "contrasts"):
                connection.execute(f"create table {table} ({contracts()[table]})")
            connection.executemany(
                "insert into hypotheses (study_id, reference_system_id, family_id, grouping_id, outcome) "
                "values (?, ?, 'comparison', ?, ?)",
                [
                    ("months", "g_then", "f", "significant"),
                    ("months", "g_then", "f", "inconclusive"),
                    ("months", "", "f", "inconclusive"),
                    ("months", "g_then", "negative_control", "significant"),
                    ("other", "g_then", "f", "inconclusive"),
                ],
            )
            for row in hypotheses:
                named = HYPOTHESIS | row
                connection.execute(
                    f"insert into hypotheses ({', '.join(named)}) values ({', '.join('?' * len(named))})",
                    list(named.values()),
                )
        return read_gate(path, study or Study())

    return read
