from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from python_assets.providers.loop import generate
from python_assets.providers.records import Answer, Conversation, Extension, Message, Request, SystemConfig
from tests.python_assets.providers.conftest import Ask, Waits, numbered_prompts
from tests.python_assets.providers.servers import Server, openai_error


class TwoTurns(Extension):
    """Asks, then asks again with the first answer in view."""

    def __init__(self, corpus: str = "a") -> None:
        self.identity: Mapping[str, Any] = {"type": "twice", "corpus": corpus}

    def converse(self, request: Request) -> Conversation:
        first = yield request
        said: Message = {"role": "assistant", "content": first.text or ""}
        again: Message = {"role": "user", "content": "Sure?"}
        final = yield replace(request, messages=[*request.messages, said, again])
        return Answer(final.text, final.finish_reason, context={"first": first.text})


def test_an_extension_holds_a_conversation_with_a_server(openai_server: Server, ask: Ask) -> None:
    run = ask(openai_server, 2, extension=TwoTurns())
    first, second = run.responses
    assert [call.body["messages"][-1]["content"] for call in openai_server.calls[:2]] == [
        "Sentence number 0 begins",
        "Sure?",
    ]
    assert first.response_text == "A reply to: Sure?"
    assert second.context_json == '{"first": "A reply to: Sentence number 1 begins"}'
    assert (first.n_tokens_in, first.n_tokens_out) == (18, 24)
    assert first.latency_seconds is not None and first.latency_seconds > 0
    assert run.extension == {"type": "twice", "corpus": "a"}
    assert len(openai_server.calls) == 4


def test_a_turn_that_fails_is_asked_again_alone(openai_server: Server, ask: Ask, waits: Waits) -> None:
    openai_server.next_replies = [openai_error(500, "overloaded", None)]
    run = ask(openai_server, 1, extension=TwoTurns())
    assert run.responses[0].status == "ok"
    assert (len(openai_server.calls), run.n_retries) == (3, 1)


def test_what_an_extension_draws_on_is_part_of_the_address(openai_server: Server, ask: Ask) -> None:
    ask(openai_server, 1)
    assert ask(openai_server, 1, extension=TwoTurns()).n_requested == 1
    assert ask(openai_server, 1, extension=TwoTurns("b")).n_requested == 1
    for extension in (None, TwoTurns(), TwoTurns("b")):
        assert ask(openai_server, 1, extension=extension).n_requested == 0


def test_an_extension_works_over_a_provider_that_answers_at_once(log_path: Path) -> None:
    prompts, config = numbered_prompts(3), SystemConfig("fair", "simulator", extension=TwoTurns())
    run = generate(prompts, config, log_path)
    plain = generate(prompts, replace(config, extension=None), log_path)
    assert [row.response_text for row in run.responses] == [row.response_text for row in plain.responses]
    assert (run.responses[0].n_tokens_in, run.is_simulated) == (None, True)
    assert "first" in (run.responses[0].context_json or "")
