"""From a call over HTTP to JSON, or to a typed failure.

Belongs here: what holds for every server that speaks JSON over HTTP. What an error's body means is
error_bodies.py; what one server's reply means is in its file.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote_plus, urlsplit

from python_assets.errors import without_credentials
from python_assets.providers.error_bodies import BODY_CHARACTERS, failure_of_status
from python_assets.providers.failures import FailureKind, ProviderFailure
from python_assets.study.secrets import API_VERSION

if TYPE_CHECKING:
    import httpx

LARGEST_BODY_BYTES: Final = 64 * 1024 * 1024  # unpacked
ENCODINGS: Final = ("gzip", "deflate")
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class _HideCredentials(logging.Filter):
    """httpx logs the address of every call, whose user, password and query may be secrets."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = without_credentials(record.getMessage()), ()
        return True


logging.getLogger("httpx").addFilter(_HideCredentials())


def client_options(url: str) -> dict[str, Any]:
    """Keyword arguments for httpx clients of one server; the caller keeps the time."""
    import httpx

    # A proxy from the environment cannot reach a server on this machine.
    trust_env = urlsplit(url).hostname not in _LOOPBACK
    return {
        "timeout": None,
        "headers": {"accept-encoding": ", ".join(ENCODINGS), "content-type": "application/json"},
        "trust_env": trust_env,
        # read once: reading the certificates takes longer than a call
        "verify": httpx.create_ssl_context(trust_env=trust_env),
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
        return _parsed(body)


def _parsed(body: bytes) -> Any:
    """The JSON of a body; what came in its place is told, as nothing else says who answered."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        shown = " ".join(body[:BODY_CHARACTERS].decode("utf-8", "replace").split())
        kind: FailureKind = "web_page" if shown.startswith("<") else "malformed_response"
        raise ProviderFailure(kind, f"no JSON ({type(error).__name__}) but: {shown or 'nothing'}") from None


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
        raise ValueError(f"the reply is packed by {encoding[:BODY_CHARACTERS]!r}, expected {ENCODINGS}")


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
        ((ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError), "malformed_response"),
    )
    caught = tuple(kind for group, _ in kinds for kind in group)
    try:
        yield
    except caught as error:
        kind = next(kind for group, kind in kinds if isinstance(error, group))
        words = " ".join(str(error).split())[:BODY_CHARACTERS]
        raise ProviderFailure(kind, f"{type(error).__name__}: {words}") from None


def is_address(url: str) -> bool:
    """Tell whether a text is the http or https address of a server."""
    try:
        split = urlsplit(url)
        return split.scheme in ("http", "https") and bool(split.hostname) and split.port != 0
    except ValueError:
        return False


def shown_url(url: str | None) -> str:
    """An address for messages: without user, password and query, which may hold a secret."""
    return without_credentials(url) if url else "no server"


def secrets_of(url: str | None) -> list[str]:
    """User, password and the values of the query of an address, as they are written and as they are meant.

    The version of an API, a date that answers may name, is none.
    """
    split = urlsplit(url or "")
    pieces = [piece for piece in split.query.split("&") if not API_VERSION.fullmatch(piece)]
    values = [value or name for name, _, value in (piece.partition("=") for piece in pieces)]
    written = [*split.netloc.rpartition("@")[0].split(":"), *values]
    return [secret for text in written if text for secret in (text, unquote_plus(text))]
