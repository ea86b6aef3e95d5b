import json
from types import SimpleNamespace

import duckdb
import pytest

from python_assets.errors import StudyError
from python_assets.warehouse.study_version import begin_assets, changed_keys, finish_assets

FIRST, SECOND = {"analysis": {"alpha": 0.05}}, {"analysis": {"alpha": 0.2}}


def version(config):
    text = json.dumps(config)
    return SimpleNamespace(study_id="s", path="s.yml", config_json=text, config_sha256=f"sha of {text}")


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        opened.execute("create schema raw")
        yield opened


def make(connection, config, made, read=()):
    begin_assets(connection, version(config), made, read)
    finish_assets(connection, version(config), made)


def test_assets_of_one_version_are_made_of_one_another(connection):
    make(connection, FIRST, ["raw/studies"])
    make(connection, FIRST, ["raw/prompts"], ["raw/studies"])
    make(connection, FIRST, ["raw/prompts"], ["raw/studies"])


def test_an_asset_of_another_version_is_refused_with_key_asset_and_remedy(connection, refused):
    make(connection, FIRST, ["raw/studies", "raw/prompts"])
    with refused(StudyError, "s.yml"):
        make(connection, SECOND, ["raw/responses"], ["raw/studies", "raw/prompts"])


def test_the_asset_to_start_from_is_the_first_of_another_version(connection, refused):
    make(connection, FIRST, ["raw/studies", "raw/prompts", "raw/responses"])
    make(connection, SECOND, ["raw/studies"])
    with refused(StudyError, "s.yml"):
        make(connection, SECOND, ["raw/measurements"], ["raw/studies", "raw/prompts", "raw/responses"])


def test_an_edit_that_is_undone_is_no_edit(connection, refused):
    make(connection, FIRST, ["raw/studies"])
    with refused(StudyError, "s.yml"):
        make(connection, SECOND, ["raw/prompts"], ["raw/studies"])
    make(connection, FIRST, ["raw/prompts"], ["raw/studies"])


def test_what_did_not_finish_with_another_version_is_refused_by_both(connection, refused):
    make(connection, FIRST, ["raw/studies"])
    begin_assets(connection, version(SECOND), ["raw/studies"], [])
    with refused(StudyError, "s.yml"):
        make(connection, FIRST, ["raw/prompts"], ["raw/studies"])
    with refused(StudyError, "s.yml"):
        make(connection, SECOND, ["raw/prompts"], ["raw/studies"])
    make(connection, FIRST, ["raw/studies"])
    make(connection, FIRST, ["raw/prompts"], ["raw/studies"])


def test_what_fails_with_the_version_it_was_made_with_is_still_of_it(connection):
    make(connection, FIRST, ["raw/studies"])
    begin_assets(connection, version(FIRST), ["raw/studies"], [])
    make(connection, FIRST, ["raw/prompts"], ["raw/studies"])


def test_changed_keys_are_paths_of_the_study_file():
    before = {"title": "A", "measures": [{"name": "x"}], "gone": {"a": []}}
    now = {"title": "A", "measures": [{"name": "y"}, {"name": "z" * 100}]}
    assert changed_keys(json.dumps(before), json.dumps(now)) == [
        'measures[0].name "x" -> "y"',
        "gone.a [] -> (absent)",
        f'measures[1].name (absent) -> "{"z" * 39}...',
    ]


def test_many_changed_keys_are_counted(connection, refused):
    make(connection, {str(i): i for i in range(9)}, ["raw/studies"])
    with refused(StudyError, "s.yml"):
        make(connection, {str(i): i + 1 for i in range(9)}, ["raw/prompts"], ["raw/studies"])
