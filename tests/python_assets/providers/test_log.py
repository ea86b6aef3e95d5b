import hashlib
import json
from pathlib import Path

import pytest

from python_assets.providers.log import LogWriter, description_line, read_log, response_line
from python_assets.providers.outcomes import response_of
from python_assets.providers.provider import providers
from python_assets.providers.records import Description, Outcome, Prompt, Request, SystemConfig
from python_assets.providers.requests import plan_requests
from python_assets.providers.usage import Usage


@pytest.fixture
def request_() -> Request:
    provider = providers["openai"](SystemConfig("g", "openai", "m"))
    return plan_requests([Prompt('quote " id', "r", "text")], provider, Description()).rows[0]


@pytest.mark.parametrize("text", ["plain", "", None, "line\nbreak\r\u2028", "lone \ud83d", "\x00", "👩‍👩‍👧 שלום"])
def test_what_is_written_is_read(tmp_path: Path, request_: Request, text: str | None) -> None:
    counts = {"n_retries": 3, "failed_calls": {"429": 2, "timeout": 1}}
    outcome = Outcome(text, "stop", None, "2026-01-01T00:00:00.000+00:00", 0.5, 1, 2, '{"a": 1}', **counts)
    path = tmp_path / "log.jsonl"
    with LogWriter(path, read_log(path)) as writer:
        writer.append([response_line(request_, outcome)])
    content = read_log(path)
    assert content.outcomes == {request_.response_id: outcome}
    assert json.loads(path.read_bytes())["prompt_id"] == 'quote " id'
    assert path.read_bytes().count(b"\n") == 1


def hand_written(**fields: object) -> tuple[str, str]:
    """The response_id and the line of a request that nobody asked."""
    request = json.dumps({"n": fields.get("response_text")})
    key = hashlib.sha256(request.encode()).hexdigest()
    rest = json.dumps(fields)[1:]
    return (key, f'{{"response_id":"{key}","prompt_id":",\\"request\\":","replicate":0,"request":{request},{rest}\n')


def test_a_log_of_before_the_flags_gives_them_all(tmp_path: Path, request_: Request) -> None:
    """Statuses were never logged: what they were worked out from was, and the flags are."""
    path = tmp_path / "log.jsonl"
    refusal = "I'm sorry, but I can't assist with"
    ended = [(refusal, "length"), ("", "stop"), (None, "content_filter")]
    lines = dict(hand_written(response_text=text, finish_reason=reason) for text, reason in ended)
    path.write_text("".join(lines.values()))
    outcomes = read_log(path).outcomes
    assert list(outcomes) == list(lines)
    rows = [
        response_of(request_, outcome, SystemConfig("own", "replay", max_characters=100))
        for outcome in outcomes.values()
    ]
    assert [(row.status, row.flags) for row in rows] == [
        ("ok", ("is_refused", "is_truncated")),
        ("ok", ("is_empty",)),
        ("ok", ("is_refused", "is_empty")),
    ]


def test_a_log_of_before_retries_were_kept_says_nothing_of_them(tmp_path: Path, request_: Request) -> None:
    context = json.dumps({"served_model": "m-2024", "reasoning": "lone \ud83d"})
    key, line = hand_written(response_text="Yes.", context_json=context, n_calls=1)
    path = tmp_path / "log.jsonl"
    path.write_text(line)
    outcome = read_log(path).outcomes[key]
    row = response_of(request_, outcome, SystemConfig("own", "openai"))
    assert (row.n_retries, row.failed_calls_json, row.served_model) == (None, None, "m-2024")


@pytest.mark.parametrize(
    "sent", [{"429": "twice"}, {"429": -1}, ["429"], "429", 5, {"429": True}, {'4"9': 1}, {"": 1}, {"Too many": 1}]
)
def test_counts_of_another_form_are_not_recorded(tmp_path: Path, sent: object) -> None:
    key, line = hand_written(response_text="Yes.", failed_calls=sent, n_retries=2)
    path = tmp_path / "log.jsonl"
    path.write_text(line)
    outcome = read_log(path).outcomes[key]
    assert (outcome.failed_calls, outcome.n_retries) == (None, 2)


