"""What it takes to add a descriptive metric: one .sql in models/metrics, one line in seeds/metrics.csv, and the
list of both written anew."""

import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from python_assets.errors import StudyError
from python_assets.report.dashboard import DISPARITY_ROWS
from python_assets.report.reader import Reader
from python_assets.study import metrics
from python_assets.study_file.load import load_study
from python_assets.transform.compile import DBT_FOLDER
from tests.dbt_models.conftest import Built, make_tables
from tests.dbt_models.irregular_study import STUDY

pytestmark = pytest.mark.run
LINE = "mid_range,disparities,continuous binary,false,false,false,false,true,,false,,\n"
SQL = "{{ disparity_metric('mid_range', '(value_max + value_min) / 2') }}\n"
KEYS = ["system_id", "measure_id", "calibration", "slice_id", "grouping_id", "statistic", "parameters"]
STUDY_FILE = """
factors: {gender: {levels: [woman, man]}}
prompts: {templates: {cross: [gender], texts: [{id: t1, text: "A {gender} asks."}]}}
systems: [{name: fair, provider: simulator}]
measures: [sentiment]
groupings: [gender]
analysis: {custom_disparities: {mid_range: max(value)}}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("project") / "dbt_models"
    shutil.copytree(DBT_FOLDER, copy)
    (copy / "models" / "metrics" / "disparity_mid_range.sql").write_text(SQL)
    with (copy / "seeds" / "metrics.csv").open("a") as file:
        file.write(LINE)
    subprocess.run([sys.executable, copy / "list_metrics.py"], check=True)
    return copy


@pytest.fixture(scope="module")
def connection(built: Built, project: Path) -> duckdb.DuckDBPyConnection:
    path = project.parent / "build.duckdb"
    shutil.copy(built.path, path)
    make_tables(path, "concentrations", project=project)
    connection = duckdb.connect(str(path), read_only=True)
    connection.execute("set search_path = 'marts'")
    return connection


def test_the_mart_has_it_without_a_test(connection: duckdb.DuckDBPyConnection):
    rows = connection.execute("from disparities").df()
    table = rows[~rows.parameters.str.contains("=")].pivot(
        index=KEYS, columns="metric", values="value_responses"
    )
    assert table.mid_range.notna().sum() > 100
    expected = (table["max"] + table["min"]) / 2
    pd.testing.assert_series_equal(table.mid_range, expected, check_names=False)
    added = rows[rows.metric == "mid_range"]
    assert added.verdict.isna().all()
    assert set(added.inference_reason) == {"descriptive"}


def test_the_report_has_it(connection: duckdb.DuckDBPyConnection):
    shown = Reader(connection, STUDY).table(DISPARITY_ROWS, max_rows=10**6).to_pandas()
    assert (shown.metric == "mid_range").sum() == (shown.metric == "range").sum() > 100


def test_the_checks_of_a_study_file_know_it(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "mine.yml"
    path.write_text(STUDY_FILE)
    load_study(path)
    monkeypatch.setattr(metrics, "_SEED", project / "seeds" / "metrics.csv")
    metrics.metrics.cache_clear()
    try:
        with pytest.raises(StudyError, match="mid_range is a disparity already"):
            load_study(path)
    finally:
        metrics.metrics.cache_clear()
