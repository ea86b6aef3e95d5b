import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from python_assets.providers.outcomes import outcome_of, response_of
from python_assets.providers.reasoning import begins_with_reasoning, part_reasoning, parted
from python_assets.providers.records import Answer, Prompt, Request, SystemConfig
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
        ("<think>", ("", "")),
        ("</think>", ("", "")),
        ('"', ('"', "")),
        ("<thought>\nHm.\n</thought>\n\nFine.", ("Fine.", "Hm.")),
        ("<seed:think>Hm.</seed:think>Fine.", ("Fine.", "Hm.")),
        ("◁think▷Hm.◁/think▷Fine.", ("Fine.", "Hm.")),
        ("[THINK]Hm.[/THINK]Fine.", ("Fine.", "Hm.")),
        ("Hm.[/THINK]Fine.", ("Fine.", "Hm.")),
        ("[THINK]Still at it", ("", "Still at it")),
        ("[Think] of a number.", ("[Think] of a number.", "")),
        ("<|channel>thought\nHm.\n<channel|>Fine.", ("Fine.", "Hm.")),
        ("<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Fine.<|END_RESPONSE|>", ("Fine.", "Hm.")),
        ("<think>Hm.</think>\n<think>More.</think>\nFine.", ("Fine.", "Hm.\n\nMore.")),
        ("<think>Hm.</think>\n<answer>\nFine.\n</answer>", ("Fine.", "Hm.")),
        ("<answer>Fine.</answer>", ("<answer>Fine.</answer>", "")),
        ("<think>Hm.</think>Say </think> to end.", ("Say </think> to end.", "Hm.")),
        ("<reflection>Hm.</reflection>\nFine.", ("Fine.", "Hm.")),
        ("<scratchpad>\nHm.\n</scratchpad>\n<answer>Fine.</answer>", ("Fine.", "Hm.")),
        ("<Analysis>Hm.</Analysis><output>Fine.</output>", ("Fine.", "Hm.")),
        ("<analysis>Still at it", ("", "Still at it")),
        ("Analysis: fine.", ("Analysis: fine.", "")),
        (
            "<thinking>Hm. <reflection>No.</reflection> So.</thinking>Fine.",
            ("Fine.", "Hm. <reflection>No.</reflection> So."),
        ),
        ("<think>Hm. <think>No.</think> So.</think>\nFine.", ("Fine.", "Hm. <think>No.</think> So.")),
        ("<think>I am to write <think> first.</think>Fine.", ("Fine.", "I am to write <think> first.")),
        ("<think>Hm. <think>No.</think> Still", ("Still", "Hm. <think>No.")),
    ],
)
def test_reasoning_is_told_from_the_answer(text: str, parts: tuple[str, str]) -> None:
    assert part_reasoning(text) == parts


# as the format's document and servers without a parser write it
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Fine.<|return|>",
            ("Fine.", "Hm."),
        ),
        (
            "<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|>"
            "<|start|>assistant<|channel|>commentary<|message|>So.<|end|>"
            "<|start|>assistant<|channel|>final <|constrain|>json<|message|>{}",
            ("{}", "Hm.\n\nSo."),
        ),
        ("assistant<|channel|>final<|message|>Fine.<|end|>", ("Fine.", "")),
        ("Hm.<|end|><|start|>assistant<|channel|>final<|message|>Fine.", ("Fine.", "Hm.")),
        ("<|channel|>analysis<|message|>Still at it", ("", "Still at it")),
        ("<|channel|>ana", ("", "")),
        ("<|channel|>analysis", ("", "")),
        ("<|channel|>final<|message|>", ("", "")),
        ("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>fin", ("", "Hm.")),
        ("analysisThe user asks.assistantfinalFine.", ("Fine.", "The user asks.")),
        ("analysisThe user", ("", "The user")),
        ("analysis of the question: fine", ("analysis of the question: fine", "")),
        ("Analysis\nFine.", ("Analysis\nFine.", "")),
    ],
)
def test_of_the_channels_of_harmony_the_last_is_the_answer(text: str, parts: tuple[str, str]) -> None:
    assert part_reasoning(text) == parts


