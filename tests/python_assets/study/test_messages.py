import json
from collections.abc import Iterator

import pytest

from python_assets.study.base import Unfit
from python_assets.study.messages import (
    MOST_MESSAGE_CHARACTERS,
    MOST_MESSAGES,
    FixedMessage,
    as_json,
    check_messages,
    read_conversation,
)


def turns(n: int, content: str = "Hm.") -> Iterator[dict[str, str]]:
    return ({"role": ("user", "assistant")[place % 2], "content": content} for place in range(n))


def test_the_last_message_of_the_user_is_the_prompt_and_the_others_stand_before_it() -> None:
    asked = [*turns(2, "Is it «so»?\nYes"), {"role": "user", "content": "Why?", "id": 7, "weight": None}]
    read = read_conversation(json.dumps(asked), holds_prompt=True)
    assert read.prompt_text == "Why?"
    assert [(one.role, one.content) for one in read.before] == [
        ("user", "Is it «so»?\nYes"),
        ("assistant", "Is it «so»?\nYes"),
    ]
    assert json.loads(as_json(read.before) or "") == asked[:2]
    assert read_conversation(json.dumps(asked[:2]), holds_prompt=False) == (read.before, None)


def test_nothing_before_a_prompt_is_no_json() -> None:
    assert as_json(read_conversation('[{"role": "user", "content": "Why?"}]', holds_prompt=True).before) is None


def test_half_a_character_is_replaced_for_no_database_takes_it() -> None:
    read = read_conversation('[{"role": "user", "content": "\\ud83d?"}]', holds_prompt=True)
    assert read.prompt_text == "\ufffd?"


ONE_EACH = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
FAULTS = {
    "no JSON": ("Hi", "a JSON list of messages"),
    "levels without end": ("[" * 100_000, "a JSON list of messages"),
    "no list": ('{"role": "user", "content": "Hi"}', "a JSON list of messages"),
    "a message of text": ('["Hi"]', "which message 1 lacks"),
    "no role": ('[{"content": "Hi"}]', "which message 1 lacks"),
    "no content": (json.dumps([*ONE_EACH, {"role": "user"}]), "which message 3 lacks"),
    "a content of parts": ('[{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]', "which message 1 lacks"),
    "a system prompt": ('[{"role": "system", "content": "Be kind."}]', "a system prompt is the generation's"),
    "a tool": ('[{"role": "tool", "content": "4"}]', "the role user or assistant (message 1)"),
    "a blank content": (json.dumps([{"role": "user", "content": "\n "}]), "a content that is not blank (message 1)"),
    "an answer at the end": (json.dumps(ONE_EACH), "a last message of the user"),
    "nothing": ("[]", "a last message of the user"),
    "two of the user": (json.dumps([ONE_EACH[0]] * 2), "an answer of the assistant as the last message"),
    "the assistant first": (json.dumps([*ONE_EACH[1:], ONE_EACH[0]]), "message 1 is to be of the user"),
    "two of the assistant": (json.dumps([*ONE_EACH, ONE_EACH[1], ONE_EACH[0]]), "message 3 is to be of the user"),
    "too many": (json.dumps([*turns(MOST_MESSAGES + 2), ONE_EACH[0]]), f"at most {MOST_MESSAGES} messages"),
    "too long": (
        json.dumps([*turns(2, "x" * (MOST_MESSAGE_CHARACTERS // 2 + 1)), ONE_EACH[0]]),
        "at most 100,000 characters",
    ),
}


@pytest.mark.parametrize(("entry", "expected"), FAULTS.values(), ids=FAULTS)
def test_what_cannot_be_asked_is_told(entry: str, expected: str) -> None:
    with pytest.raises(Unfit) as told:
        read_conversation(entry, holds_prompt=True)
    assert expected in told.value.expected
    assert told.value.remedy


def test_as_many_and_as_long_messages_as_may_be_are_taken() -> None:
    check_messages([FixedMessage(**one) for one in turns(MOST_MESSAGES)])
    check_messages([FixedMessage(**one) for one in turns(2, "x" * (MOST_MESSAGE_CHARACTERS // 2))])
