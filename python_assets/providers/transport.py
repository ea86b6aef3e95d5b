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
from urllib.parse import unquote_plus, urlsplit

from python_assets.providers.failures import FailureKind, ProviderFailure
from python_assets.study.secrets import without_credentials

if TYPE_CHECKING:
    import httpx

LARGEST_BODY_BYTES: Final = 64 * 1024 * 1024  # unpacked
ENCODINGS: Final = ("gzip", "deflate")
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
    """Keyword arguments for an httpx client; the caller keeps the time."""
    import httpx

    return {
        "timeout": None,
        "limits": httpx.Limits(max_connections=concurrency),
        "headers": {"accept-encoding": ", ".join(ENCODINGS), "content-type": "application/json"},
        # A proxy from the environment cannot reach a server on this machine.
        "trust_env": urlsplit(url).hostname not in _LOOPBACK,
    }


async def ask_json(client: "httpx.AsyncClient", method: str, address: str, payload: Any = None) -> Any:
    """What a server replies, as JSON.

    Args:
        client: with the options of client_options.
        method: GET or POST.
        address: of the server and what is asked there.
        payload: sent as JSON, a lone surrogate as its escape, which httpx itself cannot encode.

    Raises:
        ProviderFailure: no reply, a status that is not 2xx, more than LARGEST_BODY_BYTES, or no JSON.
    """
    content = None if payload is None else json.dumps(payload)
    with typed_failures():
        async with client.stream(method, address, content=content) as response:
            body = await _body(response)
        if not response.is_success:
            words = body.decode("utf-8", "replace")
            raise failure_of_status(response.status_code, words, response.headers)
        return json.loads(body)


async def _body(response: "httpx.Response") -> bytes:
    """The body, unpacked piece by piece: 1 MB that was sent can be 1 GB."""
    check_encoding(response.headers)
    declared = response.headers.get("content-length", "0")
    body = bytearray()
    if not (declared.isdigit() and int(declared) > LARGEST_BODY_BYTES):
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > LARGEST_BODY_BYTES:
                break
        else:
            return bytes(body)
    raise ProviderFailure("too_large", f"the reply has more than {LARGEST_BODY_BYTES:,} bytes")


def check_encoding(headers: Mapping[str, str]) -> None:
    """See that a reply is packed at most once, by what it was asked to be packed by.

    Packed twice, one piece that is read is a million times as large unpacked.

    Raises:
        ValueError: it is not.
    """
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity", *ENCODINGS):
        raise ValueError(f"the reply is packed by {encoding[:_SHOWN_CHARACTERS]!r}, expected {ENCODINGS}")


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
    """Whether a content filter refused the prompt.

    400 and a code of one, of the error or of the error within it; or 403 and what was flagged for what
    reasons (https://openrouter.ai/docs/api/reference/errors-and-debugging); 403 alone is about the key.
    """
    try:
        error = json.loads(body)["error"]
        if status == 403:
            return {"reasons", "flagged_input"} <= error["metadata"].keys()
        codes = [error.get("code"), (error.get("innererror") or {}).get("code")]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False
    return status == 400 and any(isinstance(code, str) and code.lower() in _FILTER_CODES for code in codes)


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
        (
            (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError),
            "malformed_response",
        ),
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
    return without_credentials(url) if url else "no server"


def secrets_of(url: str | None) -> list[str]:
    """User, password and the values of the query of an address, as they are written and as they are meant."""
    parts = urlsplit(url or "")
    written = [*parts.netloc.rpartition("@")[0].split(":"), *(value for _, value in _pieces(parts.query))]
    return [secret for text in written if text for secret in (text, unquote_plus(text))]


def _pieces(query: str) -> list[tuple[str, str]]:
    return [(name, value) for name, _, value in (piece.partition("=") for piece in query.split("&"))]
