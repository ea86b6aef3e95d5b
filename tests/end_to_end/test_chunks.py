"""Inference of finished studies by parts, some measures each: every table is that of the whole."""

import shutil
from functools import partial
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from python_assets.infer.chunks.chunks import Here
from python_assets.infer.run import infer_study
from python_assets.infer.tables import TABLES
from python_assets.plan.power import design_power_rows
from python_assets.study_file.load import load_study

STUDIES = Path(__file__).resolve().parents[2] / "studies"


@pytest.fixture
def build_file(demo, tmp_path):
    """A copy of the demo's build file; its views name its catalog, so it keeps its name."""
    path = tmp_path / "g20_demo.duckdb"
    shutil.copy(demo.home / "build" / path.name, path)
    return path


def test_the_demo_in_three_chunks_has_the_tables_of_the_whole(build_file):
    study = load_study(STUDIES / "g20_demo.yml")
    with duckdb.connect(str(build_file)) as connection:
        expected = {name: connection.execute(f"from inference.{name} order by all").df() for name in TABLES}
        chunks = Here(connection, study, n=3)
        infer_study(connection, study, partial(design_power_rows, study, connection), chunks=chunks)
        for name, table in expected.items():
            found = connection.execute(f"from inference.{name} order by all").df()
            pd.testing.assert_frame_equal(found, table, check_exact=False, rtol=0, atol=1e-12)
