import json
from pathlib import Path

import duckdb
import pytest

from python_assets.errors import WarehouseError
from python_assets.published.archive import archive_study
from python_assets.published.archived import archived_run, archived_runs
from python_assets.published.manifest import read_manifest, sha256_of_file
from python_assets.published.publish import publish
from python_assets.warehouse.build import Home

MARTS = """
    create table marts.studies as select '{study}' as study_id, 'T' as title, '{config}' as config_json,
        'abc' as config_sha256, '0.1.0' as plumbline_version, '{run}' as run_id,
        null::timestamp as published_at;
    create table marts.publications as select study_id, run_id, published_at, config_sha256,
        plumbline_version, '[]' as generations_json, '[]' as extractors_json, null::varchar as archive_path,
        null::timestamp as archive_removed_at from marts.studies;
    create table marts.documents (study_id varchar, document_id varchar, licence varchar);
    create table marts.factors as select '{study}' as study_id, 'gender' as factor, 'domain' as type,
        'man' as reference_level, 'declared' as origin, null::varchar as rule;
    create table marts.prompts as select '{study}' as study_id, 'p' as prompt_id, 'p' as unit_id,
        null::varchar as unit_factor;
    create table marts.prompt_factors as select '{study}' as study_id, 'p' as prompt_id, 'gender' as factor,
        'man' as level;
    create table marts.generations as select '{study}' as study_id, 'g' as generation_id;
    create table marts.generation_factors as select '{study}' as study_id, 'g' as generation_id,
        'wave' as factor, '2026-11' as level;
    create table marts.measures as select '{study}' as study_id, 'vader' as measure_id;
    create table marts.responses as select '{study}' as study_id, 'p' as prompt_id, '{run}' as response_text;
    create table marts.reasons as select 'of no study' as reason;
"""
CONFIG = json.dumps({"prompts": {"templates": {"texts": [{"id": "t", "text": "A"}]}}})
PUBLICATIONS = "select run_id, archive_path, archive_removed_at is not null from publications order by published_at"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "warehouse")


