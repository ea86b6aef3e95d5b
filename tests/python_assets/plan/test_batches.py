import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from python_assets.errors import SourceError, StudyError
from python_assets.plan.batches import import_results, told_import, write_requests
from python_assets.plan.costs import require_budget
from python_assets.plan.plan import plan_study
from python_assets.providers.batch_files import write_batches
from python_assets.providers.configs import log_path
from python_assets.providers.log import read_log
from python_assets.providers.records import Outcome
from python_assets.providers.spending import BudgetError
from python_assets.study.study import Study
from python_assets.warehouse import paths

TEXTS = [{"id": name, "text": f"Text {name} of {{tone}} words."} for name in ("a", "b", "c")]
PARTS = {"factors": {"tone": {"levels": ["kind", "plain"]}}, "groupings": ["tone"]}
PROMPTS = {"templates": {"cross": ["tone"], "texts": TEXTS}}
KEY = "sk-very-secret"


@pytest.fixture
def study(make_study, tmp_path, monkeypatch) -> Callable[..., Study]:
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KEY", KEY)

    def make(*others: dict[str, Any], system: dict[str, Any] | None = None, **parts: Any) -> Study:
        asked = {"name": "one", "provider": "openai", "model": "gpt-4.1", "api_key_env": "KEY"}
        return make_study(PROMPTS, systems=[{**asked, **(system or {})}, *others], **PARTS, **parts)

    return make


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def requests_of(study: Study, folder: Path) -> list[dict[str, Any]]:
    return [line for path in write_requests(study, folder).files for line in lines_of(path)]


