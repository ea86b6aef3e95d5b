import multiprocessing
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from python_assets.errors import WarehouseError
from python_assets.published.publish import publish
from python_assets.warehouse.build import Home

STUDIES = "create table marts.studies (study_id varchar not null, title varchar, published_at timestamp)"
PROMPTS = """
    create table marts.prompts (study_id varchar not null, prompt_id varchar not null, task varchar not null)
"""

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


def build(home: Home, study_id: str, *statements: str) -> Path:
    path = home.build(study_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute("create schema marts")
        for statement in statements:
            connection.execute(statement)
    return path


def build_prompts(home: Home, study_id: str, *prompt_ids: str) -> Path:
    rows = ", ".join(f"('{study_id}', '{prompt_id}', 'question')" for prompt_id in prompt_ids)
    return build(home, study_id, PROMPTS, f"insert into marts.prompts values {rows}")


def query(path: Path, statement: str) -> list[tuple]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(statement).fetchall()


def published_prompts(home: Home) -> list[tuple]:
    return query(home.published, "select study_id, prompt_id from prompts order by all")


def files(home: Home) -> set[str]:
    return {path.name for path in [*home.root.iterdir(), *home.parquet.iterdir()] if path.is_file()}


def test_marts_are_published_as_plain_nouns_and_as_parquet(home):
    done = publish(build_prompts(home, "one", "p1", "p2"), home, "one")
    assert done.path == home.published
    assert done.n_rows == {"prompts": 2}
    assert done.seconds > 0
    assert published_prompts(home) == [("one", "p1"), ("one", "p2")]
    parquet = f"select study_id, prompt_id from '{home.parquet / 'prompts.parquet'}' order by all"
    assert duckdb.sql(parquet).fetchall() == published_prompts(home)
    assert files(home) == {".publish.lock", "plumbline.duckdb", "prompts.parquet"}


def test_published_file_has_the_storage_version_of_older_drivers(home):
    publish(build_prompts(home, "one", "p1"), home, "one")
    (tags,) = query(home.published, "select tags from duckdb_databases() where database_name = 'plumbline'")[0]
    assert tags["storage_version"].startswith("v1.0.0")


def test_declarations_and_comments_are_replayed_without_keys(home):
    path = build(
        home,
        "one",
        "create table marts.prompts (study_id varchar not null, prompt_id varchar primary key, n bigint)",
        "comment on table marts.prompts is 'One row per prompt; it''s the grain.'",
        "comment on column marts.prompts.n is 'Größe \"n\"'",
    )
    publish(path, home, "one")
    columns = "column_name, data_type, is_nullable, comment from duckdb_columns() where not internal"
    assert query(home.published, f"select {columns} order by column_index") == [
        ("study_id", "VARCHAR", False, None),
        ("prompt_id", "VARCHAR", False, None),
        ("n", "BIGINT", True, 'Größe "n"'),
    ]
    table = "select comment, has_primary_key from duckdb_tables() where not internal"
    assert query(home.published, table) == [("One row per prompt; it's the grain.", False)]


def test_a_view_is_published_as_the_table_of_its_rows_now_with_its_comments(home):
    path = build(
        home,
        "one",
        PROMPTS,
        "create view marts.v_tasks as select study_id, count(*) as n from marts.prompts group by study_id",
        "comment on view marts.v_tasks is 'One row per (study_id).'",
        "comment on column marts.v_tasks.n is 'Prompts.'",
        "insert into marts.prompts values ('one', 'p1', 'question'), ('one', 'p2', 'question')",
    )
    assert publish(path, home, "one").n_rows == {"prompts": 2, "v_tasks": 1}
    publish(build_prompts(home, "two", "q1"), home, "two")
    publish(path, home, "one")
    assert query(home.published, "from v_tasks") == [("one", 2)]
    assert duckdb.sql(f"from '{home.parquet / 'v_tasks.parquet'}'").fetchall() == [("one", 2)]
    told = "select table_name, comment from duckdb_tables() where table_name like 'v_%'"
    assert query(home.published, told) == [("v_tasks", "One row per (study_id).")]
    told = "select comment from duckdb_columns() where table_name = 'v_tasks' and column_name = 'n'"
    assert query(home.published, told) == [("Prompts.",)]


def test_a_study_replaces_its_own_rows_and_carries_over_those_of_others(home):
    publish(build_prompts(home, "one", "p1", "p2"), home, "one")
    publish(build_prompts(home, "two", "q1"), home, "two")
    publish(build_prompts(home, "one", "p3"), home, "one")
    assert published_prompts(home) == [("one", "p3"), ("two", "q1")]


def test_rows_of_an_earlier_version_get_null_for_new_columns_and_lose_old_ones(home):
    old = "create table marts.prompts (study_id varchar not null, prompt_id varchar not null, dropped integer)"
    publish(build(home, "old", old, "insert into marts.prompts values ('old', 'p1', 7)"), home, "old")
    publish(build_prompts(home, "new", "q1"), home, "new")
    rows = "select * from prompts order by study_id"
    assert query(home.published, rows) == [("new", "q1", "question"), ("old", "p1", None)]


def test_not_null_gives_way_to_rows_of_an_earlier_version_until_they_are_published_again(home):
    old = "create table marts.prompts (study_id varchar not null, prompt_id varchar not null)"
    nullable = "select column_name from duckdb_columns() where is_nullable and not internal order by all"
    publish(build(home, "old", old, "insert into marts.prompts values ('old', 'p1')"), home, "old")
    publish(build_prompts(home, "new", "q1"), home, "new")
    assert query(home.published, nullable) == [("task",)]
    publish(build_prompts(home, "old", "p1"), home, "old")
    assert query(home.published, nullable) == []


def test_a_mart_that_is_no_longer_made_leaves_with_its_parquet_file(home):
    publish(build(home, "one", PROMPTS, "create table marts.gone (study_id varchar)"), home, "one")
    publish(build_prompts(home, "one", "p1"), home, "one")
    assert files(home) == {".publish.lock", "plumbline.duckdb", "prompts.parquet"}


def test_quotes_and_unicode_in_folders_tables_columns_and_values(tmp_path):
    home = Home(tmp_path / 'l\'été "x" ☃')
    table = '''marts."it's ""größe"" ☃"'''
    create = f'create table {table} (study_id varchar not null, "a""b c" varchar, "select" double)'
    insert = f"insert into {table} values ('%s', 'O''Brien 😀', 1.5)"
    for study_id in ("one", "two", "one"):
        publish(build(home, study_id, create, insert % study_id), home, study_id)
    rows = """select study_id, "a""b c", "select" from "it's ""größe"" ☃" order by all"""
    assert query(home.published, rows) == [("one", "O'Brien 😀", 1.5), ("two", "O'Brien 😀", 1.5)]
    assert (home.parquet / """it's "größe" ☃.parquet""").is_file()


def test_a_table_without_studies_is_replaced_whole(home):
    for study_id, row in (("one", "'a'"), ("two", "'b'")):
        create = "create table marts.reference (reason varchar not null)"
        publish(build(home, study_id, create, f"insert into marts.reference values ({row})"), home, study_id)
    assert query(home.published, "from reference") == [("b",)]


def test_published_at_is_the_time_of_publishing(home):
    insert = "insert into marts.studies values ('one', 'One', timestamp '2000-01-01')"
    publish(build(home, "one", STUDIES, insert), home, "one")
    ((first,),) = query(home.published, "select published_at from studies")
    publish(home.build("one"), home, "one")
    ((second,),) = query(home.published, "select published_at from studies")
    assert second > first
    assert first.year > 2000


def test_a_reader_that_holds_the_file_keeps_what_it_has_and_a_new_one_sees_the_new(home):
    publish(build_prompts(home, "one", "p1"), home, "one")
    arguments = [sys.executable, "-c", READER, str(home.published)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "1\n"
        publish(build_prompts(home, "one", "p1", "p2"), home, "one")
        after, _ = reader.communicate("go on\n")
    assert after == "1\n"
    assert len(published_prompts(home)) == 2


def publish_together(root: Path, study_id: str, barrier) -> None:
    home = Home(root)
    path = home.build(study_id)
    barrier.wait()
    for _ in range(5):
        publish(path, home, study_id)


def test_processes_that_publish_at_once_lose_no_study(home):
    studies = ["one", "two"]
    for study_id in studies:
        build_prompts(home, study_id, "p1", "p2")
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(len(studies))
    processes = [context.Process(target=publish_together, args=(home.root, s, barrier)) for s in studies]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert published_prompts(home) == [("one", "p1"), ("one", "p2"), ("two", "p1"), ("two", "p2")]
    assert files(home) == {".publish.lock", "plumbline.duckdb", "prompts.parquet"}


def test_a_publish_that_fails_leaves_the_old_files_and_nothing_unfinished(home, refused):
    publish(build_prompts(home, "one", "p1"), home, "one")
    before = home.published.read_bytes()
    create = "create table marts.prompts (study_id varchar not null, prompt_id bigint, task varchar)"
    with refused(WarehouseError, "the published table prompts"):
        publish(build(home, "two", create, "insert into marts.prompts values ('two', 1, 'x')"), home, "two")
    assert home.published.read_bytes() == before
    assert files(home) == {".publish.lock", "plumbline.duckdb", "prompts.parquet"}


def test_what_a_killed_publish_left_unfinished_is_removed_by_the_next(home):
    path = build_prompts(home, "one", "p1")
    publish(path, home, "one")
    for name in ("plumbline.duckdb.publishing", "plumbline.duckdb.publishing.wal"):
        (home.root / name).write_bytes(b"half a file")
    (home.parquet / "gone.parquet.publishing").write_bytes(b"half a file")
    publish(path, home, "one")
    assert published_prompts(home) == [("one", "p1")]
    assert files(home) == {".publish.lock", "plumbline.duckdb", "prompts.parquet"}


def test_a_folder_that_cannot_be_written_names_the_remedy(home, refused):
    path = build_prompts(home, "one", "p1")
    home.parquet.write_text("a file where the folder should be")
    with refused(WarehouseError, "the file"):
        publish(path, home, "one")


def test_a_database_that_cannot_be_replaced_is_left_and_the_remedy_named(home, refused):
    path = build_prompts(home, "one", "p1")
    home.published.mkdir()
    with refused(WarehouseError, "the file"):
        publish(path, home, "one")
    assert not list(home.root.glob("*.publishing*"))


def test_a_damaged_published_database_is_named_and_not_replaced(home, refused):
    path = build_prompts(home, "one", "p1")
    home.published.write_bytes(b"not a database" * 1000)
    with refused(WarehouseError, "the file"):
        publish(path, home, "one")
    assert home.published.read_bytes().startswith(b"not a database")


@pytest.mark.parametrize("made", [False, True])
def test_a_study_that_was_not_run_is_told_to_run(home, made, refused):
    path = build(home, "one") if made else home.build("one")
    with refused(WarehouseError, "the file"):
        publish(path, home, "one")
