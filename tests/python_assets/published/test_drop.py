"""What goes with a study or a run, what stays, what is refused, and what a kill leaves."""

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from python_assets import cli
from python_assets.errors import WarehouseError
from python_assets.published.drop import drop, loss_of
from python_assets.published.publication import publications
from python_assets.published.verify import verify
from python_assets.report.audits.record import Record, folder_of, write_record
from python_assets.warehouse.build import Home
from python_assets.warehouse.chain import read_chain
from tests.python_assets.published_runs import CONFIG, contents, publish_run, query

RUNS = (("a", "one"), ("b", "one"), ("c", "two"))
N_FAULTS = 5  # before the publication has its name, and from there on
WHOLE = {"publications", "current", "archive", "chain.jsonl", ".publish.lock", ".chain.lock", "responses"}


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Path:
    """A warehouse of study one, run twice, and study two, with a response log each."""
    home = Home(tmp_path_factory.mktemp("published") / "warehouse")
    for run_id, study_id in RUNS:
        home.responses(study_id).mkdir(parents=True, exist_ok=True)
        (home.responses(study_id) / "g.jsonl").write_text("an answer that was paid for")
        publish_run(home, run_id, study_id)
    return home.root.parent


@pytest.fixture
def home(published, tmp_path) -> Home:
    shutil.copytree(published, tmp_path / "here", symlinks=True)
    return Home(tmp_path / "here" / "warehouse")


def names(home: Home, pattern: str) -> list[str]:
    return sorted(path.relative_to(home.root).as_posix() for path in home.root.glob(pattern))


def told_of_dropping(home: Home) -> list[str]:
    done = verify(home)
    assert done.faults == []
    return [line for line in done.told if line.startswith("Dropped")]


def test_a_study_goes_with_its_rows_runs_and_report_and_nothing_else(home, snapshot):
    before = query(home, "select * from responses where study_id = 'two'")
    publication_id = drop(home, loss_of(home, "one"))
    tables = query(home, "select distinct table_name from duckdb_columns() where column_name = 'study_id'")
    assert len(tables) > 8
    for (table,) in tables:
        assert query(home, f"select distinct study_id from {table}") in ([("two",)], [])
        in_file = duckdb.execute("select * from read_parquet(?)", [str(home.parquet / f"{table}.parquet")])
        assert in_file.fetchall() == query(home, f"select * from {table}")
    assert query(home, "select run_id from runs") == [("c",)]
    assert query(home, "select * from responses") == before
    assert query(home, "select reason from reasons") == [("of no study",)]
    assert names(home, "report/*") == ["report/two.html"]
    assert names(home, "archive/*/*") == ["archive/two/c"]
    assert names(home, "responses/*/*") == ["responses/one/g.jsonl", "responses/two/g.jsonl"]
    assert home.current.readlink() == Path("publications") / publication_id
    (line,) = [line for line in read_chain(home) if line.entry.kind == "drop"]
    (told,) = told_of_dropping(home)
    assert told.replace(line.at, "THEN") == snapshot


def test_an_earlier_run_goes_and_the_tables_keep_the_latest(home):
    before = query(home, "select * from responses order by all")
    drop(home, loss_of(home, "a"))
    assert query(home, "select * from responses order by all") == before
    assert query(home, "select run_id, archive_path from runs order by all") == [
        ("b", "archive/one/b"),
        ("c", "archive/two/c"),
    ]
    assert names(home, "archive/*/*") == ["archive/one/b", "archive/two/c"]
    assert names(home, "report/*") == ["report/one.html", "report/two.html"]
    (line,) = [line for line in read_chain(home) if line.entry.kind == "drop"]
    assert told_of_dropping(home) == [f"Dropped    one, run a: {line.at}"]


def test_no_publication_that_is_there_holds_what_was_dropped(home):
    drop(home, loss_of(home, "one"))
    (there,) = publications(home)
    assert there.root == home.current.resolve()


def test_a_table_keeps_its_comments_and_what_may_be_empty(home):
    with duckdb.connect(str(home.published.resolve())) as connection:
        connection.execute("comment on table responses is 'Answers.'")
        connection.execute("comment on column responses.prompt_id is 'To what.'")
        connection.execute("alter table responses alter prompt_id set not null")
    drop(home, loss_of(home, "a"))
    assert query(home, "select comment from duckdb_tables() where table_name = 'responses'") == [("Answers.",)]
    told = "select comment, is_nullable from duckdb_columns() where table_name = 'responses'"
    assert query(home, f"{told} and column_name = 'prompt_id'") == [("To what.", False)]


def test_the_last_study_can_go_and_another_be_published_then(home):
    for study_id in ("one", "two"):
        drop(home, loss_of(home, study_id))
    assert query(home, "select count(*) from studies") == [(0,)]
    publish_run(home, "d", "one")
    assert query(home, "select study_id, run_id from runs") == [("one", "d")]
    assert len(told_of_dropping(home)) == 2


