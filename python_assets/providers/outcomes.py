"""From what came back to a row of raw.responses: cutting, status and flags.

Status and flags are worked out from what the log keeps, so that better refusal rules change no log.
"""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from python_assets.providers.failures import is_retryable
from python_assets.providers.fields import GUARDRAIL, SERVED_MODEL, text_or_none
from python_assets.providers.messages import plain_text
from python_assets.providers.reasoning import begins_with_reasoning, parted
from python_assets.providers.records import Answer, Outcome, Request, Response, ResponseOutcome, Status, SystemConfig
from python_assets.providers.refusal.outcome import OUTCOME_VERSION, read_outcome
from python_assets.texts.group_mask import GroupMask, read_with

CUT_HERE: Final = "max_characters"
NOT_RECORDED: Final = "not_recorded"
# OpenAI's and Ollama's word, Anthropic's and Gemini's, Anthropic's, Mistral's
_LENGTH: Final = frozenset({"length", "max_tokens", "model_context_window_exceeded", "model_length", CUT_HERE})
CONTENT_FILTER: Final = "content_filter"
# OpenAI's and Anthropic's, GLM's, Bedrock's (API_runtime_Converse, stopReason), and Gemini's
# (https://ai.google.dev/api/generate-content#FinishReason)
_DECLINED: Final = frozenset(
    {CONTENT_FILTER, "refusal", "sensitive", GUARDRAIL, "content_filtered"}
    | {"safety", "recitation", "blocklist", "prohibited_content", "spii"}
)
# Ollama's, where it loaded the model or let it go and answered nothing
LOADED: Final = frozenset({"load", "unload"})
# between two reasons of one response; no server writes it
_AND: Final = "+"


class _Flags(NamedTuple):
    """What is observed of an answer, each by itself: a refusal can be truncated, a truncated answer empty."""

    outcome: ResponseOutcome | None
    is_refused: bool | None
    is_empty: bool | None
    is_truncated: bool | None


_NOTHING_OBSERVED: Final = _Flags(None, None, None, None)


def outcome_of(answer: Answer, requested_at: str | None, latency_seconds: float | None, max_characters: int) -> Outcome:
    """Bring an answer into the form the log keeps: the text cut to max_characters.

    A cut answer keeps its full length as n_characters in context_json.
    """
    context = dict(answer.context or {})
    text, finish_reason = answer.text, answer.finish_reason
    if text is not None and len(text) > max_characters:
        context["n_characters"] = len(text)
        text, finish_reason = text[:max_characters], _cut_here(finish_reason)
    return Outcome(
        response_text=text,
        finish_reason=finish_reason,
        error=answer.error,
        requested_at=requested_at,
        latency_seconds=latency_seconds,
        n_tokens_in=answer.n_tokens_in,
        n_tokens_out=answer.n_tokens_out,
        n_tokens_cached=answer.n_tokens_cached,
        context_json=_context_json(context, max_characters) if context else None,
    )


def _context_json(context: dict[str, Any], max_characters: int) -> str:
    return json.dumps(_cut(context, max_characters), sort_keys=True, default=str)


def _cut(value: Any, max_characters: int) -> Any:
    """Every text within a value, cut."""
    if isinstance(value, dict):
        return {name: _cut(inner, max_characters) for name, inner in value.items()}
    if isinstance(value, list):
        return [_cut(inner, max_characters) for inner in value]
    return value[:max_characters] if isinstance(value, str) else value


def ended_by(*reasons: str) -> str | None:
    """Why an answer ended, as its finish_reason; several reasons are one text."""
    return _AND.join(reasons) or None


def _cut_here(finish_reason: str | None) -> str | None:
    """That an answer was cut takes the place of what the server said, but not of its having declined."""
    return ended_by(*sorted(_reasons(finish_reason) & _DECLINED), CUT_HERE)


def was_cut(finish_reason: str | None) -> bool:
    """Tell whether an answer ended because it was long enough, in the words of any server."""
    return bool(_reasons(finish_reason) & _LENGTH)


def was_declined(finish_reason: str | None) -> bool:
    """Tell whether a server or its model declined to answer, in the words of any server."""
    return bool(_reasons(finish_reason) & _DECLINED)


def _reasons(finish_reason: str | None) -> frozenset[str]:
    """In lower case: Gemini writes capital letters, and behind a colon which of its filters stopped an answer."""
    return frozenset(reason.partition(":")[0] for reason in (finish_reason or "").lower().split(_AND))


