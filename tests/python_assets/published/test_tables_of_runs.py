"""Tables that hold rows of every run, the views that read them, and what a gate adds to them."""

import shutil
from datetime import datetime
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from python_assets.published.keep_changes import keep_changes
from python_assets.published.verify import verify
from python_assets.warehouse.build import Home
from tests.python_assets.published.test_publication import publication_ids
from tests.python_assets.published_runs import publish_run, query, write_page

FINDINGS = "select run_id, size from run_findings order by size"
HISTORY = "select run_id, size, size_before from v_history order by size"
CHANGES = "select run_id, against_run_id, group_id, change from run_changes order by all"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "warehouse")


def publish_sizes(home: Home, run_id: str, size: float, study_id: str = "one", **told):
    """Publish a run with one question of this size; the view over all runs has what it was in the run before."""
    return publish_run(
        home,
        run_id,
        study_id,
        marts=[
            f"create table marts.run_findings as select '{study_id}' as study_id, '{run_id}' as run_id, "
            f"{size}::double as size",
            "create table marts.run_changes (study_id varchar not null, run_id varchar, against_run_id varchar, "
            "group_id varchar not null, compared_at timestamp not null, change double, reason varchar)",
            "create view marts.v_history as with run_findings as (from marts.run_findings) select *, lag(size) over "
            "(partition by study_id order by size) as size_before from run_findings",
            "comment on view marts.v_history is 'One row per (study_id, run_id).'",
            "comment on column marts.v_history.size_before is 'In the run before.'",
            "create view marts.v_changed_since as from marts.v_history where size_before is not null",
        ],
        **told,
    )


def test_every_run_has_rows_and_a_view_reads_those_of_all(home):
    for number, run_id in enumerate(("a", "b", "c")):
        publish_sizes(home, run_id, number)
    publish_sizes(home, "elsewhere", 7, "two")
    assert query(home, FINDINGS) == [("a", 0), ("b", 1), ("c", 2), ("elsewhere", 7)]
    assert query(home, HISTORY) == [("a", 0, None), ("b", 1, 0), ("c", 2, 1), ("elsewhere", 7, None)]
    assert query(home, "select count(*) from v_changed_since") == [(2,)]
    assert query(home, "select response_text from responses order by 1") == [("c",), ("elsewhere",)]
    told = "select view_name, comment from duckdb_views() where not internal order by 1"
    assert query(home, told) == [("v_changed_since", None), ("v_history", "One row per (study_id, run_id).")]
    told = "select comment from duckdb_columns() where table_name = 'v_history' and column_name = 'size_before'"
    assert query(home, told) == [("In the run before.",)]


def test_parquet_files_have_the_rows_of_views_too_and_an_archive_those_of_its_run(home):
    for number, run_id in enumerate(("a", "b")):
        publish_sizes(home, run_id, number)
    for name in ("run_findings", "v_history", "v_changed_since"):
        rows = duckdb.sql(f"from '{home.parquet / f'{name}.parquet'}'").fetchall()
        assert sorted(rows, key=str) == sorted(query(home, f"from {name}"), key=str)
    for run_id in ("a", "b"):
        marts = home.archives("one") / run_id / "marts"
        assert duckdb.sql(f"select run_id from '{marts / 'run_findings.parquet'}'").fetchall() == [(run_id,)]
        assert not (marts / "v_history.parquet").exists()


def test_a_view_is_read_where_the_database_is_attached_under_another_name(home):
    publish_sizes(home, "a", 1)
    with duckdb.connect() as connection:
        connection.execute(f"attach '{home.published.resolve()}' as theirs (read_only)")
        assert connection.execute("select size from theirs.v_history").fetchall() == [(1,)]


def test_a_run_of_before_the_tables_has_no_rows_and_those_after_it_do(home):
    publish_run(home, "old")
    publish_run(home, "of another", "two")
    publish_sizes(home, "a", 1)
    publish_sizes(home, "b", 2)
    assert query(home, "select run_id from runs where study_id = 'one' order by published_at") == [
        ("old",),
        ("a",),
        ("b",),
    ]
    assert query(home, FINDINGS) == [("a", 1), ("b", 2)]


