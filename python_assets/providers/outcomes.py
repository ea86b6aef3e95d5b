"""From what came back to a row of raw.responses: cutting and status.

The status is worked out from what the log keeps, so that better refusal rules change no log.
"""

import dataclasses
import json
from typing import Any, Final

from python_assets.providers.failures import is_retryable
from python_assets.providers.reasoning import part_reasoning
from python_assets.providers.records import (
    Answer,
    Outcome,
    Request,
    Response,
    Status,
)
from python_assets.providers.refusal import is_refusal

CUT_HERE: Final = "max_characters"
LENGTH: Final = frozenset({"length", "max_tokens", CUT_HERE})
DECLINED: Final = frozenset({"content_filter", "refusal"})


def outcome_of(
    answer: Answer, requested_at: str | None, latency_seconds: float | None, max_characters: int
) -> Outcome:
    """Bring an answer into the form the log keeps: reasoning apart, the text cut to max_characters.

    Reasoning stands as `reasoning` in context_json; a cut answer keeps its full length there as n_characters.
    """
    context = dict(answer.context or {})
    text, finish_reason = answer.text, answer.finish_reason
    if text is not None:
        text, reasoning = part_reasoning(text)
        if reasoning:
            context["reasoning"] = "\n\n".join(filter(None, [context.get("reasoning"), reasoning]))
    if text is not None and len(text) > max_characters:
        context["n_characters"] = len(text)
        text, finish_reason = text[:max_characters], CUT_HERE
    return Outcome(
        response_text=text,
        finish_reason=finish_reason,
        error=answer.error,
        requested_at=requested_at,
        latency_seconds=latency_seconds,
        n_tokens_in=answer.n_tokens_in,
        n_tokens_out=answer.n_tokens_out,
        context_json=_context_json(context, max_characters) if context else None,
    )


def _context_json(context: dict[str, Any], max_characters: int) -> str:
    return json.dumps(_cut(context, max_characters), sort_keys=True, default=str)


def _cut(value: Any, max_characters: int) -> Any:
    """Every text within a value, cut."""
    if isinstance(value, dict):
        return {name: _cut(part, max_characters) for name, part in value.items()}
    if isinstance(value, list):
        return [_cut(part, max_characters) for part in value]
    return value[:max_characters] if isinstance(value, str) else value


def status_of(outcome: Outcome) -> Status:
    """The status of an outcome: error, refused by the server, empty, truncated, refused in words, ok."""
    text = outcome.response_text
    if outcome.error is not None:
        return "error"
    if outcome.finish_reason in DECLINED:
        return "refused"
    if text is None or not text.strip():
        return "empty"
    if outcome.finish_reason in LENGTH:
        return "truncated"
    return "refused" if is_refusal(text) else "ok"


def response_of(request: Request, outcome: Outcome, max_characters: int) -> Response:
    """The row of a request; a text logged under a larger max_characters is cut again."""
    text = outcome.response_text
    if text is not None and len(text) > max_characters:
        outcome = dataclasses.replace(outcome, response_text=text[:max_characters], finish_reason=CUT_HERE)
    return Response(
        prompt_id=request.prompt.prompt_id,
        replicate=request.replicate,
        response_id=request.response_id,
        response_text=outcome.response_text,
        status=status_of(outcome),
        error=outcome.error,
        requested_at=outcome.requested_at,
        latency_seconds=outcome.latency_seconds,
        n_tokens_in=outcome.n_tokens_in,
        n_tokens_out=outcome.n_tokens_out,
        context_json=outcome.context_json,
    )


def is_settled(outcome: Outcome, max_characters: int) -> bool:
    """Tell whether a logged outcome stands: no error worth a retry, not cut shorter than is wanted now."""
    if outcome.error is not None:
        return not is_retryable(outcome.error)
    return not (outcome.finish_reason == CUT_HERE and len(outcome.response_text or "") < max_characters)
