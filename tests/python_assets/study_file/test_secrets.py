"""Keys and passwords in a study file: refused in plain sight, and nowhere repeated."""

import json

import pytest
import yaml

from python_assets.errors import StudyFileError, field_name, without_credentials
from python_assets.study.secrets import redacted
from python_assets.study_file.load import load_study

SECRET = "hunter2hunter2"
STUDY = {
    "prompts": {"templates": {"texts": [{"id": "1", "text": "Is a {who} kind?"}], "cross": ["who"]}},
    "factors": {"who": {"levels": ["king", "queen"]}},
    "measures": ["vader"],
}


@pytest.fixture
def load(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", SECRET)

    def run(**fields):
        system = {"name": "one", "provider": "openai", "model": "m", **fields}
        path = tmp_path / "mine.yml"
        path.write_text(yaml.safe_dump({**STUDY, "systems": [system]}), encoding="utf-8")
        return load_study(path)

    return run


@pytest.mark.parametrize(
    "address",
    [
        f"https://user:{SECRET}@host/v1",
        f"https://{SECRET}@host/v1",
        f"https://${{SECRET}}:{SECRET}@host/v1",
        f"user:{SECRET}@host/v1",
        f"https://host/v1?key={SECRET}",
        f"https://host/v1?{SECRET}",
        f"https://host/v1?a=${{SECRET}}&key={SECRET}",
        f"https://host/v1#{SECRET}",
        f"https://host/v1?api-version={SECRET}",
    ],
)
def test_user_password_and_query_are_refused_and_not_repeated(load, refused, address):
    with refused(StudyFileError, "systems[0].base_url") as caught:
        load(base_url=address)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "meant"),
    [
        ("https://${SECRET}@host/v1", f"https://{SECRET}@host/v1"),
        ("https://${SECRET}:${SECRET}@host/v1", f"https://{SECRET}:{SECRET}@host/v1"),
        ("https://host/v1?key=${SECRET}&${SECRET}", f"https://host/v1?key={SECRET}&{SECRET}"),
        ("https://host/models/@cf/v1", "https://host/models/@cf/v1"),
        ("https://host/openai?api-version=2024-10-21", "https://host/openai?api-version=2024-10-21"),
        ("https://host/openai?api-version=2025-01-01-preview&key=${SECRET}",)
        + (f"https://host/openai?api-version=2025-01-01-preview&key={SECRET}",),
    ],
)
def test_variables_stand_for_them_and_no_table_holds_them(load, address, meant):
    study = load(base_url=address)
    assert study.systems[0].spec.base_url == meant
    assert json.loads(study.config_json)["systems"][0]["base_url"] == address
    assert SECRET not in study.config_json


def test_the_same_holds_for_each_of_several_addresses(load, refused):
    study = load(base_url=["https://host/v1", "https://${SECRET}@host/v1"])
    assert study.systems[0].spec.base_url[1] == f"https://{SECRET}@host/v1"
    assert SECRET not in study.config_json
    with refused(StudyFileError, "systems[0].base_url[1]") as caught:
        load(base_url=["https://host/v1", f"https://{SECRET}@host/v1"])
    assert SECRET not in str(caught.value)


def test_an_address_that_is_wrong_otherwise_is_not_repeated_either(load, refused, monkeypatch):
    monkeypatch.setenv("ADDRESS", f"ftp://user:{SECRET}@host")
    with refused(StudyFileError, "systems[0].base_url") as caught:
        load(base_url="${ADDRESS}")
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-proj-0123456789", "0123456789abcdef", "AKIAIOSFODNN7EXAMPLE", "gsk_a1B2c3"])
def test_a_key_in_the_place_of_its_variable_is_refused_and_not_repeated(load, refused, key):
    with refused(StudyFileError, "systems[0].api_key_env") as caught:
        load(api_key_env=key)
    assert key not in str(caught.value)


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "KEY", "A_VERY_LONG_NAME_OF_A_VARIABLE", "lower_case"])
def test_the_name_of_a_variable_is_taken(load, name, monkeypatch):
    if name.islower():
        monkeypatch.setenv(name, SECRET)
    assert load(api_key_env=name).systems[0].spec.api_key_env == name


@pytest.mark.parametrize("value", [SECRET, f"Bearer {SECRET}", f"${{SECRET}}{SECRET}", [SECRET], {"a": SECRET}])
def test_a_header_in_plain_sight_is_refused_and_not_repeated(load, refused, value):
    with refused(StudyFileError, 'systems[0].headers["x-gateway"]') as caught:
        load(headers={"x-gateway": value})
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("headers", "key"), [(SECRET, ""), ([SECRET], ""), ({SECRET + " x": "${SECRET}"}, f'["{SECRET} x"]')]
)
def test_headers_of_another_form_are_refused_and_not_repeated(load, refused, headers, key):
    with refused(StudyFileError, f"systems[0].headers{key}") as caught:
        load(headers=headers)
    assert f"got {SECRET}" not in str(caught.value)


@pytest.mark.parametrize("name", ["x y", "", "Host", "content-length"])
def test_the_name_of_a_header_is_checked(load, refused, name):
    with refused(StudyFileError, field_name(("systems", 0, "headers", name))):
        load(headers={name: "${SECRET}"})


@pytest.mark.parametrize("written", ["${SECRET}", "Bearer ${SECRET}"])
def test_variables_stand_for_headers_and_no_table_holds_them(load, written):
    study = load(headers={"x-gateway": written}, base_url="https://host/v1")
    assert study.systems[0].spec.headers == {"x-gateway": written.replace("${SECRET}", SECRET)}
    assert json.loads(study.config_json)["systems"][0]["headers"] == {"x-gateway": written}
    assert SECRET not in study.config_json + repr(study)


def test_a_header_whose_variable_is_not_set_is_told(load, refused, monkeypatch):
    monkeypatch.delenv("UNSET", raising=False)
    with refused(StudyFileError, 'systems[0].headers["x-gateway"]'):
        load(headers={"x-gateway": "${UNSET}"})


def test_what_is_hidden_leaves_the_rest():
    sent = {"a": [f"say {SECRET}", 1, None], "b": "fine"}
    assert redacted(sent, [SECRET]) == {"a": ["say ***", 1, None], "b": "fine"}
    assert redacted("a none", ["none"]) == "a none"
    text = "see https://u:p@host/a?b=c, or HTTP://host:80/x and mail@host"
    assert without_credentials(text) == "see https://***@host/a?*** or HTTP://host:80/x and mail@host"
