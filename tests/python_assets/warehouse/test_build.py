import errno
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from python_assets.errors import WarehouseError
from python_assets.warehouse.build import FEW_MEASUREMENTS, Quarantined, connect, open_build, write_remedy, write_stage
from python_assets.warehouse.raw_tables import RAW_TABLES

KEYWORDS = pd.DataFrame(
    {"level": ["Italy"], "keyword": ["Italian"], "keyword_type": ["manual"], "keyword_provider": ["study"]}
)


@pytest.fixture
def connection(tmp_path):
    with open_build(tmp_path / "build" / "s.duckdb") as opened:
        yield opened


def test_every_raw_table_exists_after_opening(connection):
    found = connection.execute("select table_name from duckdb_tables() where schema_name = 'raw'").fetchall()
    assert {name for (name,) in found} == set(RAW_TABLES)


def test_a_file_of_an_earlier_version_is_made_anew(tmp_path):
    path = tmp_path / "s.duckdb"
    with open_build(path) as connection:
        write_stage(connection, "s", "scrape", {"keywords": KEYWORDS})
        connection.execute("alter table raw.keywords drop column score")
    with open_build(path) as connection:
        counts = write_stage(connection, "s", "scrape", {"keywords": KEYWORDS.assign(score=0.5)})
    assert counts["keywords"] == 1


def test_a_small_study_is_computed_by_one_thread_and_a_large_one_by_all(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    required = [name for name, kind in RAW_TABLES["measurements"].items() if "not null" in kind and name != "study_id"]
    threads, found = "select current_setting('threads')", []
    for n in (FEW_MEASUREMENTS, FEW_MEASUREMENTS + 1, 1):
        with open_build(tmp_path / "s.duckdb") as connection:
            write_stage(connection, "s", "extract", {"measurements": pd.DataFrame(dict.fromkeys(required, range(n)))})
            found += connection.execute(threads).fetchone()
        with open_build(tmp_path / "s.duckdb") as connection:
            found += connection.execute(threads).fetchone()
    assert found == [1, 1, 3, 3, 1, 1]


def test_duckdb_has_as_many_threads_as_the_environment_says_and_a_small_study_one(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    threads, path = "select current_setting('threads')", tmp_path / "s.duckdb"
    with (
        connect() as memory,
        open_build(path) as first,
        open_build(path, is_stratum=True) as second,
        connect(path) as third,
    ):
        assert [one.execute(threads).fetchone() for one in (memory, first, second, third)] == [(3,), (1,), (1,), (1,)]


def test_a_stage_replaces_only_its_own_rows(connection):
    write_stage(connection, "s", "scrape", {"keywords": KEYWORDS}, [Quarantined("d1", "undecodable_bytes", "byte 3")])
    write_stage(connection, "s", "assemble", {}, [Quarantined("p1", "duplicate_key", "twice")])
    counts = write_stage(connection, "s", "scrape", {"keywords": KEYWORDS.assign(keyword="Italians")})
    assert counts == {"keywords": 1, "quarantine": 0}
    assert connection.execute("select study_id, keyword, score from raw.keywords").fetchall() == [
        ("s", "Italians", None)
    ]
    assert connection.execute("select stage, rule from raw.quarantine").fetchall() == [("assemble", "duplicate_key")]


def test_a_failing_table_leaves_the_whole_stage_as_it_was(connection):
    write_stage(connection, "s", "scrape", {"keywords": KEYWORDS})
    bad = pd.DataFrame({"sentence_id": ["a"], "document_id": [None], "source_tag": ["t"], "sentence_text": ["x"]})
    with pytest.raises(duckdb.ConstraintException):
        write_stage(connection, "s", "scrape", {"keywords": KEYWORDS.assign(keyword="lost"), "sentences": bad})
    assert connection.execute("select keyword from raw.keywords").fetchall() == [("Italian",)]


def test_an_unknown_column_is_an_error(connection):
    with pytest.raises(ValueError, match="no column .*colour"):
        write_stage(connection, "s", "scrape", {"keywords": KEYWORDS.assign(colour="red")})


def test_a_text_with_quotes_and_emoji_comes_back_as_it_went_in(connection):
    text = """O'Brien said "naïve" \\ 🙂 שלום; drop table raw.keywords"""
    write_stage(connection, "s", "scrape", {"keywords": KEYWORDS.assign(keyword=text)})
    assert connection.execute("select keyword from raw.keywords").fetchone() == (text,)


def test_a_file_another_process_writes_is_named(tmp_path, snapshot):
    path = tmp_path / "s.duckdb"
    with open_build(path):
        script = (
            "import sys; from pathlib import Path; from python_assets.warehouse.build import open_build\n"
            "with open_build(Path(sys.argv[1])): pass"
        )
        done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "WarehouseError" in done.stderr
    assert done.stderr.rstrip().rpartition("; expected ")[2] == snapshot


def test_a_folder_that_is_a_file_is_named(tmp_path, refused):
    (tmp_path / "build").write_text("in the way")
    with refused(WarehouseError, "the file"), open_build(tmp_path / "build" / "s.duckdb"):
        pass


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM])
def test_who_cannot_write_is_told_what_would_help(tmp_path, snapshot, code):
    assert write_remedy(tmp_path / "absent", OSError(code, os.strerror(code))) == snapshot


def test_a_read_only_mount_is_not_told_to_free_space_by_an_error_without_a_number(snapshot):
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()] if sys.platform == "linux" else []
    read_only = [Path(at) for _, at, _, options, *_ in mounts if "ro" in options.split(",") and Path(at).is_dir()]
    if not read_only:
        pytest.skip("nothing is mounted to be read only")
    remedy = write_remedy(read_only[0], duckdb.IOException("Cannot open file"))
    assert "space" not in remedy
    assert remedy.replace(str(read_only[0]), "MOUNT") == snapshot


def test_no_bar_is_drawn_over_what_a_command_prints(tmp_path):
    with open_build(tmp_path / "s.duckdb") as connection, connection.cursor() as cursor:
        drawn = [
            one.execute("select current_setting('enable_progress_bar')").fetchall() for one in (connection, cursor)
        ]
    assert drawn == [[(False,)], [(False,)]]
