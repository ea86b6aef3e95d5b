import json
from pathlib import Path

import pytest

from python_assets.providers.log import (
    LogWriter,
    description_line,
    read_log,
    response_line,
)
from python_assets.providers.outcomes import response_of
from python_assets.providers.provider import providers
from python_assets.providers.records import (
    Description,
    GenerationConfig,
    Outcome,
    Prompt,
    Request,
)
from python_assets.providers.requests import plan_requests


@pytest.fixture
def request_() -> Request:
    provider = providers["openai"](GenerationConfig("g", "openai", "m"))
    return plan_requests([Prompt('quote " id', "r", "text")], provider, Description()).rows[0]


@pytest.mark.parametrize(
    "text", ["plain", "", None, "line\nbreak\r\u2028", "lone \ud83d", "\x00", "👩‍👩‍👧 שלום"]
)
def test_what_is_written_is_read(tmp_path: Path, request_: Request, text: str | None) -> None:
    outcome = Outcome(text, "stop", None, "2026-01-01T00:00:00.000+00:00", 0.5, 1, 2, '{"a": 1}')
    path = tmp_path / "log.jsonl"
    with LogWriter(path, read_log(path)) as writer:
        writer.append([response_line(request_, outcome)])
    content = read_log(path)
    assert content.outcomes == {request_.response_id: outcome}
    assert json.loads(path.read_bytes())["prompt_id"] == 'quote " id'
    assert path.read_bytes().count(b"\n") == 1


def test_a_log_of_before_the_flags_gives_them_all(tmp_path: Path, request_: Request) -> None:
    """Statuses were never logged: what they were worked out from was, and the flags are."""
    path = tmp_path / "log.jsonl"
    refusal = "I'm sorry, but I can't assist with"
    ended = {"a": (refusal, "length"), "b": ("", "stop"), "c": (None, "content_filter")}
    path.write_text(
        "".join(
            f'{{"response_id":"{key}","prompt_id":"p","replicate":0,"request":{{}},"response_text":'
            f'{json.dumps(text)},"finish_reason":"{reason}","error":null,"requested_at":null,'
            '"latency_seconds":null,"n_tokens_in":null,"n_tokens_out":null,"context_json":null}\n'
            for key, (text, reason) in ended.items()
        )
    )
    outcomes = read_log(path).outcomes
    rows = {key: response_of(request_, outcome, 100) for key, outcome in outcomes.items()}
    assert {key: (row.status, row.flags) for key, row in rows.items()} == {
        "a": ("ok", ("is_refused", "is_truncated")),
        "b": ("ok", ("is_empty",)),
        "c": ("ok", ("is_refused", "is_empty")),
    }


def test_the_latest_line_of_a_request_counts(tmp_path: Path, request_: Request) -> None:
    path = tmp_path / "log.jsonl"
    lines = [
        response_line(request_, Outcome(None, error="timeout: x")),
        response_line(request_, Outcome("later")),
    ]
    path.write_text("".join(lines))
    assert read_log(path).outcomes[request_.response_id].response_text == "later"


def test_the_latest_description_counts(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    latest = Description("d2", "ollama 2", {"family": "llama"})
    path.write_text(description_line(Description("d1")) + description_line(latest))
    assert read_log(path).description == latest


@pytest.mark.parametrize(
    "record",
    [
        {"response_id": "x", "response_text": 5},
        {"response_id": "x", "latency_seconds": "fast"},
        {"response_id": "x", "n_tokens_in": 1.5},
        {"response_id": "x", "error": ["a"]},
        {"description": {"model_digest": "d"}},
        {"description": {"model_digest": None, "engine_version": None, "model_details": []}},
        {"description": 5},
        {},
        "text",
        None,
    ],
    ids=str,
)
def test_a_record_of_the_wrong_shape_is_rejected(tmp_path: Path, record: object) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(record) + "\n")
    content = read_log(path)
    assert len(content.rejected) == 1
    assert (content.outcomes, content.description, content.n_bytes_whole) == ({}, None, content.n_bytes)


def test_an_absent_log_is_empty(tmp_path: Path) -> None:
    content = read_log(tmp_path / "absent.jsonl")
    assert content == ({}, None, [], 0, 0)


@pytest.mark.parametrize("n_bytes_left", [1, 20, 200])
def test_a_line_torn_anywhere_is_cut_off(tmp_path: Path, request_: Request, n_bytes_left: int) -> None:
    path = tmp_path / "log.jsonl"
    line = response_line(request_, Outcome("text"))
    path.write_text(line + line[:n_bytes_left])
    with LogWriter(path, read_log(path)) as writer:
        writer.append([line])
    assert path.read_text() == line + line


def test_nothing_is_touched_until_something_is_appended(tmp_path: Path, request_: Request) -> None:
    path = tmp_path / "log.jsonl"
    torn = response_line(request_, Outcome("text"))[:50]
    path.write_text(torn)
    with LogWriter(path, read_log(path)):
        pass
    assert path.read_text() == torn
