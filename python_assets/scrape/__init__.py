"""Sentences from documents: read the sources of a study, keep the sentences that hold a keyword (SAGED 2.1).

A new source is one file here, registered in sources.py by its name.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import duckdb
import pandas as pd

from python_assets.errors import SourceError
from python_assets.outside import Outside
from python_assets.registry import import_files
from python_assets.scrape.decoding import quarantine_undecodable
from python_assets.scrape.sentences import SentenceFilter, SentenceSplitter
from python_assets.scrape.sources import SOURCES, Document, document_ids
from python_assets.study import LEVEL_SEPARATOR, Scrape, Source, Study
from python_assets.warehouse import Quarantined, write_stage

import_files(sys.modules[__name__])

_SENTENCE_COLUMNS = [
    "sentence_id",
    "document_id",
    "source_tag",
    "level",
    "keyword",
    "sentence_text",
    "dropped_reason",
]


class ScrapeCounts(NamedTuple):
    """What scraping did: rows written, dropped by reason, and the keywords that no kept sentence holds."""

    n_documents: int = 0
    n_keywords: int = 0
    n_sentences_kept: int = 0
    n_dropped: dict[str, int] = {}
    n_quarantined: int = 0
    keywords_without_sentences: list[str] = []
    seconds: float = 0.0


class _ReadDocument(NamedTuple):
    """A document with the sources that name it: its tag, its id, the levels it is read for."""

    document: Document
    document_id: str
    source: Source
    levels: list[str]


def scrape(
    study: Study, connection: duckdb.DuckDBPyConnection, outside: Outside | None = None
) -> ScrapeCounts:
    """Read the sources of a study into raw.documents, raw.keywords and raw.sentences.

    Args:
        study: a study with templates or an import has no sources; its tables stay empty.
        connection: its build file, open for writing.
        outside: for sources and keywords that are fetched or asked for; local files need none.

    Returns:
        Rows by what became of them.

    Raises:
        SourceError: a source cannot be read, or no sentence holds the keywords of a level that needs one.
    """
    started = time.perf_counter()
    if study.prompts.scrape is None:
        _write(study, connection, pd.DataFrame(), pd.DataFrame(), pd.DataFrame(), [])
        return ScrapeCounts(seconds=time.perf_counter() - started)
    spec = study.prompts.scrape
    documents = _read_documents(study, spec)
    sentence_filter = SentenceFilter({level: spec.words(level) for level in spec.keywords}, spec.min_words)
    sentences = _find_sentences(documents, sentence_filter, SentenceSplitter(spec.language))
    _check_levels(study, spec, sentences)
    keywords = _keyword_rows(spec)
    undecodable = [
        row
        for read in documents
        for row in quarantine_undecodable("scrape", read.document_id, list(read.document.undecodable))
    ]
    _write(study, connection, _document_rows(documents), keywords, sentences, undecodable)
    dropped = Counter(sentences["dropped_reason"].dropna())
    return ScrapeCounts(
        n_documents=len(documents),
        n_keywords=len(keywords),
        n_sentences_kept=int(sentences["dropped_reason"].isna().sum()),
        n_dropped=dict(sorted(dropped.items())),
        n_quarantined=len(undecodable),
        keywords_without_sentences=[f"{level}: {word}" for level, word in sentence_filter.unseen()],
        seconds=time.perf_counter() - started,
    )


def _read_documents(study: Study, spec: Scrape) -> list[_ReadDocument]:
    """A document that several sources of one tag name is read for the levels of all of them."""
    merged: dict[tuple[str, str], tuple[Document, Source, dict[str, None]]] = {}
    for position, source in enumerate(spec.sources):
        field = f"{study.path.name}: prompts.scrape.sources[{position}]"
        for document in SOURCES[source.type](study, source, field):
            _, _, levels = merged.setdefault((document.uri, source.tag), (document, source, {}))
            levels.update(dict.fromkeys(source.levels or spec.levels))
    n_tags = Counter(uri for uri, _ in merged)
    ids = document_ids(list(n_tags))
    return [
        _ReadDocument(
            document,
            _checked_id(ids[uri] if n_tags[uri] == 1 else f"{ids[uri]} ({tag})"),
            source,
            list(levels),
        )
        for (uri, tag), (document, source, levels) in merged.items()
    ]


def _checked_id(document_id: str) -> str:
    if LEVEL_SEPARATOR in document_id:
        raise SourceError(
            f"The document {document_id!r} holds {LEVEL_SEPARATOR!r}, which joins levels into a group, and "
            "document is a factor of every prompt. Rename the file or its source tag."
        )
    return document_id


def _find_sentences(
    documents: Iterable[_ReadDocument], sentence_filter: SentenceFilter, splitter: SentenceSplitter
) -> pd.DataFrame:
    rows = []
    for read in documents:
        sentences = splitter.split(read.document.paragraphs)
        for found in sentence_filter.judge(sentences, read.levels):
            # a sentence can stand for several levels only where its document is read for several
            suffix = f" {found.level}" if found.level and len(read.levels) > 1 else ""
            sentence_id = f"{read.document_id}#{found.position}{suffix}"
            rows.append((sentence_id, read.document_id, read.source.tag, *found[1:]))
    return pd.DataFrame(rows, columns=_SENTENCE_COLUMNS)


def _check_levels(study: Study, spec: Scrape, sentences: pd.DataFrame) -> None:
    """A level without a sentence is an error unless branching gives it prompts."""
    kept = set(sentences.loc[sentences["dropped_reason"].isna(), "level"])
    branch = study.prompts.branch
    targets = set() if branch is None else set(spec.levels if branch.to == "all" else branch.to)
    roots = kept if branch is None or branch.from_ == "all" else kept & set(branch.from_)
    reached = targets if roots else set()
    for level in spec.keywords:
        if level not in kept | reached:
            raise SourceError(
                f"{study.path.name}: prompts.scrape.keywords.{level}: no whole sentence of {spec.min_words} "
                f"words or more holds a keyword of {spec.factor} {level!r} ({', '.join(spec.words(level))}). "
                "Add a keyword or a source that has it, lower prompts.scrape.min_words, or remove the level."
            )


def _keyword_rows(spec: Scrape) -> pd.DataFrame:
    rows = [
        (level, word, "name" if word == level else "form", "study file", None)
        for level in spec.keywords
        for word in spec.words(level)
    ]
    return pd.DataFrame(rows, columns=["level", "keyword", "keyword_type", "keyword_provider", "score"])


def _document_rows(documents: Iterable[_ReadDocument]) -> pd.DataFrame:
    rows = [
        {
            "document_id": read.document_id,
            "source_tag": read.source.tag,
            "source_type": read.source.type,
            "uri": read.document.uri,
            "revision": read.document.revision,
            "retrieved_at": read.document.retrieved_at,
            "licence": read.source.licence,
            "sha256": read.document.sha256,
            "document_text": read.document.document_text,
        }
        for read in documents
    ]
    return pd.DataFrame(rows)


def _write(
    study: Study,
    connection: duckdb.DuckDBPyConnection,
    documents: pd.DataFrame,
    keywords: pd.DataFrame,
    sentences: pd.DataFrame,
    quarantine: list[Quarantined],
) -> None:
    tables = {"documents": documents, "keywords": keywords, "sentences": sentences}
    write_stage(connection, study.study_id, "scrape", tables, quarantine)
