"""A plan and the marts, on every study of the repository: the same groups, blocks and coverage."""

import shutil
from pathlib import Path
from typing import NamedTuple

import duckdb
import pandas as pd
import pytest

from python_assets.warehouse.progress import SILENT
from python_assets.assemble.assemble_study import assemble
from python_assets.infer.design.cells import MIXED_UNITS
from python_assets.plan.design_tables import design_tables
from python_assets.plan.group_models import build_group_models
from python_assets.plan.plan import plan_study
from python_assets.plan.text import Plan
from python_assets.scrape.scrape_study import scrape
from python_assets.study.base import NEGATIVE_CONTROL
from python_assets.study.study import Study
from python_assets.study_file.load import load_study
from python_assets.warehouse import paths
from python_assets.warehouse.build import open_build, write_stage
from python_assets.warehouse.run_context import RunContext
from tests.dbt_models.conftest import Built, make_tables

STUDIES = sorted((paths.PROJECT / "studies").glob("*.yml"))
OF_DATA = {file.stem for file in STUDIES if "PLUMBLINE_DATA" in file.read_text(encoding="utf-8")}
KEYS = ["slice_id", "grouping_id"]
ASKED_IN_PART = {"bbq_and_ssqa"}
"""Studies with prompts that nobody answered: a plan counts the groups that are asked, the marts those of prompts."""


class Planned(NamedTuple):
    """A build file of several studies after dbt's group models, and the plans of those studies."""

    path: Path
    plans: dict[str, Plan]

    def of_study(self, table: str, study_id: str) -> pd.DataFrame:
        with duckdb.connect(str(self.path), read_only=True) as connection:
            query = f"select * exclude (study_id) from {table} where study_id = ?"
            return connection.execute(query, [study_id]).df()


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    return plan_studies(tmp_path_factory.mktemp("plans"), {file.stem for file in STUDIES} - OF_DATA)


@pytest.fixture(scope="module")
def planned_of_data(tmp_path_factory: pytest.TempPathFactory, data_folder: Path) -> Planned:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLUMBLINE_DATA", str(data_folder))
        return plan_studies(tmp_path_factory.mktemp("plans"), OF_DATA)


def plan_studies(folder: Path, study_ids: set[str]) -> Planned:
    path, plans = folder / "build.duckdb", {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLUMBLINE_HOME", str(folder))
        for file in STUDIES:
            if file.stem in study_ids:
                study = load_study(file)
                plan = plans[file.stem] = plan_study(study)
                if plan.unknown is None:
                    assemble_into(path, study)
    make_tables(path, "int_prompt_groups", "coverage", "factor_aliasing")
    return Planned(path, plans)


def assemble_into(path: Path, study: Study) -> None:
    context = RunContext(paths.home(), progress=SILENT, may_ask=False)
    with open_build(path) as connection:
        scrape(study, connection, context)
        assemble(study, connection, context)
        write_stage(connection, study.study_id, "design", design_tables(study, connection))


@pytest.mark.parametrize("study_id", sorted({file.stem for file in STUDIES} - OF_DATA))
def test_a_plan_counts_what_the_marts_count(planned: Planned, study_id: str):
    see_that_it_counts_what_the_marts_count(planned, study_id)


@pytest.mark.run
@pytest.mark.parametrize("study_id", sorted(OF_DATA))
def test_a_plan_of_real_data_counts_what_the_marts_count(planned_of_data: Planned, study_id: str):
    see_that_it_counts_what_the_marts_count(planned_of_data, study_id)


def see_that_it_counts_what_the_marts_count(planned: Planned, study_id: str) -> None:
    plan = planned.plans[study_id]
    if plan.unknown is not None:
        pytest.skip("its prompts are known when an engine has answered")
    if study_id in ASKED_IN_PART:
        pytest.skip("its plan counts the groups that are asked alone")
    prompts = planned.of_study("intermediate.int_prompt_groups", study_id)
    prompts = prompts[prompts.grouping_id != NEGATIVE_CONTROL]  # which a plan counts beside the groupings
    groups = prompts.groupby(KEYS).group_id.nunique()
    compared = in_shared_parts(prompts)
    for found in plan.groupings:
        assert found.n_groups == groups[found.slice_id, found.grouping_id]
        where = f"slice_id == '{found.slice_id}' and grouping_id == '{found.grouping_id}'"
        rows, everyone = compared.query(where), prompts.query(where)
        if (everyone.scheme == MIXED_UNITS).all():  # nothing is exchanged there
            assert (found.n_units, found.n_blocks, found.n_cells) == (everyone.unit_id.nunique(), 0, 0)
            continue
        assert found.n_units == rows.unit_id.nunique()
        assert found.n_blocks == rows.part.nunique()
        assert found.n_cells == len(rows[["part", "group_id"]].drop_duplicates())
    assert {found.grouping_id for found in plan.groupings} == set(groups.index.unique("grouping_id"))
    coverage = planned.of_study("marts.coverage", study_id).set_index("factors")
    assert {row.factors for row in plan.coverage} == set(coverage.index)
    aliasing = planned.of_study("marts.factor_aliasing", study_id).astype(object)
    aliasing = aliasing.where(aliasing.notna(), None)
    assert {row[:3] for row in plan.aliasing} == {row[:3] for row in aliasing.itertuples(index=False)}
    for row in plan.coverage:
        assert row[1:] == pytest.approx(tuple(coverage.loc[row.factors][list(row._fields[1:])]), abs=1e-12)


def in_shared_parts(prompts: pd.DataFrame) -> pd.DataFrame:
    """Prompts in blocks, nested ones in strata, that hold two groups or more."""
    prompts = prompts.assign(part=prompts.stratum_id.where(prompts.scheme == "nested", prompts.block_id))
    n_groups = prompts.groupby([*KEYS, "part"]).group_id.transform("nunique")
    return prompts[n_groups >= 2]


@pytest.mark.parametrize("source", ["planned", pytest.param("planned_of_data", marks=pytest.mark.run), "built"])
def test_without_dbt_the_models_give_the_tables_that_dbt_makes(
    request: pytest.FixtureRequest, tmp_path: Path, source: str
):
    given: Planned | Built = request.getfixturevalue(source)
    path = tmp_path / "build.duckdb"
    shutil.copy(given.path, path)
    tables = ("intermediate.int_prompt_groups", "marts.coverage", "marts.factor_aliasing")
    with duckdb.connect(str(path)) as connection:
        of_dbt = [connection.execute(f"from {table} order by all").df() for table in tables]
        for table in tables:
            connection.execute(f"drop table {table}")
        build_group_models(connection)
        for table, rows in zip(tables, of_dbt, strict=True):
            again = connection.execute(f"from {table} order by all").df()
            pd.testing.assert_frame_equal(
                again, rows, rtol=0, atol=1e-12
            )  # sums of doubles by several threads
            assert len(rows)
