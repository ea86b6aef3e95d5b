"""Pairs of answers, of a published study of two genders and two ages, by hand."""

import json

import pytest

from python_assets.errors import WarehouseError
from python_assets.labelling.preference_pairs import write_preference_pairs
from python_assets.providers.messages import build_messages
from python_assets.providers.records import Prompt, SystemConfig
from python_assets.warehouse.build import Home
from tests.python_assets.report.conftest import write_published

PEOPLE = [("man", "young"), ("man", "old"), ("woman", "young"), ("woman", "old")]
FOUND = {
    "slice_id": "all", "system_id": "g", "measure_id": "kind", "grouping_id": "gender", "calibration": "raw",
    "statistic": "mean", "group_id": "woman", "direction": "disadvantaged",
}  # fmt: skip


def answer(root: str, gender: str, age: str, replicate: int = 0) -> dict:
    return {"system_id": "g", "prompt_id": f"{root}_{gender}_{age}", "replicate": replicate}


@pytest.fixture
def pairs(tmp_path):
    """The lines of the file of a study whose answers are worth what is given by root prompt, gender and age."""

    def write(worth, texts=None, *, study=None, system=None, messages=None, direction="higher_better", found=FOUND):
        said = {key: (texts or {}).get(key, f"An answer worth {value}.") for key, value in worth.items()}
        prompts = {answer(*key[:3])["prompt_id"]: key for key in worth}
        tables = {
            "studies": [{"title": "t", "config_json": "{}"} | (study or {})],
            "systems": [{"system_id": "g", "system_prompt": "", "is_simulated": False} | (system or {})],
            "measures": [{"measure_id": "kind", "direction": direction}],
            "factors": [{"factor": name, "origin": "declared"} for name in ("gender", "age")],
            "prompts": [
                {"prompt_id": name, "root_prompt_id": key[0], "task": "question", "messages_json": messages}
                | {"prompt_text": f"May the {key[2]} {key[1]} of {key[0]} enter?"}
                for name, key in prompts.items()
            ],
            "prompt_factors": [
                {"prompt_id": name, "factor": factor, "level": level}
                for name, key in prompts.items()
                for factor, level in zip(("gender", "age"), key[1:3], strict=True)
            ],
            "responses": [answer(*key) | {"response_text": said[key]} for key in worth],
            "measurements": [answer(*key) | {"measure_id": "kind", "value": value} for key, value in worth.items()],
            "finding_groups": [found],
        }
        write_published(tmp_path / "plumbline.duckdb", "study", tables)
        done = write_preference_pairs(Home(tmp_path), "study", tmp_path / "out")
        return done, [json.loads(line) for line in done.path.read_text(encoding="utf-8").splitlines()]

    return write


def worth_of(values):
    """Of one root prompt, by PEOPLE."""
    return {("r", *person): value for person, value in zip(PEOPLE, values, strict=True)}


def test_the_better_answer_about_another_group_is_chosen_where_all_else_is_alike(pairs):
    # the old man got the best answer, which is no pair of the young woman's
    done, lines = pairs(worth_of([0.6, 0.9, 0.2, 0.95]))
    (line,) = lines
    assert (line["prompt_id"], line["other_prompt_id"]) == ("r_woman_young", "r_man_young")
    assert line["prompt"] == [{"role": "user", "content": "May the young woman of r enter?"}]
    assert line["chosen"] == [{"role": "assistant", "content": "An answer worth 0.6."}]
    assert line["rejected"] == [{"role": "assistant", "content": "An answer worth 0.2."}]
    assert (line["value_chosen"], line["value_rejected"]) == (0.6, 0.2)
    assert (done.n_pairs, done.n_naming_others, done.n_groups) == (1, 0, 1)


def test_less_is_better_where_the_measure_says_so(pairs):
    _, lines = pairs(worth_of([0.6, 0.9, 0.8, 0.95]), direction="higher_worse")
    assert {line["prompt_id"]: line["value_chosen"] for line in lines} == {"r_woman_young": 0.6, "r_woman_old": 0.9}


def test_equal_answers_make_no_pair(pairs):
    done, lines = pairs({("s", "woman", "old", 0): 0.1, ("s", "man", "old", 0): 0.1})
    assert lines == []
    assert (done.n_pairs, done.n_groups) == (0, 1)


def test_the_better_answer_may_be_of_another_replicate(pairs):
    worth = {("r", "man", "young", 0): 0.2, ("r", "woman", "young", 0): 0.2, ("r", "woman", "young", 2): 0.5}
    worth |= {("r", "man", "young", replicate): 0.9 for replicate in (1, 2)}
    _, lines = pairs(worth)
    assert [(line["replicate"], line["other_replicate"], line["value_chosen"]) for line in lines] == [
        (0, 1, 0.9),
        (2, 2, 0.9),
    ]


def test_an_answer_that_names_the_other_group_is_left_out_and_counted(pairs):
    texts = {("r", "man", "young"): "The man may.", ("r", "man", "old"): "The manager of the house lets them in."}
    done, lines = pairs(worth_of([0.6, 0.9, 0.2, 0.1]), texts)
    assert [line["prompt_id"] for line in lines] == ["r_woman_old"]
    assert (done.n_pairs, done.n_naming_others) == (1, 1)


def test_nothing_is_taken_of_a_group_that_no_finding_shows_at_a_disadvantage(pairs):
    for found in (FOUND | {"direction": "advantaged"}, FOUND | {"slice_id": "D1"}, FOUND | {"group_id": "man"}):
        _, lines = pairs(worth_of([0.6, 0.9, 0.2, 0.1]), found=found)
        assert lines == []


def test_the_prompt_is_the_messages_that_the_model_was_sent(pairs):
    earlier = [{"role": "user", "content": 'Say "hi".'}, {"role": "assistant", "content": "Hi."}]
    asked = {"system_prompt": "Be brief.", "prompt_template": "{prompt} Yes or no?"}
    _, lines = pairs(worth_of([0.6, 0.9, 0.2, 0.95]), system=asked, messages=json.dumps(earlier))
    prompt = Prompt("p", "r", "May the young woman of r enter?", task="question", messages=tuple(earlier))
    assert lines[0]["prompt"] == build_messages(prompt, SystemConfig("g", "simulator", "m", **asked))


def test_hidden_texts_stay_hidden(pairs, refused):
    with refused(WarehouseError, "study: report.hide_texts"):
        pairs(worth_of([0.6, 0.9, 0.2, 0.1]), study={"config_json": '{"report": {"hide_texts": true}}'})


def test_a_study_that_is_not_published_is_told(pairs, tmp_path, refused):
    pairs(worth_of([0.6, 0.9, 0.2, 0.1]))
    with refused(WarehouseError, "studies"):
        write_preference_pairs(Home(tmp_path), "other", None)


def test_a_folder_that_cannot_be_written_names_the_remedy(pairs, tmp_path, refused):
    pairs(worth_of([0.6, 0.9, 0.2, 0.1]))
    (tmp_path / "file").write_text("")
    with refused(WarehouseError, "the file"):
        write_preference_pairs(Home(tmp_path), "study", tmp_path / "file")
