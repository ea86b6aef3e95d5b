"""One build of the dbt project for all tests here: the irregular study, with inference between the halves."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import duckdb
import pandas as pd
import pytest

from python_assets.infer.agreement.label_agreement import infer_agreement
from python_assets.infer.associations.infer_associations import infer_associations
from python_assets.infer.regressions.infer_regressions import infer_regressions
from python_assets.infer.subgroups.subgroups import infer_subgroups
from python_assets.infer.run import infer_study
from python_assets.study.analysis import Power, QuestionSet, Regression
from python_assets.study.base import Against
from python_assets.warehouse.build import open_build, write_stage
from tests.dbt_models.irregular_study import REFERENCES, REGRESSIONS, REQUESTED_CONTRASTS, STUDY, raw_tables
from tests.dbt_models.reference import Comparison, comparisons

PROJECT = Path(__file__).parents[2] / "dbt_models"
PARSED: dict[
    Path, Path
] = {}  # what dbt keeps of its parsing, by project: the first call's, read by every other


class Analysis(NamedTuple):
    seed: int = 1
    n_permutations: int = 199
    n_bootstrap: int = 200
    alpha: float = 0.1
    margins: dict[str, float] = {}
    unit: str | None = None
    references: dict[str, tuple[Against, str | None]] = {
        grouping: (Against(against), group) for grouping, (against, group) in REFERENCES.items()
    }
    requested_contrasts: tuple[str, ...] = tuple(REQUESTED_CONTRASTS)
    compared_with: str | None = None
    primary: QuestionSet | None = None
    question_sets: dict[str, QuestionSet] = {}
    regressions: dict[str, Regression] = REGRESSIONS
    unmatched_allowed: dict[str, float] = {}
    fills_scale: bool = False
    power: dict[str, Power] = {}
    human_labels: tuple[object, ...] = ()


class Built(NamedTuple):
    """A build file after dbt and inference, the raw tables in it, and what dbt says it did."""

    path: Path
    raw: dict[str, pd.DataFrame]
    manifest: dict
    halves: tuple[list[dict], list[dict]]

    def table(self, name: str) -> pd.DataFrame:
        with duckdb.connect(str(self.path), read_only=True) as connection:
            return connection.execute(f"from {name}").df()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("dbt")
    path = folder / "build.duckdb"
    stages = raw_tables(seed=3)
    with open_build(path) as connection:
        for stage, tables in stages.items():
            write_stage(connection, STUDY, stage, tables)
    first = run_dbt(path, folder, "--exclude", "source:inference+")
    with open_build(path) as connection:
        infer_study(connection, Analysis())
        infer_subgroups(connection, Analysis().alpha)
        infer_associations(connection, is_asked=True, seed=1, n_permutations=199)
        infer_regressions(connection, Analysis())
        infer_agreement(connection, Analysis().alpha, seed=1)
    second = run_dbt(path, folder, "--select", "source:inference+")
    manifest = json.loads((folder / "target" / "manifest.json").read_text())
    raw = {name: table for tables in stages.values() for name, table in tables.items()}
    return Built(path, raw, manifest, (first, second))


@pytest.fixture(scope="session")
def compared(built: Built) -> list[Comparison]:
    """What the irregular study compares, from its raw tables alone."""
    return comparisons(built.raw)


def run_dbt(path: Path, folder: Path, *selection: str, project: Path = PROJECT) -> list[dict]:
    """Results of a dbt build, unit tests and data tests included; all of them succeeded."""
    call_dbt(path, folder, "build", *selection, project=project)
    return json.loads((folder / "target" / "run_results.json").read_text())["results"]


def call_dbt(path: Path, folder: Path, *command: str, project: Path = PROJECT) -> None:
    """Call dbt, which succeeds, on a build file; its artifacts are in folder/target.

    The file goes by its name alone, so that the environment of all calls is alike: else dbt parses anew.
    """
    parsed = ("--partial-parse-file-path", str(PARSED[project])) if project in PARSED else ()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "dbt.cli.main", "--no-send-anonymous-usage-stats", *command),
            *("--project-dir", str(project), "--profiles-dir", str(project)),
            *parsed,
        ],
        cwd=path.parent,
        env={**os.environ, "PLUMBLINE_BUILD": path.name, "DBT_TARGET_PATH": str(folder / "target"), "DBT_LOG_PATH": str(folder / "logs")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    PARSED.setdefault(project, folder / "target" / "partial_parse.msgpack")
