"""Sources of sentences by type: what a source gives, and where a new type registers itself."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from python_assets.registry import Registry
from python_assets.scrape.decoding import Undecodable
from python_assets.study import Source, Study

# stands in a paragraph for code that was left out: a sentence that holds it is not whole
HOLE = "\ufffc"


class Document(NamedTuple):
    """One text of a source. uri: a path relative to the study's folder, an absolute path, or an address."""

    uri: str
    paragraphs: tuple[str, ...]
    document_text: str
    sha256: str
    retrieved_at: datetime
    undecodable: tuple[Undecodable, ...] = ()
    revision: str | None = None


# (study, source, field of the source in the study file) -> its documents
SourceReader = Callable[[Study, Source, str], Sequence[Document]]

SOURCES: Registry[SourceReader] = Registry("source type")


def document_ids(uris: Sequence[str]) -> dict[str, str]:
    """Readable ids of documents: a relative path itself, of others as many last parts as make each its own.

    Args:
        uris: of all documents of a study.

    Returns:
        The id by uri.
    """
    distinct = list(dict.fromkeys(uris))
    relative = {uri: uri for uri in distinct if not _is_absolute(uri)}
    absolute = {uri: uri.split("/") for uri in distinct if _is_absolute(uri)}
    for n_parts in range(1, max(map(len, absolute.values()), default=0) + 1):
        short = {uri: "/".join(parts[-n_parts:]) for uri, parts in absolute.items()}
        if len({*short.values(), *relative.values()}) == len(distinct):
            return relative | short
    return {uri: uri for uri in distinct}


def _is_absolute(uri: str) -> bool:
    return uri.startswith("/") or ":" in uri
