from dataclasses import replace

import pytest

from python_assets.providers.messages import TEMPLATES, build_messages, plain_text, template_problem
from python_assets.providers.records import Message, Prompt, SystemConfig

COMPLETION = Prompt("p", "p", "The harbour of {city} is", task="completion")


def config(**fields: str | None) -> SystemConfig:
    return SystemConfig(system_id="g", provider="ollama", **fields)  # type: ignore[arg-type]


def test_a_completion_is_asked_to_go_on() -> None:
    [message] = build_messages(COMPLETION, config())
    assert message["role"] == "user"
    assert message["content"].startswith("Continue the text below")
    assert message["content"].endswith("\n\nThe harbour of {city} is")


def test_a_question_is_sent_as_it_is() -> None:
    question = Prompt("p", "p", "Is 100 % {sure}?", task="question")
    assert build_messages(question, config()) == [{"role": "user", "content": "Is 100 % {sure}?"}]


def test_the_role_comes_first_and_a_blank_one_not_at_all() -> None:
    role, user = build_messages(COMPLETION, config(system_prompt="You are a critic."))
    assert role == {"role": "system", "content": "You are a critic."}
    assert [user] == build_messages(COMPLETION, config(system_prompt="  "))


def test_a_template_of_the_study_replaces_the_default_and_its_braces_stay() -> None:
    [message] = build_messages(COMPLETION, config(prompt_template='Reply as {"text": ...}: {prompt}'))
    assert message["content"] == 'Reply as {"text": ...}: The harbour of {city} is'


def test_a_template_holds_the_prompt_once() -> None:
    assert all(template_problem(template) is None for template in TEMPLATES.values())
    assert template_problem(None) is None
    assert "0 times" in (template_problem("Continue:") or "")
    assert "2 times" in (template_problem("{prompt} {prompt}") or "")


def test_a_prompt_without_text_is_sent_blank() -> None:
    absent = Prompt("p", "p", None, task="question")
    assert build_messages(absent, config()) == [{"role": "user", "content": ""}]


@pytest.mark.parametrize("text", ["שלום", "👩‍👩‍👧", "lone \ud83d", "line\nbreak"])
def test_any_text_passes_unchanged(text: str) -> None:
    [message] = build_messages(Prompt("p", "p", text, task="question"), config())
    assert message["content"] == text


BEFORE = (Message(role="user", content="Who is {prompt}?"), Message(role="assistant", content="Nobody."))


def test_fixed_messages_stand_between_the_role_and_the_prompt_as_they_are() -> None:
    prompt = replace(COMPLETION, messages=BEFORE)
    role, *before, user = build_messages(prompt, config(system_prompt="Be kind.", prompt_template="Go on: {prompt}"))
    assert role == {"role": "system", "content": "Be kind."}
    assert before == list(BEFORE)
    assert user == {"role": "user", "content": "Go on: The harbour of {city} is"}


def test_a_model_without_turns_reads_one_text_after_the_other() -> None:
    asked = build_messages(replace(COMPLETION, messages=BEFORE), config(), continues_text=True)
    assert plain_text(asked) == "Who is {prompt}?\n\nNobody.\n\nThe harbour of {city} is"
