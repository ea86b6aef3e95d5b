"""One build of the tables for all tests here: the irregular study, with inference between the halves.

Tables are made by the runner of compiled SQL, as in a run; dbt itself is called where the project is tested.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import duckdb
import pandas as pd
import pytest

from python_assets.infer.agreement.label_agreement import infer_agreement
from python_assets.infer.associations.infer_associations import infer_associations
from python_assets.infer.regressions.infer_regressions import infer_regressions
from python_assets.infer.run import infer_study
from python_assets.infer.subgroups.subgroups import infer_subgroups
from python_assets.study.analysis import HypothesisFamily, Power, Regression
from python_assets.study.base import Against
from python_assets.study.metrics import default_margins
from python_assets.transform.compile import DBT_FOLDER, compiled_project
from python_assets.transform.run import StepResult, run_steps
from python_assets.warehouse.build import open_build, write_stage
from python_assets.warehouse.progress import SILENT
from tests.dbt_models.irregular_study import REFERENCES, REGRESSIONS, REQUESTED_CONTRASTS, STUDY, raw_tables
from tests.dbt_models.reference import Comparison, comparisons

PARSED: dict[Path, Path] = {}  # what dbt keeps of its parsing, by project: the first call's, read by every other

DECLARED_MARGINS = {"mean_difference": 1.0, "risk_difference": 0.6, "range": 2.0}  # the others are defaults


class Analysis(NamedTuple):
    seed: int = 1
    n_permutations: int = 199
    n_bootstrap: int = 200
    alpha: float = 0.1
    declared_margins: dict[str, float] = DECLARED_MARGINS
    margins: dict[str, float] = default_margins() | DECLARED_MARGINS
    unit: str | None = None
    references: dict[str, tuple[Against, str | None]] = {
        grouping: (Against(against), group) for grouping, (against, group) in REFERENCES.items()
    }
    requested_contrasts: tuple[str, ...] = tuple(REQUESTED_CONTRASTS)
    compared_with: str | None = None
    primary: HypothesisFamily | None = None
    families: dict[str, HypothesisFamily] = {}
    regressions: dict[str, Regression] = REGRESSIONS
    unscored_allowed: dict[str, float] = {}
    fills_scale: bool = False
    power: dict[str, Power] = {}
    human_labels: tuple[object, ...] = ()
    prompts: SimpleNamespace = SimpleNamespace(wordings={})


class Built(NamedTuple):
    """A build file after the SQL and inference, the raw tables in it, and what became of each step."""

    path: Path
    raw: dict[str, pd.DataFrame]
    manifest: Mapping[str, Any]
    halves: tuple[list[StepResult], list[StepResult]]

    def table(self, name: str) -> pd.DataFrame:
        with duckdb.connect(str(self.path), read_only=True) as connection:
            return connection.execute(f"from {name}").df()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    path = tmp_path_factory.mktemp("dbt") / "build.duckdb"
    stages, project = raw_tables(seed=3), compiled_project()
    with open_build(path) as connection:
        for stage, tables in stages.items():
            write_stage(connection, STUDY, stage, tables)
        first = run_steps(connection, project, project.before_inference, SILENT)
        infer_study(connection, Analysis())
        infer_subgroups(connection, Analysis().alpha)
        infer_associations(connection, is_asked=True, seed=1, n_permutations=199)
        infer_regressions(connection, Analysis())
        infer_agreement(connection, Analysis().alpha, seed=1)
        second = run_steps(connection, project, project.after_inference, SILENT)
    raw = {name: table for tables in stages.values() for name, table in tables.items()}
    return Built(path, raw, project.manifest, (first, second))


@pytest.fixture(scope="session")
def compared(built: Built) -> list[Comparison]:
    """What the irregular study compares, from its raw tables alone."""
    return comparisons(built.raw)


def make_tables(path: Path, *names: str, project: Path = DBT_FOLDER) -> list[StepResult]:
    """Make the tables of these names and all that they are made of, and run their data tests."""
    compiled = compiled_project(project)
    steps = compiled.steps_of(compiled.with_ancestors(compiled.of_names(names)))
    with open_build(path) as connection:
        return run_steps(connection, compiled, steps, SILENT)


def call_dbt(path: Path, folder: Path, *command: str, project: Path = DBT_FOLDER) -> None:
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
        env={
            **os.environ,
            "PLUMBLINE_BUILD": path.name,
            "DBT_TARGET_PATH": str(folder / "target"),
            "DBT_LOG_PATH": str(folder / "logs"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    PARSED.setdefault(project, folder / "target" / "partial_parse.msgpack")
