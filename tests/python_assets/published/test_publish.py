import multiprocessing
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from python_assets.errors import WarehouseError
from python_assets.published.publish import FinishedRun, publish
from python_assets.warehouse.build import Home
from tests.python_assets.published_runs import MARTS, contents, finished_run, publish_run, query, write_page

PROMPTS = """
    create table marts.prompts (
        study_id varchar not null, prompt_id varchar not null, unit_id varchar, unit_factor varchar,
        task varchar not null
    )
"""
OLD = "create table marts.prompts (study_id varchar not null, prompt_id varchar not null, unit_id varchar, "
WHOLE = {"publications", "current", "archive", "chain.jsonl", ".publish.lock", ".chain.lock"}

READER = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1], read_only=True)
count = "select count(*) from prompts"
print(connection.execute(count).fetchone()[0], flush=True)
sys.stdin.readline()
print(connection.execute(count).fetchone()[0], flush=True)
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "warehouse")


def with_prompts(study_id: str, *prompt_ids: str) -> list[str]:
    rows = ", ".join(f"('{study_id}', '{prompt_id}', null, null, 'question')" for prompt_id in prompt_ids)
    return [PROMPTS, f"insert into marts.prompts values {rows}"]


def publish_prompts(home: Home, study_id: str, *prompt_ids: str):
    return publish_run(home, "run", study_id, marts=with_prompts(study_id, *prompt_ids))


def published_prompts(home: Home) -> list[tuple]:
    return query(home, "select study_id, prompt_id from prompts order by all")


def test_marts_are_published_as_plain_nouns_and_as_parquet(home):
    done = publish_prompts(home, "one", "p1", "p2")
    assert done.n_rows["prompts"] == 2
    assert done.seconds > 0
    assert published_prompts(home) == [("one", "p1"), ("one", "p2")]
    parquet = f"select study_id, prompt_id from '{home.parquet / 'prompts.parquet'}' order by all"
    assert duckdb.sql(parquet).fetchall() == published_prompts(home)
    assert {path.stem for path in home.parquet.iterdir()} == set(MARTS)
    assert contents(home) == WHOLE


def test_published_file_has_the_storage_version_of_older_drivers(home):
    publish_run(home, "run")
    (tags,) = query(home, "select tags from duckdb_databases() where database_name = 'plumbline'")[0]
    assert tags["storage_version"].startswith("v1.0.0")


def test_declarations_and_comments_are_replayed_without_keys(home):
    publish_run(
        home,
        "run",
        marts=[
            "create table marts.items (study_id varchar not null, item_id varchar primary key, n bigint)",
            "comment on table marts.items is 'One row per item; it''s the grain.'",
            "comment on column marts.items.n is 'Größe \"n\"'",
        ],
    )
    columns = "column_name, data_type, is_nullable, comment from duckdb_columns() where table_name = 'items'"
    assert query(home, f"select {columns} order by column_index") == [
        ("study_id", "VARCHAR", False, None),
        ("item_id", "VARCHAR", False, None),
        ("n", "BIGINT", True, 'Größe "n"'),
    ]
    table = "select comment, has_primary_key from duckdb_tables() where table_name = 'items'"
    assert query(home, table) == [("One row per item; it's the grain.", False)]


def test_a_view_is_published_as_the_table_of_its_rows_now_with_its_comments(home):
    marts = [
        *with_prompts("one", "p1", "p2"),
        "create view marts.v_tasks as select study_id, count(*) as n from marts.prompts group by study_id",
        "comment on view marts.v_tasks is 'One row per (study_id).'",
        "comment on column marts.v_tasks.n is 'Prompts.'",
    ]
    assert publish_run(home, "run", marts=marts).n_rows["v_tasks"] == 1
    publish_prompts(home, "two", "q1")
    publish_run(home, "run", marts=marts)
    assert query(home, "from v_tasks") == [("one", 2)]
    assert duckdb.sql(f"from '{home.parquet / 'v_tasks.parquet'}'").fetchall() == [("one", 2)]
    told = "select table_name, comment from duckdb_tables() where table_name like 'v_%'"
    assert query(home, told) == [("v_tasks", "One row per (study_id).")]
    told = "select comment from duckdb_columns() where table_name = 'v_tasks' and column_name = 'n'"
    assert query(home, told) == [("Prompts.",)]


def test_a_study_replaces_its_own_rows_and_carries_over_those_of_others(home):
    publish_prompts(home, "one", "p1", "p2")
    publish_prompts(home, "two", "q1")
    publish_prompts(home, "one", "p3")
    assert published_prompts(home) == [("one", "p3"), ("two", "q1")]


def test_rows_of_an_earlier_version_get_null_for_new_columns_and_lose_old_ones(home):
    old = f"{OLD} unit_factor varchar, dropped integer)"
    publish_run(home, "run", "old", marts=[old, "insert into marts.prompts values ('old', 'p1', null, null, 7)"])
    publish_prompts(home, "new", "q1")
    assert query(home, "select study_id, prompt_id, task from prompts order by study_id") == [
        ("new", "q1", "question"),
        ("old", "p1", None),
    ]
    assert query(home, "select column_name from duckdb_columns() where column_name = 'dropped'") == []


def test_not_null_gives_way_to_rows_of_an_earlier_version_until_they_are_published_again(home):
    nullable = "select is_nullable from duckdb_columns() where table_name = 'prompts' and column_name = 'task'"
    old = f"{OLD} unit_factor varchar)"
    publish_run(home, "run", "old", marts=[old, "insert into marts.prompts values ('old', 'p1', null, null)"])
    publish_prompts(home, "new", "q1")
    assert query(home, nullable) == [(True,)]
    publish_prompts(home, "old", "p1")
    assert query(home, nullable) == [(False,)]


