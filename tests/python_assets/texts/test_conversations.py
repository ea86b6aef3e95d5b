import json

import duckdb
import pandas as pd

from python_assets.texts.conversations import AS_READ, AS_SHOWN, EARLIER, texts_as_read

BEFORE = [
    {"role": "user", "content": 'A "quoted" word\nItalian: {x} \\n 100 %'},
    {"role": "assistant", "content": "Ein Gruß, 你好"},
]
PROMPTS = pd.DataFrame(
    {
        "messages_json": [json.dumps(BEFORE, ensure_ascii=False), json.dumps(BEFORE), None, json.dumps(BEFORE)],
        "prompt_text": ["Why?", "Why?", "Why?", None],
    }
)


def of(sql: str, prompts: pd.DataFrame = PROMPTS) -> list[str | None]:
    with duckdb.connect() as connection:
        connection.register("prompts", prompts)
        typed = "select cast(messages_json as varchar) as messages_json, cast(prompt_text as varchar) as prompt_text"
        return [text for (text,) in connection.execute(f"select {sql} from ({typed} from prompts)").fetchall()]


def test_the_words_of_a_conversation_are_the_same_in_sql_and_in_a_frame() -> None:
    whole = f"{BEFORE[0]['content']}\n\n{BEFORE[1]['content']}\n\nWhy?"
    read = texts_as_read(PROMPTS)
    assert list(read[:3]) == of(AS_READ)[:3] == [whole, whole, "Why?"]
    assert pd.isna(read[3]) and of(AS_READ)[3] is None


def test_a_frame_of_prompts_without_any_message_is_read_as_it_is() -> None:
    alone = PROMPTS[["prompt_text"]]
    assert list(texts_as_read(alone)[:3]) == ["Why?"] * 3
    assert list(texts_as_read(alone.assign(messages_json=None))[:3]) == ["Why?"] * 3


def test_a_conversation_is_shown_with_who_says_what_and_a_prompt_alone_as_it_is() -> None:
    earlier = f"user: {BEFORE[0]['content']}\n\nassistant: {BEFORE[1]['content']}"
    assert of(EARLIER) == [earlier, earlier, None, earlier]
    assert of(AS_SHOWN) == [f"{earlier}\n\nuser: Why?"] * 2 + ["Why?", None]


def test_hidden_messages_are_not_shown() -> None:
    hidden = pd.DataFrame({"messages_json": ["(hidden)"], "prompt_text": ["(hidden)"]})
    assert (of(EARLIER, hidden), of(AS_SHOWN, hidden)) == ([None], ["(hidden)"])