def test_a_log_of_before_the_checks_is_not_paid_again(tmp_path: Path) -> None:
    """Counts of any type were written as they came, and refused when they were read."""
    path = tmp_path / "log.jsonl"
    counts = [(10.0, 10), ("10", 10), (float("nan"), None), (10**20, None), (True, None)]
    lines = [hand_written(response_text=str(n), n_tokens_in=sent) for n, (sent, _) in enumerate(counts)]
    path.write_text("".join(line for _, line in lines))
    content = read_log(path)
    assert content.rejected == []
    assert [outcome.n_tokens_in for outcome in content.outcomes.values()] == [read for _, read in counts]


def test_a_line_whose_request_was_changed_is_not_taken_for_another(tmp_path: Path, request_: Request, snapshot) -> None:
    path = tmp_path / "log.jsonl"
    line = response_line(request_, Outcome("Yes."))
    path.write_text(line.replace('"model":"m"', '"model":"n"'))
    content = read_log(path)
    assert content.outcomes == {}
    assert content.rejected[0].detail == snapshot


def test_a_request_is_compared_as_it_was_spelled(tmp_path: Path) -> None:
    """Numbers as keys are sorted by number before they are text, 1.0 and 1e400 have other spellings."""
    options = {"logit_bias": {2: 1.0, 10: 1e-7}, "top": 10**400, "text": "\ud83d"}
    provider = providers["openai"](SystemConfig("g", "openai", "m", options=options))
    request = plan_requests([Prompt("p", "p", "text")], provider, Description()).rows[0]
    path = tmp_path / "log.jsonl"
    path.write_text(response_line(request, Outcome("Yes.")))
    assert list(read_log(path).outcomes) == [request.response_id]


def test_a_line_that_could_not_be_read_back_is_not_written(request_: Request) -> None:
    with pytest.raises(ValueError, match="cannot be read back"):
        response_line(request_, Outcome("Yes.", n_tokens_in=10**20))


def test_the_latest_line_of_a_request_counts(tmp_path: Path, request_: Request) -> None:
    path = tmp_path / "log.jsonl"
    lines = [response_line(request_, Outcome(None, error="timeout: x")), response_line(request_, Outcome("later"))]
    path.write_text("".join(lines))
    assert read_log(path).outcomes[request_.response_id].response_text == "later"


def test_retries_and_failed_calls_of_a_request_are_those_of_all_its_lines(tmp_path: Path, request_: Request) -> None:
    path = tmp_path / "log.jsonl"
    failed = Outcome(None, error="http_503: x", n_retries=2, failed_calls={"503": 3})
    answered = Outcome("later", n_retries=1, failed_calls={"503": 1})
    path.write_text(response_line(request_, failed) + response_line(request_, answered))
    outcome = read_log(path).outcomes[request_.response_id]
    assert (outcome.response_text, outcome.n_retries, outcome.failed_calls) == ("later", 4, {"503": 4})
    path.write_text(response_line(request_, Outcome(None, error="timeout: x")) + response_line(request_, answered))
    outcome = read_log(path).outcomes[request_.response_id]
    assert (outcome.n_retries, outcome.failed_calls) == (None, None)


def test_the_latest_description_counts(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    latest = Description("d2", "ollama 2", {"family": "llama"})
    path.write_text(description_line(Description("d1")) + description_line(latest))
    assert read_log(path).description == latest


@pytest.mark.parametrize(
    "record",
    [
        {"response_id": "x", "response_text": "nobody asked"},
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


@pytest.mark.parametrize("fields", [{"response_text": 5}, {"error": ["a"]}, {"context_json": {}}], ids=str)
def test_a_text_that_is_none_is_rejected(tmp_path: Path, fields: dict[str, object]) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(hand_written(**fields)[1])
    assert f"{next(iter(fields))} is " in read_log(path).rejected[0].detail


def test_an_absent_log_is_empty(tmp_path: Path) -> None:
    content = read_log(tmp_path / "absent.jsonl")
    assert content == ({}, None, [], 0, 0, Usage())


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
