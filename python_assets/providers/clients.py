"""The HTTP clients of one generation: as many as calls are in flight, each with a connection of its own.

One client for all calls searches its pool of connections twice a call: at 64 calls in flight that takes
longer than the calls.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from python_assets.providers.transport import client_options

if TYPE_CHECKING:
    import httpx


class Clients:
    """Lends a client for a call and takes it back, the latest first: its connection is the likeliest open."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        """Name the server and what every call sends; nothing is opened yet."""
        self._options = client_options(url)
        self._options["headers"] |= headers
        self._idle: list[httpx.AsyncClient] = []

    @contextmanager
    def lent(self) -> "Iterator[httpx.AsyncClient]":
        """A client that no other call has."""
        import httpx

        client = self._idle.pop() if self._idle else httpx.AsyncClient(**self._options)
        try:
            yield client
        finally:
            self._idle.append(client)

    async def close(self) -> None:
        """Close every client; none is lent."""
        for client in self._idle:
            await client.aclose()
        self._idle.clear()