def test_what_is_lost_is_told_before(home, snapshot):
    loss = loss_of(home, "one")
    assert (loss.run_ids, loss.n_rows["runs"], loss.n_rows["responses"]) == (("a", "b"), 2, 1)
    files = [path for path in home.archives("one").rglob("*") if path.is_file()]
    assert loss.n_bytes == sum(path.stat().st_size for path in files)
    text = loss.text(home)
    assert text.startswith("Drop       study one: 2 runs\n")
    for path in (home.archives("one") / "a", home.archives("one") / "b", home.report("one"), home.responses("one")):
        assert str(path) in text
    assert loss_of(home, "a").text(home).splitlines()[:2] == snapshot


def test_the_run_that_the_tables_hold_is_refused(home, refused):
    for name in ("b", "c"):
        with refused(WarehouseError, "plumbline drop"):
            loss_of(home, name)


def test_a_name_is_that_of_a_study_or_eight_characters_of_a_run(home, refused):
    publish_run(home, "7f3a0001-9", "two")
    publish_run(home, "7f3a0001-8", "two")
    publish_run(home, "e", "two")
    assert loss_of(home, "7f3a0001-9").run_ids == ("7f3a0001-9",)
    for name in ("7f3a0001", "7f3", "twoo"):
        with refused(WarehouseError, "plumbline drop"):
            loss_of(home, name)


def importing(path: str | list[str], **options: str) -> dict:
    return {**CONFIG, "prompts": {"import": {"format": "plumbline", "path": path, **options}}}


@pytest.mark.parametrize(
    "config",
    [
        importing("../warehouse/archive/one/a/manifest.json"),
        importing(["x/manifest.json", "../warehouse/./archive/one/a/manifest.json"]),
        importing("${PLUMBLINE_HOME}/archive/one/${THEN}/manifest.json"),
        {**CONFIG, "human_labels": [{"file": "/warehouse/archive/one/*/marts/human_labels.parquet"}]},
    ],
    ids=["one", "several", "variable", "pattern"],
)
def test_a_run_that_another_study_imports_is_refused(home, config, monkeypatch):
    monkeypatch.setenv("THEN", "a")
    publish_run(home, "d", "two", config=config)
    for name in ("a", "one"):
        with pytest.raises(WarehouseError, match="by study two, .*run a"):
            loss_of(home, name)
    publish_run(home, "e", "two")
    with pytest.raises(WarehouseError, match="by the kept run d"):
        loss_of(home, "one")
    drop(home, loss_of(home, "d"))
    assert loss_of(home, "one").run_ids == ("a", "b")


def test_another_run_or_an_export_that_is_imported_refuses_nothing(home):
    publish_run(home, "d", "two", config=importing(["../warehouse/archive/one/b/manifest.json"]))
    publish_run(home, "e", "three", config=importing("../warehouse/export/one/a/manifest.json"))
    assert loss_of(home, "a").run_ids == ("a",)


def test_a_run_that_the_study_itself_still_imports_is_refused(home, refused):
    publish_run(home, "d", "one", config=importing("../warehouse/archive/one/a/manifest.json"))
    with refused(WarehouseError, "study one"):
        loss_of(home, "a")
    assert loss_of(home, "one").run_ids == ("a", "b", "d")


def test_what_nobody_agreed_to_is_not_dropped(home, refused):
    loss = loss_of(home, "one")
    publish_run(home, "d", "one")
    with refused(WarehouseError, "study one"):
        drop(home, loss)
    assert query(home, "select run_id from studies where study_id = 'one'") == [("d",)]


def test_a_dropped_run_that_is_put_back_is_found(home, snapshot):
    shutil.copytree(home.archives("one") / "a", home.root.parent / "copy")
    drop(home, loss_of(home, "a"))
    shutil.copytree(home.root.parent / "copy", home.archives("one") / "a")
    (fault,) = verify(home).faults
    assert str(fault) == snapshot


# drops study one in a process of its own for each step of Python's own on files, which kills it
FAULTY = """
import json, os, signal, sys
from pathlib import Path
from python_assets.published.drop import drop, loss_of
from python_assets.warehouse.build import Home

STEPS = {"os.rename", "os.symlink", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.truncate"}
n_steps = 0


def kill_at(step):
    def count(event, arguments):
        global n_steps
        if event in STEPS:
            n_steps += 1
            if n_steps == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


for folder, step in json.loads(sys.argv[1]):
    read, write = os.pipe()
    if (pid := os.fork()) == 0:
        kill_at(step)
        home = Home(Path(folder))
        drop(home, loss_of(home, "one"))
        os.write(write, str(n_steps).encode())
        os._exit(0)
    os.close(write)
    status = os.waitpid(pid, 0)[1]
    with os.fdopen(read) as told:
        print(json.dumps([os.WIFSIGNALED(status), told.read()]))
"""


