"""What every server is owed, and what is kept of it: who asks, how often, when to wait, pages on disk.

Belongs here: fetching alone. What a MediaWiki answers is mediawiki.py, what a plain page may be asked for is
web.py.
"""

import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self
from urllib.parse import quote, urlsplit

from python_assets.errors import FieldPath, SourceError
from python_assets.providers.error_bodies import retry_after
from python_assets.providers.failures import Backoff
from python_assets.providers.transport import ENCODINGS, check_encoding, shown_url

if TYPE_CHECKING:
    import httpx

MOST_AT_ONCE: Final = 3
MOST_BYTES: Final = 32 * 1024 * 1024
_TRIES: Final = 6
_TIMEOUT_SECONDS: Final = 60.0
_BUSY_STATUS: Final = frozenset({429, 500, 502, 503, 504})
_READABLE: Final = "".join(map(chr, range(32, 127)))
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class Fetched(NamedTuple):
    """A server's reply, whatever its status; address: without a redirect, the one that was asked."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    address: str


def _never_busy(fetched: Fetched) -> bool:
    return False


def user_agent(contact: str | None) -> str:
    """How this program names itself: name, version, whom to write to, library.

    A header holds ASCII alone: letters of the contact beyond it are written as in addresses, blanks as one.
    """
    comment = f" ({quote(' '.join(contact.split()), safe=_READABLE)})" if contact else ""
    return f"Plumbline/{version('plumbline')}{comment} httpx/{version('httpx')}"


class Fetcher:
    """Gets addresses, at most MOST_AT_ONCE at a time, and waits where a server asks for it.

    Used in a `with` statement, which closes its connections.
    """

    def __init__(self, agent: str, field: FieldPath, backoff: Backoff | None = None) -> None:
        """Prepare; nothing is connected yet.

        Args:
            agent: the User-Agent.
            field: the place in the study file that asks, for error texts.
            backoff: how long to wait for a busy server that does not say it.
        """
        self.agent = agent
        self._field = field
        self._backoff = backoff or Backoff()
        self._connections = threading.BoundedSemaphore(MOST_AT_ONCE)
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._client is not None:
            self._client.close()

    def get(
        self,
        address: str,
        params: Mapping[str, str] | None = None,
        follow_redirects: bool = True,
        is_busy: Callable[[Fetched], bool] = _never_busy,
    ) -> Fetched:
        """Get an address; a busy server is asked again after Retry-After, or after ever longer waits.

        Args:
            address: http or https.
            params: of the query.
            follow_redirects: else a redirect is returned as it came.
            is_busy: tells of a reply with another status that it asks to wait, too.

        Returns:
            The last reply, whose status may be an error.

        Raises:
            SourceError: no connection, a server that stays busy, or more than MOST_BYTES.
        """
        for attempt in range(_TRIES):
            with self._connections:
                fetched, problem = self._try(address, params, follow_redirects)
            if fetched is not None:
                if fetched.status not in _BUSY_STATUS and not is_busy(fetched):
                    return fetched
                problem = f"HTTP {fetched.status}, busy"
            if attempt + 1 < _TRIES:
                retry_seconds = retry_after(fetched.headers.get("retry-after")) if fetched else None
                time.sleep(self._backoff.seconds(attempt, retry_seconds))
        got = f"{problem} in {_TRIES} tries at {shown_url(address)}"
        raise SourceError(self._field, got, "a reply", "run again later: what was fetched already is kept")

    def _try(
        self, address: str, params: Mapping[str, str] | None, follow_redirects: bool
    ) -> tuple[Fetched | None, str]:
        import httpx

        try:
            with self._opened(address).stream(
                "GET", address, params=params, follow_redirects=follow_redirects
            ) as response:
                content = self._read(response)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.TooManyRedirects) as error:
            got = f"{shown_url(address)} ({error})"
            raise SourceError(self._field, got, "an address to fetch", "correct it") from error
        except ValueError as error:
            got = f"{shown_url(address)}: {error}"
            raise SourceError(self._field, got, remedy="save it as a file") from error
        except httpx.ConnectError as error:
            got, expected = f"no connection to {shown_url(address)} ({error})", "a machine that can reach it"
            remedy = "connect this one and run again: what was fetched already is kept"
            raise SourceError(self._field, got, expected, remedy) from error
        except httpx.TransportError as error:
            return None, f"{type(error).__name__}: {error}"
        return Fetched(response.status_code, response.headers, content, str(response.url)), ""

    def _read(self, response: "httpx.Response") -> bytes:
        check_encoding(response.headers)
        content = bytearray()
        for piece in response.iter_bytes():
            content += piece
            if len(content) > MOST_BYTES:
                expected = f"at most {MOST_BYTES:,} bytes"
                remedy = "save what is needed of it as a local file"
                raise SourceError(self._field, f"more of {shown_url(str(response.url))}", expected, remedy)
        return bytes(content)

    def _opened(self, address: str) -> "httpx.Client":
        import httpx

        with self._lock:
            if self._client is None:
                self._client = httpx.Client(
                    headers={"user-agent": self.agent, "accept-encoding": ", ".join(ENCODINGS)},
                    timeout=_TIMEOUT_SECONDS,
                    # A proxy from the environment cannot reach a server on this machine.
                    trust_env=urlsplit(address).hostname not in _LOOPBACK,
                )
            return self._client


class PageCache:
    """Records on disk, one JSON file each, under a folder named after the host."""

    def __init__(self, folder: Path, address: str) -> None:
        """Name the folder.

        Args:
            folder: where the pages of all hosts lie.
            address: of the server; records of its other paths do not get in the way.
        """
        split_address = urlsplit(address)
        self._folder = folder / split_address.netloc.rpartition("@")[2].replace(":", "_")
        self._path = split_address.path

    def get(self, kind: str, name: str) -> dict[str, Any] | None:
        """A record that was kept; None where there is none, or where its file is torn."""
        try:
            record = json.loads(self._file(kind, name).read_bytes())
        except (OSError, ValueError):
            return None
        return record if isinstance(record, dict) else None

    def put(self, kind: str, name: str, record: Mapping[str, Any]) -> None:
        """Keep a record; a kill while it is written leaves none."""
        file = self._file(kind, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        torn = file.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        torn.write_text(json.dumps(record), encoding="ascii")
        torn.replace(file)

    def _file(self, kind: str, name: str) -> Path:
        """The name can be read in part; its hash tells it from all others."""
        readable = re.sub(r"[^\w.-]+", "_", name)[:60]
        digest = hashlib.sha256(f"{self._path}\n{kind}\n{name}".encode()).hexdigest()[:16]
        return self._folder / kind / f"{readable}-{digest}.json"
