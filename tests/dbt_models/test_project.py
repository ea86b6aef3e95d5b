"""What the project promises as a whole: contracts, descriptions, two halves, closed lists."""

import json
import runpy
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from dagster_project.assets.infer import CELLS, SUMS
from python_assets.infer.formulas.verdict import Verdict
from python_assets.infer.result import InferenceReason
from python_assets.study.statistics import STATISTICS
from python_assets.transform.compile import DBT_FOLDER, compiled_project, empty_build_file
from python_assets.transform.project import OF_THE_CODE, Project
from python_assets.transform.run import run_steps
from python_assets.warehouse.build import open_build
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.raw_tables import RAW_TABLES
from tests.dbt_models.conftest import Built, call_dbt

# a raw table as a mart: its key is held by the gate, or by the marts that join it
PASSED_ON = {
    "data_quality",
    "documents",
    "measurements",
    "measures",
    "prompt_factors",
    "prompts",
    "quarantined_records",
}
RAW_OF = {"quarantined_records": "quarantine"}
SECOND_HALF_MARTS = {"summary_statistics", "contrasts", "disparities", "findings", "finding_groups", "finding_prompts"}


@pytest.fixture(scope="module")
def compiled() -> Project:
    return compiled_project()


def models_of(built: Built, folder: str) -> dict[str, dict]:
    nodes = built.manifest["nodes"].values()
    return {n["name"]: n for n in nodes if n["resource_type"] == "model" and n["fqn"][1] == folder}


