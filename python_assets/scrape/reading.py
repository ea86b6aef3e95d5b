"""The documents of a study: every source read, each document once, with the keywords it is searched for."""

from collections import Counter
from typing import NamedTuple

from python_assets.errors import SourceError
from python_assets.scrape.keyword_list import KeywordList
from python_assets.scrape.sources import SOURCES, SourceJob
from python_assets.study.scrape import PlacedSource
from python_assets.study.study import LEVEL_SEPARATOR, Scrape, Source, Study
from python_assets.texts.documents import Document, document_ids
from python_assets.texts.sentences import composed
from python_assets.warehouse.build import Quarantined
from python_assets.warehouse.run_context import RunContext

WantedKeywords = dict[str, set[str]]


class ReadDocument(NamedTuple):
    """A document, its id, a source that names it, and the keywords it is searched for by level."""

    document: Document
    document_id: str
    source: Source
    wanted: WantedKeywords


class Reading(NamedTuple):
    """What all sources gave: documents, records that were rejected, notes for the user."""

    documents: list[ReadDocument]
    quarantined: list[Quarantined]
    notes: list[str]


class _NamedDocument(NamedTuple):
    document: Document
    source: Source
    wanted: WantedKeywords


def read_sources(study: Study, scrape: Scrape, keywords: KeywordList, run_context: RunContext | None) -> Reading:
    """Read the shared sources and those of single keywords.

    Args:
        study: the study.
        scrape: its sources.
        keywords: of every level.
        run_context: what may be fetched and asked.

    Returns:
        A document that several sources of one tag name stands once, searched for what all of them want.

    Raises:
        OfflineError: a source would have to be fetched or asked for, and may not.
        SourceError: a source cannot be read, or a document's id cannot be a level.
    """
    named: dict[tuple[str, str], _NamedDocument] = {}
    quarantined: list[Quarantined] = []
    notes: list[str] = []
    jobs = [(placed, _job(study, scrape, placed, run_context)) for placed in scrape.placed_sources()]
    all_read = [(placed, job, SOURCES[placed.source.type](job)) for placed, job in jobs]
    # what one page calls a level all sources are searched for
    notes += keywords.add(keyword for _, _, read in all_read for keyword in read.keywords)
    for placed, job, read in all_read:
        quarantined += read.quarantined
        notes += read.notes
        for document in read.documents:
            key = (document.uri, placed.source.tag)
            one = named.setdefault(key, _NamedDocument(document, placed.source, {}))
            for level in job.levels if document.levels is None else document.levels:
                one.wanted.setdefault(level, set()).update(_words(keywords, level, placed.keyword))
    return Reading(_with_ids(named), quarantined, notes)


def _job(study: Study, scrape: Scrape, placed: PlacedSource, run_context: RunContext | None) -> SourceJob:
    """A source is read for the levels that have keywords: others get their prompts by branching."""
    levels_of_source = [placed.level] if placed.level is not None else placed.source.levels or scrape.levels
    levels = tuple(level for level in levels_of_source if level in scrape.keywords)
    return SourceJob(
        study=study,
        scrape=scrape,
        source=placed.source,
        field=(study.path, "prompts", "scrape", *placed.path),
        levels=levels,
        run_context=run_context,
        keyword=placed.keyword,
    )


def _words(keywords: KeywordList, level: str, keyword: str | None) -> list[str]:
    return keywords.shared_words(level) if keyword is None else [composed(keyword)]


def _with_ids(named: dict[tuple[str, str], _NamedDocument]) -> list[ReadDocument]:
    n_tags = Counter(uri for uri, _ in named)
    ids = document_ids(list(n_tags))
    return [
        ReadDocument(
            one.document, _checked(ids[uri] if n_tags[uri] == 1 else f"{ids[uri]} ({tag})"), one.source, one.wanted
        )
        for (uri, tag), one in named.items()
    ]


def _checked(document_id: str) -> str:
    if LEVEL_SEPARATOR in document_id:
        expected = f"a name without {LEVEL_SEPARATOR!r}, which joins levels: document is a factor of every prompt"
        remedy = "rename the file or its source tag"
        raise SourceError(("prompts", "scrape", "sources"), repr(document_id), expected, remedy)
    return document_id
