"""What a server's error means: its status and body, in the words of the services that are known.

Belongs here: from a status and a body to the kind of failure, and to the parameter that was refused; an error
that comes with status 200, too.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from python_assets.providers.failures import FailureKind, ProviderFailure

BODY_CHARACTERS: Final = 300
_KIND_OF_STATUS: Final[dict[int, FailureKind]] = {
    401: "unauthorized",
    402: "quota_exceeded",
    403: "unauthorized",
    408: "timeout",
    409: "http_5xx",  # a lock at the server: asking again helps, as for 5xx
    413: "unsendable_prompt",
    429: "http_429",
}

# The code or type of an error: what stands before the model blocked the prompt, or what it wrote.
_FILTER_CODES: Final = frozenset(
    {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}  # Azure, Moonshot
    | {"invalid_prompt"}  # OpenAI's reasoning models: "flagged as potentially violating our usage policy"
    | {"data_inspection_failed", "datainspectionfailed", "1301"}  # Qwen in either protocol, GLM
)
# of services that have no code for it and of gateways that lose it, by status
_FILTER_WORDS: Final[Mapping[int, re.Pattern[str]]] = {
    400: re.compile(
        r"(?i)blocked by content filtering policy"  # Anthropic
        r"|^content exists risk"  # DeepSeek
        r"|data_?inspection_?failed"  # Qwen behind a gateway
        r"|content management policy"  # Azure, under the code BadRequest
    ),
    # xAI's 403 is of the key otherwise
    403: re.compile(r"(?i)content violates usage guidelines"),
}
_MISSING_CODES: Final = frozenset({"model_not_found", "DeploymentNotFound"})
# OpenAI's and Anthropic's, of which the latter is an invalid_request_error, too
_QUOTA_CODES: Final = frozenset({"insufficient_quota", "billing_error"})
_QUOTA_WORDS: Final = "credit balance is too low"
# "This is (not) a chat model and (thus) not supported in the v1/completions endpoint."; LM Studio's, with 200
_OTHER_ENDPOINT: Final = re.compile(r"not supported in the v1/[\w/]+ endpoint|Unexpected endpoint or method")
# the key, with status 400: xAI's and Gemini's
_KEY_WORDS: Final = re.compile(r"(?i)incorrect api key provided|api key not (?:valid|found)")

# what is counted a minute, and how it is told when that is whole again
_COUNTED: Final = ("requests", "tokens")
_SECONDS_OF: Final[Mapping[str, float]] = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_DURATION_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhd])")
_DURATION: Final = re.compile(rf"(?:{_DURATION_PART.pattern})+")

# an answer that ended so is not whole: gateways and Mistral, vLLM, DeepSeek, GLM; Ollama only loaded the model
_BROKEN_OFF: Final = frozenset({"error", "abort", "insufficient_system_resource", "network_error", "load"})

_PARAMETER_CODES: Final = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
# what names a parameter in the words of services that name it nowhere else
_PARAMETER_WORDS: Final = re.compile(
    r"Unsupported (?:parameter|value): '([^']+)'"  # proxies of OpenAI
    r"|Unrecognized request argument supplied: (\w+)"  # OpenAI, Azure
    r"|property '(\w+)' is unsupported"  # Groq
    r"|does not support parameter (\w+)"  # xAI
    r"|does not support parameters: [\[{]'(\w+)'"  # LiteLLM (https://github.com/BerriAI/litellm/issues/6856)
    r"|Unknown name \"(\w+)\": Cannot find field"  # Gemini
    r"|`?(\w+)`? is deprecated for this model"  # Anthropic
    r"|`(\w+)` may only be set to"
    r"|`(\w+)` must be (?:[^`]* or )?unset"
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
        A failure whose message holds the status and, unless the key is wrong, the server's words.
    """
    reply = _parsed(body)
    code, words = _server_error(reply, body)
    parameter = _refused_parameter(reply, words) if status in (400, 422) else None
    if _is_filtered(status, reply):
        kind: FailureKind = "content_filter"
    else:
        kind = "parameter_refused" if parameter else _kind(status, code, words)
    if kind == "bad_url" and (elsewhere := headers.get("location")):
        words = f"to {elsewhere[:BODY_CHARACTERS]}"
    # A server that refuses a key may quote some of it; 403 is of the country or the model as often.
    is_key = kind == "unauthorized" and status != 403
    message = f"HTTP {status}" if is_key else f"HTTP {status} {words}".strip()
    failure = ProviderFailure(kind, message, seconds_to_wait(status, headers), parameter, status)
    failure.code = code or None
    return failure


