"""Sources of sentences by type: what a source is asked, what it gives, where a new type registers itself."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from python_assets.outside import Outside
from python_assets.registry import Registry
from python_assets.scrape.decoding import Undecodable
from python_assets.study import Scrape, Source, Study
from python_assets.warehouse import Quarantined

# stands in a paragraph for what was left out of it: a sentence that holds it is not whole
HOLE = "\ufffc"

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|[a-z+]+://")


class SourceJob(NamedTuple):
    """One source to read.

    Attributes:
        study: says which folder paths start from, its domain, its embedding and its engines.
        scrape: the section the source stands in; its wiki and language.
        source: what to read.
        field: the place of the source in the study file, for error texts.
        levels: the levels it is read for.
        outside: what may be fetched and asked; None where nothing may.
        keyword: the one keyword it is read for, None where it is shared by its levels.
    """

    study: Study
    scrape: Scrape
    source: Source
    field: str
    levels: tuple[str, ...]
    outside: Outside | None
    keyword: str | None = None

    @property
    def topics(self) -> dict[str, tuple[str, ...]]:
        """What pages or articles are about where the source does not say it: names with their levels."""
        if self.keyword is not None:
            return {self.keyword: self.levels}
        return {level: (level,) for level in self.levels}


class Document(NamedTuple):
    """One text of a source.

    Attributes:
        uri: a path relative to the study's folder, an absolute path, or an address.
        paragraphs: its running text.
        document_text: all of it that is stored.
        sha256: of what was read.
        retrieved_at: when, in UTC.
        undecodable: bytes that are not text.
        revision: which version of it was read, where it has versions.
        revised_at: when that version was written, in UTC.
        licence: where the document itself tells it; else the source's.
        levels: the levels it is read for; None where they are those of its source.
    """

    uri: str
    paragraphs: tuple[str, ...]
    document_text: str
    sha256: str
    retrieved_at: datetime
    undecodable: tuple[Undecodable, ...] = ()
    revision: str | None = None
    revised_at: datetime | None = None
    licence: str | None = None
    levels: tuple[str, ...] | None = None


class Harvest(NamedTuple):
    """What reading a source gave: documents, records that were rejected, and notes for the user."""

    documents: Sequence[Document]
    quarantined: Sequence[Quarantined] = ()
    notes: Sequence[str] = ()


SourceReader = Callable[[SourceJob], Harvest]

SOURCES: Registry[SourceReader] = Registry("source type")


def document_ids(uris: Sequence[str]) -> dict[str, str]:
    """Readable ids of documents: a relative path itself, of others as many last parts as make each its own.

    Args:
        uris: of all documents of a study.

    Returns:
        The id by uri.
    """
    distinct = list(dict.fromkeys(uris))
    relative = {uri: uri for uri in distinct if not _ABSOLUTE.match(uri)}
    absolute = {uri: uri.split("/") for uri in distinct if _ABSOLUTE.match(uri)}
    for n_parts in range(1, max(map(len, absolute.values()), default=0) + 1):
        short = {uri: "/".join(parts[-n_parts:]) for uri, parts in absolute.items()}
        if len({*short.values(), *relative.values()}) == len(distinct):
            return relative | short
    return {uri: uri for uri in distinct}
