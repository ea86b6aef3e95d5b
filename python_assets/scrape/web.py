"""Sources on the web: single pages by address, as far as the site's robots.txt lets programs read them.

Belongs here: what a plain page may be asked for. How politely it is asked is fetching.py, its text html.py.
"""

import hashlib
import socket
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from email.message import Message
from functools import partial
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from python_assets.errors import FieldPath, SourceError
from python_assets.providers.transport import is_address, shown_url
from python_assets.sandbox.sandbox import in_sandbox
from python_assets.scrape.fetching import Fetched, Fetcher, PageCache, user_agent
from python_assets.scrape.sources import SOURCES, SourceJob, SourceResult
from python_assets.texts.decoding import Decoded, Undecodable
from python_assets.texts.documents import Document
from python_assets.texts.files import text_paragraphs
from python_assets.texts.html import decode_html, html_paragraphs
from python_assets.texts.markdown import markdown_paragraphs
from python_assets.warehouse.build import utc_now
from python_assets.warehouse.run_context import OfflineError, RunContext

_MOST_REDIRECTS: Final = 5
_Place = IPv4Address | IPv6Address
# of protocols, all of it, though is_global takes two addresses out (RFC 6890)
_PROTOCOLS_OF_IPV4: Final = IPv4Network("192.0.0.0/24")
# addresses of IPv6 whose last 32 bits are one of IPv4: compatible and mapped (RFC 4291), translated (RFC 2765),
# NAT64 (RFC 6052, RFC 8215)
_HOLDS_IPV4: Final = tuple(
    IPv6Network(f"{prefix}/96") for prefix in ("::", "::ffff:0:0", "::ffff:0:0:0", "64:ff9b::", "64:ff9b:1::")
)
# all that is given out for the internet (IANA), without what protocols and 6to4 have of it
_UNICAST: Final = IPv6Network("2000::/3")
_OF_PROTOCOLS: Final = (IPv6Network("2001::/23"), IPv6Network("2002::/16"))
# where clouds hand out keys to their machines, beside the link-local addresses
_OF_CLOUDS: Final = frozenset(map(ip_address, ("100.100.100.200", "192.0.0.192", "fd00:ec2::254")))
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_PARAGRAPHS: Final[dict[str, Callable[[str], list[str]]]] = {
    "text/html": html_paragraphs,
    "application/xhtml+xml": html_paragraphs,
    "text/plain": text_paragraphs,
    "text/markdown": markdown_paragraphs,
}


@SOURCES.register("web")
def read_web(job: SourceJob) -> SourceResult:
    """Read web pages, one after another.

    Args:
        job: its source names them in urls.

    Returns:
        One document a page; its address is the one that redirects ended at.

    Raises:
        SourceError: a page that robots.txt closes to programs, that is neither HTML nor text, that has no
            running text, or that cannot be had.
        OfflineError: a page would have to be fetched, and may not be.
    """
    field = (*job.field, "urls")
    with Fetcher(user_agent(job.scrape.wiki.contact), field) as fetcher:
        site = _Web(fetcher, job.run_context, field)
        return SourceResult([_document(site.page(address), field) for address in job.source.urls or []])


class _WebPage(NamedTuple):
    """A page as it is kept. undecodable: position and bytes, in hexadecimal digits, that are not text."""

    address: str
    content_type: str
    text: str
    sha256: str
    retrieved_at: str
    undecodable: list[tuple[int, str]]


