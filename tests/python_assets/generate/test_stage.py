import json

import pytest

from python_assets.assemble import assemble
from python_assets.errors import StudyError
from python_assets.generate.stage import generate_study
from python_assets.warehouse import Home

COLUMNS = {"prompt": "id", "prompt_text": "text", "response": "answer"}
ROWS = [
    {"id": "p1", "text": "one?", "answer": "yes", "model": "GPT 4", "gender": "Female"},
    {"id": "p2", "text": "two?", "answer": "\ud83d broken \x00 text", "model": "GPT 4", "gender": "Male"},
]


@pytest.fixture
def replayed(make_study, build, tmp_path):
    def run(generation, columns):
        lines = "\n".join(json.dumps(row) for row in ROWS)
        study = make_study(
            {"import": {"path": "rows.jsonl", "columns": columns, "factors": {"gender": "gender"}}},
            files={"rows.jsonl": lines},
            generations=[{"name": generation, "provider": "replay"}],
            groupings=["gender"],
        )
        assemble(study, build)
        counts = generate_study(study, build, Home(tmp_path / "home"), progress=lambda text: None)
        return counts, build.execute("select * from raw.responses order by prompt_id").df()

    return run


def test_an_import_without_generations_belongs_to_the_one_that_replays_it(replayed):
    counts, responses = replayed("annotated", COLUMNS)
    assert counts.n_responses == 2
    assert responses["generation_id"].tolist() == ["annotated", "annotated"]


def test_a_star_is_one_generation_for_each_imported_one(replayed):
    _, responses = replayed("*", {**COLUMNS, "generation": "model"})
    assert set(responses["generation_id"]) == {"gpt_4"}


def test_a_generation_the_import_has_not_is_named_with_those_it_has(replayed):
    with pytest.raises(StudyError, match="'claude' replays .* it has gpt_4"):
        replayed("claude", {**COLUMNS, "generation": "model"})


def test_a_text_that_duckdb_cannot_hold_is_stored_without_what_it_cannot(replayed):
    _, responses = replayed("annotated", COLUMNS)
    text = responses["response_text"][1]
    assert "broken" in text
    assert "\x00" not in text
    assert not any("\ud800" <= character <= "\udfff" for character in text)


def test_what_is_replayed_has_no_decoding_of_ours(replayed, build):
    replayed("annotated", COLUMNS)
    assert build.execute("select decoding_json, is_simulated from raw.generations").fetchall() == [
        ("{}", False)
    ]