def test_a_run_that_is_published_again_has_its_latest_rows(home):
    publish_sizes(home, "a", 1)
    publish_sizes(home, "b", 2)
    publish_sizes(home, "b", 3)
    assert query(home, FINDINGS) == [("a", 1), ("b", 3)]


def test_rows_outlive_the_folder_of_a_run_and_come_back_from_those_that_are_kept(home):
    for number, run_id in enumerate(("a", "b", "c")):
        publish_sizes(home, run_id, number, keep=2)
    assert query(home, FINDINGS) == [("a", 0), ("b", 1), ("c", 2)]
    shutil.rmtree(home.publications)
    publish_sizes(home, "d", 3, keep=3)
    assert query(home, FINDINGS) == [("b", 1), ("c", 2), ("d", 3)]
    assert query(home, HISTORY)[-1] == ("d", 3, 2)


def changes(*groups: tuple[str, float | None]) -> pd.DataFrame:
    rows = [
        (group, datetime(2026, 11, 2), size, None if size is not None else "scorer_changed") for group, size in groups
    ]
    return pd.DataFrame(rows, columns=["group_id", "compared_at", "change", "reason"]).astype({"change": float})


@pytest.fixture
def gated(home):
    """Runs a and b, which the gate compared, beside another study."""
    publish_sizes(home, "a", 1)
    publish_sizes(home, "elsewhere", 7, "two")
    publish_sizes(home, "b", 2)
    assert keep_changes(home, "one", ("b", "a"), changes(("man", 0.5), ("woman", None)), write_page)
    return home


def test_what_a_gate_compared_is_published_and_nothing_else_is_changed(gated):
    assert query(gated, CHANGES) == [("b", "a", "man", 0.5), ("b", "a", "woman", None)]
    assert query(gated, "select reason from run_changes order by group_id") == [(None,), ("scorer_changed",)]
    assert query(gated, FINDINGS) == [("a", 1), ("b", 2), ("elsewhere", 7)]
    assert query(gated, HISTORY) == [("a", 1, None), ("b", 2, 1), ("elsewhere", 7, None)]
    assert gated.report("two").read_text().startswith("report of elsewhere")
    assert [path.name for path in sorted(gated.archives("one").iterdir())] == ["a", "b"]


def test_the_publication_of_a_gate_is_one_like_the_others(gated):
    current = gated.current.resolve()
    assert current.name.endswith("-gate")
    assert publication_ids(current, "one") == {current.name}
    assert verify(gated).faults == []
    assert (gated.archives("one") / "b" / "report.html").read_text() != gated.report("one").read_text()


def test_a_gate_that_is_asked_again_replaces_what_it_found_and_nothing_of_gates_against_others(gated):
    keep_changes(gated, "one", ("b", "earlier"), changes(("man", 0.125)), write_page)
    keep_changes(gated, "one", ("b", "a"), changes(("man", 0.25)), write_page)
    assert query(gated, CHANGES) == [("b", "a", "man", 0.25), ("b", "earlier", "man", 0.125)]


def test_changes_stay_when_another_run_is_published_and_go_when_theirs_is_published_again(gated):
    publish_sizes(gated, "c", 3)
    assert [row[:2] for row in query(gated, CHANGES)] == [("b", "a")] * 2
    publish_sizes(gated, "elsewhere", 7, "two")
    assert len(query(gated, CHANGES)) == 2
    publish_sizes(gated, "b", 2)
    assert query(gated, CHANGES) == []


def test_a_warehouse_without_the_table_or_the_run_is_left_as_it_is(home):
    assert not keep_changes(home, "one", ("b", "a"), changes(("man", 0.5)), write_page)
    publish_run(home, "b")
    before = home.current.readlink()
    assert not keep_changes(home, "one", ("b", "a"), changes(("man", 0.5)), write_page)
    publish_sizes(home, "c", 1)
    assert not keep_changes(home, "one", ("gone", "a"), changes(("man", 0.5)), write_page)
    assert home.current.readlink() != before
    assert query(home, CHANGES) == []