def dropped_with(published: Path, folder: Path, steps: list[int]) -> list[tuple[Home, bool, str]]:
    """Drop study one in a copy of a warehouse for each step that kills it: the copy, whether it did, what was told."""
    homes = [Home(folder / f"step {step}" / "warehouse") for step in steps]
    for home in homes:
        shutil.copytree(published, home.root.parent, symlinks=True)
    given = json.dumps([(str(home.root), step) for home, step in zip(homes, steps, strict=True)])
    done = subprocess.run([sys.executable, "-c", FAULTY, given], capture_output=True, text=True, check=True)
    return [(home, *json.loads(line)) for home, line in zip(homes, done.stdout.splitlines(), strict=True)]


@pytest.mark.run
def test_a_kill_anywhere_leaves_all_of_it_or_nothing_and_the_next_drop_or_publish_mends_it(published, tmp_path):
    ((_, killed, told),) = dropped_with(published, tmp_path, [0])
    assert not killed
    n_last = 12  # from its name on
    draw, n_steps = random.Random(29), int(told)
    steps = draw.sample(range(1, n_steps - n_last), N_FAULTS) + draw.sample(range(n_steps - n_last, n_steps), N_FAULTS)
    seen = set()
    for number, (home, killed, _) in enumerate(dropped_with(published, tmp_path, steps)):
        assert killed
        rows = [query(home, f"select distinct study_id from {table} order by 1") for table in ("studies", "responses")]
        assert rows in ([[("one",), ("two",)]] * 2, [[("two",)]] * 2)
        assert home.report("two").is_file()
        seen.add(len(rows[0]))
        if number % 2:
            publish_run(home, "d", "three")
        else:
            publish_run(home, "d", "two")
            drop(home, loss_of(home, "c"))
        assert verify(home).faults == []
        assert contents(home) == WHOLE
        is_there = query(home, "select count(*) from studies where study_id = 'one'") == [(1,)]
        assert names(home, "archive/one/*") == (["archive/one/a", "archive/one/b"] if is_there else [])
        assert home.report("one").exists() == is_there
    assert seen == {1, 2}


@pytest.fixture
def typed(monkeypatch):
    """A terminal at which somebody types a line."""

    def at(line: str, *, is_terminal: bool = True) -> None:
        monkeypatch.setattr(sys.stdin, "isatty", lambda: is_terminal)
        monkeypatch.setattr(sys.stdin, "readline", lambda: line)

    class Input:
        isatty, readline = staticmethod(lambda: True), staticmethod(str)

    monkeypatch.setattr(sys, "stdin", Input())
    return at


def test_the_command_asks_first(home, monkeypatch, typed, capsys, snapshot):
    monkeypatch.setenv("PLUMBLINE_HOME", str(home.root))
    last = set()
    for line in ("no\n", "y\n", ""):
        typed(line)
        assert cli.main(["drop", "one"]) == 1
        last.add(capsys.readouterr().out.splitlines()[-1])
    assert last == snapshot
    typed("yes\n", is_terminal=False)
    assert cli.main(["drop", "one"]) == 1
    told = capsys.readouterr()
    assert (
        told.out.startswith("Drop       study one: 2 runs\n")
        and "cannot ask for confirmation without a terminal. Add --yes." in told.err
    )
    assert len(query(home, "from runs")) == 3
    typed("yes\n")
    assert cli.main(["drop", "a"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("-drop.")
    typed("", is_terminal=False)
    assert cli.main(["drop", "one", "--yes"]) == 0
    assert query(home, "select study_id from runs") == [("two",)]


def test_the_report_of_an_audit_follows_the_drop_of_its_study(home, monkeypatch, capsys):
    monkeypatch.setenv("PLUMBLINE_HOME", str(home.root))
    record = Record("mine", "quick", ["mock:m"], {"faiths": "one"}, is_simulated=False)
    write_record(home, record)
    report = folder_of(home, "mine") / "report.html"
    report.write_text('<a href="../../report/one.html">beyond margin</a>')
    assert cli.main(["drop", "a", "--yes"]) == 0  # an earlier run, which no report shows
    assert "beyond margin" in report.read_text()
    assert cli.main(["drop", "one", "--yes"]) == 0
    assert "its study one was dropped" in report.read_text()
    assert "one.html" not in report.read_text()
    assert f"Report of audit mine, written anew: {report}" in capsys.readouterr().out


def test_where_nothing_was_run_nothing_is_dropped(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "none"))
    assert cli.main(["drop", "one", "--yes"]) == 1
    assert "got no file" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