class _Web:
    """Pages by address, from disk or from their sites."""

    def __init__(self, fetcher: Fetcher, run_context: RunContext | None, field: FieldPath) -> None:
        self._fetcher = fetcher
        self._run_context = run_context
        self._field = field
        self._robots: dict[str, RobotFileParser] = {}

    def page(self, address: str) -> _WebPage:
        self._check_address(address)
        cache = PageCache(self._run_context.home.pages, address) if self._run_context else None
        kept = cache.get("web", address) if cache else None
        if kept is not None:
            return _WebPage(**kept)
        if cache is None or self._run_context is None or not self._run_context.may_ask:
            got = f"{shown_url(address)}, which has not been fetched yet"
            raise OfflineError(self._field, got, remedy="fetch it with: plumbline run STUDY")
        page = self._read(self._fetch(address))
        cache.put("web", address, page._asdict())
        return page

    def _check_address(self, address: str) -> None:
        if not is_address(address):
            raise SourceError(self._field, address, "an http or https address", "correct it")
        if "@" in urlsplit(address).netloc:
            got = f"{shown_url(address)} with a user or password, which would be kept with the page"
            remedy = "name another, or save it and read it as a local file"
            raise SourceError(self._field, got, "a page that anyone may read", remedy)

    def _fetch(self, address: str, is_page: bool = True) -> Fetched:
        """What an address leads to; a page only as far as robots.txt lets."""
        requested = urldefrag(address).url
        for _ in range(_MOST_REDIRECTS + 1):
            if is_page:
                self._check_robots(requested)
            fetched = self._fetcher.get(requested, follow_redirects=False)
            location = fetched.headers.get("location")
            if fetched.status not in _REDIRECTS or location is None:
                return fetched
            requested = self._redirected(address, requested, location)
        got = f"{shown_url(address)}, which redirects without end"
        raise SourceError(self._field, got, "a page", "name the page it means")

    def _redirected(self, address: str, requested: str, location: str) -> str:
        try:
            target = urldefrag(urljoin(requested, location)).url
        except ValueError:
            target = location
        self._check_address(target)
        if leads_inwards(address, target):
            got = f"{shown_url(address)}, which redirects to {shown_url(target)}"
            raise SourceError(self._field, got, "a public address", "name that page itself if it is meant")
        return target

    def _check_robots(self, address: str) -> None:
        split_address = urlsplit(address)
        origin = f"{split_address.scheme}://{split_address.netloc}"
        if origin not in self._robots:
            self._robots[origin] = self._read_robots(f"{origin}/robots.txt")
        if not self._robots[origin].can_fetch(self._fetcher.agent, address):
            expected = f"a page that the robots.txt of {split_address.netloc} lets programs read"
            remedy = "remove the address, or ask the site for its text and read that as a local file"
            raise SourceError(self._field, split_address.path, expected, remedy)

    def _read_robots(self, address: str) -> RobotFileParser:
        """The rules of a site; as urllib reads them, none where there is no file, all closed where it is."""
        fetched = self._fetch(address, is_page=False)
        robots = RobotFileParser()
        if fetched.status in (401, 403):
            lines = ["User-agent: *", "Disallow: /"]
        else:
            lines = fetched.content.decode("utf-8-sig", "replace").splitlines() if fetched.status == 200 else []
        robots.parse(lines)
        return robots

    def _read(self, fetched: Fetched) -> _WebPage:
        shown = shown_url(fetched.address)
        if fetched.status != 200:
            got, remedy = f"HTTP {fetched.status} of {shown}", "correct the address or remove it"
            raise SourceError(self._field, got, "a page that anyone may read", remedy)
        content_type, charset = _content_type(fetched.headers.get("content-type", ""))
        if content_type not in _PARAGRAPHS:
            got = f"{content_type or 'no stated type'} of {shown}"
            expected = f"one of {', '.join(_PARAGRAPHS)}"
            raise SourceError(self._field, got, expected, "save it and read it as a local file")
        decoded = _decoded(fetched.content, charset)
        undecodable = [(piece.position, piece.data.hex()) for piece in decoded.undecodable]
        retrieved_at = utc_now().isoformat()
        return _WebPage(
            address=fetched.address,
            content_type=content_type,
            text=decoded.text,
            sha256=decoded.sha256,
            retrieved_at=retrieved_at,
            undecodable=undecodable,
        )


def leads_inwards(address: str, target: str) -> bool:
    """Tell whether a redirect leads from a public address into this machine or its network.

    Args:
        address: what the study file names.
        target: where a site wants to be looked for instead.
    """
    there, here = _places(target), _places(address)
    # no page redirects to where keys are handed out
    hands_out_keys = any(ip.is_link_local or ip in _OF_CLOUDS for ip in there)
    return hands_out_keys or (all(map(is_public, here)) and not all(map(is_public, there)))


def is_public(place: _Place) -> bool:
    """Whether an address is one of the internet; what is not known to be one is none.

    Args:
        place: of IPv6, one that stands for an address of IPv4 counts as that.
    """
    place = _meant(place)
    if isinstance(place, IPv4Address):
        return place.is_global and not place.is_multicast and place not in _PROTOCOLS_OF_IPV4
    return place in _UNICAST and not any(place in network for network in _OF_PROTOCOLS)


def _places(address: str) -> list[_Place]:
    """Where a name leads to; nowhere where it is not known here: then a proxy alone could reach it."""
    try:
        resolved = socket.getaddrinfo(urlsplit(address).hostname, None)
    except (OSError, UnicodeError):
        return []
    return [_meant(ip_address(str(socket_address[0]).partition("%")[0])) for *_, socket_address in resolved]


def _meant(place: _Place) -> _Place:
    """The IPv4 address within an IPv6 address that stands for it."""
    is_one_inside = isinstance(place, IPv6Address) and any(place in network for network in _HOLDS_IPV4)
    return IPv4Address(int(place) & 0xFFFF_FFFF) if is_one_inside else place


def _content_type(header: str) -> tuple[str, str | None]:
    message = Message()
    message["content-type"] = header
    return (message.get_content_type() if header else ""), message.get_content_charset()


def _decoded(data: bytes, charset: str | None) -> Decoded:
    """As the server says it is written; where it says nothing, or UTF-8, as the page itself says."""
    if charset and charset not in ("utf-8", "utf8", "us-ascii"):
        with suppress(LookupError, UnicodeError):
            return Decoded(data.decode(charset), [], hashlib.sha256(data).hexdigest())
    return decode_html(data)


def _document(page: _WebPage, field: FieldPath) -> Document:
    read = partial(_PARAGRAPHS[page.content_type], page.text)
    paragraphs = in_sandbox(read, shown_url(page.address), field)
    if not any(paragraph.strip() for paragraph in paragraphs):
        got = f"{shown_url(page.address)} without running text; perhaps a script writes it"
        remedy = "save the page from a browser and read it as a local file, or remove the address"
        raise SourceError(field, got, "a page with text", remedy)
    return Document(
        uri=page.address,
        paragraphs=tuple(paragraphs),
        document_text="\n\n".join(paragraphs),
        sha256=page.sha256,
        retrieved_at=datetime.fromisoformat(page.retrieved_at),
        undecodable=tuple(Undecodable(position, bytes.fromhex(data)) for position, data in page.undecodable),
    )