def completion(content: str | None, finish_reason: str = "stop", **message: Any) -> dict[str, Any]:
    """The body that OpenAI returns for a request of a batch."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_764_000_000,
        "model": "gpt-4.1-2025-04-14",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, "refusal": None, **message},
                "logprobs": None,
                "finish_reason": finish_reason,
            }
        ],
        "usage": {
            "prompt_tokens": 20,
            "completion_tokens": 5,
            "total_tokens": 25,
            "prompt_tokens_details": {"cached_tokens": 4},
        },
        "system_fingerprint": "fp_1",
    }


def result(custom_id: str, body: Any, status: int = 200) -> dict[str, Any]:
    response = {"status_code": status, "request_id": "req_1", "body": body}
    return {"id": "batch_req_1", "custom_id": custom_id, "response": response, "error": None}


def error_body(code: str | None, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


def write_lines(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in records), "utf-8")
    return path


def outcomes(study: Study) -> dict[str, Outcome]:
    return read_log(log_path(study, paths.home(), "one")).outcomes


def test_requests_are_lines_of_the_batch_api_and_hold_no_key(study, tmp_path) -> None:
    done = write_requests(study(system={"system_prompt": "Be kind."}), tmp_path / "out")
    (path,) = done.files
    assert (path.name, done.files[path], done.left_out) == ("one_1.jsonl", 6, [])
    assert KEY not in path.read_text(encoding="utf-8")
    lines = lines_of(path)
    assert len({line["custom_id"] for line in lines}) == 6
    assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
    body = lines[0]["body"]
    assert set(lines[0]) == {"custom_id", "method", "url", "body"}
    assert (body["model"], body["max_tokens"], body["seed"], body["stream"]) == ("gpt-4.1", 256, 42, False)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]


def test_results_are_answers_as_if_they_had_been_asked(study, tmp_path) -> None:
    one = study()
    ids = [line["custom_id"] for line in requests_of(one, tmp_path / "out")]
    output = write_lines(
        tmp_path / "output.jsonl",
        [
            result(ids[0], completion("An answer.")),
            result(ids[1], completion("Cut off here", "length")),
            result(ids[2], completion(None, refusal="I cannot help with that.")),
            result(ids[3], completion(None, "content_filter")),
        ],
    )
    errors = write_lines(
        tmp_path / "errors.jsonl",
        [
            result(ids[4], error_body("content_policy_violation", "blocked"), 400),
            result(ids[5], error_body(None, "The server had an error"), 500),
        ],
    )
    done = import_results(one, [output, errors])
    assert (done.n_new, done.n_known, done.still_to_ask, done.unknown) == (6, 0, {}, [])
    found = outcomes(one)
    answer, cut, refusal, filtered, blocked, failed = (found[key] for key in ids)
    assert (answer.response_text, answer.finish_reason, answer.error) == ("An answer.", "stop", None)
    assert (answer.n_tokens_in, answer.n_tokens_out, answer.n_tokens_cached, answer.n_calls) == (20, 5, 4, 1)
    assert (answer.requested_at, answer.latency_seconds) == ("2025-11-24T16:00:00.000+00:00", None)
    assert json.loads(answer.context_json)["served_model"] == "gpt-4.1-2025-04-14"
    assert (cut.response_text, cut.finish_reason) == ("Cut off here", "length")
    assert (refusal.response_text, refusal.finish_reason) == ("I cannot help with that.", "refusal")
    assert (filtered.finish_reason, blocked.finish_reason) == ("content_filter", "content_filter")
    assert blocked.error is None
    assert failed.error.startswith("http_5xx")
    # what failed for a passing reason is asked again, by a run or by another batch
    assert [line["custom_id"] for line in requests_of(one, tmp_path / "again")] == [ids[5]]
    assert plan_study(one).costs[0].n_calls == 1


def test_the_same_file_twice_changes_nothing(study, tmp_path) -> None:
    one = study()
    ids = [line["custom_id"] for line in requests_of(one, tmp_path / "out")]
    output = write_lines(tmp_path / "output.jsonl", [result(key, completion(key)) for key in ids])
    assert import_results(one, [output]).n_new == 6
    log = log_path(one, paths.home(), "one")
    before = log.read_bytes()
    again = import_results(one, [output, output])
    assert (again.n_new, again.n_known) == (0, 12)
    assert log.read_bytes() == before
    assert write_requests(one, tmp_path / "none").files == {}


def test_what_a_batch_did_not_ask_or_cannot_send_is_still_to_ask_and_told(study, tmp_path) -> None:
    one = study()
    ids = [line["custom_id"] for line in requests_of(one, tmp_path / "out")]
    expired = {"id": "b", "custom_id": ids[0], "response": None, "error": {"code": "batch_expired", "message": "late"}}
    parameter = error_body("unsupported_parameter", "Unsupported parameter: 'max_tokens' is not supported")
    parameter["error"]["param"] = "max_tokens"
    records = [
        expired,
        result(ids[1], parameter, 400),
        result("f" * 64, completion("of another study")),
        "not json",
        {"custom_id": 5},
        "",
        result(ids[2], {"choices": []}),
        result(ids[3], completion("twice")),
        result(ids[3], completion("again")),
    ]
    done = import_results(one, [write_lines(tmp_path / "mixed.jsonl", records)])
    assert (done.n_new, done.n_known, done.unknown) == (
        2,
        1,
        ["line 3 of mixed.jsonl", "line 4 of mixed.jsonl", "line 5 of mixed.jsonl"],
    )
    assert done.still_to_ask["batch_expired"] == 1
    assert sum(done.still_to_ask.values()) == 2
    assert any(reason.startswith("parameter_refused") for reason in done.still_to_ask)
    found = outcomes(one)
    assert set(found) == {ids[2], ids[3]}
    assert found[ids[2]].error.startswith("malformed_response")
    assert found[ids[3]].response_text == "twice"
    assert len(told_import(done)) == 4


def test_results_count_as_spent(study, tmp_path) -> None:
    bounded = study(budget={"calls": 3})
    ids = [line["custom_id"] for line in requests_of(bounded, tmp_path / "out")]
    import_results(bounded, [write_lines(tmp_path / "o.jsonl", [result(key, completion("x")) for key in ids[:3]])])
    with pytest.raises(BudgetError, match="3 of 3 calls"):
        require_budget(bounded)
    with pytest.raises(BudgetError):
        write_requests(bounded, tmp_path / "more")


def test_systems_of_other_protocols_are_left_to_a_run(study, tmp_path, refused) -> None:
    other = {"name": "two", "provider": "anthropic", "model": "claude-haiku-4-5", "api_key_env": "KEY"}
    options = {"request": {"q": "{prompt}"}, "answer": "text"}
    application = {"name": "app", "provider": "http", "base_url": "https://app.example.org", "options": options}
    done = write_requests(study(other, application), tmp_path / "out")
    assert ([path.name for path in done.files], done.left_out) == (["one_1.jsonl"], ["two", "app"])
    with refused(StudyError, "systems"):
        write_requests(study(system={"provider": "anthropic"}), tmp_path / "none")


def test_files_keep_within_the_limits_of_the_api(tmp_path) -> None:
    lines = [b"12345678\n"] * 7
    by_lines = write_batches(tmp_path, "a", lines, most_lines=3)
    assert {path.name: n for path, n in by_lines.items()} == {"a_1.jsonl": 3, "a_2.jsonl": 3, "a_3.jsonl": 1}
    by_bytes = write_batches(tmp_path, "b", lines, most_bytes=20)
    assert list(by_bytes.values()) == [2, 2, 2, 1]
    assert b"".join(path.read_bytes() for path in by_bytes) == b"".join(lines)


def test_a_file_that_is_not_there_is_named(study, tmp_path, refused) -> None:
    with refused(SourceError, "the file"):
        import_results(study(), [tmp_path / "none.jsonl"])
