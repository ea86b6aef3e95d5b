"""A MediaWiki as its api.php speaks: what a title leads to, the text of a page, its links.

Belongs here: the protocol, version 2 of its JSON. How politely it is spoken is fetching.py, what is made of a
page's HTML wiki_text.py, which pages are read wikipedia.py.

Source: https://www.mediawiki.org/wiki/API:Main_page, API:Etiquette, Manual:Maxlag_parameter.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from types import TracebackType
from typing import Any, Final, Literal, NamedTuple, Self, TypeVar
from urllib.parse import unquote, urlsplit

from python_assets.errors import NOTHING, FieldPath, SourceError, StudyError
from python_assets.providers.failures import Backoff
from python_assets.providers.transport import shown_url
from python_assets.scrape.fetching import MOST_AT_ONCE, Fetched, Fetcher, PageCache, user_agent
from python_assets.warehouse.build import utc_now
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import OfflineError, RunContext

_T = TypeVar("_T")

MOST_LINKS: Final = 5000
_MAXLAG_SECONDS: Final = 5
_TITLES_A_REQUEST: Final = 10  # more would make an address that is too long for some servers
_ANSWERS: Final = frozenset({"query", "parse", "error", "batchcomplete", "continue"})
# kinds of titles that may be there by now
_GONE: Final = ("missing", "circle")
_BUSY_CODES: Final = frozenset({"maxlag", "ratelimited", "readonly"})


class PageEntry(NamedTuple):
    """What a title leads to once redirects are followed; revision, address and time only of a page."""

    title: str
    kind: Literal["page", "missing", "disambiguation", "circle"]
    address: str = ""
    revision: str = ""
    revised_at: datetime | None = None


class Page(NamedTuple):
    """One revision of a page: its HTML as the wiki renders it."""

    entry: PageEntry
    html: str
    retrieved_at: datetime


class MediaWiki:
    """A client of one wiki; what it has read once it reads from disk. Used in a `with` statement."""

    def __init__(
        self,
        api: str,
        contact: str | None,
        run_context: RunContext | None,
        field: FieldPath,
        backoff: Backoff | None = None,
    ) -> None:
        """Prepare; nothing is asked yet.

        Args:
            api: the address of its api.php.
            contact: of whoever runs the study.
            run_context: where pages are kept, and whether more may be fetched.
            field: the place in the study file that asks, for error texts.
            backoff: how long to wait for a busy server that does not say it.
        """
        self.api = api
        self._contact = contact
        self._run_context = run_context
        self._field = field
        self._cache = PageCache(run_context.home.pages, api) if run_context else None
        self._fetcher = Fetcher(user_agent(contact), field, backoff)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._fetcher.__exit__(kind, error, traceback)

    def look_up(self, titles: Iterable[str], again_if_missing: bool = True) -> dict[str, PageEntry]:
        """What titles lead to.

        Args:
            titles: as the study file or a page writes them.
            again_if_missing: whether the wiki is asked anew for a title that it did not have.

        Returns:
            The entry by title as it was given.

        Raises:
            OfflineError: a title was never looked up, and nothing may be fetched.
            SourceError: the wiki does not answer.
        """
        distinct = list(dict.fromkeys(titles))
        known = {title: self._kept_entry(title) for title in distinct}
        if again_if_missing:
            known = {title: entry for title, entry in known.items() if entry and entry.kind not in _GONE}
        unknown = [title for title in distinct if known.get(title) is None]
        askable = [title for title in unknown if title and not set(title) & set("|#<>[]{}")]
        batches = [askable[i : i + _TITLES_A_REQUEST] for i in range(0, len(askable), _TITLES_A_REQUEST)]
        entry_by_title: dict[str, PageEntry] = {}
        for entries in self._each(self._ask_entries, batches, "batches of titles"):
            entry_by_title |= entries
        return {title: known.get(title) or entry_by_title.get(title, PageEntry(title, "missing")) for title in distinct}

    def read(self, entries: Sequence[PageEntry]) -> list[Page]:
        """The pages of entries, each fetched once.

        Args:
            entries: of kind page, each at the revision that is read.

        Raises:
            OfflineError: a page was never fetched, and nothing may be.
            SourceError: the wiki does not answer, or no longer has the revision.
        """
        distinct = list(dict.fromkeys(entries))
        pages = dict(zip(distinct, self._each(self._read_page, distinct, "pages"), strict=True))
        return [pages[entry] for entry in entries]

    def links(self, title: str) -> list[str]:
        """Titles of articles that a page links to, in the wiki's order, MOST_LINKS at most."""
        options = {"prop": "links", "titles": title, "plnamespace": "0", "pllimit": "max"}
        return self._titles(
            "links",
            title,
            options,
            lambda query: [link for page in query.get("pages", []) for link in page.get("links", [])],
        )

    def backlinks(self, title: str) -> list[str]:
        """Titles of articles that link to a page, in the wiki's order, MOST_LINKS at most."""
        options = {
            "list": "backlinks",
            "bltitle": title,
            "blnamespace": "0",
            "blfilterredir": "nonredirects",
            "bllimit": "max",
        }
        return self._titles("backlinks", title, options, lambda query: query.get("backlinks", []))

    def _each(self, function: Callable[[_T], Any], items: Sequence[_T], what: str) -> list[Any]:
        """The results of a function for each item, in order; a few at once."""
        progress = self._run_context.progress if self._run_context else SILENT
        tell = progress.start(str(urlsplit(self.api).hostname), what, len(items))
        results = []
        with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
            for result in pool.map(function, items):
                results.append(result)
                tell(len(results))
        return results

    def _kept_entry(self, title: str) -> PageEntry | None:
        kept = self._cache.get("entry", title) if self._cache else None
        if kept is None:
            return None
        revised_at = kept["revised_at"] and datetime.fromisoformat(kept["revised_at"])
        return PageEntry(
            title=kept["title"],
            kind=kept["kind"],
            address=kept["address"],
            revision=kept["revision"],
            revised_at=revised_at,
        )

    def _ask_entries(self, titles: Sequence[str]) -> dict[str, PageEntry]:
        options = {
            "titles": "|".join(titles),
            "redirects": "1",
            "prop": "info|revisions|pageprops",
            "inprop": "url",
            "rvprop": "ids|timestamp",
            "ppprop": "disambiguation",
        }
        pages: dict[str, dict[str, Any]] = {}
        leads_to: dict[str, str] = {}
        for query in self._query(options, f"what {titles[0]!r} leads to"):
            for step in ("normalized", "converted", "redirects"):
                leads_to |= {pair["from"]: pair["to"] for pair in query.get(step, [])}
            for page in query.get("pages", []):
                pages.setdefault(page["title"], {}).update(page)
        entries = {
            title: PageEntry(title, "circle") if last in leads_to else _entry(pages.get(last, {}), last)
            for title, last in _ends(titles, leads_to)
        }
        for title, entry in entries.items():
            if self._cache:
                kept = entry._asdict() | {"revised_at": entry.revised_at and entry.revised_at.isoformat()}
                self._cache.put("entry", title, kept)
        return entries

    def _read_page(self, entry: PageEntry) -> Page:
        name = f"{entry.title}\n{entry.revision}"
        kept = self._cache.get("page", name) if self._cache else None
        if kept is None:
            options = {
                "action": "parse",
                "oldid": entry.revision,
                "prop": "text",
                "disableeditsection": "1",
                "disablelimitreport": "1",
                "disabletoc": "1",
            }
            reply = self._ask(options, f"the page {entry.title!r}")
            html = reply.get("parse", {}).get("text")
            if not isinstance(html, str):
                raise self._not_spoken("no text of a page")
            kept = {
                "title": entry.title,
                "revision": entry.revision,
                "retrieved_at": utc_now().isoformat(),
                "html": html,
            }
            if self._cache:
                self._cache.put("page", name, kept)
        return Page(entry, kept["html"], datetime.fromisoformat(kept["retrieved_at"]))

    def _titles(
        self,
        kind: str,
        title: str,
        options: Mapping[str, str],
        found_in: Callable[[dict[str, Any]], Sequence[Mapping[str, Any]]],
    ) -> list[str]:
        kept = self._cache.get(kind, title) if self._cache else None
        if kept is not None:
            return list(kept["titles"])
        titles: dict[str, None] = {}
        for query in self._query(options, f"the {kind} of {title!r}"):
            titles |= dict.fromkeys(link["title"] for link in found_in(query))
            if len(titles) >= MOST_LINKS:
                break
        listed = list(titles)[:MOST_LINKS]
        if self._cache:
            self._cache.put(kind, title, {"titles": listed, "retrieved_at": utc_now().isoformat()})
        return listed

    def _query(self, options: Mapping[str, str], what: str) -> Iterator[dict[str, Any]]:
        """The answers to a query, one after another as long as the wiki says that there are more."""
        more: dict[str, str] = {}
        while True:
            reply = self._ask({"action": "query", **options, **more}, what)
            query = reply.get("query", {})
            if not isinstance(query, dict) or not isinstance(query.get("pages", []), list):
                raise self._not_spoken("pages in the form of version 1 of its JSON")
            yield query
            if "continue" not in reply:
                return
            more = {name: str(value) for name, value in reply["continue"].items()}

    def _ask(self, options: Mapping[str, str], what: str) -> dict[str, Any]:
        if self._run_context is None or not self._run_context.may_ask:
            got = f"{what} on {shown_url(self.api)}, which has not been fetched yet"
            raise OfflineError(self._field, got, remedy="fetch it with: plumbline run STUDY")
        self._check_contact()
        fixed = {"format": "json", "formatversion": "2", "maxlag": str(_MAXLAG_SECONDS)}
        fetched = self._fetcher.get(self.api, {**options, **fixed}, is_busy=_is_busy)
        reply = _json_of(fetched)
        if fetched.status != 200 or reply is None or reply.keys().isdisjoint(_ANSWERS):
            raise self._not_spoken(f"HTTP {fetched.status}, not the JSON of a MediaWiki,")
        if isinstance(error := reply.get("error"), dict):
            code, info = (str(error.get(name, ""))[:300] for name in ("code", "info"))
            got = f"{code}: {info} of {shown_url(self.api)}"
            remedy = "correct the field, or delete the kept pages of this wiki to look its titles up anew"
            raise SourceError(self._field, got, what, remedy)
        return reply

    def _not_spoken(self, came: str) -> SourceError:
        got = f"{came} from {shown_url(self.api)}"
        expected = "the api.php of a MediaWiki of version 1.25 or later"
        return SourceError(self._field, got, expected, "correct prompts.scrape.wiki.api")

    def _check_contact(self) -> None:
        if not self._contact:
            raise StudyError(
                ("prompts", "scrape", "wiki", "contact"),
                NOTHING,
                "whom to write to about a program that reads wikis, which block those that do not say it",
                "add wiki: {contact: an e-mail address or a page of yours}",
            )


