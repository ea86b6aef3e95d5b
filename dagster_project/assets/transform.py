"""Raw tables to the tables that inference reads, and to the marts: dbt's SQL in two halves with inference between.

Assets are the marts and what inference reads; the tables between them are no assets.
"""

import hashlib
from collections.abc import Iterator
from functools import cache

import dagster as dg

from dagster_project.assets.common import hides_texts, materialise
from dagster_project.assets.infer import CELLS, SUMS
from dagster_project.columns import COMPILED, MANIFEST, NODES, column_schema
from dagster_project.mistakes import tells_mistakes
from dagster_project.one_version import begin, begin_or_keep, finish
from dagster_project.partitions import checks_of_studies, studies, study_file
from dagster_project.progress import progress_of
from dagster_project.resources import StudyResource, WarehouseResource
from python_assets.transform.project import OF_THE_CODE
from python_assets.transform.run import WARN, StepResult, run_steps
from python_assets.warehouse.quality import dbt_tests, record_dbt_tests

CHECK = "dbt_tests"


def _asset_key(unique_id: str) -> dg.AssetKey:
    return dg.AssetKey([NODES[unique_id]["schema"], NODES[unique_id]["name"]])


def _is_asset(unique_id: str) -> bool:
    node = NODES[unique_id]
    return node["resource_type"] == "model" and (node["schema"] == "marts" or node["name"] in [*CELLS, *SUMS])


@cache
def _assets_above(unique_id: str) -> frozenset[dg.AssetKey]:
    """The nearest assets that a table is made of, through the tables between."""
    above: set[dg.AssetKey] = set()
    for parent in MANIFEST["parent_map"][unique_id]:
        is_end = _is_asset(parent) or NODES[parent]["resource_type"] == "source"
        above |= {_asset_key(parent)} if is_end else _assets_above(parent)
    return frozenset(above)


def _tables_between(unique_id: str) -> set[str]:
    """What is made with a table: itself and the tables between it and the nearest assets."""
    parents = MANIFEST["parent_map"][unique_id]
    between = [parent for parent in parents if not _is_asset(parent) and NODES[parent]["resource_type"] != "source"]
    return {unique_id}.union(*map(_tables_between, between))


def _code_version(table: str) -> str:
    """The SQL of a table: what it is built with, and the macros that this calls."""
    texts = {node: NODES[node]["checksum"]["checksum"] for node in _tables_between(table)}
    called = [macro for node in texts for macro in NODES[node]["depends_on"]["macros"]]
    while called:
        if (macro := called.pop()) not in texts:
            of = MANIFEST["macros"].get(macro, {"macro_sql": "", "depends_on": {"macros": []}})  # of dbt: no part of it
            texts[macro] = of["macro_sql"]
            called += of["depends_on"]["macros"]
    return hashlib.sha256("".join(f"{name} {texts[name]} " for name in sorted(texts)).encode()).hexdigest()[:16]


@cache
def _depth(unique_id: str) -> int:
    """How many tables it is made through: Dagster wants a table after those that it is made of."""
    return 1 + max(map(_depth, MANIFEST["parent_map"][unique_id]), default=0)


_TABLES = sorted((unique_id for unique_id in MANIFEST["nodes"] if _is_asset(unique_id)), key=_depth)
mart_keys = [_asset_key(table) for table in _TABLES if NODES[table]["schema"] == "marts"]


def _spec(table: str) -> dg.AssetSpec:
    node = NODES[table]
    return dg.AssetSpec(
        key=_asset_key(table),
        group_name="marts" if node["schema"] == "marts" else "transform",
        description=node["description"],
        deps=[study_file, *sorted(_assets_above(table))],
        code_version=_code_version(table),
        skippable=True,  # what is not asked for
        kinds={"dbt", "duckdb"},
        metadata=column_schema(node["schema"], node["name"]),
        partitions_def=studies,
    )


def _half(name: str, steps: list[str]) -> dg.AssetsDefinition:
    """The steps of one half, or the tables that are asked for and those between."""
    tables = [table for table in _TABLES if table in steps]

    @dg.multi_asset(
        name=name,
        specs=[_spec(table) for table in tables],
        check_specs=[_check_spec(table) for table in tables if _tests(table)],
        can_subset=True,
    )
    @tells_mistakes
    def half(
        context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
    ) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
        loaded = study.load(context)
        requested = [table for table in tables if _asset_key(table) in context.selected_asset_keys]
        chosen = steps if requested == tables else COMPILED.steps_of(set().union(*map(_tables_between, requested)))
        with warehouse.build(loaded.study_id) as connection:
            begin(context, loaded, connection)
            _, stamp, is_kept = begin_or_keep(context, loaded, warehouse, connection)
            if is_kept:
                results = [StepResult(*records) for records in dbt_tests(connection, MANIFEST)]
            else:
                hidden, progress = hides_texts(connection), progress_of(context)
                results = run_steps(connection, COMPILED, chosen, progress, hides_texts=hidden)
                records = [result._asdict() for result in results]
                record_dbt_tests(connection, loaded.study_id, context.run.run_id, records, MANIFEST)
            for table in requested:
                yield materialise(connection, *_asset_key(table).path)
            finish(context, loaded, connection, stamp)
        yield from _checks(context, requested, results)

    return half


def _tests(table: str) -> list[str]:
    tests = (child for child in MANIFEST["child_map"][table] if child.startswith("test."))
    return [test for test in tests if OF_THE_CODE not in NODES[test]["tags"]]


def _check_spec(table: str) -> dg.AssetCheckSpec:
    test_texts = "; ".join(map(_said, _tests(table)))
    return dg.AssetCheckSpec(
        CHECK, asset=_asset_key(table), description=f"dbt's tests: {test_texts}.", partitions_def=studies
    )


def _said(test: str) -> str:
    """What a test of dbt says: its name in words, and the columns that it says it of."""
    node = NODES[test]
    generic = node.get("test_metadata") or {"name": node["name"], "kwargs": {}}
    columns = ", ".join(generic["kwargs"].get("columns", [generic["kwargs"].get("value", "")]))
    return generic["name"].replace("_", " ") + (f" ({columns})" if columns else "")


def _checks(
    context: dg.AssetExecutionContext, tables: list[str], results: list[StepResult]
) -> Iterator[dg.AssetCheckResult]:
    """What the tests of each table said; one that fails a run has stopped it before."""
    by_test = {result.unique_id: result for result in results}
    for table in tables:
        if dg.AssetCheckKey(_asset_key(table), CHECK) in context.selected_asset_check_keys:
            ran = {NODES[test]["name"]: by_test[test] for test in _tests(table) if test in by_test}
            warned = {name: result.failures for name, result in ran.items() if result.status == WARN}
            yield dg.AssetCheckResult(
                asset_key=_asset_key(table),
                check_name=CHECK,
                passed=not warned,
                severity=dg.AssetCheckSeverity.WARN,
                metadata={
                    "n_tests": len(ran),
                    "rows_by_warning": warned,
                    "tests": {name: result.status for name, result in ran.items()},
                },
            )


with checks_of_studies():
    before_inference = _half("dbt_before_inference", COMPILED.before_inference)
    after_inference = _half("dbt_after_inference", COMPILED.after_inference)
