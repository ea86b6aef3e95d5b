"""Inference of the irregular study by parts, some measures each: every table is that of the whole."""

import shutil

import pandas as pd
import pytest

from python_assets.infer.chunks.chunks import Here
from python_assets.infer.regressions.infer_regressions import REGRESSION_TABLES
from python_assets.infer.regressions.infer_regressions import fit_regressions, judge_regressions
from python_assets.infer.run import infer_study
from python_assets.infer.tables import TABLES
from python_assets.warehouse.build import open_build
from tests.dbt_models.conftest import Analysis

pytestmark = pytest.mark.run


@pytest.fixture
def connection(built, tmp_path):
    """To a copy of the build file; its views name its catalog, so it keeps its name."""
    path = tmp_path / built.path.name
    shutil.copy(built.path, path)
    with open_build(path) as connection:
        yield connection


def read(connection, names):
    return {name: connection.execute(f"from inference.{name} order by all").df() for name in names}


def equal(found, expected):
    for name, table in expected.items():
        assert len(table) or name in ("design_power", "interaction_blocks", "function_statistics")
        pd.testing.assert_frame_equal(found[name], table, check_exact=False, rtol=0, atol=1e-12)


def halves(connection):
    query = "select distinct measure_id from raw.regressions order by 1"
    measures = [name for (name,) in connection.execute(query).fetchall()]
    return measures[::2], measures[1::2]


def test_two_chunks_by_measure_give_the_tables_of_the_whole(connection):
    expected = read(connection, TABLES)
    infer_study(connection, Analysis(), chunks=Here(connection, Analysis(), n=2))
    equal(read(connection, TABLES), expected)


def test_regressions_fitted_in_two_chunks_are_judged_as_one_set(connection):
    expected = read(connection, REGRESSION_TABLES)
    fitted = [fit_regressions(connection, Analysis(), measures) for measures in halves(connection)]
    judge_regressions(connection, Analysis(), fitted)
    equal(read(connection, REGRESSION_TABLES), expected)
