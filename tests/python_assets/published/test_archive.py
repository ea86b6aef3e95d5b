import re
import shutil
from pathlib import Path

import duckdb
import pytest

from python_assets.errors import WarehouseError
from python_assets.published.archived import archived_run, archived_runs
from python_assets.published.manifest import read_manifest
from python_assets.published.publish import publish
from python_assets.warehouse.build import Home
from python_assets.warehouse.file_hashes import sha256_of_file
from tests.python_assets.published_runs import finished_run, publish_run, query, write_page

RUNS = "select run_id, archive_path, archive_removed_at is not null from runs order by published_at"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "warehouse")


def test_publications_has_a_row_of_every_run_and_the_other_tables_the_latest(home):
    for run_id in ("first", "second", "second"):
        publish_run(home, run_id)
    publish_run(home, "other", "two")
    assert query(home, "select study_id, run_id from runs order by published_at") == [
        ("one", "first"),
        ("one", "second"),
        ("two", "other"),
    ]
    assert query(home, "select response_text from responses order by 1") == [("other",), ("second",)]
    same = "select count(*) from runs join studies using (study_id, run_id, published_at)"
    assert query(home, same) == [(2,)]


def test_a_run_is_kept_with_its_marts_its_report_and_its_study_file(home):
    publish_run(home, "other", "two")
    done = publish_run(home, "first")
    assert done.archive == home.root / "archive" / "one" / "first"
    assert (done.archive / "report.html").read_text() == f"report of first in {done.publication_id}"
    assert (done.archive / "one.yml").read_text() == "# as first ran it\n"
    manifest = read_manifest(done.archive / "manifest.json", "path")
    assert (manifest.stage, manifest.run_id, manifest.system_factors) == (
        "archive",
        "first",
        {"g": {"wave": "2026-11"}},
    )
    assert {file.name for file in manifest.files} == {f"{path.name}" for path in (done.archive / "marts").iterdir()}
    for file in manifest.files:
        path = done.archive / "marts" / file.name
        assert sha256_of_file(path) == file.sha256
        assert duckdb.sql(f"select distinct study_id from '{path}'").fetchall() in ([("one",)], [])
    assert query(home, RUNS)[-1] == ("first", "archive/one/first", False)
    parquet = f"select archive_path from '{home.parquet / 'runs.parquet'}' where run_id = 'first'"
    assert duckdb.sql(parquet).fetchall() == [("archive/one/first",)]


def test_the_oldest_runs_beyond_keep_are_removed_and_publications_says_so(home):
    publish_run(home, "elsewhere", study_id="two")
    for run_id in ("a", "b"):
        publish_run(home, run_id, keep=2)
    done = publish_run(home, "c", keep=2)
    assert (done.kept, done.removed) == (["c", "b"], ["a"])
    assert sorted(path.name for path in home.archives("one").iterdir()) == ["b", "c"]
    assert query(home, RUNS) == [
        ("elsewhere", "archive/two/elsewhere", False),
        ("a", None, True),
        ("b", "archive/one/b", False),
        ("c", "archive/one/c", False),
    ]


def test_a_run_that_is_published_again_replaces_its_folder(home):
    publish_run(home, "a")
    (home.archives("one") / "a" / "left.txt").write_text("of before")
    publish_run(home, "a")
    assert not (home.archives("one") / "a" / "left.txt").exists()
    assert query(home, RUNS) == [("a", "archive/one/a", False)]


def test_an_archive_that_cannot_be_written_leaves_what_was_published(home):
    publish_run(home, "a")
    run = finished_run(home, "b")
    run.study_file.unlink()  # so that it stops after the marts
    with pytest.raises(WarehouseError, match="No such file") as raised:
        publish(home, run, write_page)
    assert raised.value.where == (home.root,)
    assert [path.name for path in home.archives("one").iterdir()] == ["a"]
    assert query(home, RUNS) == [("a", "archive/one/a", False)]
    assert query(home, "select response_text from responses") == [("a",)]
    publish_run(home, "b")
    assert sorted(path.name for path in home.archives("one").iterdir()) == ["a", "b"]


def test_a_folder_that_was_being_written_when_the_process_ended_is_no_run(home):
    publish_run(home, "a")
    shutil.copytree(home.archives("one") / "a", home.archives("one") / "half.publishing")
    (home.archives("one") / "a.publishing").mkdir()  # of the same run, published again
    assert [run.run_id for run in archived_runs(home, "one")] == ["a"]
    publish_run(home, "b")
    assert sorted(path.name for path in home.archives("one").iterdir()) == ["a", "b"]


def test_kept_runs_come_back_into_a_database_that_is_made_anew(home):
    publish_run(home, "a")
    shutil.rmtree(home.publications)
    publish_run(home, "b")
    assert query(home, RUNS) == [("a", "archive/one/a", False), ("b", "archive/one/b", False)]


def test_a_run_is_found_by_the_beginning_of_its_name(home, snapshot):
    for run_id in ("abc-1", "abd-2"):
        publish_run(home, run_id)
    assert archived_run(home, "one", "abc").run_id == "abc-1"
    with pytest.raises(WarehouseError) as raised:
        archived_run(home, "one", "ab")
    assert re.sub(r"\d{4}-\S+ \d\d:\d\d", "TIME", str(raised.value)) == snapshot


def test_a_run_that_is_not_kept_is_told_with_those_that_are(home, refused):
    with refused(WarehouseError, "the kept runs of one"):
        archived_run(home, "one", "a")
    publish_run(home, "7f3a-0001")
    with pytest.raises(WarehouseError) as raised:
        archived_run(home, "one", "7f3b-0001")
    error = raised.value
    assert (error.got, error.remedy) == ("'7f3b-0001'", "did you mean 7f3a-0001?")
    assert error.expected.startswith("one of '7f3a-0001 of 20")