def test_tags_can_be_added_and_have_no_meaning_without() -> None:
    text = "<plan>Hm.</plan>Fine."
    assert part_reasoning(text) == (text, "")
    assert part_reasoning(text, {"<plan>": "</plan>"}) == ("Fine.", "Hm.")
    assert part_reasoning("Hm.</plan>Fine.", {"<plan>": "</plan>"}) == ("Fine.", "Hm.")


@given(st.text(alphabet="<>|/[]think ThoughtTHINKchanelmsgfis\n", max_size=200))
def test_an_answer_that_was_parted_does_not_begin_with_reasoning(text: str) -> None:
    answer, reasoning = part_reasoning(text)
    assert not begins_with_reasoning(answer)
    assert len(answer) + len(reasoning) <= len(text)


PIECES = [
    "analysis",
    "Analysis",
    "assistantfinal",
    "The",
    "'",
    '"',
    " ",
    "\n",
    ".",
    "<",
    "[",
    "[THINK]",
    "</think>",
    "◁/think▷",
]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join))
def test_a_text_without_the_beginning_of_a_mark_is_read_as_by_every_rule(text: str) -> None:
    every_rule = {f"{text[0]}\ue000": "\ue001"}  # which is in no text, but begins as this one does
    assert part_reasoning(text) == part_reasoning(text, every_rule)
    assert begins_with_reasoning(text) == begins_with_reasoning(text, every_rule)


def test_a_long_text_is_parted_in_linear_time() -> None:
    for piece in ("<think>", "</think>", "<|channel|>final", "<|start|>", "assistantfinal", "[THINK] "):
        part_reasoning("x" + piece * 40_000)


def test_reasoning_is_kept_beside_the_answer_whose_length_alone_counts() -> None:
    answer = parted(Answer("<think>" + "y" * 50 + "</think>Fine."), {})
    outcome = outcome_of(answer, None, None, max_characters=10)
    assert (outcome.response_text, outcome.finish_reason) == ("Fine.", None)
    assert json.loads(outcome.context_json or "") == {"reasoning": "y" * 10}


def test_what_was_logged_before_its_tags_were_named_is_parted_again(openai_server: Server, ask: Ask) -> None:
    openai_server.next_replies = [openai_completion("<plan>Hm.</plan>Fine.")]
    assert ask(openai_server).responses[0].response_text == "<plan>Hm.</plan>Fine."
    again = ask(openai_server, reasoning_tags={"<plan>": "</plan>"})
    assert (again.responses[0].response_text, again.n_requested) == ("Fine.", 0)
    assert json.loads(again.responses[0].context_json or "")["reasoning"] == "Hm."


def test_a_closing_mark_within_a_parted_answer_stays(openai_server: Server, ask: Ask) -> None:
    openai_server.next_replies = [openai_completion("<think>Hm.</think>Say </think> to end.")]
    assert ask(openai_server).responses[0].response_text == "Say </think> to end."
    assert ask(openai_server).responses[0].response_text == "Say </think> to end."


def test_an_answer_that_ends_while_it_reasons_is_empty_and_truncated() -> None:
    outcome = outcome_of(parted(Answer("<think>Still at it", "length"), {}), None, None, max_characters=100)
    row = response_of(
        Request("r", "{}", Prompt("p", "p", "?"), 0, []), outcome, SystemConfig("own", "replay", max_characters=100)
    )
    assert (row.response_text, row.flags) == ("", ("is_empty", "is_truncated"))
    assert json.loads(outcome.context_json or "") == {"reasoning": "Still at it"}


def test_a_server_that_sends_reasoning_apart_and_within_keeps_both(openai_server: Server, ask: Ask) -> None:
    openai_server.next_replies = [openai_completion("<think>More.</think>Fine.", reasoning_content="First thoughts.")]
    row = ask(openai_server).responses[0]
    assert (row.response_text, row.status) == ("Fine.", "ok")
    assert json.loads(row.context_json or "")["reasoning"] == "First thoughts.\n\nMore."


def test_what_a_model_of_ollama_thinks_is_not_its_answer(ollama_server: Server, ask: Ask) -> None:
    ollama_server.next_replies = [ollama_chat("<think>\nHm.\n</think>\n\nFine.")]
    row = ask(ollama_server).responses[0]
    assert row.response_text == "Fine."
    assert json.loads(row.context_json or "") == {"reasoning": "Hm."}
