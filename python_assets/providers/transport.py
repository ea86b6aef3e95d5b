"""From an HTTP reply or a broken connection to a typed failure.

Belongs here: what holds for every server that speaks JSON over HTTP. What one server's reply means is in its
file.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from python_assets.providers.failures import FailureKind, ProviderFailure

if TYPE_CHECKING:
    import httpx

LARGEST_BODY_BYTES: Final = 256 * 1024 * 1024
_SHOWN_CHARACTERS: Final = 300
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
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


def client_options(url: str, concurrency: int) -> dict[str, Any]:
    """Keyword arguments for an httpx client: the caller keeps the time, failures are raised."""
    import httpx

    return {
        "timeout": None,
        "limits": httpx.Limits(max_connections=concurrency),
        "event_hooks": {"response": [raise_for_failure]},
        # A proxy from the environment cannot reach a server on this machine.
        "trust_env": urlsplit(url).hostname not in _LOOPBACK,
    }


async def raise_for_failure(response: "httpx.Response") -> None:
    """Response hook: raise what a status or an oversized body means.

    Raises:
        ProviderFailure: the status is not 2xx, or the body is larger than LARGEST_BODY_BYTES.
    """
    length = response.headers.get("content-length", "0")
    if length.isdigit() and int(length) > LARGEST_BODY_BYTES:
        raise ProviderFailure("too_large", f"the reply has {length} bytes, more than {LARGEST_BODY_BYTES}")
    if not response.is_success:
        await response.aread()
        raise failure_of_status(response.status_code, response.text, response.headers)


def failure_of_status(status: int, body: str, headers: Mapping[str, str]) -> ProviderFailure:
    """The failure an HTTP status and its body mean.

    Args:
        status: not 2xx.
        body: OpenAI's {"error": {"code", "message"}}, Ollama's {"error": text}, or anything.
        headers: with lower-case look-up.

    Returns:
        A failure whose message holds the status and, unless the key was refused, the server's words.
    """
    code, words = _server_error(body)
    kind = "content_filter" if _is_filtered(status, body) else _kind(status, code, words)
    # A server that refuses a key may quote it.
    message = f"HTTP {status}" if kind == "unauthorized" else f"HTTP {status} {words}".strip()
    return ProviderFailure(kind, message, retry_after(headers.get("retry-after")))


def _server_error(body: str) -> tuple[str, str]:
    try:
        error = json.loads(body)["error"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return "", " ".join(body[:_SHOWN_CHARACTERS].split())
    if isinstance(error, dict):
        words = error.get("message") or error
        return str(error.get("code") or error.get("type") or ""), str(words)[:_SHOWN_CHARACTERS]
    return "", str(error)[:_SHOWN_CHARACTERS]


def _is_filtered(status: int, body: str) -> bool:
    """Whether a content filter refused: 400 and a code of one, of the error or of the error within it."""
    if status != 400:
        return False
    try:
        error = json.loads(body)["error"]
        codes = [error.get("code"), (error.get("innererror") or {}).get("code")]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False
    return any(isinstance(code, str) and code.lower() in _FILTER_CODES for code in codes)


def _kind(status: int, code: str, words: str) -> FailureKind:
    if code == "insufficient_quota":
        return "quota_exceeded"
    if code == "model_not_found" or (status == 404 and "model" in words.lower()):
        return "model_missing"
    if status in (404, 405):
        return "endpoint_missing"
    if status in _KIND_OF_STATUS:
        return _KIND_OF_STATUS[status]
    if status < 400:
        return "bad_url"
    return "http_5xx" if status >= 500 else "http_4xx"


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


@contextmanager
def typed_failures() -> Iterator[None]:
    """Raise what httpx, the JSON reader or a reply of the wrong shape raises as ProviderFailure.

    Raises:
        ProviderFailure: for every such error; anything else passes.
    """
    import httpx

    kinds: tuple[tuple[tuple[type[Exception], ...], FailureKind], ...] = (
        ((httpx.ConnectError, ConnectionError), "connection"),
        ((httpx.TimeoutException,), "timeout"),
        ((httpx.DecodingError,), "malformed_response"),
        ((httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.TooManyRedirects), "bad_url"),
        ((httpx.TransportError,), "disconnected"),
        ((UnicodeEncodeError,), "unsendable_prompt"),
        # RecursionError: a reply nested deeper than Python reads.
        ((ValueError, LookupError, TypeError, AttributeError, RecursionError), "malformed_response"),
    )
    caught = tuple(kind for group, _ in kinds for kind in group)
    try:
        yield
    except caught as error:
        kind = next(kind for group, kind in kinds if isinstance(error, group))
        words = " ".join(str(error).split())[:_SHOWN_CHARACTERS]
        raise ProviderFailure(kind, f"{type(error).__name__}: {words}") from None


def is_address(url: str) -> bool:
    """Tell whether a text is the http or https address of a server."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def shown_url(url: str | None) -> str:
    """An address for messages: without user, password and query, which may hold a secret."""
    if not url:
        return "no server"
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
