import json

import pytest

from python_assets.providers.outcomes import outcome_of, response_of
from python_assets.providers.reasoning import part_reasoning
from python_assets.providers.records import Answer, Prompt, Request
from tests.python_assets.providers.conftest import Ask
from tests.python_assets.providers.servers import Server, ollama_chat, openai_completion


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Fine.", ("Fine.", "")),
        ("<think>\nHm. \n</think>\n\nFine.", ("Fine.", "Hm.")),
        ("\n<Thinking>Hm.</Thinking> Fine.", ("Fine.", "Hm.")),
        ("Hm, written by the template.\n</think>\nFine.", ("Fine.", "Hm, written by the template.")),
        ("<think>\n\n</think>\n\nFine.", ("Fine.", "")),
        ("<think>Still at it", ("", "Still at it")),
        ("The tag <think> is written so.", ("The tag <think> is written so.", "")),
        ("Write <think>x</think> there.", ("Write <think>x</think> there.", "")),
        ("", ("", "")),
    ],
)
def test_reasoning_is_told_from_the_answer(text: str, parts: tuple[str, str]) -> None:
    assert part_reasoning(text) == parts


def test_reasoning_is_kept_beside_the_answer_whose_length_alone_counts() -> None:
    outcome = outcome_of(Answer("<think>" + "y" * 50 + "</think>Fine."), None, None, max_characters=10)
    assert (outcome.response_text, outcome.finish_reason) == ("Fine.", None)
    assert json.loads(outcome.context_json or "") == {"reasoning": "y" * 10}


def test_an_answer_that_ends_while_it_reasons_is_empty_and_truncated() -> None:
    outcome = outcome_of(Answer("<think>Still at it", "length"), None, None, max_characters=100)
    row = response_of(Request("r", "{}", Prompt("p", "p", "?"), 0, []), outcome, max_characters=100)
    assert (row.response_text, row.flags) == ("", ("is_empty", "is_truncated"))
    assert json.loads(outcome.context_json or "") == {"reasoning": "Still at it"}


def test_a_server_that_sends_reasoning_apart_and_within_keeps_both(openai_server: Server, ask: Ask) -> None:
    openai_server.next_replies = [
        openai_completion("<think>More.</think>Fine.", reasoning_content="First thoughts.")
    ]
    row = ask(openai_server).responses[0]
    assert (row.response_text, row.status) == ("Fine.", "ok")
    assert json.loads(row.context_json or "")["reasoning"] == "First thoughts.\n\nMore."


def test_what_a_model_of_ollama_thinks_is_not_its_answer(ollama_server: Server, ask: Ask) -> None:
    ollama_server.next_replies = [ollama_chat("<think>\nHm.\n</think>\n\nFine.")]
    row = ask(ollama_server).responses[0]
    assert row.response_text == "Fine."
    assert json.loads(row.context_json or "") == {"reasoning": "Hm."}
