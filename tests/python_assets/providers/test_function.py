import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from python_assets.errors import ProviderError
from python_assets.providers.addresses import FAILURES_IN_A_ROW
from python_assets.providers.loop import generate
from python_assets.providers.records import Message, SystemConfig, SystemRun
from tests.python_assets.providers.conftest import Waits, numbered_prompts


def run_function(function: Any, log_path: Path, n_prompts: int = 3, **fields: Any) -> SystemRun:
    config = SystemConfig("own", "mine:reply", function=function, function_sha256="1" * 64, **fields)
    return generate(numbered_prompts(n_prompts), config, log_path, addresses=Waits().addresses())


def reply(messages: list[Message], decoding: Mapping[str, Any]) -> str:
    return f"{messages[-1]['content']} at {decoding['temperature']}"


def test_a_function_answers(log_path: Path) -> None:
    run = run_function(reply, log_path, decoding={"temperature": 0.5})
    assert run.responses[2].response_text == "Sentence number 2 begins at 0.5"
    assert run.description.model_digest == "1" * 64
    assert run_function(reply, log_path, decoding={"temperature": 0.5}).n_requested == 0


def test_none_is_no_answer(log_path: Path) -> None:
    run = run_function(lambda messages, decoding: None, log_path)
    assert run.n_by_flag["is_empty"] == 3


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (ValueError("odd"), "function_failed: ValueError: odd"),
        (StopIteration(), "function_failed: StopIteration: "),
        (SystemExit("bye"), "function_failed: SystemExit: bye"),
        (5, "function_failed: expected text or None, got int"),
    ],
)
def test_what_goes_wrong_in_a_function_is_recorded(log_path: Path, result: Any, error: str) -> None:
    def fail_on_the_second(messages: list[Message], decoding: Mapping[str, Any]) -> Any:
        if "number 1" not in messages[-1]["content"]:
            return "fine"
        if isinstance(result, BaseException):
            raise result
        return result

    run = run_function(fail_on_the_second, log_path)
    assert [row.error for row in run.responses] == [None, error, None]


def test_a_function_that_always_fails_stops_the_system(log_path: Path, refused) -> None:
    def fail(messages: list[Message], decoding: Mapping[str, Any]) -> str:
        raise KeyError("model")

    with refused(ProviderError, "system 'own'"):
        run_function(fail, log_path, FAILURES_IN_A_ROW + 10)


def test_a_function_runs_as_often_at_a_time_as_concurrency_says(log_path: Path) -> None:
    both = threading.Barrier(2, timeout=10)
    calls: list[str] = []

    def wait_for_the_other(messages: list[Message], decoding: Mapping[str, Any]) -> str:
        calls.append(messages[-1]["content"])
        if len(calls) > 1:  # the first call is alone
            both.wait()
        return "met"

    run = run_function(wait_for_the_other, log_path, 5, concurrency=2)
    assert run.n_by_status["ok"] == 5


def test_more_calls_than_processors_run_at_a_time(log_path: Path) -> None:
    together = 40
    all_of_them = threading.Barrier(together, timeout=20)
    calls: list[str] = []

    def wait_for_the_others(messages: list[Message], decoding: Mapping[str, Any]) -> str:
        calls.append(messages[-1]["content"])
        if len(calls) > 1:
            all_of_them.wait()
        return "met"

    run = run_function(wait_for_the_others, log_path, together + 1, concurrency=together)
    assert run.n_by_status["ok"] == together + 1


def test_what_a_function_changes_is_asked_of_no_other_response(log_path: Path) -> None:
    def change_everything(messages: list[Message], decoding: dict[str, Any], options: dict[str, Any]) -> str:
        style = options["inner"].pop("style")
        messages.append(Message(role="assistant", content="Sure."))
        messages[0]["content"] += "!"
        decoding.clear()
        return f"{style}, {len(messages)}, {messages[0]['content']}"

    options = {"inner": {"style": "terse"}}
    run = run_function(change_everything, log_path, 1, replicates=3, options=options, decoding={"seed": 1})
    assert [row.response_text for row in run.responses] == ["terse, 2, Sentence number 0 begins!"] * 3


def test_every_replicate_has_a_seed_of_its_own(log_path: Path) -> None:
    def seed(messages: list[Message], decoding: Mapping[str, Any]) -> str:
        return f"seed {decoding['seed']}"

    run = run_function(seed, log_path, n_prompts=1, replicates=3, decoding={"seed": 7})
    assert [row.response_text for row in run.responses] == ["seed 7", "seed 8", "seed 9"]
    run = run_function(seed, log_path.with_name("none.jsonl"), n_prompts=1, decoding={"seed": None})
    assert run.responses[0].response_text == "seed None"


def test_a_function_that_names_them_gets_model_and_options(log_path: Path) -> None:
    def say(messages: list[Message], decoding: Mapping[str, Any], model: str, options: dict[str, Any]) -> str:
        return f"{model} {options['style']}"

    run = run_function(say, log_path, model="m-1", options={"style": "terse"})
    assert run.responses[0].response_text == "m-1 terse"

    def take_any(messages: list[Message], decoding: Mapping[str, Any], **named: Any) -> str:
        return ", ".join(sorted(named))

    run = run_function(take_any, log_path.with_name("any.jsonl"))
    assert run.responses[0].response_text == "model, options"


def test_a_mapping_tells_more_than_the_text(log_path: Path) -> None:
    def say(messages: list[Message], decoding: Mapping[str, Any]) -> dict[str, Any]:
        counts = {"n_tokens_in": 5, "n_tokens_out": 2}
        return {"text": "and then", "finish_reason": "length", "reasoning": "Let me see.", **counts}

    row = run_function(say, log_path, n_prompts=1).responses[0]
    assert (row.response_text, row.flags) == ("and then", ("is_truncated",))
    assert (row.n_tokens_in, row.n_tokens_out) == (5, 2)
    assert json.loads(row.context_json or "") == {"reasoning": "Let me see."}


@pytest.mark.parametrize(
    ("returned", "error"),
    [
        ({"text": "x", "tokens": 4}, "returned tokens; expected text, n_tokens_in, n_tokens_out, finish_reason"),
        ({"text": 5}, "expected text or None, got int"),
        ({"text": "x", "reasoning": ["y"]}, "expected text or None, got list"),
    ],
)
def test_a_mapping_of_another_form_is_an_error(log_path: Path, returned: Any, error: str) -> None:
    run = run_function(lambda messages, decoding: returned, log_path, n_prompts=1)
    assert error in (run.responses[0].error or "")


def test_a_coroutine_is_told_before_it_is_called(log_path: Path, refused) -> None:
    async def say(messages: list[Message], decoding: Mapping[str, Any]) -> str:
        return "x"

    with refused(ProviderError, "system 'own'"):
        run_function(say, log_path)


@pytest.mark.parametrize("function", [lambda: "x", lambda messages: "x", lambda a, b, c: "x"])
def test_a_function_that_cannot_be_called_is_told_before_it_is(log_path: Path, function: Any, refused) -> None:
    with refused(ProviderError, "system 'own'"):
        run_function(function, log_path)
