"""Compiled projects kept for all warehouses: whole, the user's own, and made by one of several."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from python_assets.errors import WarehouseError
from python_assets.transform.cache import KEPT_PROJECTS, cached

MADE = {"nodes": {"model.a": {"description": "caf\u00e9"}}}
SLOW = """
import sys, time
from pathlib import Path
from python_assets.transform.cache import cached
def make(parsed):
    with Path(sys.argv[1]).open("a") as file:
        file.write("made\\n")
    time.sleep(float(sys.argv[2]))
    return {"nodes": {}}
cached("d", make)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "warehouse"))
    return tmp_path / "cache" / "dbt"


def never(parsed):
    raise AssertionError("made again")


def test_what_was_made_is_read_again(folder):
    assert cached("d", lambda parsed: MADE) == MADE == cached("d", never)
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "damage", [lambda file: file[:-3], lambda file: file.replace(b"model.a", b"model.b"), lambda file: b""]
)
def test_a_file_that_was_cut_or_edited_is_made_anew(folder, damage):
    cached("d", lambda parsed: MADE)
    file = folder / "d.json"
    file.write_bytes(damage(file.read_bytes()))
    assert cached("d", lambda parsed: {"again": 1}) == {"again": 1} == cached("d", never)


def test_another_version_is_made_beside_it_and_the_latest_stay(folder):
    for number in range(KEPT_PROJECTS + 2):
        cached(f"v{number}", lambda parsed, number=number: {"n": number})
        os.utime(folder / f"v{number}.json", (number, number))
    assert sorted(path.stem for path in folder.glob("*.json")) == [f"v{n}" for n in range(2, KEPT_PROJECTS + 2)]


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_folder_that_others_can_write_in_is_not_used(folder, tmp_path, mode):
    folder.mkdir(parents=True)
    folder.chmod(mode)
    cached("d", lambda parsed: MADE)
    assert not list(folder.iterdir())
    assert (tmp_path / "warehouse" / "build" / "dbt" / "d.json").is_file()


def test_a_folder_of_another_owner_is_not_used(folder, tmp_path, monkeypatch):
    folder.mkdir(parents=True)
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    cached("d", lambda parsed: MADE)
    assert (tmp_path / "warehouse" / "build" / "dbt" / "d.json").is_file()


def test_where_neither_folder_can_be_made_the_error_says_what_to_do(tmp_path, monkeypatch, refused):
    (tmp_path / "file").touch()
    monkeypatch.setenv("PLUMBLINE_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "file" / "warehouse"))
    with refused(WarehouseError, "the file"):
        cached("d", never)


def test_a_folder_that_is_there_and_cannot_be_written_is_told(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("PLUMBLINE_CACHE", str(tmp_path / "file" / "cache"))
    lock = tmp_path / "warehouse" / "build" / "dbt" / ".lock"
    lock.mkdir(parents=True)  # as root no folder is closed to a test
    with pytest.raises(WarehouseError, match="PLUMBLINE_HOME"):
        cached("d", never)


def start(tmp_path, seconds):
    root = Path(__file__).parents[3]
    return subprocess.Popen([sys.executable, "-c", SLOW, tmp_path / "log", str(seconds)], cwd=root)


def wait_for(path):
    while not path.exists():
        time.sleep(0.01)


def test_of_two_at_once_one_makes_it(tmp_path):
    both = [start(tmp_path, 0.5) for _ in range(2)]
    assert [one.wait() for one in both] == [0, 0]
    assert (tmp_path / "log").read_text() == "made\n"


def test_what_a_killed_one_leaves_counts_as_not_made(folder, tmp_path):
    killed = start(tmp_path, 60)
    wait_for(tmp_path / "log")
    killed.kill()
    killed.wait()
    assert cached("d", lambda parsed: MADE) == MADE
    assert [path.name for path in folder.iterdir() if path.name != ".lock"] == ["d.json"]