def _entry(page: Mapping[str, Any], title: str) -> PageEntry:
    revisions = page.get("revisions")
    if page.get("missing") or page.get("invalid") or not revisions:
        return PageEntry(title, "missing")
    is_list = "disambiguation" in page.get("pageprops", {})
    revised_at = datetime.fromisoformat(revisions[0]["timestamp"]).replace(tzinfo=None)
    return PageEntry(
        title=page["title"],
        kind="disambiguation" if is_list else "page",
        address=_readable(page.get("canonicalurl") or page.get("fullurl") or ""),
        revision=str(revisions[0]["revid"]),
        revised_at=revised_at,
    )


def _readable(address: str) -> str:
    """An address with the letters of other alphabets as such: it names the document."""
    return re.sub(r"(?:%[89A-Fa-f][0-9A-Fa-f])+", lambda escaped: unquote(escaped.group()), address)


def _ends(titles: Sequence[str], leads_to: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each title with the last of those that it leads to; a redirect in a circle ends where it began."""
    for title in titles:
        last, seen = title, {title}
        while (following := leads_to.get(last)) is not None and following not in seen:
            seen.add(following)
            last = following
        yield title, last


def _json_of(fetched: Fetched) -> dict[str, Any] | None:
    try:
        reply = json.loads(fetched.content)
    except (ValueError, RecursionError):
        return None
    return reply if isinstance(reply, dict) else None


def _is_busy(fetched: Fetched) -> bool:
    # a large page is not read twice for a word that errors have at their beginning
    if b'"error"' not in fetched.content[:200]:
        return False
    error = (_json_of(fetched) or {}).get("error")
    return isinstance(error, dict) and error.get("code") in _BUSY_CODES
