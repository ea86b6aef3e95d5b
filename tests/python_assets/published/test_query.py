import json
import subprocess
import sys

import duckdb
import pytest

from python_assets.errors import WarehouseError
from python_assets.published.drop import loss_of
from python_assets.published.query import print_query
from python_assets.warehouse import paths
from python_assets.warehouse.build import Home


@pytest.fixture
def published(tmp_path):
    path = tmp_path / "plumbline.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table contrasts as select 'a|b\n' as group_id, 1/3 as value, null as reason")
    return path


def test_a_table_is_aligned_and_null_is_a_dash(published, capsys):
    print_query(published, "from contrasts", "table")
    out = capsys.readouterr()
    assert out.out.splitlines() == ["group_id  value   reason", "--------  ------  ------", "a|b       0.3333  -"]
    assert out.err == "(1 row)\n"


def test_a_text_is_cut_beside_other_columns_and_whole_alone(published, capsys):
    print_query(published, "select repeat('a', 100) as sentence", "table")
    assert "a" * 100 in capsys.readouterr().out
    print_query(published, "select repeat('a', 100) as sentence, 1 as n", "table")
    assert "a" * 59 + "…" in capsys.readouterr().out


def test_csv_and_json_keep_every_digit(published, capsys):
    print_query(published, "select value from contrasts", "csv")
    assert capsys.readouterr().out.splitlines() == ["value", repr(1 / 3)]
    print_query(published, "from contrasts", "json")
    assert json.loads(capsys.readouterr().out) == [{"group_id": "a|b\n", "value": 1 / 3, "reason": None}]


@pytest.mark.parametrize(
    "query",
    [
        "delete from contrasts",
        "select * from read_text('/etc/hostname')",
        "copy contrasts to 'stolen.csv'",
        "set enable_external_access = true",
        "select nothing from nowhere",
    ],
)
def test_writing_and_reaching_outside_are_refused(published, query, refused):
    with refused(WarehouseError, "the query"):
        print_query(published, query, "table")


def test_a_database_of_before_the_tables_were_renamed_is_refused_with_the_new_name(published, refused):
    with duckdb.connect(str(published)) as connection:
        connection.execute("create table generations as select 1 as n")
    with refused(WarehouseError, "the file"):
        print_query(published, "from contrasts", "table")
    with refused(WarehouseError, "the file"):
        loss_of(Home(published.parent), "small")


def test_a_warehouse_of_before_its_folders_were_renamed_is_refused_whatever_is_asked_of_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    assert paths.home() == Home(tmp_path)
    (tmp_path / "freezes").mkdir()
    with pytest.raises(WarehouseError, match="folder preregistrations"):
        paths.home()


def test_nothing_published_says_how_to_begin(tmp_path, refused):
    with refused(WarehouseError, "the file"):
        print_query(tmp_path / "plumbline.duckdb", "select 1", "table")


SAID = "\x1b]0;owned\x07\x9b31m \u202etxt"


@pytest.mark.parametrize("output", ["table", "json"])
def test_no_control_character_is_printed(published, capsys, output):
    print_query(published, f"select '{SAID}' as said", output)
    out = capsys.readouterr().out
    assert not any(character in out for character in "\x1b\x07\x9b\u202e")
    assert r"\u001b]0;owned\u0007\u009b31m \u202etxt" in out
    if output == "json":
        assert json.loads(out) == [{"said": SAID}]


def test_csv_is_whole_in_a_file_and_printable_in_a_terminal(published, capsys, monkeypatch):
    print_query(published, f"select '{SAID}' as said", "csv")
    assert SAID in capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    print_query(published, f"select '{SAID}' as said", "csv")
    assert "\x1b" not in capsys.readouterr().out


def test_a_database_that_another_program_writes_is_told_in_a_line(published, snapshot):
    holds = f"import duckdb; c = duckdb.connect({str(published)!r}); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", holds], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "open\n"
        with pytest.raises(WarehouseError, match=f"PID {other.pid}") as raised:
            print_query(published, "from contrasts", "table")
        other.communicate("\n")
    assert raised.value.remedy == snapshot
    print_query(published, "from contrasts", "table")