def _status_of(outcome: Outcome) -> Status:
    """Whether there is an answer: ok, an error, or not_recorded where an import tells of none."""
    if outcome.error is not None:
        return "error"
    return "not_recorded" if outcome.finish_reason == NOT_RECORDED else "ok"


def outcome_version(words: GroupMask) -> str:
    """Everything that the outcome of a response depends on besides the response and its prompt."""
    return read_with(OUTCOME_VERSION, words)


def _flags_of(request: Request, outcome: Outcome, words: GroupMask) -> _Flags:
    if _status_of(outcome) != "ok":
        return _NOTHING_OBSERVED
    text = outcome.response_text or ""
    read = "refused" if was_declined(outcome.finish_reason) else _read(request, text, words)
    return _Flags(
        outcome=read, is_refused=refuses(read), is_empty=not text.strip(), is_truncated=was_cut(outcome.finish_reason)
    )


def _read(request: Request, text: str, words: GroupMask) -> ResponseOutcome:
    prompt = plain_text(request.messages) if request.prompt.prompt_text is not None else ""
    return read_outcome(text, prompt, words)


def refuses(outcome: ResponseOutcome) -> bool | None:
    """The flag is_refused: whether a response refuses wholly; None where that cannot be read."""
    return None if outcome == "unreadable" else outcome == "refused"


def response_of(request: Request, outcome: Outcome, config: SystemConfig) -> Response:
    """The row of a request; what was logged under fewer tags or a larger max_characters is read by those of now."""
    outcome = _parted_again(outcome, config.reasoning_tags)
    text = outcome.response_text
    if text is not None and len(text) > config.max_characters:
        ended = _cut_here(outcome.finish_reason)
        outcome = dataclasses.replace(outcome, response_text=text[: config.max_characters], finish_reason=ended)
    return Response(
        prompt_id=request.prompt.prompt_id,
        replicate=request.replicate,
        response_id=request.response_id,
        response_text=outcome.response_text,
        status=_status_of(outcome),
        **_flags_of(request, outcome, config.study_words)._asdict(),
        error=outcome.error,
        requested_at=outcome.requested_at,
        latency_seconds=outcome.latency_seconds,
        n_tokens_in=outcome.n_tokens_in,
        n_tokens_out=outcome.n_tokens_out,
        context_json=outcome.context_json,
        is_declined=was_declined(outcome.finish_reason) if _status_of(outcome) == "ok" else None,
        outcome_version=outcome_version(config.study_words) if _status_of(outcome) == "ok" else None,
        n_retries=outcome.n_retries,
        failed_calls_json=None if outcome.failed_calls is None else json.dumps(outcome.failed_calls, sort_keys=True),
        served_model=_served_model(outcome.context_json),
    )


def _served_model(context_json: str | None) -> str | None:
    """What the service named, read here: DuckDB refuses a context with a lone surrogate."""
    if context_json is None or f'"{SERVED_MODEL}"' not in context_json:
        return None
    return text_or_none(json.loads(context_json).get(SERVED_MODEL))


def _parted_again(outcome: Outcome, tags: Mapping[str, str]) -> Outcome:
    """Without the reasoning that tags declared since then tell; what was parted keeps a closing mark."""
    if outcome.response_text is None:
        return outcome
    context = json.loads(outcome.context_json) if outcome.context_json else {}
    text = outcome.response_text
    if "reasoning" in context and not begins_with_reasoning(text, tags):
        return outcome
    again = parted(Answer(outcome.response_text, context=context), tags)
    if again.text == outcome.response_text:
        return outcome
    context_json = json.dumps(again.context, sort_keys=True) if again.context else None
    return dataclasses.replace(outcome, response_text=again.text, context_json=context_json)


def is_settled(outcome: Outcome, max_characters: int) -> bool:
    """Tell whether a logged outcome stands: no error worth a retry, an answer, not cut shorter than is wanted now."""
    if outcome.error is not None:
        return not is_retryable(outcome.error)
    if _reasons(outcome.finish_reason) & LOADED and not outcome.response_text:
        return False
    was_cut_here = CUT_HERE in _reasons(outcome.finish_reason)
    return not (was_cut_here and len(outcome.response_text or "") < max_characters)
