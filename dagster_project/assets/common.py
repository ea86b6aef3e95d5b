"""What every asset of a study shares: its partitions, its metadata and the specification of a raw table."""

import json
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from time import perf_counter
from typing import Any

import dagster as dg
import duckdb

from dagster_project.columns import column_schema
from dagster_project.partitions import studies, study_file
from dagster_project.progress import progress_of
from dagster_project.resources import WarehouseResource
from python_assets.errors import StudyError
from python_assets.warehouse.run_context import CallAllowance, RunContext
from python_assets.warehouse.workers import THIS_PROCESS, Workers

RAW_DESIGN = (
    "factors",
    "factor_levels",
    "slices",
    "slice_ids",
    "groupings",
    "grouping_references",
    "contrasts",
    "coverage_sets",
    "coverage_sizes",
    "impossible_cells",
    "subgroup_sets",
    "subgroup_ideals",
    "regressions",
    "regression_sets",
    "measure_slices",
    "statistics",
    "custom_disparities",
)
CODE_VERSION = version("plumbline")
CONFIRM_TAG = "confirm"  # of a run: whoever started it knows how much it asks
LOOK_TAG = "plumbline/look"  # of a run: which look at a study that declares looks; the next one without it
MOST_UNCONFIRMED_CALLS = 1_000
NO_TEXTS = "No rows are shown of a study that hides its texts (report: hide_texts)."
PREVIEW_ROWS = 5
PREVIEW_CHARACTERS = 120


def raw_table(
    table: str, group: str, grain: str, deps: list[str] | None = None, kinds: tuple[str, ...] = ()
) -> dg.AssetSpec:
    """The asset of a raw table: its key, its group and what one row of it is."""
    return dg.AssetSpec(
        key=["raw", table],
        group_name=group,
        description=f"One row per {grain}. Rejected records are in raw.quarantine.",
        deps=[study_file, *(dg.AssetKey(["raw", name]) for name in deps or [])],
        kinds={"python", "duckdb", *kinds},
        metadata=column_schema("raw", table),
        partitions_def=studies,
        code_version=CODE_VERSION,
    )


def run_context(
    context: dg.AssetExecutionContext, warehouse: WarehouseResource, workers: Workers = THIS_PROCESS
) -> RunContext:
    """What a stage may reach beyond its build file."""
    run = context.run
    allowance = _allowance(run.run_id, CONFIRM_TAG in run.tags)
    return RunContext(warehouse.home, progress_of(context), allowance=allowance, workers=workers)


def wanted_look(context: dg.AssetExecutionContext) -> int | None:
    """The look that whoever started the run asked for; None where the run does not say.

    Raises:
        StudyError: the tag is no number.
    """
    tag = context.run.tags.get(LOOK_TAG)
    if tag is not None and not tag.isdecimal():
        raise StudyError(f"tag {LOOK_TAG}", tag, "the number of a look", "correct it, or remove the tag")
    return None if tag is None else int(tag)


@cache
def _allowance(_run_id: str, is_confirmed: bool) -> CallAllowance:
    """One for all stages of a run, which runs in one process."""
    return CallAllowance(None if is_confirmed else MOST_UNCONFIRMED_CALLS)


def timed(stage: Callable[..., Any], *arguments: Any, **options: Any) -> dict[str, Any]:
    """Call a stage; what it counted, by name, and the seconds it took."""
    started = perf_counter()
    counts = stage(*arguments, **options)
    return {**(counts if isinstance(counts, dict) else counts._asdict()), "seconds": perf_counter() - started}


def materialise(connection: duckdb.DuckDBPyConnection, schema: str, table: str, **counts: Any) -> dg.MaterializeResult:
    """The result of one table: its rows, its first rows, and what the stage counted.

    Of a study that hides its texts numbers alone.
    """
    is_hidden = hides_texts(connection)
    if is_hidden:
        counts = {name: value for name, value in counts.items() if isinstance(value, int | float)}
    relation = f'{schema}."{table}"'
    return dg.MaterializeResult(
        asset_key=[schema, table],
        metadata={
            # where no .yml lists them
            **({} if column_schema(schema, table) else _columns_found(connection, relation)),
            "dagster/row_count": connection.execute(f"select count(*) from {relation}").fetchall()[0][0],
            "preview": dg.MetadataValue.md(NO_TEXTS if is_hidden else _preview(connection, relation)),
            **{name: _metadata_value(value) for name, value in counts.items()},
        },
    )


def hides_texts(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether the study of a build file asks for its texts to be hidden."""
    from python_assets.published.hidden_texts import asks_to_hide

    written = connection.execute("select config_json from raw.studies").fetchall()
    return any(asks_to_hide(json.loads(config)) for (config,) in written)


def _columns_found(connection: duckdb.DuckDBPyConnection, relation: str) -> dict[str, Any]:
    columns = connection.execute(f"describe {relation}").fetchall()
    schema = dg.TableSchema([dg.TableColumn(name=name, type=kind.lower()) for name, kind, *_ in columns])
    return {"dagster/column_schema": schema}


def _preview(connection: duckdb.DuckDBPyConnection, relation: str) -> str:
    cursor = connection.execute(f"select * from {relation} limit {PREVIEW_ROWS}")
    names = [column[0] for column in cursor.description or []]
    rows = [[_cell(value) for value in row] for row in cursor.fetchall()]
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)[:PREVIEW_CHARACTERS]
    # what a page or a model says must stay text in the UI
    for character, written in (("\\", "\\\\"), ("|", "\\|"), ("<", "&lt;"), ("\n", " "), ("`", "\\`"), ("[", "\\[")):
        text = text.replace(character, written)
    return text


def _metadata_value(value: Any) -> Any:
    if isinstance(value, float):
        return dg.MetadataValue.float(round(value, 3))
    if isinstance(value, dict | list | tuple):
        return dg.MetadataValue.json(value)
    return value
