"""Fixed messages before a prompt: a conversation so far, which every generation is shown before the prompt itself.

Belongs here: what they must be, wherever they come from. As text they are texts/conversations.py, and sent they are
providers/messages.py.
"""

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, Final, NamedTuple

from pydantic import AfterValidator, Field, StrictStr

from python_assets.study.base import Part, Unfit

_ROLES: Final = ("user", "assistant")  # in turns, the first of them first
MOST_MESSAGES: Final = 100
MOST_MESSAGE_CHARACTERS: Final = 100_000  # of all messages before a prompt together

_NO_TEXT: Final = re.compile("[\ud800-\udfff]")  # half of a character, which no database takes


def _check_role(role: str) -> str:
    if role == "system":
        raise Unfit(f"the role {' or '.join(_ROLES)}, for a system prompt is the generation's", "write it as its role")
    if role not in _ROLES:
        raise Unfit(f"the role {' or '.join(_ROLES)}", "correct it")
    return role


def _check_content(content: str) -> str:
    if not content.strip():
        raise Unfit("a content that is not blank", "fill it, or remove the message and its answer")
    return content


class FixedMessage(Part):
    """One message before a prompt, of the user or of the model itself."""

    role: Annotated[StrictStr, AfterValidator(_check_role)]
    content: Annotated[StrictStr, AfterValidator(_check_content)]


def check_messages(messages: Sequence[FixedMessage]) -> None:
    """See that messages can stand before a prompt.

    Raises:
        Unfit: user and assistant do not take turns, from the user's first message to an answer; or they are too many
            or too long.
    """
    for index, message in enumerate(messages):
        if message.role != (due := _ROLES[index % 2]):
            expected = f"user and assistant in turns, the user first; message {index + 1} is to be of the {due}"
            raise Unfit(expected, f"put a message of the {due} before it, or join two of one role")
    if len(messages) % 2:
        expected = "an answer of the assistant as the last message before the prompt, which is the user's next one"
        raise Unfit(expected, "add it, or write the message into the text of the prompt")
    if len(messages) > MOST_MESSAGES:
        raise Unfit(f"at most {MOST_MESSAGES} messages, not {len(messages):,}", "shorten the conversation")
    if (n := sum(len(message.content) for message in messages)) > MOST_MESSAGE_CHARACTERS:
        raise Unfit(
            f"at most {MOST_MESSAGE_CHARACTERS:,} characters in all messages, not {n:,}", "shorten the conversation"
        )


def _check_list(messages: list[FixedMessage]) -> list[FixedMessage]:
    check_messages(messages)
    return messages


FixedMessages = Annotated[list[FixedMessage], Field(min_length=1), AfterValidator(_check_list)]


class Conversation(NamedTuple):
    """What an entry of a data set holds: the messages before the prompt, and the prompt, where it is among them."""

    before: list[FixedMessage]
    prompt_text: str | None


def read_conversation(entry: str, *, holds_prompt: bool) -> Conversation:
    """Read a conversation as chat data sets have it: a JSON list of {role, content}; other keys are passed over.

    Args:
        entry: the JSON.
        holds_prompt: whether its last message is the prompt, else all of it stands before one.

    Raises:
        Unfit: it is no such list, or it cannot be asked so.
    """
    try:
        listed = json.loads(entry)
    except (ValueError, RecursionError):
        listed = None
    if not isinstance(listed, list):
        raise Unfit("a JSON list of messages, {role, content} each", "write it so")
    messages = [_message(number, one) for number, one in enumerate(listed, start=1)]
    if not holds_prompt:
        check_messages(messages)
        return Conversation(messages, None)
    if not messages or messages[-1].role != _ROLES[0]:
        expected = "a last message of the user, which is the prompt"
        raise Unfit(expected, "leave out the answer after it, or name its column in columns.response")
    check_messages(messages[:-1])
    return Conversation(messages[:-1], messages[-1].content)


def _message(place: int, told: Any) -> FixedMessage:
    role, content = (told.get(key) if isinstance(told, dict) else None for key in ("role", "content"))
    if not isinstance(role, str) or not isinstance(content, str):
        raise Unfit(f"messages with role and content, both of them texts, which message {place} lacks", "add them")
    try:
        return FixedMessage.model_construct(
            role=_check_role(role), content=_check_content(_NO_TEXT.sub("\ufffd", content))
        )
    except Unfit as error:
        raise Unfit(f"{error.expected} (message {place})", error.remedy) from None


def as_json(messages: Sequence[FixedMessage]) -> str | None:
    """Messages as raw.prompts has them; None where there are none."""
    if not messages:
        return None
    return json.dumps([message.model_dump() for message in messages], ensure_ascii=False)
