import ast
import re
import tomllib
from pathlib import Path

import dagster as dg
import pytest

from dagster_project.definitions import definitions
from dagster_project.partitions import studies
from python_assets.warehouse.raw_tables import RAW_TABLES

WRITTEN_BY_MANY = {"quarantine", "data_quality"}
MOST_PRIVATE_IMPORTS = 3
PACKAGE = Path(__file__).parents[2] / "dagster_project"
GROUPS = {"scrape", "assemble", "generate", "extract", "transform", "marts", "infer", "publish"}


@pytest.fixture(scope="module")
def graph():
    return definitions().resolve_asset_graph()


def test_little_is_imported_of_what_dagster_keeps_to_itself():
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")]
    names = [
        f"{node.module}.{alias.name}"
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dagster")
        for alias in node.names
    ]
    assert "dagster_webserver.app.create_app_from_workspace_process_context" in names
    assert len([name for name in names if re.search(r"\._\w*\.", name)]) <= MOST_PRIVATE_IMPORTS


def test_checks_say_what_they_check(graph, snapshot):
    said = {(key.asset_key.path[1], key.name): graph.get(key).description for key in graph.asset_check_keys}
    assert said["prompts", "great_expectations"].partition(";")[0] == snapshot
    assert "unique key (study_id, factors)" in said["coverage", "dbt_tests"]
    assert "shown differences leave their noise" in said["disparities", "dbt_tests"]


def test_a_check_is_of_a_study(graph):
    """One study that fails turns its own checks red, and no other's."""
    assert {graph.get(key).partitions_def for key in graph.asset_check_keys} == {studies}


def test_dagster_and_dg_load_the_same_definitions():
    tools = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    module = tools["dagster"]["module_name"]
    assert tools["dg"]["project"]["code_location_target_module"] == module == definitions.__wrapped__.__module__


def test_a_run_is_tagged_with_its_study():
    job = definitions().resolve_job_def("run_study")
    assert job.partitioned_config.get_tags_for_partition_key("kind")["study"] == "kind"


def test_every_raw_table_is_an_asset(graph):
    keys = {key.path[1] for key in graph.materializable_asset_keys if key.path[0] == "raw"}
    assert keys == set(RAW_TABLES) - WRITTEN_BY_MANY


def test_the_groups_are_the_stages(graph):
    assert {graph.get(key).group_name for key in graph.materializable_asset_keys} == GROUPS


def test_every_asset_has_the_studies_as_partitions_and_a_description(graph):
    for key in graph.materializable_asset_keys:
        node = graph.get(key)
        assert node.partitions_def == studies, key
        assert node.description, key


def test_every_column_of_raw_tables_and_marts_is_described_before_anything_has_run(graph):
    described = [key for key in graph.materializable_asset_keys if key.path[0] in ("raw", "marts", "inference")]
    for key in described:
        columns = graph.get(key).metadata["dagster/column_schema"].columns
        assert all(column.description and column.type for column in columns), key
    names = [c.name for c in graph.get(dg.AssetKey(["raw", "prompts"])).metadata["dagster/column_schema"].columns]
    assert names == list(RAW_TABLES["prompts"])


def test_marts_are_a_group_of_their_own(graph):
    keys = graph.materializable_asset_keys
    assert {key for key in keys if graph.get(key).group_name == "marts"} == {
        key for key in keys if key.path[0] == "marts"
    }


def test_every_suite_is_a_blocking_check(graph):
    keys = [key for key in graph.asset_check_keys if key.name == "great_expectations"]
    assert {key.asset_key.path[1] for key in keys} >= {"prompts", "responses", "measurements"}
    assert all(graph.get(key).blocking for key in keys)


def test_the_job_runs_dbt_in_two_steps_with_inference_between():
    job = definitions().resolve_job_def("run_study")
    steps = {node.name: node for node in job.graph.nodes}
    assert sum(name.startswith("dbt") for name in steps) == 2
    assert "infer" in steps


def test_runs_are_in_one_process():
    assert definitions().executor is dg.in_process_executor


def test_the_configuration_of_a_run_names_no_folder():
    job, elsewhere = definitions().resolve_job_def("run_study"), {"config": {"root": "/elsewhere"}}
    with pytest.raises(dg.DagsterInvalidConfigError, match="Received unexpected config entr"):
        dg.validate_run_config(job, {"resources": {"warehouse": elsewhere}})
    assert job.resource_defs["io_manager"] is dg.mem_io_manager
