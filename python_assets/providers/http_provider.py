"""What providers of servers that speak JSON over HTTP share: headers, key and clients.

Belongs here: how a call is sent. What is asked and how a reply is read is the provider's own file.
"""

from types import TracebackType
from typing import Any, Self

from python_assets.providers.clients import Clients
from python_assets.providers.provider import RemoteProvider
from python_assets.providers.transport import ask_json


class HttpProvider(RemoteProvider):
    """Asked over plain HTTP: the packages of the services add nothing to one POST and retry by themselves."""

    async def __aenter__(self) -> Self:
        self._clients = Clients(str(self.url), self._headers())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._clients.close()

    async def ask_server(self, method: str, path: str, payload: Any = None) -> Any:
        """What the server replies, as JSON.

        Args:
            method: GET or POST.
            path: below base_url.
            payload: sent as JSON.

        Raises:
            ProviderFailure: as ask_json.
        """
        with self._clients.lent() as client:
            return await ask_json(client, method, self.address(path), payload)

    def _headers(self) -> dict[str, str]:
        key = self.read_key()
        return {"user-agent": "plumbline"} | ({} if key is None else self.key_header(key))

    def key_header(self, key: str) -> dict[str, str]:
        """The header that carries the key."""
        return {"authorization": f"Bearer {key}"}
