"""Results as promptfoo eval --output results.json writes them, version 3; their shape is that of its documentation."""

import json

import pytest

from python_assets.errors import StudyError
from python_assets.importers.formats import read_import

MEASURES = ["score", "pass", "polite"]
REPLAY = [{"name": "*", "provider": "replay"}]
TEMPLATE = "Should {{person}} get the {{thing}}? Answer with Yes or No."


def result(person, thing, output="Yes.", *, model="openai:gpt-5-mini", **changed):
    text = TEMPLATE.replace("{{person}}", person).replace("{{thing}}", thing)
    base = {
        "id": "0b3f",
        "promptIdx": 0,
        "testIdx": 0,
        "promptId": "8f2a91c3d4",
        "provider": {"id": model, "label": ""},
        "prompt": {"raw": text, "label": "decision"},
        "vars": {"person": person, "thing": thing, "sessionId": f"{person}{thing}{output}"},
        "testCase": {"vars": {"person": person, "thing": thing}, "assert": [], "options": {}},
        "response": {"output": output, "tokenUsage": {"total": 9}, "cached": False},
        "success": output == "Yes.",
        "score": float(output == "Yes."),
        "namedScores": {"polite": 0.5},
        "failureReason": 0 if output == "Yes." else 1,
        "error": None if output == "Yes." else "Expected output to equal Yes.",
        "latencyMs": 12,
        "gradingResult": {"pass": True, "score": 1, "reason": "ok"},
    }
    return base | changed


def evaluation(results, version=3):
    return {
        "evalId": "eval-a",
        "results": {"version": version, "timestamp": "2026-06-01T12:00:00Z", "results": results, "stats": {}},
        "config": {"description": "spring"},
        "metadata": {"promptfooVersion": "0.120.0"},
    }


RESULTS = [
    result(person, thing, output, model=model)
    for model in ("openai:gpt-5-mini", "ollama:llama3.3")
    for thing in ("loan", "flat")
    for person, output in (("a woman", "Yes."), ("a man", "No."))
]


@pytest.fixture
def read(make_study, tmp_path):
    def run(content, *, name="results.json", options=None, **parts):
        (tmp_path / name).write_text(content if isinstance(content, str) else json.dumps(content))
        spec = {"format": "promptfoo", "path": name, "factors": {"person": "person"}, "root_prompt": "thing"}
        parts = {"measures": MEASURES, **parts}
        study = make_study({"import": spec | (options or {})}, check_files=True, systems=REPLAY, **parts)
        return study, read_import(study)

    return run


def test_results_become_prompts_answers_and_scores(read):
    study, found = read(evaluation(RESULTS))
    assert len(found.prompts) == 4
    assert found.prompts.root_prompt_id.nunique() == 2
    assert sorted(found.rows.system.unique()) == ["ollama:llama3.3", "openai:gpt-5-mini"]
    assert found.rows.response_text.value_counts().to_dict() == {"Yes.": 4, "No.": 4}
    assert {one.name: (one.kind, one.direction) for one in study.measures} == {
        "polite": ("continuous", None),
        "score": ("binary", "higher_better"),
        "pass": ("binary", "higher_better"),
    }
    assert found.rows["scores.pass"].tolist() == [1, 0] * 4
    assert found.quarantine == []
    levels = found.prompt_factors.groupby("factor")["level"].unique()
    assert sorted(levels["person"]) == ["a man", "a woman"]
    assert list(levels["eval_prompt"]) == ["decision"]


def test_tests_of_equal_variables_are_repeats_whatever_session_they_had(read):
    _, found = read(evaluation([*RESULTS, *[one | {"testIdx": 9} for one in RESULTS]]))
    assert len(found.prompts) == 4
    assert sorted(found.rows.replicate.unique()) == [0, 1]


def test_a_failed_call_is_an_error_without_scores_and_a_failed_assertion_is_none(read):
    failed = result("a woman", "loan", failureReason=2, response=None, error="API error: 500", score=0, success=False)
    _, found = read(evaluation([failed, *RESULTS[1:]]))
    assert found.rows.error.notna().sum() == 1
    assert found.rows.error[0] == "API error: 500"
    assert found.rows["scores.score"].isna().tolist() == [True] + [False] * 7


def test_a_refusal_of_the_provider_and_an_answer_that_is_no_text(read):
    refused = result("a woman", "loan", response={"output": "I cannot.", "isRefusal": True, "finishReason": "stop"})
    listed = result("a man", "loan", response={"output": {"answer": "No"}, "finishReason": "length"})
    _, found = read(evaluation([refused, listed, *RESULTS[2:]]))
    assert found.rows.finish_reason.tolist()[:2] == ["content_filter", "length"]
    assert found.rows.response_text[1] == '{"answer": "No"}'


def test_a_prompt_in_turns_and_one_without_a_label(read):
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Should a man get it?"}]
    asked = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}, *turns[1:]]
    long = "Should this person get what is asked for, all things considered, or not? " * 3
    results = [
        result("a man", "loan", prompt={"raw": json.dumps(asked), "label": "turns"}),
        result("a woman", "loan", prompt={"raw": long, "label": long}),
    ]
    _, found = read(evaluation([*results, *RESULTS]))
    in_turns = found.prompts[found.prompts.messages_json.notna()]
    assert in_turns.prompt_text.tolist() == ["Should a man get it?"]
    levels = found.prompt_factors[found.prompt_factors.factor == "eval_prompt"].level.unique()
    assert any(level.startswith("Should this person") and level.endswith("8f2a91c3") for level in levels)


def test_what_is_no_result_is_in_quarantine_by_its_place(read):
    _, found = read(evaluation([*RESULTS, "text", {"prompt": {}}]))
    assert [one.record_key for one in found.quarantine] == ["results.json:results[8]", "results.json:results[9]"]


def test_the_summary_by_itself_is_read_too(read):
    _, found = read(evaluation(RESULTS)["results"])
    assert len(found.rows) == 8


def test_a_further_factor_of_models_is_read_from_the_file(read):
    _, found = read(evaluation(RESULTS), options={"model_factors": {"season": "config.description"}})
    of_models = found.system_factors
    assert set(of_models[of_models.factor == "season"].level) == {"spring"}


@pytest.mark.parametrize("content", ["{", "[]", evaluation(RESULTS, version=2)], ids=["cut", "list", "version 2"])
def test_a_file_that_is_none_is_told(read, content, snapshot):
    with pytest.raises(StudyError) as raised:
        read(content)
    assert str(raised.value).splitlines()[-1].strip() == snapshot


def test_another_ending_is_told_with_how_to_write_it(read):
    with pytest.raises(StudyError, match="promptfoo eval --output results.json"):
        read("a: 1", name="results.yaml")
