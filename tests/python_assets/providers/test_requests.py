import hashlib
from dataclasses import replace
from typing import Any

import pytest

from python_assets.providers.provider import providers
from python_assets.providers.records import Description, Message, Prompt, SystemConfig
from python_assets.providers.requests import canonical_json, plan_requests

PROMPT = Prompt("p", "root", "text", factors={"concept": "Italy"}, task="question")


def response_id(prompt: Prompt = PROMPT, description: Description | None = None, **fields: Any) -> str:
    config = SystemConfig(**{"system_id": "g", "provider": "openai", "model": "m", **fields})
    provider = providers[config.provider](config)
    return plan_requests([prompt], provider, description or Description()).rows[0].response_id


def test_the_address_of_a_response_is_fixed() -> None:
    # Changing it would ask again for every response ever paid for.
    content = (
        '{"decoding":{"seed":42,"temperature":0.0},"extensions":{},'
        '"messages":[{"content":"Be brief.","role":"system"},{"content":"text","role":"user"}],'
        '"model":"m","model_digest":null,"provider":"openai","replicate":0}'
    )
    found = response_id(decoding={"temperature": 0.0, "seed": 42, "top_p": None}, system_prompt="Be brief.")
    assert found == hashlib.sha256(content.encode()).hexdigest()


@pytest.mark.parametrize(
    "fields",
    [
        {"model": "n"},
        {"provider": "ollama"},
        {"system_prompt": "s"},
        {"wave": "2026-11"},
        {"wave": "replicate number"},
        {"decoding": {"seed": 1}},
        {"options": {"reasoning_effort": "low"}},
        {"description": Description("digest")},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_what_an_answer_depends_on_changes_its_address(fields: dict[str, Any]) -> None:
    assert response_id(**fields) != response_id()


@pytest.mark.parametrize(
    "fields",
    [
        {"system_id": "other"},
        {"concurrency": 9},
        {"base_url": "http://elsewhere/v1"},
        {"api_key_env": "KEY"},
        {"decoding": {"top_p": None}},
        {"description": Description(None, "engine 2", {"a": 1})},
        {"prompt": Prompt("other", "other", "text", factors={"concept": "Japan"}, task="question")},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_what_an_answer_does_not_depend_on_leaves_its_address(fields: dict[str, Any]) -> None:
    assert response_id(**fields) == response_id()


def test_a_simulated_answer_depends_on_its_prompt() -> None:
    other = Prompt("p", "root", "text", factors={"concept": "Japan"}, task="question")
    assert response_id(provider="simulator") != response_id(other, provider="simulator")


def test_canonical_json_does_not_depend_on_order() -> None:
    assert canonical_json({"b": [1, {"d": 1, "c": 2}], "a": "é"}) == '{"a":"\\u00e9","b":[1,{"c":2,"d":1}]}'


def test_the_same_text_after_other_messages_is_another_request() -> None:
    said = (Message(role="user", content="Hi"), Message(role="assistant", content="Hello"))
    others = (said[0], Message(role="assistant", content="Go away"))
    ids = {response_id(replace(PROMPT, messages=before)) for before in ((), said, others)}
    assert len(ids) == 3
    assert response_id(replace(PROMPT, messages=())) == response_id()
