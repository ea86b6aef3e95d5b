import json
from pathlib import Path
from typing import Any

import pytest

from python_assets.providers.loop import generate
from python_assets.providers.provider import config_problems
from python_assets.providers.records import Prompt, SystemConfig
from tests.python_assets.providers.conftest import Ask
from tests.python_assets.providers.servers import (
    MODEL,
    Reply,
    Request,
    Server,
    chat_logprobs,
    openai_completion,
    openai_text_completion,
    serving,
)


def test_the_probabilities_of_the_first_token_are_kept(openai_server: Server, ask: Ask) -> None:
    reply = openai_completion("A")
    reply.body["choices"][0]["logprobs"] = chat_logprobs(A=-0.1, B=-2.5, The=-4.0)
    openai_server.next_replies = [reply]
    options = {"logprobs": True, "top_logprobs": 20}
    row = ask(openai_server, options=options).responses[0]
    assert json.loads(row.context_json or "")["first_token_logprobs"] == {"A": -0.1, "B": -2.5, "The": -4.0}
    assert {name: openai_server.calls[0].body[name] for name in options} == options


@pytest.mark.parametrize(
    "logprobs",
    [None, [], {}, "x", {"content": []}, {"content": [1]}, {"content": [{}]}, {"top_logprobs": [None]},
     {"content": [{"top_logprobs": [{"token": 5, "logprob": -1}, {"token": "A", "logprob": "low"}]}]},
     {"content": [{"top_logprobs": [{"token": "A", "logprob": 3.0}, {"token": "B", "logprob": True}]}]}],
)  # fmt: skip
def test_probabilities_of_another_form_are_none(openai_server: Server, ask: Ask, logprobs: Any) -> None:
    reply = openai_completion("A")
    reply.body["choices"][0]["logprobs"] = logprobs
    openai_server.next_replies = [reply]
    row = ask(openai_server).responses[0]
    assert (row.status, row.response_text) == ("ok", "A")
    assert "first_token_logprobs" not in json.loads(row.context_json or "{}")


def test_a_base_model_is_asked_for_a_completion(log_path: Path) -> None:
    def answer(server: Server, request: Request) -> Reply:
        return openai_text_completion(" B", {" B": -0.2, " A": -1.9})

    with serving(Server("/v1/completions", answer)) as server:
        config = SystemConfig(
            "base",
            "openai",
            MODEL,
            system_prompt="Choose.",
            base_url=f"{server.url}/v1",
            decoding={"max_tokens": 1, "temperature": 0.0},
            options={"endpoint": "completions", "logprobs": 5},
        )
        (row,) = generate([Prompt("p", "p", "A. x\nB. y", task="question")], config, log_path).responses
    (call,) = server.calls
    assert call.body == {
        "max_tokens": 1,
        "temperature": 0.0,
        "logprobs": 5,
        "prompt": "Choose.\n\nA. x\nB. y",
        "model": MODEL,
        "stream": False,
    }
    assert (row.response_text, row.flags) == (" B", ("is_truncated",))
    assert json.loads(row.context_json or "")["first_token_logprobs"] == {" B": -0.2, " A": -1.9}


def test_an_endpoint_that_is_none_is_told(told: Any) -> None:
    config = SystemConfig("base", "openai", MODEL, options={"endpoint": "embeddings"})
    assert told(config_problems(config, {})) == ["options.endpoint"]
