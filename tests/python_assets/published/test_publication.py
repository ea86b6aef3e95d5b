"""One publication is one folder: what lies in it, what readers see, and what is left after a kill or a full disk."""

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from python_assets.published.archived import archived_runs
from python_assets.published.publication import KEPT_PUBLICATIONS, publications, read_publication
from python_assets.published.verify import verify
from python_assets.warehouse.build import Home
from python_assets.warehouse.file_hashes import sha256_of_file
from tests.python_assets.published_runs import contents, finished_run, publish_run, query

PREREGISTERED = '{"analysis_sha256":"abc","preregistered_at":"2026-01-01T00:00:00.000000Z"}\n'
WHOLE = {"publications", "current", "archive", "chain.jsonl", ".publish.lock", ".chain.lock"}
N_FAULTS = 5  # of each kind
N_READERS, N_PUBLISHED = 10, 20


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "warehouse")


def publication_ids(folder: Path, study_id: str) -> set[str]:
    """Which publication database, Parquet files and report of one folder say they are of: one if they agree."""
    with duckdb.connect(str(folder / "plumbline.duckdb"), read_only=True) as connection:
        found = connection.execute("select max(publication_id) from runs").fetchall()
    for name in ("runs", "responses", "studies"):
        key = "select decode(value) from parquet_kv_metadata(?) where decode(key) = 'publication_id'"
        found += duckdb.execute(key, [str(folder / "parquet" / f"{name}.parquet")]).fetchall()
    return {value for (value,) in found} | {(folder / "report" / f"{study_id}.html").read_text().split()[-1]}


def test_a_folder_holds_database_parquet_files_reports_preregistrations_and_a_manifest_of_all(home):
    home.preregistrations("one").parent.mkdir(parents=True)
    home.preregistrations("one").write_text(PREREGISTERED)
    done = publish_run(home, "7f3a0001-9")
    folder = home.publications / done.publication_id
    assert done.publication_id.endswith("Z-7f3a0001")
    assert home.current.readlink() == Path("publications") / done.publication_id
    assert {path.name for path in folder.iterdir()} == {
        "plumbline.duckdb", "parquet", "report", "preregistrations", "manifest.json",
    }  # fmt: skip
    assert (folder / "preregistrations" / "one.jsonl").read_text() == PREREGISTERED
    told = read_publication(Home(folder))
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - {"manifest.json"}
    assert told.files == {name: sha256_of_file(folder / name) for name in files}
    assert (told.study_id, told.run_id, told.archive) == ("one", "7f3a0001-9", "archive/one/7f3a0001-9")
    assert told.archive_sha256 == sha256_of_file(home.root / told.archive / "manifest.json")
    assert publication_ids(folder, "one") == {done.publication_id}


def test_paths_of_readers_are_relative_links_through_the_current_publication(home, tmp_path):
    publish_run(home, "a")
    for name in ("plumbline.duckdb", "parquet", "report"):
        assert (home.root / name).readlink() == Path("current") / name
    moved = home.root.rename(tmp_path / "elsewhere")
    assert query(Home(moved), "select run_id from studies") == [("a",)]


def test_reports_of_other_studies_are_the_same_files(home):
    publish_run(home, "a", "one")
    first = home.report("one").resolve()
    publish_run(home, "b", "two")
    assert home.report("one").resolve() != first
    assert home.report("one").samefile(first)
    assert home.report("two").read_text().startswith("report of b")


def test_reports_are_copied_where_there_are_no_hard_links(home, monkeypatch):
    def no_links(self, target):
        raise PermissionError("no hard links here")

    publish_run(home, "a", "one")
    first = home.report("one").resolve()
    monkeypatch.setattr(Path, "hardlink_to", no_links)
    publish_run(home, "b", "two")
    assert home.report("one").read_bytes() == first.read_bytes()
    assert not home.report("one").samefile(first)


def test_the_latest_publications_stay_and_older_ones_go(home):
    ids = [publish_run(home, f"run{number}").publication_id for number in range(KEPT_PUBLICATIONS + 2)]
    assert ids == sorted(ids)
    assert [one.root.name for one in publications(home)] == ids[-KEPT_PUBLICATIONS:]
    assert verify(home).faults == []


def older_warehouse(home: Home) -> None:
    """Make a warehouse as it was before there were publications: two studies, files and folders of its own."""
    publish_run(home, "a", "one")
    publish_run(home, "b", "two")
    current = home.current.resolve()
    for name in ("plumbline.duckdb", "parquet", "report"):
        (home.root / name).unlink()
        (current / name).rename(home.root / name)
    shutil.rmtree(home.publications)
    home.current.unlink()
    home.chain.unlink()
    (home.root / "plumbline.duckdb.publishing").write_bytes(b"left by a kill of before")


