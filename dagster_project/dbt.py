"""The dbt project as Dagster assets: the whole of it in one definition, run on the build file of a study.

Dagster splits the definition in two by itself, because the inference assets sit between its models.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
from dagster_dbt import (
    DagsterDbtTranslator,
    DagsterDbtTranslatorSettings,
    DbtCliResource,
    DbtProject,
    dbt_assets,
)
from packaging.version import Version

from dagster_project.assets.common import table_metadata
from dagster_project.one_version import begin, finish
from dagster_project.partitions import studies
from dagster_project.resources import StudyResource, WarehouseResource
from python_assets.warehouse import paths
from python_assets.warehouse.build import make_folder
from python_assets.warehouse.quality import record_dbt_tests

PROJECT = paths.PROJECT / "dbt_models"
DBT = Path(sys.executable).with_name("dbt")  # beside the interpreter: PATH may hold another one, or none
LAST_RAW_TABLE = dg.AssetKey(["raw", "measurements"])
NO_BUILD_FILE = {"build_path": ":memory:"}


def manifest_path() -> Path:
    """The parsed dbt project, parsed again when a file of it has changed.

    Raises:
        RuntimeError: dbt cannot parse the project; its output is in the text.
        WarehouseError: the warehouse cannot be written.
    """
    files = sorted(
        path for path in PROJECT.rglob("*") if path.is_file() and path.suffix in {".sql", ".yml", ".csv"}
    )
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    target = paths.home().root / "build" / "dbt" / digest
    if not (target / "manifest.json").exists():
        _parse(target)
    return target / "manifest.json"


def _parse(target: Path) -> None:
    own_target = target.with_name(f"{target.name}.{os.getpid()}")  # two processes may start at once
    make_folder(own_target)
    done = subprocess.run(
        [DBT, "--no-send-anonymous-usage-stats", "parse", "--vars", json.dumps(NO_BUILD_FILE)],
        cwd=PROJECT,
        env={**os.environ, "DBT_TARGET_PATH": str(own_target), "DBT_LOG_PATH": str(own_target)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"dbt cannot parse {PROJECT}:\n{done.stdout}{done.stderr}")
    try:
        own_target.rename(target)
    except OSError:  # another process was first
        if not (target / "manifest.json").exists():
            raise


class QuietDbt(DbtCliResource):
    """dbt without what dagster-dbt does at every call: ask the package index and open the build file."""

    @cached_property
    def _cli_version(self) -> Version:
        return Version(version("dbt-core"))  # the original runs `dbt --version`, which asks the package index

    def _initialize_dbt_core_adapter(self, args: Any) -> Any:
        return None  # a handle here would lock dbt out of the build file


def _parents(node: Mapping[str, Any]) -> list[str]:
    return node.get("depends_on", {}).get("nodes", [])


class Translator(DagsterDbtTranslator):
    """Names and groups of dbt nodes in the UI."""

    def get_asset_key(self, dbt_resource_props: Mapping[str, Any]) -> dg.AssetKey:
        """schema, then table; the same for the raw tables that Python writes."""
        schema = dbt_resource_props.get("config", {}).get("schema") or dbt_resource_props.get("schema", "")
        return dg.AssetKey([dbt_resource_props.get("source_name") or schema, dbt_resource_props["name"]])

    def get_group_name(self, dbt_resource_props: Mapping[str, Any]) -> str:
        """Every dbt model belongs to one group."""
        return "transform"

    def get_asset_spec(
        self, manifest: Mapping[str, Any], unique_id: str, project: DbtProject | None
    ) -> dg.AssetSpec:
        """Models over raw tables and seeds wait for the last gate: dbt before inference is then one step."""
        spec = super().get_asset_spec(manifest, unique_id, project)
        node = self.get_resource_props(manifest, unique_id)
        if node["resource_type"] != "seed" and not any(up.startswith("source.") for up in _parents(node)):
            return spec
        if LAST_RAW_TABLE in {dep.asset_key for dep in spec.deps} or "inference" in {
            dep.asset_key.path[0] for dep in spec.deps
        }:
            return spec
        return spec.replace_attributes(deps=[*spec.deps, LAST_RAW_TABLE])

    def get_partitions_def(self, dbt_resource_props: Mapping[str, Any]) -> dg.PartitionsDefinition | None:
        """One partition a study."""
        return studies


# data tests run in the half that completes what they read; unit tests are of the code: `make test` runs them
TESTS = ["--indirect-selection", "buildable", "--exclude-resource-type", "unit_test"]
MANIFEST = manifest_path()
translator = Translator(settings=DagsterDbtTranslatorSettings(enable_asset_checks=True))


@dbt_assets(manifest=MANIFEST, dagster_dbt_translator=translator, partitions_def=studies, name="dbt")
def dbt_models(
    context: dg.AssetExecutionContext, dbt: QuietDbt, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[Any]:
    """Build the selected models and run their tests on the build file of the study."""
    loaded = study.load(context)
    study_id = loaded.study_id
    with warehouse.build(study_id) as connection:
        begin(context, loaded, connection)
    variables = {"build_path": str(warehouse.home.build(study_id))}
    arguments = ["build", "--vars", json.dumps(variables), *TESTS]
    # one folder a study: dbt's second half, and the next run, need not parse the project again
    target = warehouse.home.build(study_id).with_suffix("") / "dbt"
    invocation = dbt.cli(arguments, context=context, target_path=target)
    events = list(invocation.stream())
    with warehouse.build(study_id) as connection:
        yield from (_with_rows(event, context, connection) for event in events)
        results = invocation.get_artifact("run_results.json")
        record_dbt_tests(connection, study_id, context.run_id, results, json.loads(MANIFEST.read_bytes()))
        finish(context, loaded, connection)


def _with_rows(event: Any, context: dg.AssetExecutionContext, connection: duckdb.DuckDBPyConnection) -> Any:
    if not isinstance(event, dg.Output):
        return event
    schema, table = context.asset_key_for_output(event.output_name).path
    return event.with_metadata({**event.metadata, **table_metadata(connection, schema, table)})


def mart_keys() -> list[dg.AssetKey]:
    """The published tables."""
    return [key for key in dbt_models.keys if key.path[0] == "marts"]


def dbt_resource() -> QuietDbt:
    """The dbt command, with its profile in the project and no report of usage."""
    return QuietDbt(
        project_dir=str(PROJECT),
        profiles_dir=str(PROJECT),
        dbt_executable=str(DBT),
        global_config_flags=["--no-send-anonymous-usage-stats", "--no-use-colors"],
    )
