"""A stage goes on from a stopped run only where all that it would be made of is the same."""

import pytest

from python_assets.study_file.load import load_study
from python_assets.warehouse.build import Home, open_build
from python_assets.warehouse.stages_made import is_made, make_anew, stamp_of
from python_assets.warehouse.study_version import begin_assets, finish_assets

STUDY = """
title: Kept
prompts:
  templates:
    texts: [{id: "1", text: "Is a {gender} kind?"}]
    cross: [gender]
factors:
  gender: {levels: [Female, Male]}
systems: [{name: one, provider: "answers:say"}]
measures: [vader]
"""
MADE, AFTER = ["raw/measurements"], ["marts/findings"]
QUARANTINED = (
    "insert into raw.quarantine (study_id, stage, record_key, rule, detail, quarantined_at) "
    "values ('kept', 'scrape', '{key}', 'blank', '', timestamp '{at}')"
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "kept.yml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "answers.py").write_text("def say(messages, decoding):\n    return 'Yes.'\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def home(folder):
    return Home(folder / "home")


@pytest.fixture
def connection(home):
    with open_build(home.build("kept")) as opened:
        yield opened


@pytest.fixture
def stamp(folder, home, connection):
    def stamped(made=MADE):
        return stamp_of(connection, load_study(folder / "kept.yml", check_files=False), home, made)

    return stamped


def test_the_same_has_the_same_stamp_in_any_order_and_at_any_time(stamp, connection):
    rows = [QUARANTINED.format(key=key, at=f"2026-01-0{day}") for day, key in enumerate(["a", "b"], 1)]
    for row in rows:
        connection.execute(row)
    before = stamp()
    connection.execute("delete from raw.quarantine")
    for row in reversed(rows):
        connection.execute(row.replace("2026", "2025"))
    assert stamp() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda folder, home, connection: connection.execute(QUARANTINED.format(key="a", at="2026-01-01")),
        lambda folder, home, connection: (folder / "kept.yml").write_text(STUDY + "keep: 3\n"),
        lambda folder, home, connection: (folder / "answers.py").write_text(
            "def say(messages, decoding):\n  return ''"
        ),
        lambda folder, home, connection: (
            home.preregistrations("kept").parent.mkdir(),
            home.preregistrations("kept").write_text("{}\n", encoding="utf-8"),
        ),
    ],
    ids=["rows", "study file", "functions", "what is frozen"],
)
def test_what_it_is_made_of_changes_the_stamp(change, stamp, folder, home, connection):
    before = stamp()
    change(folder, home, connection)
    assert stamp() != before


def test_two_rows_alike_are_not_none(stamp, connection):
    before = stamp()
    for _ in range(2):
        connection.execute(QUARANTINED.format(key="a", at="2026-01-01"))
    assert stamp() != before


def test_its_own_rows_are_not_in_the_stamp(stamp, connection):
    before, of_all = stamp(["raw/quarantine"]), stamp([])
    connection.execute(QUARANTINED.format(key="a", at="2026-01-01"))
    assert stamp(["raw/quarantine"]) == before
    assert stamp([]) != of_all


def test_a_stage_is_kept_only_while_something_made_of_it_is_to_be_made(connection, folder, stamp):
    study, now = load_study(folder / "kept.yml", check_files=False), stamp()
    begin_assets(connection, study, MADE, [])
    assert not is_made(connection, MADE, AFTER, now)
    finish_assets(connection, study, MADE, now)
    assert is_made(connection, MADE, AFTER, now)
    assert not is_made(connection, MADE, AFTER, "another")
    finish_assets(connection, study, AFTER)
    assert not is_made(connection, MADE, AFTER, now), "a run that ended is made anew by the next"
    make_anew(connection, AFTER)
    assert is_made(connection, MADE, AFTER, now)
    make_anew(connection, [*MADE, *AFTER])
    assert not is_made(connection, MADE, AFTER, now)
