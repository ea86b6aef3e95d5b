"""A text that was read, whatever it was read from, and the readable id of each."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from python_assets.texts.decoding import Undecodable

# stands in a paragraph for what was left out of it: a sentence that holds it is not whole
OMISSION = "\ufffc"

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|[a-z+]+://")


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
        short = {uri: "/".join(segments[-n_parts:]) for uri, segments in absolute.items()}
        if len({*short.values(), *relative.values()}) == len(distinct):
            return relative | short
    return {uri: uri for uri in distinct}