def test_an_older_warehouse_is_moved_once(home):
    older_warehouse(home)
    report = home.report("one").read_text()
    publish_run(home, "c", "two")
    assert [one.root.name.split("-")[1] for one in publications(home)] == ["earlier", "c"]
    assert home.report("one").read_text() == report
    assert query(home, "select study_id, run_id from studies order by all") == [("one", "a"), ("two", "c")]
    assert [run.run_id for run in archived_runs(home, "two")] == ["c", "b"]
    assert verify(home).faults == []
    publish_run(home, "d", "two")
    assert [one.root.name.split("-")[1] for one in publications(home)] == ["earlier", "c", "d"]


def test_a_file_in_the_place_of_a_link_is_taken_over_again(home):
    publish_run(home, "a", "one")
    publish_run(home, "b", "two")
    earlier = publications(home)[0].published
    home.published.unlink()
    shutil.copyfile(earlier, home.published)  # a copy that somebody put back
    publish_run(home, "c", "three")
    assert query(home, "select study_id from studies order by 1") == [("one",), ("three",)]
    assert home.published.is_symlink()


# publishes a run in a process of its own for each fault, which is: kill at the nth step of Python's own on files, an
# alarm after so many seconds, which DuckDB may be writing at, or how large a file may become, from the beginning or
# once the report is written. SIGALRM without a handler ends a process as SIGKILL does
FAULTY = """
import json, os, resource, signal, sys
from pathlib import Path
from python_assets.published.publish import FinishedRun, publish
from python_assets.warehouse.build import Home
from tests.python_assets.published_runs import write_page

STEPS = {"os.rename", "os.symlink", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.truncate"}


def publish_with(home, kind, amount):
    n_steps = 0

    def count(event, arguments):
        nonlocal n_steps
        if event in STEPS:
            n_steps += 1
            if kind == "step" and n_steps == amount:
                os.kill(os.getpid(), signal.SIGKILL)

    def page_then_full(published, study_id, path):
        told = write_page(published, study_id, path)
        if kind == "full archive":
            resource.setrlimit(resource.RLIMIT_FSIZE, (amount, amount))
        return told

    sys.addaudithook(count)
    if kind == "alarm":
        signal.setitimer(signal.ITIMER_REAL, amount)
    if kind == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (amount, amount))
    try:
        publish(home, FinishedRun("one", home.build("one"), home.root.parent / "one.yml", 2), page_then_full)
        return n_steps
    except Exception as error:
        return f"{type(error).__name__}: {error}"


for folder, kind, amount in json.loads(sys.argv[1]):
    read, write = os.pipe()
    if (pid := os.fork()) == 0:
        os.write(write, json.dumps(publish_with(Home(Path(folder)), kind, amount)).encode())
        os._exit(0)
    os.close(write)
    status = os.waitpid(pid, 0)[1]
    with os.fdopen(read) as told:
        print(json.dumps([os.WIFSIGNALED(status), told.read()]))
"""


def two_runs(home: Home) -> None:
    publish_run(home, "first", keep=2)
    publish_run(home, "second", keep=2)


