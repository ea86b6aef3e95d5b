"""Runs of a small study as build files with every mart that publishing reads, and pages in the place of reports."""

import json
from pathlib import Path

import duckdb

from python_assets.published.publish import FinishedRun, Published, publish
from python_assets.warehouse.build import Home

CONFIG = {"prompts": {"templates": {"texts": [{"id": "t", "text": "A"}]}}}
MARTS = {
    "studies": "select '{study}' as study_id, 'T' as title, '{config}' as config_json, 'abc' as config_sha256, "
    "'0.1.0' as plumbline_version, '{run}' as run_id, null::timestamp as published_at",
    "runs": "select '{study}' as study_id, '{run}' as run_id, null::timestamp as published_at, "
    "null::varchar as publication_id, 'abc' as config_sha256, '0.1.0' as plumbline_version, '[]' as systems_json, "
    "'[]' as scorers_json, null::varchar as archive_path, null::timestamp as archive_removed_at",
    "documents": "select '{study}' as study_id, '' as document_id, '' as licence where false",
    "factors": "select '{study}' as study_id, 'gender' as factor, 'domain' as type, 'man' as reference_level, "
    "'declared' as origin, null::varchar as rule",
    "prompts": "select '{study}' as study_id, 'p' as prompt_id, 'p' as unit_id, null::varchar as unit_factor",
    "prompt_factors": "select '{study}' as study_id, 'p' as prompt_id, 'gender' as factor, 'man' as level",
    "systems": "select '{study}' as study_id, 'g' as system_id",
    "system_factors": "select '{study}' as study_id, 'g' as system_id, 'wave' as factor, '2026-11' as level",
    "measures": "select '{study}' as study_id, 'vader' as measure_id, 'continuous' as kind, 'score' as unit, "
    "-1.0::double as scale_low, 1.0::double as scale_high, 'higher_better' as direction, "
    "null::varchar as favourable, '' as segment_factor",
    "responses": "select '{study}' as study_id, 'p' as prompt_id, '{run}' as response_text",
    "reasons": "select 'of no study' as reason",
}


def finished_run(home: Home, run_id: str, study_id: str = "one", **told) -> FinishedRun:
    """A run that can be published.

    told: keep; spent; config, what the study file says; marts, statements that make some marts otherwise or further
    ones.
    """
    path = home.build(study_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    config = json.dumps(told.get("config", CONFIG))
    with duckdb.connect(str(path)) as connection:
        connection.execute("create schema marts")
        for statement in told.get("marts", ()):
            connection.execute(statement)
        made = {name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()}
        for name, query in MARTS.items():
            if name not in made:
                rows = query.format(study=study_id, run=run_id, config=config)
                connection.execute(f"create table marts.{name} as {rows}")
    study_file = home.root.parent / f"{study_id}.yml"
    study_file.write_text(f"# as {run_id} ran it\n")
    return FinishedRun(study_id, path, study_file, told.get("keep", 12), told.get("spent", {}))


def write_page(published: Path, study_id: str, page: Path) -> str:
    """The page of a study: which run it is of, and the publication that it was written in."""
    with duckdb.connect(str(published), read_only=True) as connection:
        query = "select run_id, publication_id from runs where study_id = ? order by published_at"
        run_id, publication_id = connection.execute(query, [study_id]).fetchall()[-1]
    page.parent.mkdir(exist_ok=True)
    page.write_text(f"report of {run_id} in {publication_id}")
    return run_id


def publish_run(home: Home, run_id: str, study_id: str = "one", **told) -> Published[str]:
    """Publish such a run."""
    return publish(home, finished_run(home, run_id, study_id, **told), write_page)


def query(home: Home, statement: str) -> list[tuple]:
    """The rows of a query of what is published."""
    with duckdb.connect(str(home.published.resolve()), read_only=True) as connection:
        return connection.execute(statement).fetchall()


def contents(home: Home) -> set[str]:
    """The names in a warehouse, less what its runs are made of and links of readers."""
    return {path.name for path in home.root.iterdir()} - {"build", "plumbline.duckdb", "parquet", "report"}
