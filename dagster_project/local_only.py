"""The layer that every request to Dagster's webserver passes first.

Belongs here: who may ask. A web page of any site can send requests to a server on the machine it is read
on, and Dagster answers whoever asks: only pages that this server sent are let in.
"""

from typing import Final
from urllib.parse import parse_qs

from graphql import GraphQLError, OperationDefinitionNode, OperationType, parse
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

OWN_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_SITES: Final = frozenset({"same-origin", "none"})  # a page of this server, or whoever sits before the browser
_MOST_TOKENS: Final = 1_000  # of a query in an address
# another site may neither frame the UI, to have it clicked unseen, nor load its files as scripts
KEPT_APART: Final = {"X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin"}


class Refusal(Exception):
    """A request that is not answered: status is HTTP's, the text says why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class LocalOnly:
    """Lets a request through where it was sent to this machine by name, and by no page of another site."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection: refuse it, or hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            check_request(scope)
        except Refusal as refusal:
            closing = WebSocketClose(code=1008, reason=str(refusal))
            answer = PlainTextResponse(f"{refusal}\n", refusal.status)
            await (closing if scope["type"] == "websocket" else answer)(scope, receive, send)
            return
        await self._app(scope, receive, _kept_apart(send))


def check_request(scope: Scope) -> None:
    """Check where a request comes from and what it asks for.

    Programs other than browsers send no Origin and are let in: they run on this machine already.

    Args:
        scope: of ASGI, of type http or websocket.

    Raises:
        Refusal: Host is no name of this machine, Origin is another page's, a browser says that another page
            sends, or a GET would change something.
    """
    headers = Headers(scope=scope)
    hosts = headers.getlist("host")
    if len(hosts) != 1 or _name(hosts[0]) not in OWN_NAMES:
        raise Refusal(403, f"Host is {' '.join(hosts)!r}: this server answers to {' and '.join(sorted(OWN_NAMES))}.")
    this_server = f"http://{hosts[0]}".lower()
    if foreign := [origin for origin in headers.getlist("origin") if origin.lower() != this_server]:
        raise Refusal(403, f"Origin is {foreign[0]!r}: only pages of {this_server} may ask.")
    # a form can be sent without Origin; what sent it is still told
    sites = headers.getlist("sec-fetch-site")
    if scope["type"] == "http" and scope["method"] not in READING and not set(sites) <= OWN_SITES:
        raise Refusal(403, f"Sec-Fetch-Site is {' '.join(sites)!r}: only pages of {this_server} may send.")
    if scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == "/graphql":
        queries = parse_qs(scope["query_string"].decode("latin-1")).get("query", [])
        if not all(map(_only_reads, queries)):
            raise Refusal(405, "A GET only reads: send mutations by POST.")


def _name(host: str) -> str:
    name, _, port = host.lower().rpartition(":")
    return name if name and port.isdigit() else host.lower()


def _only_reads(query: str) -> bool:
    """Whether a GraphQL document holds queries alone; what cannot be read is not let through."""
    try:
        definitions = parse(query, max_tokens=_MOST_TOKENS).definitions
    except (GraphQLError, RecursionError):
        return False
    operations = [one.operation for one in definitions if isinstance(one, OperationDefinitionNode)]
    return set(operations) == {OperationType.QUERY}


def _kept_apart(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(KEPT_APART)
        await send(message)

    return sending