@pytest.fixture
def faulty(tmp_path):
    """Publish a third run with each of some faults, each in a copy of a warehouse; what was told of each."""

    def run(faults, prepare=two_runs):
        template = Home(tmp_path / "template" / "warehouse")
        if not template.root.exists():
            prepare(template)
            finished_run(template, "third")
        homes = [Home(tmp_path / f"{kind} {amount}" / "warehouse") for kind, amount in faults]
        for home in homes:
            shutil.copytree(template.root.parent, home.root.parent, symlinks=True)
        given = [(str(home.root), *fault) for home, fault in zip(homes, faults, strict=True)]
        command = [sys.executable, "-c", FAULTY, json.dumps(given)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return [(home, *json.loads(line)) for home, line in zip(homes, done.stdout.splitlines(), strict=True)]

    return run


def see_that_it_is_whole(home: Home) -> str:
    """See that readers find one publication whole and every run that it names; which run it is of."""
    assert len(publication_ids(home.current.resolve(), "one")) == 1
    ((run_id,),) = query(home, "select run_id from studies")
    kept = query(home, "select run_id, archive_path from runs where archive_path is not null")
    assert run_id in {name for name, _ in kept}
    for _, path in kept:
        manifest = json.loads((home.root / path / "manifest.json").read_text())
        for file in manifest["files"]:
            assert sha256_of_file(home.root / path / "marts" / file["name"]) == file["sha256"]
    # what a gate takes for the latest run is no older one
    assert archived_runs(home, "one")[0].run_id in (run_id, "third")
    return run_id


def see_that_the_next_publish_mends_it(home: Home) -> None:
    publish_run(home, "fourth", keep=3)
    assert see_that_it_is_whole(home) == "fourth"
    assert verify(home).faults == []
    assert contents(home) == WHOLE
    assert not [path for path in home.publications.iterdir() if path.name.startswith(".")]
    runs = query(home, "select run_id, archive_path from runs order by published_at")
    assert [run for run, _ in runs] in (["first", "second", "third", "fourth"], ["first", "second", "fourth"])
    assert {path.name for path in home.archives("one").iterdir()} == {run for run, path in runs if path}


@pytest.mark.run
def test_a_kill_anywhere_leaves_a_publication_whole_with_its_archive(faulty):
    ((home, killed, n_steps),) = faulty([("step", 0)])
    assert not killed and see_that_it_is_whole(home) == "third"
    n_steps, draw = int(n_steps), random.Random(29)
    n_last = 20  # from the archive on: its name, the publication's, the links, what is removed
    steps = draw.sample(range(1, n_steps - n_last), N_FAULTS) + draw.sample(range(n_steps - n_last, n_steps), N_FAULTS)
    faults = [("step", step) for step in steps] + [("alarm", draw.uniform(0.05, 0.5)) for _ in range(N_FAULTS)]
    for home, _, _ in faulty(faults):
        assert see_that_it_is_whole(home) in ("second", "third")
        see_that_the_next_publish_mends_it(home)


@pytest.mark.run
def test_a_kill_while_an_older_warehouse_is_moved_loses_nothing(faulty):
    n_steps = 40  # of links to files, names and links of readers, and the first of the run itself
    steps = random.Random(29).sample(range(1, n_steps), N_FAULTS)
    for home, killed, _ in faulty([("step", step) for step in steps], older_warehouse):
        assert killed
        assert query(home, "select study_id, run_id from studies order by all") == [("one", "a"), ("two", "b")]
        report = home.report("two") if home.report("two").exists() else home.current / "report" / "two.html"
        assert report.read_text().startswith("report of b")
        publish_run(home, "fourth")
        assert query(home, "select study_id, run_id from studies order by all") == [("one", "fourth"), ("two", "b")]
        assert home.report("two").read_text().startswith("report of b")
        assert verify(home).faults == []
        assert contents(home) == WHOLE


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        pytest.param("full", [100_000], id="once"),
        pytest.param("full", [1, 700_000], id="publish", marks=pytest.mark.run),
        pytest.param("full archive", [0, 300, 1_500], id="archive", marks=pytest.mark.run),
    ],
)
def test_a_disk_that_is_full_is_told_and_leaves_what_was_published(faulty, kind, sizes):
    for home, killed, told in faulty([(kind, size) for size in sizes]):
        assert not killed
        assert json.loads(told).startswith("WarehouseError: "), told
        assert "free some space" in told
        assert see_that_it_is_whole(home) == "second"
        assert contents(home) == WHOLE
        assert verify(home).faults == []
        see_that_the_next_publish_mends_it(home)


READER = """
import sys
from pathlib import Path
from tests.python_assets.published.test_publication import publication_ids

for line in sys.stdin:
    for _ in range(2):
        found = publication_ids(Path(line.strip()).resolve(), "one")
        print(*found, flush=True)
"""


@pytest.mark.run
def test_readers_that_resolve_the_link_once_never_find_two_publications_mixed(home):
    publish_run(home, "run0")
    command = [sys.executable, "-c", READER]
    readers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(N_READERS)
    ]
    seen = []
    for number in range(1, N_PUBLISHED + 1):
        for reader in readers:
            reader.stdin.write(f"{home.current}\n")
            reader.stdin.flush()
        publish_run(home, f"run{number}")
        seen += [reader.stdout.readline().split() for _ in range(2) for reader in readers]
    for reader in readers:
        reader.communicate()
    assert [reader.returncode for reader in readers] == [0] * N_READERS
    assert {len(found) for found in seen} == {1}
    assert len({publication_id for (publication_id,) in seen}) > N_PUBLISHED / 2
