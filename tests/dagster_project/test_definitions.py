import dagster as dg
import pytest

from dagster_project.definitions import defs
from dagster_project.partitions import studies
from python_assets.warehouse.raw_tables import RAW_TABLES

WRITTEN_BY_MANY = {"quarantine", "data_quality"}
GROUPS = {"scrape", "assemble", "generate", "extract", "transform", "marts", "infer", "publish"}


@pytest.fixture(scope="module")
def graph():
    return defs.resolve_asset_graph()


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
    described = [
        key for key in graph.materializable_asset_keys if key.path[0] in ("raw", "marts", "inference")
    ]
    for key in described:
        columns = graph.get(key).metadata["dagster/column_schema"].columns
        assert all(column.description and column.type for column in columns), key
    names = [
        c.name for c in graph.get(dg.AssetKey(["raw", "prompts"])).metadata["dagster/column_schema"].columns
    ]
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
    job = defs.resolve_job_def("run_study")
    steps = {node.name: node for node in job.graph.nodes}
    assert sum(name.startswith("dbt") for name in steps) == 2
    assert "infer" in steps


def test_runs_are_in_one_process():
    assert defs.executor is dg.in_process_executor


def test_the_configuration_of_a_run_names_no_folder():
    job, elsewhere = defs.resolve_job_def("run_study"), {"config": {"root": "/elsewhere"}}
    with pytest.raises(dg.DagsterInvalidConfigError, match="Received unexpected config entr"):
        dg.validate_run_config(job, {"resources": {"warehouse": elsewhere}})
    assert job.resource_defs["io_manager"] is dg.mem_io_manager
