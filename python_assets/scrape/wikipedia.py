"""Sources on a wiki: the pages of the study file or of the levels' own names, and pages linked with them.

Belongs here: which pages are read. The protocol is mediawiki.py, their text wiki_text.py.
"""

import hashlib
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from python_assets.embeddings.embedding import Encoder, cosine, load_encoder, most_similar
from python_assets.errors import FieldPath, SourceError
from python_assets.sandbox.sandbox import in_sandbox
from python_assets.scrape.finders import FoundKeyword
from python_assets.scrape.mediawiki import MOST_LINKS, MediaWiki, Page, PageEntry
from python_assets.scrape.sources import SOURCES, SourceJob, SourceResult
from python_assets.scrape.wiki_names import PageName, page_name
from python_assets.scrape.wiki_text import listed_meanings, wiki_paragraphs
from python_assets.study.scrape import PAGE_TITLE
from python_assets.study.study import Study
from python_assets.texts.documents import Document
from python_assets.texts.sentences import is_whole
from python_assets.warehouse.run_context import RunContext

# of all-MiniLM-L6-v2: Potato is .22 from political ideology, Communism .46; a note costs little
FAR_COSINE: Final = 0.25
_SHOWN_MEANINGS: Final = 6
_NAME_PAGES: Final = (
    "name the pages that are meant by title or address, or take those levels out of this source with levels:"
)
# tells meanings apart: Georgia (country)
_PARENTHESES: Final = re.compile(r" \([^()]*\)\Z")


class _Start(NamedTuple):
    """A page that the study file means, and the levels it is read for."""

    name: PageName
    levels: tuple[str, ...]


class _Chosen(NamedTuple):
    """A page that is read, and the levels it is read for, each once."""

    entry: PageEntry
    levels: dict[str, None]


@SOURCES.register("wikipedia")
def read_wikipedia(job: SourceJob) -> SourceResult:
    """Read pages of a wiki.

    Args:
        job: its source names pages by title or address; where it names none, the page of each level's own
            name is read. With a depth, links are followed: at each step the top_n pages whose titles are most
            like the title the step began with, by embedding, are read and followed on.

    Returns:
        One document a page, with revision, its time and licence; notes on pages whose title is far from the
        study's domain, or that are only a list; the title that the name of a level redirects to is a keyword.

    Raises:
        SourceError: a page that the file means is missing or lists several meanings.
        OfflineError: pages would have to be fetched, and may not be.
    """
    by_api: dict[str, list[_Start]] = {}
    for start in _starts(job):
        by_api.setdefault(start.name.api, []).append(start)
    documents: list[Document] = []
    notes: list[str] = []
    keywords: list[tuple[str, FoundKeyword]] = []
    for api, starts in by_api.items():
        with MediaWiki(api, job.scrape.wiki.contact, job.run_context, job.field) as wiki:
            entries = find_pages(wiki, [start.name.title for start in starts], _field(job))
            keywords += _titles_of_levels(job, starts, entries)
            chosen = _choose(job, wiki, starts, entries, notes)
            pages = wiki.read([choice.entry for choice in chosen])
        meant = {entry.title for entry in entries.values()}
        kept = _without_disambiguation(job, pages, meant)
        levels = {choice.entry.title: tuple(choice.levels) for choice in chosen}
        licence = job.source.licence or job.scrape.wiki.licence
        read = [_document(page, levels[page.entry.title], licence, _field(job)) for page in kept]
        notes += _without_sentences(read)
        documents += read
    return SourceResult(documents, notes=notes, keywords=keywords)


def find_page(wiki: MediaWiki, title: str, field: FieldPath) -> PageEntry:
    """The page of a title that the study file gives.

    Raises:
        SourceError: it is missing or lists several meanings.
    """
    return find_pages(wiki, [title], field)[title]


def find_pages(wiki: MediaWiki, titles: Iterable[str], field: FieldPath) -> dict[str, PageEntry]:
    """The pages of titles that the study file gives, by title.

    Raises:
        SourceError: some are missing or list several meanings; all of them are named.
    """
    entries = wiki.look_up(titles)
    problems = [_problem(wiki, title, entry) for title, entry in entries.items() if entry.kind != "page"]
    if problems:
        raise SourceError(field, "; ".join(problems), "pages that are there, of one meaning", _NAME_PAGES)
    return entries


def far_from_domain(study: Study, titles: Sequence[str], run_context: RunContext | None) -> list[str]:
    """Notes on pages whose title has little to do with the study's domain; they are told at once, too.

    Args:
        study: its domain, where it has one, and its embedding.
        titles: of pages.
        run_context: is told.

    Returns:
        One note for each title with a cosine under FAR_COSINE.
    """
    if not study.domain.strip() or not titles:
        return []
    encoder = load_encoder(study.embedding)
    alike = cosine(encoder.encode(titles), encoder.encode([study.domain]))[:, 0]
    notes = [
        f"far_from_domain: the title {title!r} has little to do with {study.domain!r} (cosine {value:.2f}, "
        f"under {FAR_COSINE}); name another page if it is not the one that is meant."
        for title, value in zip(titles, alike, strict=True)
        if value < FAR_COSINE
    ]
    if run_context is not None:
        for note in notes:
            run_context.progress.say(note)
    return notes


def _starts(job: SourceJob) -> list[_Start]:
    if job.source.pages is not None:
        return [_Start(page_name(page, job.scrape, _field(job)), job.levels) for page in job.source.pages]
    return [_Start(page_name(topic, job.scrape, job.field), levels) for topic, levels in job.topics.items()]


