import json

import pytest

from python_assets.providers.outcomes import is_settled, outcome_of, status_of
from python_assets.providers.records import Answer, Outcome

REFUSAL = "I'm sorry, but I can't assist with that."


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Outcome("An answer."), "ok"),
        (Outcome("An answer.", "stop"), "ok"),
        (Outcome("An ans", "length"), "truncated"),
        (Outcome("An ans", "max_characters"), "truncated"),
        (Outcome(None), "empty"),
        (Outcome("\u2003\n"), "empty"),
        (Outcome("", "length"), "empty"),
        (Outcome(REFUSAL), "refused"),
        (Outcome(REFUSAL, "length"), "truncated"),
        (Outcome(None, "content_filter"), "refused"),
        (Outcome(None, error="timeout: no answer"), "error"),
    ],
)
def test_status(outcome: Outcome, status: str) -> None:
    assert status_of(outcome) == status


@pytest.mark.parametrize(
    ("outcome", "settled"),
    [
        (Outcome("x"), True),
        (Outcome(None), True),
        (Outcome(REFUSAL), True),
        (Outcome(None, error="timeout: x"), False),
        (Outcome(None, error="http_429: x"), False),
        (Outcome(None, error="http_4xx: x"), True),
        (Outcome("x" * 50, "max_characters"), False),
        (Outcome("x" * 100, "max_characters"), True),
        (Outcome("x" * 50, "length"), True),
    ],
)
def test_what_stands_and_what_is_asked_again(outcome: Outcome, settled: bool) -> None:
    assert is_settled(outcome, max_characters=100) is settled


def test_a_long_context_is_cut_too() -> None:
    answer = Answer("x" * 11, context={"reasoning": "y" * 1_000, "n": 1})
    outcome = outcome_of(answer, None, None, max_characters=10)
    assert (outcome.response_text, outcome.finish_reason) == ("x" * 10, "max_characters")
    assert json.loads(outcome.context_json or "") == {"n": 1, "n_characters": 11, "reasoning": "y" * 10}
