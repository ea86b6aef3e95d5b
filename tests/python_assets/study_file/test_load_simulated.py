import pytest
import yaml

from python_assets.errors import StudyFileError
from python_assets.study_file.load import load_study

PROMPTS = {"templates": {"texts": [{"id": "1", "text": "Is a {gender} kind?"}], "cross": ["gender"]}}
EFFECTS = {"sentiment": {"effects": {"gender": {"Female": 0.2}}}}
REMOTE = {
    "name": "{model}_{system_prompt_name}",
    "provider": "openai",
    "model": ["a", "b"],
    "system_prompt": {"none": "", "kind": "Be kind."},
    "base_url": "http://127.0.0.1:9/v1",
    "api_key_env": "SOME_KEY",
    "options": {"logprobs": True},
    "replicates": 2,
}


@pytest.fixture
def study_path(tmp_path):
    content = {
        "title": "Test",
        "prompts": PROMPTS,
        "factors": {"gender": {"levels": ["Female", "Male"]}},
        "systems": [
            REMOTE,
            {"name": "biased", "provider": "simulator", "options": EFFECTS},
            {"name": "helper", "provider": "ollama", "model": "c", "engine": True},
        ],
        "measures": ["vader"],
    }
    path = tmp_path / "mine.yml"
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return path


def test_the_simulator_stands_in_for_every_model_under_its_name(study_path):
    study = load_study(study_path, simulated=True)
    everyone = [*study.systems, *study.engines.values()]
    assert study.has_stand_in
    assert {one.spec.provider for one in everyone} == {"simulator"}
    assert [one.model for one in everyone] == ["a", "a", "b", "b", "", "c"]
    assert [one.system_id for one in study.systems] == ["a_none", "a_kind", "b_none", "b_kind", "biased"]


def test_address_key_and_options_of_the_model_are_dropped_and_the_rest_kept(study_path):
    spec = load_study(study_path, simulated=True).systems[1].spec
    assert (spec.base_url, spec.api_key_env, spec.options) == (None, None, {})
    assert (spec.replicates, spec.system_prompt) == (2, REMOTE["system_prompt"])


def test_the_stand_in_has_the_options_that_the_file_gives_it_and_the_model_has_its_own(study_path):
    content = yaml.safe_load(study_path.read_text())
    content["systems"][0]["simulated"] = EFFECTS
    study_path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    assert load_study(study_path, simulated=True).systems[1].spec.options == EFFECTS
    assert load_study(study_path).systems[1].spec.options == {"logprobs": True}


def test_what_the_file_says_of_the_simulator_stays(study_path):
    study = load_study(study_path, simulated=True)
    assert study.systems[4].spec.options == EFFECTS


def test_without_the_override_the_models_answer(study_path):
    study = load_study(study_path)
    assert not study.has_stand_in
    assert study.systems[0].spec.provider == "openai"
    assert study.config_sha256 == load_study(study_path, simulated=True).config_sha256


def test_imported_responses_stay_what_they_are(tmp_path, make_study):
    study = make_study(
        {
            "import": {
                "path": "rows.csv",
                "columns": {"prompt": "id", "response": "answer"},
                "factors": {"gender": "sex"},
            }
        },
        files={"rows.csv": "id,sex,answer\np1,Female,yes\n"},
        groupings=["gender"],
        systems=[{"name": "annotated", "provider": "replay"}],
    )
    assert load_study(study.path, simulated=True).systems[0].spec.provider == "replay"


def test_a_mistake_of_the_file_is_told_all_the_same(study_path, refused):
    study_path.write_text(study_path.read_text().replace("http://127.0.0.1:9/v1", "localhost"))
    with refused(StudyFileError, "systems[0].base_url"):
        load_study(study_path, simulated=True)
