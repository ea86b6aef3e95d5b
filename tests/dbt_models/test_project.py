"""What the project promises as a whole: contracts, descriptions, two halves, closed lists."""

from pathlib import Path

import pytest
import yaml

from python_assets.infer.reasons import InferenceReason
from python_assets.warehouse.raw_tables import RAW_TABLES
from tests.dbt_models.conftest import PROJECT, Built

pytestmark = pytest.mark.xdist_group("one dbt build")

SECOND_HALF_MARTS = {"summary_statistics", "contrasts", "disparities", "findings"}


def models_of(built: Built, folder: str) -> dict[str, dict]:
    nodes = built.manifest["nodes"].values()
    return {n["name"]: n for n in nodes if n["resource_type"] == "model" and n["fqn"][1] == folder}


def test_the_two_halves_are_the_whole_and_nothing_twice(built: Built):
    first, second = ({result["unique_id"] for result in half} for half in built.halves)
    built_nodes = {
        key for key, node in built.manifest["nodes"].items() if node["resource_type"] != "operation"
    }
    assert not first & second
    assert {i for i in first | second if not i.startswith("exposure")} == built_nodes | set(
        built.manifest["unit_tests"]
    )
    assert {i.split(".")[-1] for i in second if i.startswith("model.")} >= SECOND_HALF_MARTS


def test_only_the_second_half_reads_inference(built: Built):
    first = {result["unique_id"] for result in built.halves[0]}
    for node in built.manifest["nodes"].values():
        sources = [i for i in node.get("depends_on", {}).get("nodes", []) if ".inference." in i]
        assert not (sources and node["unique_id"] in first)


def test_every_model_and_column_is_described(built: Built):
    for folder in ("intermediate", "metrics", "marts"):
        for name, node in models_of(built, folder).items():
            assert node["description"], name
            assert node["columns"], name
            assert [c for c, column in node["columns"].items() if not column["description"]] == [], name
    for name, node in (models_of(built, "metrics") | models_of(built, "marts")).items():
        assert node["description"].startswith("One row per (study_id"), name


def test_declared_columns_are_those_of_the_tables(built: Built):
    columns = built.table("duckdb_columns()").sort_values("column_index")
    found = columns.groupby(["schema_name", "table_name"]).column_name.agg(list)
    for folder in ("intermediate", "metrics", "marts"):
        for name, node in models_of(built, folder).items():
            assert found[node["schema"], name] == list(node["columns"]), name


def test_contracts_are_enforced_with_not_null_only(built: Built):
    for name, node in (models_of(built, "metrics") | models_of(built, "marts")).items():
        assert node["config"]["contract"]["enforced"], name
        assert node["columns"]["study_id"]["constraints"], name
        kinds = {c["type"] for column in node["columns"].values() for c in column["constraints"]}
        assert kinds == {"not_null"}, name


def test_every_contract_and_metric_has_its_generic_tests(built: Built):
    tests = [
        n for n in built.manifest["nodes"].values() if n["resource_type"] == "test" and "test_metadata" in n
    ]
    found = {
        (n["attached_node"].split(".")[-1], n["test_metadata"]["name"]) for n in tests if n["attached_node"]
    }
    for name, node in (models_of(built, "metrics") | models_of(built, "marts")).items():
        assert (name, "unique_key") in found, name
        if {"value", "reason"} <= set(node["columns"]):
            assert (name, "value_or_reason") in found, name


def test_every_metric_has_a_unit_test_and_its_line_in_the_union(built: Built):
    tested = {i.split(".")[2] for i in built.manifest["unit_tests"]}
    for mart, macro in (("contrasts", "contrast_metrics"), ("disparities", "disparity_metrics")):
        node = built.manifest["nodes"][f"model.plumbline.{mart}"]
        united = {i.split(".")[-1] for i in node["depends_on"]["nodes"]}
        is_mart = [
            n for n in models_of(built, "metrics") if n.startswith("disparity_") == (mart == "disparities")
        ]
        assert set(is_mart) <= united & tested, macro


def test_every_raw_table_is_described_column_by_column(built: Built):
    sources = [s for s in built.manifest["sources"].values() if s["source_name"] == "raw"]
    described = {s["name"]: [(c["name"], c["data_type"]) for c in s["columns"].values()] for s in sources}
    assert described == {
        table: [(name, kind.split()[0].replace("varchar", "string")) for name, kind in columns.items()]
        for table, columns in RAW_TABLES.items()
    }
    for source in built.manifest["sources"].values():
        assert source["description"].startswith("One row per (study_id"), source["name"]
        assert all(c["description"] for c in source["columns"].values()), source["name"]


def test_one_yml_beside_each_sql():
    for sql in (PROJECT / "models").rglob("*.sql"):
        (model,) = yaml.safe_load(sql.with_suffix(".yml").read_text())["models"]
        assert model["name"] == sql.stem


def test_marts_carry_their_descriptions_into_the_file(built: Built):
    comments = built.table("duckdb_columns()")
    marts = comments[comments.schema_name == "marts"]
    assert len(marts) > 200
    assert marts.comment.notna().all()


def test_reasons_of_inference_are_in_the_seed(built: Built):
    seed = built.table("intermediate.reasons")
    assert {str(reason) for reason in InferenceReason} <= set(seed.reason)


def test_nothing_is_written_beside_the_sources():
    assert not [name for name in ("target", "logs", "dbt_packages") if (Path(PROJECT) / name).exists()]