def publish_run(home: Home, run_id: str, study_id: str = "one") -> Path:
    """Publish a run of a study with its report; returns the study file."""
    path = home.build(study_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute("create schema marts")
        connection.execute(MARTS.format(study=study_id, run=run_id, config=CONFIG))
    publish(path, home, study_id)
    home.report(study_id).parent.mkdir(exist_ok=True)
    home.report(study_id).write_text(f"report of {run_id}")
    study_file = home.root.parent / f"{study_id}.yml"
    study_file.write_text(f"# as {run_id} ran it\n")
    return study_file


def keep_run(home: Home, run_id: str, keep: int = 12, study_id: str = "one"):
    return archive_study(home, study_id, publish_run(home, run_id, study_id), keep)


def query(home: Home, statement: str) -> list[tuple]:
    with duckdb.connect(str(home.published), read_only=True) as connection:
        return connection.execute(statement).fetchall()


def test_publications_has_a_row_of_every_run_and_the_other_tables_the_latest(home):
    for run_id in ("first", "second", "second"):
        publish_run(home, run_id)
    publish_run(home, "other", "two")
    assert query(home, "select study_id, run_id from publications order by published_at") == [
        ("one", "first"),
        ("one", "second"),
        ("two", "other"),
    ]
    assert query(home, "select response_text from responses order by 1") == [("other",), ("second",)]
    same = "select count(*) from publications join studies using (study_id, run_id, published_at)"
    assert query(home, same) == [(2,)]


def test_a_run_is_kept_with_its_marts_its_report_and_its_study_file(home):
    publish_run(home, "other", "two")
    done = keep_run(home, "first")
    assert done.folder == home.root / "archive" / "one" / "first"
    assert (done.folder / "report.html").read_text() == "report of first"
    assert (done.folder / "one.yml").read_text() == "# as first ran it\n"
    manifest = read_manifest(done.folder / "manifest.json", "path")
    assert (manifest.stage, manifest.run_id, manifest.generation_factors) == (
        "archive",
        "first",
        {"g": {"wave": "2026-11"}},
    )
    assert {file.name for file in manifest.files} == {f"{path.name}" for path in (done.folder / "marts").iterdir()}
    for file in manifest.files:
        path = done.folder / "marts" / file.name
        assert sha256_of_file(path) == file.sha256
        assert duckdb.sql(f"select distinct study_id from '{path}'").fetchall() in ([("one",)], [])
    assert query(home, PUBLICATIONS)[-1] == ("first", "archive/one/first", False)
    parquet = f"select archive_path from '{home.parquet / 'publications.parquet'}' where run_id = 'first'"
    assert duckdb.sql(parquet).fetchall() == [("archive/one/first",)]


def test_the_oldest_runs_beyond_keep_are_removed_and_publications_says_so(home):
    keep_run(home, "elsewhere", study_id="two")
    for run_id in ("a", "b"):
        keep_run(home, run_id, keep=2)
    done = keep_run(home, "c", keep=2)
    assert (done.kept, done.removed) == (["c", "b"], ["a"])
    assert sorted(path.name for path in home.archives("one").iterdir()) == ["b", "c"]
    assert query(home, PUBLICATIONS) == [
        ("elsewhere", "archive/two/elsewhere", False),
        ("a", None, True),
        ("b", "archive/one/b", False),
        ("c", "archive/one/c", False),
    ]


def test_keep_0_keeps_none(home):
    keep_run(home, "a")
    done = keep_run(home, "b", keep=0)
    assert (done.folder, done.kept, done.removed) == (None, [], ["a"])
    assert query(home, PUBLICATIONS) == [("a", None, True), ("b", None, False)]


def test_a_run_that_is_published_again_replaces_its_folder(home):
    keep_run(home, "a")
    (home.archives("one") / "a" / "left.txt").write_text("of before")
    keep_run(home, "a")
    assert not (home.archives("one") / "a" / "left.txt").exists()
    assert query(home, PUBLICATIONS) == [("a", "archive/one/a", False)]


def test_an_interrupted_archive_is_not_left_by_half(home, refused):
    keep_run(home, "a")
    study_file = publish_run(home, "b")
    home.report("one").unlink()  # so that it stops after the study file
    with refused(WarehouseError, "the file"):
        archive_study(home, "one", study_file, 12)
    assert [run.run_id for run in archived_runs(home, "one")] == ["a"]
    assert query(home, PUBLICATIONS)[-1] == ("b", None, False)
    keep_run(home, "b")
    assert sorted(path.name for path in home.archives("one").iterdir()) == ["a", "b"]


def test_a_folder_that_was_being_written_when_the_process_ended_is_no_run(home):
    keep_run(home, "a")
    (home.archives("one") / "a").rename(home.archives("one") / "a.publishing")
    assert archived_runs(home, "one") == []
    keep_run(home, "b")
    assert [path.name for path in home.archives("one").iterdir()] == ["b"]


def test_kept_runs_come_back_into_a_database_that_is_made_anew(home):
    keep_run(home, "a")
    home.published.unlink()
    keep_run(home, "b")
    assert query(home, PUBLICATIONS) == [("a", "archive/one/a", False), ("b", "archive/one/b", False)]


def test_a_run_is_found_by_the_beginning_of_its_name(home):
    for run_id in ("abc-1", "abd-2"):
        keep_run(home, run_id)
    assert archived_run(home, "one", "abc").run_id == "abc-1"
    with pytest.raises(WarehouseError) as raised:
        archived_run(home, "one", "ab")
    assert raised.value.got.startswith("'ab', which begins 2 runs: 'abd-2 of ")


def test_a_run_that_is_not_kept_is_told_with_those_that_are(home, refused):
    with refused(WarehouseError, "the kept runs of one"):
        archived_run(home, "one", "a")
    keep_run(home, "7f3a-0001")
    with pytest.raises(WarehouseError) as raised:
        archived_run(home, "one", "7f3b-0001")
    error = raised.value
    assert (error.got, error.remedy) == ("'7f3b-0001'", "did you mean 7f3a-0001?")
    assert error.expected.startswith("one of '7f3a-0001 of 20")