def reported_failure(reply: Any) -> ProviderFailure | None:
    """The failure that a reply tells of though its status is 200, None where it tells of none.

    Args:
        reply: of OpenAI's protocol. A gateway that lost the model it asked says so in `error`, of the reply
            or of its first choice, whose text is not whole then; the code there is an HTTP status
            (https://openrouter.ai/docs/api/reference/errors-and-debugging). Gemini's may stand in a list.

    Returns:
        The failure that the same body is under the status in its code; one of the server where it has none.
    """
    reply = _unlisted(reply)
    listed = reply.get("choices")
    choice = listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], dict) else {}
    ended = choice.get("finish_reason")
    broke_off = isinstance(ended, str) and ended in _BROKEN_OFF
    error = reply.get("error") or (choice.get("error") if broke_off else None)
    if not error and not broke_off:
        return None
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and code in range(400, 600):
        return failure_of_status(code, json.dumps({"error": error}), {})
    if not error:
        return ProviderFailure("http_5xx", f"HTTP 200, but the answer broke off: finish_reason {ended}")
    words = _server_error({"error": error}, "")[1]
    return ProviderFailure(_kind(500, "", words), f"HTTP 200, but an error: {words}")


def _parsed(body: str) -> Any:
    """The JSON of a body, None where it holds none."""
    try:
        return _unlisted(json.loads(body))
    except (ValueError, RecursionError):
        return None


def _unlisted(reply: Any) -> Any:
    """Gemini's error stands in a list."""
    return reply[0] if isinstance(reply, list) and reply else reply


def _server_error(reply: Any, body: str) -> tuple[str, str]:
    try:
        error = reply["error"]
    except (LookupError, TypeError):
        return "", " ".join(body[:BODY_CHARACTERS].split())
    if isinstance(error, dict):
        words = error.get("message") or error
        return str(error.get("code") or error.get("type") or ""), str(words)[:BODY_CHARACTERS]
    return "", str(error)[:BODY_CHARACTERS]


def _refused_parameter(reply: Any, words: str) -> str | None:
    """The field of the request that the server does not take, None where it says so of none."""
    try:
        error = reply.get("error")
        if isinstance(error, dict) and error.get("code") in _PARAMETER_CODES:
            return str(error["param"])
        for one in _validation_errors(reply):
            if one.get("type") == "extra_forbidden":
                return str(one["loc"][1])
    except (LookupError, TypeError, AttributeError):
        return None
    match = _PARAMETER_WORDS.search(words)
    return next(filter(None, match.groups()), None) if match else None


def _validation_errors(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Mistral's and vLLM's form, which is pydantic's: a list of {type, loc: [body, field], msg}."""
    message = reply.get("message")
    inner = message.get("detail") if isinstance(message, dict) else None
    for listed in (reply.get("detail"), message, inner):
        if isinstance(listed, list):
            yield from listed


def _is_filtered(status: int, reply: Any) -> bool:
    """Whether a content filter refused the prompt.

    400 and a code or type of one, of the error or of the error within it; 403 and what was flagged for what
    reasons (https://openrouter.ai/docs/api/reference/errors-and-debugging), which alone is about the key; or words.
    """
    try:
        # DashScope's own protocol has the fields of an error at the top, DeepSeek's older one a detail
        error = reply.get("error") or reply
        words = str(error.get("message") or error.get("detail") if isinstance(error, dict) else error)
        if (pattern := _FILTER_WORDS.get(status)) and pattern.search(words):
            return True
        if status == 403:
            return {"reasons", "flagged_input"} <= error["metadata"].keys()
        codes = [error.get("code"), error.get("type"), (error.get("innererror") or {}).get("code")]
    except (LookupError, TypeError, AttributeError):
        return False
    return status == 400 and any(isinstance(code, str) and code.lower() in _FILTER_CODES for code in codes)


def _kind(status: int, code: str, words: str) -> FailureKind:
    if code in _QUOTA_CODES or (status == 400 and _QUOTA_WORDS in words.lower()):
        return "quota_exceeded"
    if status == 400 and _KEY_WORDS.search(words):
        return "unauthorized"
    if _OTHER_ENDPOINT.search(words):
        return "endpoint_missing"
    if code in _MISSING_CODES or (status == 404 and "model" in words.lower()):
        return "model_missing"
    if status in (404, 405):
        return "endpoint_missing"
    if status < 400:
        return "bad_url"
    return _KIND_OF_STATUS.get(status, "http_5xx" if status >= 500 else "http_4xx")


def seconds_to_wait(status: int, headers: Mapping[str, str]) -> float | None:
    """For how long a server asks not to be asked, None where it does not say.

    Args:
        status: of its reply.
        headers: retry-after-ms, OpenAI's and Azure's, is finer than Retry-After. Where a 429 has neither,
            x-ratelimit-reset-* says when what is used up is whole again
            (https://platform.openai.com/docs/guides/rate-limits).
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    seconds = retry_after(headers.get("retry-after"))
    if seconds is not None or status != 429:
        return seconds
    used_up = [name for name in _COUNTED if _number(headers.get(f"x-ratelimit-remaining-{name}")) == 0]
    resets = [_duration(headers.get(f"x-ratelimit-reset-{name}", "")) for name in used_up]
    return max(filter(None, resets), default=None)


def _number(value: str | None) -> float | None:
    """A number of a header that is not negative, None where it holds none."""
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if number >= 0 else None


def _duration(text: str) -> float | None:
    """Seconds of 20ms, 1s, 6m0s, 1h2m3.5s or a plain number; None of anything else."""
    if not _DURATION.fullmatch(text):
        return _number(text)
    return sum(float(number) * _SECONDS_OF[unit] for number, unit in _DURATION_PART.findall(text))


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
