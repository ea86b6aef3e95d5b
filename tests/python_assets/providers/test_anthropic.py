import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from python_assets.errors import ProviderError
from python_assets.providers.provider import config_problems
from python_assets.providers.records import SystemConfig, SystemRun
from tests.python_assets.providers.conftest import Ask, Waits
from tests.python_assets.providers.dialect_servers import (
    CLAUDE,
    KEY,
    anthropic,
    anthropic_error,
    anthropic_message,
    anthropic_text,
)
from tests.python_assets.providers.servers import Reply, Server, serving

DECODING = {"temperature": 0.0, "seed": 42, "max_tokens": 256}
AskClaude = Callable[..., SystemRun]


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Server("/v1/messages", anthropic)) as started:
        yield started


@pytest.fixture
def ask_claude(server: Server, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> AskClaude:
    monkeypatch.setenv("CLAUDE_KEY", KEY)

    def run(n_prompts: int = 1, **config: Any) -> SystemRun:
        asked = {"provider": "anthropic", "model": CLAUDE, "base_url": server.url, "decoding": DECODING}
        return ask(server, n_prompts, **{**asked, "api_key_env": "CLAUDE_KEY", **config})

    return run


def test_a_message_becomes_a_row(ask_claude: AskClaude) -> None:
    row = ask_claude(2).responses[1]
    assert (row.status, row.response_text) == ("ok", "A reply to: Sentence number 1 begins")
    assert (row.n_tokens_in, row.n_tokens_out) == (9, 12)
    context = json.loads(row.context_json or "")
    assert context["served_model"] == "claude-opus-4-7-20260401"


def test_the_role_stands_beside_the_turns_and_no_seed_is_sent(server: Server, ask_claude: AskClaude) -> None:
    ask_claude(system_prompt="You are terse.", options={"top_k": 5}, decoding={**DECODING, "temperature": None})
    body = server.calls[-1].body
    assert body["system"] == "You are terse."
    assert [one["role"] for one in body["messages"]] == ["user"]
    assert {name: body[name] for name in body if name not in ("system", "messages")} == {
        "model": CLAUDE,
        "stream": False,
        "max_tokens": 256,
        "top_k": 5,
    }
    assert server.calls[-1].headers["anthropic-version"] == "2023-06-01"


def test_a_model_that_takes_no_temperature_is_asked_without_it(server: Server, ask_claude: AskClaude) -> None:
    run = ask_claude(5)
    assert run.n_by_status["ok"] == 5
    assert len(server.calls) == 5 + 1
    assert json.loads(run.responses[4].context_json or "")["changed_parameters"] == {"seed": None, "temperature": None}


def test_temperature_stays_where_it_cannot_stand_beside_top_p(server: Server, ask_claude: AskClaude) -> None:
    """Source of the body: https://github.com/BerriAI/litellm/issues/15097."""
    both = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
    server.next_replies = [anthropic_error(400, "invalid_request_error", both), anthropic_message()]
    ask_claude(decoding={**DECODING, "top_p": 0.9})
    assert "top_p" not in server.calls[-1].body
    assert server.calls[-1].body["temperature"] == 0.0


def test_thinking_is_kept_apart_and_every_token_read_counts(server: Server, ask_claude: AskClaude) -> None:
    thinking = {"type": "thinking", "thinking": "Let me see.", "signature": "EqQ"}
    blocks = [thinking, {"type": "redacted_thinking", "data": "Eo"}, anthropic_text("Yes"), anthropic_text(".")]
    server.next_replies = [anthropic_message(*blocks, cache_read_input_tokens=100, cache_creation_input_tokens=1)]
    row = ask_claude().responses[0]
    assert (row.response_text, row.n_tokens_in) == ("Yes.", 110)
    assert json.loads(row.context_json or "")["reasoning"] == "Let me see."


@pytest.mark.parametrize(
    ("reply", "flags"),
    [
        (anthropic_message(anthropic_text("and then"), stop_reason="max_tokens"), ("is_truncated",)),
        (anthropic_message(anthropic_text("and"), stop_reason="model_context_window_exceeded"), ("is_truncated",)),
        (anthropic_message(stop_reason="refusal"), ("is_refused", "is_empty")),
        (anthropic_message(), ("is_empty",)),
        (anthropic_message(anthropic_text("Yes."), stop_reason="stop_sequence"), ()),
    ],
)
def test_why_an_answer_ended_is_read(
    server: Server, ask_claude: AskClaude, reply: Reply, flags: tuple[str, ...]
) -> None:
    server.next_replies = [reply]
    assert ask_claude().responses[0].flags == flags


def test_an_answer_blocked_by_the_filter_is_a_refusal(server: Server, ask_claude: AskClaude) -> None:
    """Source of the body: https://github.com/anthropics/claude-code/issues/58367."""
    blocked = "Output blocked by content filtering policy"
    server.next_replies = [anthropic_error(400, "invalid_request_error", blocked)]
    row = ask_claude().responses[0]
    assert (row.status, row.flags) == ("ok", ("is_refused", "is_empty"))


@pytest.mark.parametrize(
    "reply",
    [
        anthropic_error(401, "authentication_error", f"invalid x-api-key {KEY}"),
        anthropic_error(402, "billing_error", "pay"),
        # https://github.com/continuedev/continue/issues/5499
        anthropic_error(
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to "
            "upgrade or purchase credits.",
        ),
        anthropic_error(403, "permission_error", "no"),
    ],
)
def test_what_no_call_can_mend_stops_the_system_at_once(
    server: Server, ask_claude: AskClaude, reply: Reply, refused
) -> None:
    server.next_replies = [reply]
    with refused(ProviderError, "system 'asked'") as caught:
        ask_claude(30)
    assert KEY not in str(caught.value)
    assert len(server.calls) == 1


def test_a_seed_that_options_name_is_not_dropped(server: Server, ask_claude: AskClaude, refused) -> None:
    with refused(ProviderError, "system 'asked'"):
        ask_claude(30, decoding={"max_tokens": 9, "seed": 1}, options={"seed": 2})
    assert len(server.calls) == 1


def test_an_overloaded_server_is_asked_again(server: Server, ask_claude: AskClaude, waits: Waits) -> None:
    server.next_replies = [
        anthropic_error(529, "overloaded_error", "Overloaded"),
        anthropic_error(429, "rate_limit_error", "slow down", **{"retry-after": "7"}),
    ]
    assert ask_claude(decoding={"max_tokens": 9}).n_by_status["ok"] == 1
    assert waits.seconds == [1.0, 7.0]


def test_a_missing_model_and_a_wrong_address_are_told_apart(server: Server, ask_claude: AskClaude, refused) -> None:
    with refused(ProviderError, "system 'asked'"):
        ask_claude(30, model="claude-0", decoding={"max_tokens": 9})
    with refused(ProviderError, "system 'asked'"):
        ask_claude(30, base_url=f"{server.url}/v1")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"decoding": {"max_tokens": None}}, "decoding.max_tokens"),
        ({"decoding": {"max_tokens": 9, "temperature": 1.5}}, "decoding.temperature"),
        ({"decoding": DECODING, "options": {"system": "Be kind."}}, "options.system"),
        ({"decoding": DECODING, "api_key_env": "K", "headers": {"X-Api-Key": "k"}}, 'headers["X-Api-Key"]'),
        ({"decoding": DECODING, "model": " "}, "model"),
    ],
)
def test_what_the_api_does_not_take_is_told_before_anything_is_sent(
    told: Any, fields: dict[str, Any], field: str
) -> None:
    config = SystemConfig(**{"system_id": "g", "provider": "anthropic", "model": "m", **fields})
    assert told(config_problems(config, {})) == [field]