@pytest.fixture(scope="module")
def of_dbt(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What dbt says of its own tests, all in one call: unit tests, and those of the keys of tables between."""
    folder = tmp_path_factory.mktemp("of_dbt")
    shutil.copy(built.path, folder / "build.duckdb")
    call_dbt(folder / "build.duckdb", folder, "test", "--select", "test_type:unit", f"tag:{OF_THE_CODE}")
    manifest, results = (
        json.loads((folder / "target" / f"{name}.json").read_text()) for name in ("manifest", "run_results")
    )
    return {**manifest, "results": results["results"]}


def test_dbt_runs_the_tests_that_a_run_does_not(of_dbt: Mapping[str, Any], compiled: Project):
    ran = {result["unique_id"] for result in of_dbt["results"]}
    assert {result["status"] for result in of_dbt["results"]} == {"pass"}
    assert ran >= set(of_dbt["unit_tests"])
    tests = {key for key, node in of_dbt["nodes"].items() if node["resource_type"] == "test"}
    assert ran - set(of_dbt["unit_tests"]) == tests - set(compiled.steps)


def test_the_two_halves_are_the_whole_and_nothing_twice(built: Built, compiled: Project):
    first, second = ({result.unique_id for result in half} for half in built.halves)
    assert not first & second
    assert first | second == set(compiled.steps)
    assert {i.split(".")[-1] for i in second if i.startswith("model.")} >= SECOND_HALF_MARTS


def test_only_the_second_half_reads_inference(built: Built):
    first = {result.unique_id for result in built.halves[0]}
    for node in built.manifest["nodes"].values():
        sources = [i for i in node.get("depends_on", {}).get("nodes", []) if ".inference." in i]
        assert not (sources and node["unique_id"] in first)


def test_every_model_is_described_by_its_grain(built: Built):
    for folder in ("intermediate", "metrics", "marts", "views"):
        for name, node in models_of(built, folder).items():
            assert node["description"].startswith("One row per"), name


def test_every_column_of_a_mart_is_described_and_typed(built: Built):
    columns = built.table("duckdb_columns()").sort_values("column_index")
    found = columns.groupby(["schema_name", "table_name"]).column_name.agg(list)
    for name, node in {**models_of(built, "marts"), **models_of(built, "views")}.items():
        assert node["description"].startswith("One row per (study_id"), name
        assert [c for c, column in node["columns"].items() if not column["description"]] == [], name
        assert [c for c, column in node["columns"].items() if not column["data_type"]] == [], name
        assert found["marts", name] == list(node["columns"]), name


def test_contracts_are_enforced_with_not_null_only(built: Built):
    for name, node in models_of(built, "marts").items():
        assert node["config"]["contract"]["enforced"], name
        assert node["columns"]["study_id"]["constraints"], name
        kinds = {c["type"] for column in node["columns"].values() for c in column["constraints"]}
        assert kinds == {"not_null"}, name


def test_tables_between_are_pinned_to_their_grain(built: Built):
    pinned = {
        node["attached_node"].split(".")[-1]: node["test_metadata"]["kwargs"]["columns"]
        for node in built.manifest["nodes"].values()
        if node.get("test_metadata", {}).get("name") == "unique_key"
    }
    tables = models_of(built, "intermediate")
    assert set(tables) - set(pinned) == {"int_association_values"}  # responses, which have no key there
    for name in pinned.keys() & tables:
        grain = tables[name]["description"].partition("(")[2].partition(")")[0]
        assert pinned[name] == grain.split(", "), name


def test_views_are_pinned_to_their_key_and_have_hand_made_rows(built: Built, of_dbt: Mapping[str, Any]):
    views, tests = models_of(built, "views"), built.manifest["nodes"].values()
    pinned = {
        node["attached_node"].split(".")[-1]: node["test_metadata"]["kwargs"]["columns"]
        for node in tests
        if node.get("test_metadata", {}).get("name") == "unique_key"
    }
    by_hand = {unit_test.split(".")[2] for unit_test in of_dbt["unit_tests"]}
    assert len(views) == 14
    for name, node in views.items():
        grain = node["description"].partition("(")[2].partition(")")[0]
        assert pinned[name] == grain.split(", "), name
        assert list(node["columns"])[: len(pinned[name])] == pinned[name], name
        assert node["config"]["contract"]["enforced"] and node["config"]["materialized"] == "view", name
    assert set(views) <= by_hand


def test_every_computed_mart_has_its_generic_tests(built: Built):
    tests = [n for n in built.manifest["nodes"].values() if n["resource_type"] == "test" and "test_metadata" in n]
    found = {(n["attached_node"].split(".")[-1], n["test_metadata"]["name"]) for n in tests if n["attached_node"]}
    for name, node in models_of(built, "marts").items():
        assert (name in PASSED_ON) == ((name, "unique_key") not in found), name
        if {"value", "reason"} <= set(node["columns"]) and name not in PASSED_ON:
            assert (name, "value_or_reason") in found, name


def test_a_table_that_is_passed_on_has_one_source_and_no_rule_of_its_own(built: Built):
    for name in PASSED_ON:
        sources = built.manifest["nodes"][f"model.plumbline.{name}"]["depends_on"]["nodes"]
        assert sources == [f"source.plumbline.raw.{RAW_OF.get(name, name)}"], name


def test_every_metric_has_a_unit_test_and_a_line_in_the_seed(built: Built, of_dbt: Mapping[str, Any]):
    tested = {i.split(".")[2] for i in of_dbt["unit_tests"]}
    seed = built.table("intermediate.metrics")
    seed, over_subgroups = seed[seed.of != "subgroup_metrics"], seed[seed.of == "subgroup_metrics"]
    assert set(over_subgroups.name) == set(built.table("marts.subgroup_metrics").metric)
    names = set(seed.name.where(seed.of == "contrasts", "disparity_" + seed.name))
    models = set(models_of(built, "metrics"))
    assert models <= tested
    assert models - names == {"statistic_difference", "disparity_custom"}  # of any statistic; the study's own
    assert names - models == {f"{name}_difference" for name in STATISTICS} - models
    found = built.table("marts.disparities").metric.unique()
    disparities = {name.removeprefix("disparity_") for name in names if name.startswith("disparity_")}
    assert disparities - set(found) == {"idi"}  # no grouping of this study has every factor
    assert set(found) <= disparities
    assert set(built.table("marts.contrasts").contrast) <= names


def test_the_list_of_metrics_is_that_of_the_seed():
    written = runpy.run_path(str(DBT_FOLDER / "list_metrics.py"))["macro_text"]()
    assert (DBT_FOLDER / "macros" / "metric_models.sql").read_text() == written, "python dbt_models/list_metrics.py"


def test_every_table_between_leads_to_a_mart_or_to_inference(built: Built):
    children = built.manifest["child_map"]

    @cache
    def readers(node: str) -> frozenset[str]:
        found = {child for child in children[node] if child.startswith(("model", "exposure"))}
        return frozenset(found.union(*map(readers, found)))

    for folder in ("intermediate", "metrics"):
        for name in models_of(built, folder):
            assert readers(f"model.plumbline.{name}"), name
    for name in models_of(built, "metrics"):
        mart = "disparities" if name.startswith("disparity_") else "contrasts"
        assert f"model.plumbline.{mart}" in readers(f"model.plumbline.{name}"), name
    read = built.manifest["exposures"]["exposure.plumbline.inference"]["depends_on"]["nodes"]
    assert {node.split(".")[-1] for node in read} == {*CELLS, *SUMS}


def test_a_metric_names_the_mart_that_writes_it(built: Built):
    seed = built.table("intermediate.metrics")
    for mart, column in (("contrasts", "contrast"), ("disparities", "metric")):
        rows = built.table(f"marts.{mart}")[["measure_id", column]].drop_duplicates()
        kinds = rows.merge(built.raw["measures"][["measure_id", "kind"]]).merge(
            seed[seed.of == mart], left_on=column, right_on="name", suffixes=("", "s")
        )
        assert all(kind in kinds_of.split() for kind, kinds_of in zip(kinds.kind, kinds.kinds, strict=True))


def test_seeds_have_one_row_a_key(built: Built):
    keys = {
        "bands": ["metric", "is_reported"],
        "document_actions": ["is_significant", "effect_above", "effect_below"],
        "dixon_critical_values": ["n_groups"],
        "metrics": ["of", "name"],
    }
    for seed, key in keys.items():
        assert not built.table(f"intermediate.{seed}").duplicated(key).any(), seed


def test_words_of_the_marts_are_those_of_their_descriptions(built: Built):
    verdicts = {str(verdict) for verdict in Verdict}
    for mart in ("contrasts", "disparities"):
        assert set(built.table(f"marts.{mart}").verdict.dropna()) <= verdicts
    assert set(built.table("marts.findings").is_preregistered) <= {True, False}
    words = set(built.table("marts.concentrations").concentration.dropna())
    assert words <= {"concentrated", "dispersed", "undecided"}


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


def test_a_yml_beside_each_mart_and_one_a_folder_for_the_rest():
    for sql in [*(DBT_FOLDER / "models" / "marts").glob("*.sql"), *(DBT_FOLDER / "models" / "views").glob("*.sql")]:
        (model,) = yaml.safe_load(sql.with_suffix(".yml").read_text())["models"]
        assert model["name"] == sql.stem
    models = DBT_FOLDER / "models"
    for folder in (models / "metrics", *(path for path in (models / "intermediate").iterdir())):
        described = yaml.safe_load((folder / "_models.yml").read_text())["models"]
        names = [path.stem for path in folder.iterdir() if path.suffix in (".sql", ".py")]
        assert [model["name"] for model in described] == sorted(names), folder.name
        assert {key for model in described for key in model} <= {"name", "description", "config", "data_tests"}


def test_models_are_short():
    lengths = {p.stem: len(p.read_text().splitlines()) for p in (DBT_FOLDER / "models").rglob("*.sql")}
    assert {name: n for name, n in lengths.items() if n > 120} == {}


def test_a_mean_is_at_most_six_models_from_a_measurement(built: Built):
    children = built.manifest["child_map"]

    @cache
    def longest(node: str) -> list[str]:
        paths = [longest(child) for child in children[node] if child.startswith("model.")]
        ends = [path for path in paths if path and path[-1] == "summary_statistics"]
        name = node.split(".")[-1]
        return [name, *max(ends, key=len)] if ends else [name] * (name == "summary_statistics")

    path = longest("source.plumbline.raw.measurements")[1:]
    assert path[-1] == "summary_statistics"
    assert len(path) <= 6, path


def test_marts_carry_their_descriptions_into_the_file(built: Built):
    comments = built.table("duckdb_columns()")
    marts = comments[comments.schema_name == "marts"]
    assert len(marts) > 200
    assert marts.comment.notna().all()


def test_reasons_of_inference_are_in_the_seed(built: Built):
    assert {str(reason) for reason in InferenceReason} <= set(built.table("marts.reasons").reason)


def test_every_reason_says_what_it_means_in_one_line(built: Built):
    reasons = built.table("marts.reasons")
    assert reasons.reason.is_unique
    said = [*reasons.meaning, *reasons.remedy.dropna()]
    assert all(text.strip() and "\n" not in text and not text.endswith(".") for text in said)
    kinds = set(reasons.meaning.str.partition(":")[0])
    assert kinds == {
        "measurement",
        "measurement, or value of a group",
        "value",
        "value and inference",
        "inference",
        "power",
        "cost",
        "calls",
        "scorer",
        "label",
        "imported metric",
    }


def test_models_in_python_have_the_same_columns_without_rows(built: Built, compiled: Project, tmp_path: Path):
    steps = [step for step in compiled.steps if compiled.nodes[step].get("language") == "python"]
    names = sorted(compiled.nodes[step]["name"] for step in steps)
    assert len(names) == 6
    query = "select table_name, column_name, data_type from duckdb_columns() where table_name in ? order by all"
    with empty_build_file(compiled) as empty, open_build(shutil.copy(built.path, tmp_path)) as filled:
        # the irregular study has neither statistics nor disparities of its own
        filled.execute("insert into raw.custom_disparities select study_id, 'gap', 'max(value)' from raw.studies")
        filled.execute(
            "insert into raw.statistics (study_id, statistic, parameters, expression) "
            "select study_id, 'top', '', 'max(x)' from raw.studies"
        )
        run_steps(filled, compiled, steps, SILENT)
        for name in names:
            one = f"select 1 from intermediate.{name} limit 1"
            assert [file.execute(one).fetchall() for file in (empty, filled)] == [[], [(1,)]], name
        assert empty.execute(query, [names]).fetchall() == filled.execute(query, [names]).fetchall()


@pytest.mark.run
def test_dbt_writes_the_same_sql_for_every_build_file(built: Built, compiled: Project, tmp_path: Path):
    """Nothing of a file, its name included, is in it: dbt documents one, and a run uses what was compiled on none."""
    shutil.copy(built.path, tmp_path / "another.duckdb")
    call_dbt(tmp_path / "another.duckdb", tmp_path, "docs", "generate")
    nodes = json.loads((tmp_path / "target" / "manifest.json").read_text())["nodes"]
    catalog = json.loads((tmp_path / "target" / "catalog.json").read_text())
    for name, node in compiled.nodes.items():
        if node.get("language") == "sql" and OF_THE_CODE not in node["tags"]:
            assert node["compiled_code"].strip() and node["compiled_code"] == nodes[name]["compiled_code"], name
    assert not catalog["errors"]
    for name, node in models_of(built, "marts").items():
        assert set(catalog["nodes"][f"model.plumbline.{name}"]["columns"]) == set(node["columns"])
