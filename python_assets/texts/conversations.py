"""A prompt with the messages before it as one text: to be read as one, and to be shown.

Belongs here: from columns messages_json and prompt_text to a text, in Python for a frame and in SQL of DuckDB for a
table. What messages may be is study/messages.py.
"""

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pandas as pd

_BETWEEN: Final = "\n\n"
# where texts are hidden, messages_json is no JSON
MESSAGES: Final = (
    "case when json_valid(messages_json) "
    """then from_json(messages_json, '[{"role": "varchar", "content": "varchar"}]') end"""
)
"""SQL: the messages before a prompt as a list of structs; NULL where there are none."""


def _joined(message: str) -> str:
    return f"array_to_string(list_transform({MESSAGES}, lambda message: {message}), chr(10) || chr(10))"


EARLIER: Final = _joined("message.role || ': ' || message.content")
"""SQL: the messages before a prompt, each with who says it; NULL where there are none."""

AS_SHOWN: Final = f"coalesce({EARLIER} || chr(10) || chr(10) || 'user: ', '') || prompt_text"
"""SQL: the conversation for people to read, the prompt last; the prompt alone where there is no other message."""

AS_READ: Final = f"coalesce({_joined('message.content')} || chr(10) || chr(10), '') || prompt_text"
"""SQL: the words of the conversation, as `texts_as_read`."""


def texts_as_read(prompts: "pd.DataFrame") -> "pd.Series":
    """The words of every prompt and the messages before it: what is asked is the same where they are.

    Args:
        prompts: with prompt_text, and with messages_json where any prompt has such messages.

    Returns:
        One a row, NULL where the prompt has no text.
    """
    texts = prompts["prompt_text"].astype(object)
    if "messages_json" not in prompts:
        return texts
    messages = prompts["messages_json"].astype(object)
    distinct = messages.dropna().unique()
    before = {one: "".join(f"{message['content']}{_BETWEEN}" for message in json.loads(one)) for one in distinct}
    return messages.map(before).astype(object).where(messages.notna(), "") + texts
