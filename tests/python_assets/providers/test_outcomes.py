import json

import pytest

from python_assets.providers.outcomes import NOT_RECORDED, is_settled, outcome_of, response_of
from python_assets.providers.records import Answer, Outcome, Prompt, Request, SystemConfig

REFUSAL = "I'm sorry, but I can't assist with that."
REQUEST = Request("r", "{}", Prompt("p", "p", "?"), 0, [])


@pytest.mark.parametrize(
    ("outcome", "flags"),
    [
        (Outcome("An answer."), ()),
        (Outcome("An answer.", "stop"), ()),
        (Outcome("An ans", "length"), ("is_truncated",)),
        (Outcome("An ans", "max_characters"), ("is_truncated",)),
        (Outcome("An ans", "model_length"), ("is_truncated",)),
        (Outcome("An ans", "MAX_TOKENS"), ("is_truncated",)),
        (Outcome(None, "SAFETY"), ("is_refused", "is_empty")),
        (Outcome(None, "PROHIBITED_CONTENT"), ("is_refused", "is_empty")),
        (Outcome("", "sensitive"), ("is_refused", "is_empty")),
        (Outcome(None), ("is_empty",)),
        (Outcome("\u2003\n"), ("is_empty",)),
        (Outcome("", "length"), ("is_empty", "is_truncated")),
        (Outcome(REFUSAL), ("is_refused",)),
        (Outcome(REFUSAL, "length"), ("is_refused", "is_truncated")),
        (Outcome(None, "content_filter"), ("is_refused", "is_empty")),
        (Outcome("Ask another.", "guardrail_intervened"), ("is_refused",)),
        (Outcome(None, "content_filter: RECITATION"), ("is_refused", "is_empty")),
        (Outcome("I won", "refusal+max_characters"), ("is_refused", "is_truncated")),
    ],
)
def test_an_answer_has_every_flag_that_holds(outcome: Outcome, flags: tuple[str, ...]) -> None:
    response = response_of(REQUEST, outcome, SystemConfig("own", "replay", max_characters=100))
    assert (response.status, response.flags) == ("ok", flags)
    assert None not in (response.is_empty, response.is_truncated)
    # whether a blank answer refuses nobody can read
    assert (response.is_refused is None) == (response.outcome == "unreadable") == (flags[:1] == ("is_empty",))


@pytest.mark.parametrize(
    ("outcome", "status"),
    [(Outcome(None, error="timeout: no answer"), "error"), (Outcome(None, NOT_RECORDED), "not_recorded")],
)
def test_nothing_is_observed_of_an_error_and_of_what_was_not_recorded(outcome: Outcome, status: str) -> None:
    response = response_of(REQUEST, outcome, SystemConfig("own", "replay", max_characters=100))
    assert response.status == status
    assert (response.is_refused, response.is_empty, response.is_truncated) == (None, None, None)


@pytest.mark.parametrize("finish_reason", ["refusal", "content_filter"])
def test_an_answer_that_was_declined_and_is_cut_stays_declined(finish_reason: str) -> None:
    outcome = outcome_of(Answer("No, " * 10, finish_reason), None, None, max_characters=10)
    assert response_of(REQUEST, outcome, SystemConfig("own", "replay", max_characters=5)).flags == (
        "is_refused",
        "is_truncated",
    )
    assert not is_settled(outcome, max_characters=100)


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
        (Outcome("", "load"), False),
        (Outcome("x", "load"), True),
    ],
)
def test_what_stands_and_what_is_asked_again(outcome: Outcome, settled: bool) -> None:
    assert is_settled(outcome, max_characters=100) is settled


def test_a_long_context_is_cut_too() -> None:
    answer = Answer("x" * 11, context={"reasoning": "y" * 1_000, "n": 1})
    outcome = outcome_of(answer, None, None, max_characters=10)
    assert (outcome.response_text, outcome.finish_reason) == ("x" * 10, "max_characters")
    assert json.loads(outcome.context_json or "") == {"n": 1, "n_characters": 11, "reasoning": "y" * 10}
