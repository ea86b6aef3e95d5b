"""What is changed, put in, taken out or back-dated is found; what is as it was is walked without a fault."""

import json
import shutil
from pathlib import Path

import pytest

from python_assets import cli
from python_assets.errors import WarehouseError
from python_assets.published.verify import verify
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import Home
from python_assets.warehouse.chain import Entry, line_of, read_chain, sha256_of
from python_assets.warehouse.preregistration import analysis_of, analysis_sha256, preregister
from tests.python_assets.published_runs import publish_run

FILE = """
title: One
factors: {gender: {levels: [woman, man]}}
prompts: {templates: {cross: [gender], texts: [{id: t1, text: "A {gender} asks."}]}}
systems: [{name: fair, provider: simulator}]
analysis: {alpha: %s}
"""


def study_of(folder: Path, alpha: float):
    (folder / "one.yml").write_text(FILE % alpha)
    return load_study(folder / "one.yml")


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Path:
    """A warehouse of two studies, one of them frozen twice and published twice."""
    home = Home(tmp_path_factory.mktemp("published") / "warehouse")
    for alpha in (0.05, 0.1):
        preregister(study_of(home.root.parent, alpha), home)
    for run_id, study_id in (("a", "one"), ("b", "one"), ("c", "two")):
        publish_run(home, run_id, study_id)
    return home.root.parent


@pytest.fixture
def home(published, tmp_path) -> Home:
    shutil.copytree(published, tmp_path / "here", symlinks=True)
    return Home(tmp_path / "here" / "warehouse")


def faults(home: Home, study_id: str | None = None) -> list[str]:
    return [str(fault).replace(str(home.root), "HOME") for fault in verify(home, study_id).faults]


def preregistrations(home: Home) -> list[dict]:
    return [json.loads(line) for line in home.preregistrations("one").read_text().splitlines()]


def write_preregistrations(home: Home, *records: dict) -> None:
    home.preregistrations("one").write_text("".join(f"{json.dumps(record)}\n" for record in records))


def test_what_is_as_it_was_is_walked_without_a_fault(home, snapshot):
    done = verify(home)
    assert done.faults == []
    lines = done.text().splitlines()
    last = read_chain(home)[-1]
    assert lines[0].startswith("Chain      2 preregistrations, 3 archives, 3 publications, from ")
    assert [line.split(":")[0] for line in lines[1:3]] == [
        f"Freeze     one, sha256 {record['analysis_sha256']}" for record in preregistrations(home)
    ]
    assert lines[5] == f"Last line  sha256 {last.sha256} of {last.at}"
    assert [*lines[3:5], *lines[6:]] == snapshot


def test_a_study_alone_is_told_of_it(home, refused):
    told = verify(home, "two").told
    assert any(line.startswith("Archive    1 of 1 runs") for line in told)
    assert not [line for line in told if line.startswith("Preregistration")]
    with refused(WarehouseError, "the file"):
        verify(home, "three")


def test_an_edited_preregistration_is_found(home, snapshot):
    first, second = preregistrations(home)
    first["analysis"]["analysis"]["alpha"] = 0.2
    write_preregistrations(home, first, second)
    assert faults(home) == snapshot


def test_an_edited_preregistration_with_a_hash_that_fits_is_found(home):
    first, second = preregistrations(home)
    first["analysis"]["analysis"]["alpha"] = 0.2
    first["analysis_sha256"] = sha256_of(first["analysis"])
    write_preregistrations(home, first, second)
    unchained, gone = faults(home, "one")
    assert "counts for nothing" in unchained and "no freeze of sha256" in gone


def test_a_preregistration_that_is_taken_out_is_found(home):
    write_preregistrations(home, preregistrations(home)[1])
    (fault,) = faults(home)
    assert "no freeze of sha256" in fault


@pytest.mark.parametrize("at", ["2026-01-01T00:00:00.000000Z", "2999-01-01T00:00:00.000000Z"])
def test_a_preregistration_of_another_time_is_found(home, at, snapshot):
    study = study_of(home.root.parent, 0.2)
    record = {"analysis_sha256": analysis_sha256(study), "preregistered_at": at, "analysis": analysis_of(study)}
    write_preregistrations(home, *preregistrations(home), record)
    assert [fault.replace(at, "THEN") for fault in faults(home)] == snapshot


def test_a_preregistration_that_is_back_dated_in_file_and_chain_is_found(home, snapshot):
    study = study_of(home.root.parent, 0.2)
    at = "2026-01-01T00:00:00.000000Z"
    record = {"analysis_sha256": analysis_sha256(study), "preregistered_at": at, "analysis": analysis_of(study)}
    write_preregistrations(home, *preregistrations(home), record)
    entry = Entry("preregistration", "one", record["analysis_sha256"], sha256_of(record))
    with home.chain.open("a") as file:
        file.write(line_of(entry, at, read_chain(home)[-1].sha256).text() + "\n")
    (fault,) = faults(home)
    assert fault.replace(at, "THEN") == snapshot


def test_a_chain_that_is_written_anew_is_found_by_what_was_published(home):
    lines = read_chain(home)
    kept = [
        line.entry for line in lines if line.entry.subject not in ("a", preregistrations(home)[0]["analysis_sha256"])
    ]
    previous, written = "", []
    for entry in kept:
        line = line_of(entry, lines[-1].at, previous)
        previous = line.sha256
        written.append(line.text())
    home.chain.write_text("".join(f"{text}\n" for text in written))
    found = faults(home)
    assert any("counts for nothing" in fault for fault in found)
    assert any("got a run that is" in fault for fault in found)
    assert any("a chain without " in fault for fault in found)


@pytest.mark.parametrize(
    "name",
    [
        "archive/one/a/manifest.json",
        "archive/one/a/report.html",
        "archive/one/a/marts/responses.parquet",
        "current/manifest.json",
        "current/plumbline.duckdb",
        "current/report/one.html",
        "current/parquet/new.parquet",
    ],
)
def test_a_file_that_is_changed_or_put_in_is_found(home, name, snapshot):
    path = home.root / name
    path.write_bytes((path.read_bytes() if path.exists() else b"") + b" ")
    assert [fault for fault in faults(home) if path.resolve().name in fault] == snapshot


def test_a_kept_run_that_is_gone_is_found_and_one_that_was_put_in(home, snapshot):
    (home.archives("one") / "a").rename(home.archives("one") / "z")
    assert faults(home) == snapshot


def test_readers_that_are_led_elsewhere_are_told(home, snapshot):
    earlier = sorted(home.publications.iterdir())[0]
    home.current.unlink()
    home.current.symlink_to(Path("publications") / earlier.name)
    home.published.unlink()
    shutil.copyfile(earlier / "plumbline.duckdb", home.published)
    assert [fault.replace(earlier.name, "EARLIER") for fault in faults(home)] == snapshot


def test_a_warehouse_without_a_chain_is_no_pass(home, refused):
    home.chain.unlink()
    with refused(WarehouseError, "the file"):
        verify(home)


def test_the_command_exits_with_1_where_something_was_changed(home, monkeypatch, capsys):
    monkeypatch.setenv("PLUMBLINE_HOME", str(home.root))
    assert cli.main(["verify"]) == 0
    assert cli.main(["verify", "one"]) == 0
    assert capsys.readouterr().out.count("as it was chained") == 2
    (home.archives("one") / "a" / "report.html").write_text("another")
    assert cli.main(["verify", "two"]) == 0
    assert cli.main(["verify", "one"]) == 1
    assert "1 fault:\n  " in capsys.readouterr().out