def test_a_mart_that_is_no_longer_made_leaves_with_its_parquet_file(home):
    publish_run(home, "run", marts=["create table marts.gone (study_id varchar)"])
    assert (home.parquet / "gone.parquet").is_file()
    publish_run(home, "run")
    assert {path.stem for path in home.parquet.iterdir()} == set(MARTS)


def test_quotes_and_unicode_in_folders_tables_columns_and_values(tmp_path):
    home = Home(tmp_path / 'l\'été "x" ☃')
    table = '''marts."it's ""größe"" ☃"'''
    create = f'create table {table} (study_id varchar not null, "a""b c" varchar, "select" double)'
    insert = f"insert into {table} values ('%s', 'O''Brien 😀', 1.5)"
    for study_id in ("one", "two", "one"):
        publish_run(home, "run", study_id, marts=[create, insert % study_id])
    rows = """select study_id, "a""b c", "select" from "it's ""größe"" ☃" order by all"""
    assert query(home, rows) == [("one", "O'Brien 😀", 1.5), ("two", "O'Brien 😀", 1.5)]
    assert (home.parquet / """it's "größe" ☃.parquet""").is_file()


def test_a_table_without_studies_is_replaced_whole(home):
    for study_id, reason in (("one", "a"), ("two", "b")):
        publish_run(home, "run", study_id, marts=[f"create table marts.reasons as select '{reason}' as reason"])
    assert query(home, "from reasons") == [("b",)]


def test_published_at_is_the_time_of_publishing(home):
    publish_run(home, "run")
    ((first,),) = query(home, "select published_at from studies")
    publish_run(home, "run")
    ((second,),) = query(home, "select published_at from studies")
    assert second > first
    assert first.year > 2000


def test_a_reader_that_holds_the_file_keeps_what_it_has_and_a_new_one_sees_the_new(home):
    publish_prompts(home, "one", "p1")
    arguments = [sys.executable, "-c", READER, str(home.published)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "1\n"
        for _ in range(4):  # more than the publications that stay
            publish_prompts(home, "one", "p1", "p2")
        after, _ = reader.communicate("go on\n")
    assert after == "1\n"
    assert len(published_prompts(home)) == 2


def publish_together(root: Path, run: FinishedRun, barrier) -> None:
    barrier.wait()
    for _ in range(3):
        publish(Home(root), run, write_page)


@pytest.mark.run
def test_processes_that_publish_at_once_lose_no_study(home):
    runs = [finished_run(home, "run", study, marts=with_prompts(study, "p1", "p2")) for study in ("one", "two")]
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(len(runs))
    processes = [context.Process(target=publish_together, args=(home.root, run, barrier)) for run in runs]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert published_prompts(home) == [("one", "p1"), ("one", "p2"), ("two", "p1"), ("two", "p2")]
    assert {path.name for path in (home.root / "report").iterdir()} == {"one.html", "two.html"}
    assert contents(home) == WHOLE


def test_a_publish_that_fails_leaves_what_readers_see_and_nothing_unfinished(home, refused):
    publish_prompts(home, "one", "p1")
    before = home.current.readlink()
    create = f"{OLD} unit_factor varchar, task integer)".replace("prompt_id varchar", "prompt_id bigint")
    with refused(WarehouseError, "the published table prompts"):
        publish_run(home, "run", "two", marts=[create, "insert into marts.prompts values ('two', 1, null, null, 1)"])
    assert home.current.readlink() == before
    assert [path.name for path in home.publications.iterdir()] == [before.name]
    assert contents(home) == WHOLE


def test_a_report_that_cannot_be_written_publishes_nothing(home):
    publish_run(home, "first")

    def fails(published, study_id, path):
        raise WarehouseError(path, "no page")

    with pytest.raises(WarehouseError, match="no page"):
        publish(home, finished_run(home, "second"), fails)
    assert query(home, "select run_id from runs") == [("first",)]
    assert [path.name for path in home.archives("one").iterdir()] == ["first"]


def test_a_folder_that_cannot_be_written_names_the_remedy(home, refused):
    run = finished_run(home, "run")
    home.publications.write_text("a file where the folder should be")
    with refused(WarehouseError, "the file"):
        publish(home, run, write_page)


def test_a_damaged_published_database_is_named_and_the_one_before_it_is_a_folder_away(home, snapshot):
    publish_run(home, "first")
    publish_run(home, "second")
    folder = home.current.resolve()
    home.published.resolve().write_bytes(b"not a database" * 1000)
    with pytest.raises(WarehouseError) as raised:
        publish_run(home, "third")
    assert raised.value.where == (folder / "plumbline.duckdb",)
    assert raised.value.remedy == snapshot
    folder.rename(home.root / "damaged")
    publish_run(home, "third")
    assert query(home, "select run_id from runs order by published_at") == [("first",), ("second",), ("third",)]


@pytest.mark.parametrize("made", [False, True])
def test_a_study_that_was_not_run_is_told_to_run(home, made, refused):
    path = home.build("one")
    if made:
        path.parent.mkdir(parents=True)
        with duckdb.connect(str(path)) as connection:
            connection.execute("create schema marts")
    with refused(WarehouseError, "the file"):
        publish(home, FinishedRun("one", path, home.root / "one.yml", 12), write_page)
