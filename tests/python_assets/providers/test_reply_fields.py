"""Whatever JSON a server replies, what is kept of it is read back from the log and fits its table."""

import copy
import json
import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from python_assets.providers import anthropic, application, ollama, openai
from python_assets.providers.failures import ProviderFailure
from python_assets.providers.fields import LARGEST_COUNT, count_or_none, seconds_or_none
from python_assets.providers.log import read_log, response_line
from python_assets.providers.outcomes import outcome_of, response_of
from python_assets.providers.provider import providers
from python_assets.providers.records import Answer, Description, Prompt, Request, SystemConfig
from python_assets.providers.requests import plan_requests
from python_assets.providers.transport import typed_failures
from tests.python_assets.providers.conftest import Ask
from tests.python_assets.providers.dialect_servers import anthropic_message, anthropic_text
from tests.python_assets.providers.servers import Server, ollama_chat, openai_completion

LONGEST = 50
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**20, -(10**400), 10**400, -1, 2**31, 10.0, "10", "10.5", "²", "9" * 5000, 1e308])
    | st.floats()
    | st.text(st.characters(exclude_categories=()))
    | st.sampled_from(["<think>", "<think>Hm.</think>", "\ud83d", "\x00", "x" * 60])
)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3))
TOKENS = [{"token": "Yes", "logprob": -0.5, "top_logprobs": [{"token": "Yes", "logprob": -0.5}]}]
WITH_LOGPROBS = openai_completion("Yes.").body
WITH_LOGPROBS["choices"][0]["logprobs"] = {"content": TOKENS}
COMPLETED = {"choices": [{"text": "Yes.", "logprobs": {"top_logprobs": [{"Yes": -0.5, "No": -1}]}}]}
PATHS = {"request": {"q": "{prompt}"}, "answer": "a.0.b", "usage": {"in": "n.in", "out": "n.out"}, "finish": "a.0.why"}
APPLICATION = application.Application(SystemConfig("app", "http", options=PATHS))
REPLIES: list[tuple[Callable[[dict[str, Any]], Answer], Any]] = [
    (openai._answer, WITH_LOGPROBS),
    (openai._answer, COMPLETED),
    (ollama._answer, ollama_chat("Yes.").body),
    (anthropic._answer, anthropic_message(anthropic_text("Yes.")).body),
    (APPLICATION.read_reply, {"a": [{"b": "Yes.", "why": "stop"}], "n": {"in": 9, "out": 1}}),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where anything stands in a JSON value, itself first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in inner for place in places(part, (*path, key)))]


def put(reply: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    inside = reply
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return reply


@st.composite
def replies(draw: st.DrawFn) -> tuple[Callable[[dict[str, Any]], Answer], Any]:
    """A reader and a reply of its protocol, with anything at up to three places of it or beside them."""
    read, usual = draw(st.sampled_from(REPLIES))
    reply = copy.deepcopy(usual)
    for _ in range(draw(st.integers(1, 3))):
        spots = places(reply)
        extra = [(*spot, name) for spot in spots for name in ("reasoning", "thinking", "refusal")]
        spots += [spot for spot in extra if isinstance(_at(reply, spot[:-1]), dict)]
        reply = put(reply, draw(st.sampled_from(spots)), draw(JSON))
    return read, reply


def _at(reply: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        reply = reply[key]
    return reply


def a_request() -> Request:
    provider = providers["openai"](SystemConfig("g", "openai", "m"))
    return plan_requests([Prompt("p", "p", "text")], provider, Description()).rows[0]


def with_logprob(value: Any) -> Any:
    reply = copy.deepcopy(WITH_LOGPROBS)
    reply["choices"][0]["logprobs"]["content"][0]["top_logprobs"][0]["logprob"] = value
    return openai._answer, reply


@example(with_logprob(-(10**400)))
@example(with_logprob(float("-inf")))
@settings(deadline=None)  # the first one imports every provider
@given(replies())
def test_every_reply_is_a_typed_failure_or_is_read_back_as_it_was_written(given_reply: Any) -> None:
    read, reply = given_reply
    sent = json.loads(json.dumps(reply))
    try:
        with typed_failures():
            answer = read(sent)
    except ProviderFailure:
        return
    outcome, request = outcome_of(answer, "2026-01-01T00:00:00.000+00:00", 0.5, LONGEST), a_request()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_text(response_line(request, outcome), encoding="ascii")
        content = read_log(path)
    assert (content.outcomes, content.rejected) == ({request.response_id: outcome}, [])
    row = response_of(request, outcome, SystemConfig("own", "replay", max_characters=LONGEST))
    assert row.status == "ok"
    assert all(n is None or 0 <= n <= LARGEST_COUNT for n in (row.n_tokens_in, row.n_tokens_out))
    if row.context_json is not None:
        json.loads(row.context_json, parse_constant=pytest.fail)


@given(JSON)
def test_a_count_is_a_whole_number_or_nothing(value: Any) -> None:
    count = count_or_none(value)
    assert count is None or (type(count) is int and 0 <= count <= LARGEST_COUNT and count == float(value))


@given(JSON)
def test_a_duration_is_finite_or_nothing(value: Any) -> None:
    seconds = seconds_or_none(value)
    assert seconds is None or (seconds == value and math.isfinite(seconds))


@pytest.mark.parametrize(
    ("usage", "n_tokens"),
    [(0, 0), (10.0, 10), ("10", 10), (float("nan"), None), (10**20, None), (-1, None), (1.5, None), (True, None)],
)
def test_a_wrong_count_costs_no_answer_and_no_second_call(
    openai_server: Server, ask: Ask, usage: Any, n_tokens: int | None
) -> None:
    reply = openai_completion("Yes.")
    reply.body["usage"] = {"prompt_tokens": usage, "completion_tokens": 3}
    reply.body["choices"][0]["finish_reason"] = 1
    openai_server.next_replies = [reply]
    for _ in range(2):
        row = ask(openai_server).responses[0]
        assert (row.response_text, row.n_tokens_in, row.n_tokens_out) == ("Yes.", n_tokens, 3)
    assert len(openai_server.calls) == 1


def test_tokens_of_several_calls_that_no_column_holds_are_none() -> None:
    assert Answer("Yes.", n_tokens_in=2 * LARGEST_COUNT).n_tokens_in is None


def test_an_answer_is_text() -> None:
    with pytest.raises(TypeError, match="answer is dict, not text"):
        Answer({"a": 1})  # type: ignore[arg-type]