def _field(job: SourceJob) -> FieldPath:
    return job.field if job.source.pages is None else (*job.field, "pages")


def _titles_of_levels(
    job: SourceJob, starts: Sequence[_Start], entries: Mapping[str, PageEntry]
) -> Iterator[tuple[str, FoundKeyword]]:
    """The title that a level's own name redirects to, Brazil of Brasil: the page calls it so."""
    for start in starts if job.source.pages is None else []:
        title = _PARENTHESES.sub("", entries[start.name.title].title)
        if title.casefold() != start.name.title.casefold() and title not in job.scrape.levels:
            for level in start.levels:
                yield level, FoundKeyword(title, PAGE_TITLE, "wikipedia")


def _without_disambiguation(job: SourceJob, pages: Sequence[Page], meant: Container[str]) -> list[Page]:
    """The pages without those that only list meanings: a link may lead to one, the study file may not."""
    meanings = {page.entry.title: _read(listed_meanings, page, _field(job)) for page in pages}
    if problems := [several_meanings(title, listed) for title, listed in meanings.items() if listed and title in meant]:
        raise SourceError(_field(job), "; ".join(problems), "pages of one meaning", _NAME_PAGES)
    return [page for page in pages if not meanings[page.entry.title]]


def _without_sentences(documents: Sequence[Document]) -> Iterator[str]:
    """Notes on pages that are nothing but a list."""
    for one in documents:
        if one.paragraphs and not any(map(is_whole, one.paragraphs)):
            yield (
                f"only_a_list: {one.uri} has no whole sentence, only {len(one.paragraphs):,} items; name "
                "another page in pages: of this source."
            )


def _choose(
    job: SourceJob, wiki: MediaWiki, starts: Sequence[_Start], entries: Mapping[str, PageEntry], notes: list[str]
) -> list[_Chosen]:
    titles = list(dict.fromkeys(entry.title for entry in entries.values()))
    notes += far_from_domain(job.study, titles, job.run_context)
    chosen: dict[str, _Chosen] = {}
    for start in starts:
        first = entries[start.name.title]
        linked = _linked(job, wiki, first, notes) if job.source.depth else []
        for entry in [first, *linked]:
            levels = chosen.setdefault(entry.title, _Chosen(entry, {})).levels
            levels.update(dict.fromkeys(start.levels))
    return list(chosen.values())


def _linked(job: SourceJob, wiki: MediaWiki, start: PageEntry, notes: list[str]) -> list[PageEntry]:
    """The top_n pages most like the start's title among those that links lead to; no page twice."""
    encoder = load_encoder(job.study.embedding)
    seen = {start.title}
    entries: dict[str, PageEntry] = {}
    step = [start]
    for _ in range(job.source.depth):
        titles = _neighbours(wiki, step, job.source.backlinks, notes)
        fresh = [title for title in titles if title not in seen]
        step = _nearest(wiki, encoder, fresh, start.title, job.source.top_n, seen)
        entries |= {entry.title: entry for entry in step}
        seen.update(fresh)
    nearest = most_similar(encoder, list(entries), start.title, job.source.top_n)
    return [entries[title] for title, _ in nearest]


def _neighbours(wiki: MediaWiki, step: Sequence[PageEntry], backlinks: bool, notes: list[str]) -> list[str]:
    titles: dict[str, None] = {}
    for entry in step:
        listings = [wiki.links(entry.title), *([wiki.backlinks(entry.title)] if backlinks else [])]
        if any(len(listing) >= MOST_LINKS for listing in listings):
            notes.append(f"Of the links of {entry.title!r} the first {MOST_LINKS} were looked at.")
        titles |= dict.fromkeys(title for listing in listings for title in listing)
    return list(titles)


def _nearest(
    wiki: MediaWiki, encoder: Encoder, titles: Sequence[str], to: str, n: int, seen: set[str]
) -> list[PageEntry]:
    """Up to n pages in order of likeness, without titles that lead nowhere or to a page seen already."""
    ranked = [title for title, _ in most_similar(encoder, titles, to, len(titles))]
    pages: dict[str, PageEntry] = {}
    for i in range(0, len(ranked), n):
        for entry in wiki.look_up(ranked[i : i + n], again_if_missing=False).values():
            if entry.kind == "page" and entry.title not in seen and len(pages) < n:
                pages.setdefault(entry.title, entry)
        if len(pages) == n:
            break
    seen.update(pages)
    return list(pages.values())


def _problem(wiki: MediaWiki, title: str, entry: PageEntry) -> str:
    if entry.kind == "missing":
        return f"the wiki has no page {title!r}"
    if entry.kind == "circle":
        return f"{title!r} redirects in a circle"
    return several_meanings(title, wiki.links(entry.title))


def several_meanings(title: str, meanings: Sequence[str]) -> str:
    """That a page only tells meanings of its title apart, with the first of them."""
    return f"{title!r} lists several meanings ({', '.join(meanings[:_SHOWN_MEANINGS])} ...)"


def _read(read: Callable[[str], list[str]], page: Page, field: FieldPath) -> list[str]:
    return in_sandbox(partial(read, page.html), page.entry.address, field)


def _document(page: Page, levels: tuple[str, ...], licence: str, field: FieldPath) -> Document:
    paragraphs = tuple(_read(wiki_paragraphs, page, field))
    return Document(
        uri=page.entry.address,
        paragraphs=paragraphs,
        document_text="\n\n".join(paragraphs),
        sha256=hashlib.sha256(page.html.encode()).hexdigest(),
        retrieved_at=page.retrieved_at,
        revision=page.entry.revision,
        revised_at=page.entry.revised_at,
        licence=licence,
        levels=levels,
    )
