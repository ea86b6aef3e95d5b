"""What a server's error means: its status and body, in the words of the services that are known.

Belongs here: from a status and a body to the kind of failure, and to the parameter that was refused.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from python_assets.providers.failures import FailureKind, ProviderFailure

SHOWN_CHARACTERS: Final = 300
_KIND_OF_STATUS: Final[dict[int, FailureKind]] = {
    401: "unauthorized",
    402: "quota_exceeded",
    403: "unauthorized",
    408: "timeout",
    409: "http_5xx",  # a lock at the server: asking again helps, as for 5xx
    413: "unsendable_prompt",
    429: "http_429",
}

# Azure's form: what stands before the model blocked the prompt, or what it wrote.
_FILTER_CODES: Final = frozenset(
    {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}
)
_FILTER_WORDS: Final = "blocked by content filtering policy"  # Anthropic's, under invalid_request_error
_MISSING_CODES: Final = frozenset({"model_not_found", "DeploymentNotFound"})
# OpenAI's and Anthropic's, of which the latter is an invalid_request_error, too
_QUOTA_CODES: Final = frozenset({"insufficient_quota", "billing_error"})
_QUOTA_WORDS: Final = "credit balance is too low"
# "This is (not) a chat model and (thus) not supported in the v1/completions endpoint."
_OTHER_ENDPOINT: Final = re.compile(r"not supported in the v1/[\w/]+ endpoint")

_PARAMETER_CODES: Final = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
# what names a parameter in the words of services that name it nowhere else
_PARAMETER_WORDS: Final = re.compile(
    r"Unsupported (?:parameter|value): '([^']+)'"  # proxies of OpenAI
    r"|Unrecognized request argument supplied: (\w+)"  # OpenAI, Azure
    r"|`?(\w+)`? is deprecated for this model"  # Anthropic
    r"|`(\w+)` may only be set to"
    r"|`temperature` and `(\w+)` cannot both be specified"
    r"|^([\w.]+): Extra inputs are not permitted"
)


def failure_of_status(status: int, body: str, headers: Mapping[str, str]) -> ProviderFailure:
    """The failure an HTTP status and its body mean.

    Args:
        status: not 2xx.
        body: OpenAI's {"error": {"code", "message", "param"}}, Anthropic's {"error": {"type", "message"}},
            Ollama's {"error": text}, or anything.
        headers: with lower-case look-up.

    Returns:
        A failure whose message holds the status and, unless the key was refused, the server's words.
    """
    code, words = _server_error(body)
    parameter = _refused_parameter(body, words) if status in (400, 422) else None
    if _is_filtered(status, body):
        kind: FailureKind = "content_filter"
    else:
        kind = "parameter_refused" if parameter else _kind(status, code, words)
    # A server that refuses a key may quote it.
    message = f"HTTP {status}" if kind == "unauthorized" else f"HTTP {status} {words}".strip()
    return ProviderFailure(kind, message, retry_after(headers.get("retry-after")), parameter)


def _server_error(body: str) -> tuple[str, str]:
    try:
        error = json.loads(body)["error"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return "", " ".join(body[:SHOWN_CHARACTERS].split())
    if isinstance(error, dict):
        words = error.get("message") or error
        return str(error.get("code") or error.get("type") or ""), str(words)[:SHOWN_CHARACTERS]
    return "", str(error)[:SHOWN_CHARACTERS]


def _refused_parameter(body: str, words: str) -> str | None:
    """The field of the request that the server does not take, None where it says so of none."""
    try:
        reply = json.loads(body)
        error = reply.get("error")
        if isinstance(error, dict) and error.get("code") in _PARAMETER_CODES:
            return str(error["param"])
        for one in _validation_errors(reply):
            if one.get("type") == "extra_forbidden":
                return str(one["loc"][1])
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    found = _PARAMETER_WORDS.search(words)
    return next(filter(None, found.groups()), None) if found else None


def _validation_errors(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Mistral's and vLLM's form, which is pydantic's: a list of {type, loc: [body, field], msg}."""
    message = reply.get("message")
    inner = message.get("detail") if isinstance(message, dict) else None
    for listed in (reply.get("detail"), message, inner):
        if isinstance(listed, list):
            yield from listed


def _is_filtered(status: int, body: str) -> bool:
    """Whether a content filter refused the prompt.

    400 and a code of one, of the error or of the error within it, or Anthropic's words; or 403 and what was
    flagged for what reasons (https://openrouter.ai/docs/api/reference/errors-and-debugging); 403 alone is
    about the key.
    """
    try:
        error = json.loads(body)["error"]
        if status == 403:
            return {"reasons", "flagged_input"} <= error["metadata"].keys()
        codes = [error.get("code"), (error.get("innererror") or {}).get("code")]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False
    has_code = any(isinstance(code, str) and code.lower() in _FILTER_CODES for code in codes)
    return status == 400 and (has_code or _FILTER_WORDS in str(error.get("message")).lower())


def _kind(status: int, code: str, words: str) -> FailureKind:
    if code in _QUOTA_CODES or (status == 400 and _QUOTA_WORDS in words.lower()):
        return "quota_exceeded"
    if status in (404, 405) and _OTHER_ENDPOINT.search(words):
        return "endpoint_missing"
    if code in _MISSING_CODES or (status == 404 and "model" in words.lower()):
        return "model_missing"
    if status in (404, 405):
        return "endpoint_missing"
    if status < 400:
        return "bad_url"
    return _KIND_OF_STATUS.get(status, "http_5xx" if status >= 500 else "http_4xx")


def retry_after(value: str | None) -> float | None:
    """Seconds of a Retry-After header, which holds seconds or a date; None where it holds neither."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
