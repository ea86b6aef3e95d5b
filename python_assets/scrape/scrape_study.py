"""The scrape stage: documents, keywords and sentences of a study into the raw tables."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import duckdb
import pandas as pd

from python_assets.errors import SourceError
from python_assets.scrape.keyword_list import KeywordList, list_keywords
from python_assets.scrape.reading import ReadDocument, read_sources
from python_assets.study.study import Scrape, Study
from python_assets.texts.decoding import quarantine_undecodable
from python_assets.texts.names import ENGLISH
from python_assets.texts.sentences import SentenceFilter, SentenceSplitter
from python_assets.texts.textblob_english import part_of_speech
from python_assets.warehouse.build import Quarantined, write_stage
from python_assets.warehouse.run_context import RunContext

_SENTENCE_COLUMNS = ["sentence_id", "document_id", "source_tag", "level", "keyword", "sentence_text", "dropped_reason"]


class ScrapeCounts(NamedTuple):
    """What scraping did: rows written, dropped by reason, keywords that no kept sentence holds, notes."""

    n_documents: int = 0
    n_keywords: int = 0
    n_sentences_kept: int = 0
    n_dropped: dict[str, int] = {}
    n_quarantined: int = 0
    keywords_without_sentences: list[str] = []
    notes: list[str] = []
    seconds: float = 0.0


def scrape(study: Study, connection: duckdb.DuckDBPyConnection, run_context: RunContext | None = None) -> ScrapeCounts:
    """Read the sources of a study into raw.documents, raw.keywords and raw.sentences.

    Args:
        study: a study with templates or an import has no sources; its tables stay empty.
        connection: its build file, open for writing.
        run_context: for sources and keywords that are fetched or asked for; local files need none.

    Returns:
        Rows by what became of them.

    Raises:
        OfflineError: something would have to be fetched or asked, and the run context does not allow it.
        SourceError: a source cannot be read, or no sentence holds the keywords of a level that needs one.
    """
    started = time.perf_counter()
    if study.prompts.scrape is None:
        _write(study, connection, pd.DataFrame(), pd.DataFrame(), pd.DataFrame(), [])
        return ScrapeCounts(seconds=time.perf_counter() - started)
    spec = study.prompts.scrape
    splitter = SentenceSplitter(spec.language)
    keywords = list_keywords(study, spec, run_context)
    reading = read_sources(study, spec, keywords, run_context)
    # items are written from whole documents
    finds_sentences = study.prompts.assemble.chosen_method != "written"
    sought = {level: keywords.words(level) for level in spec.keywords} if finds_sentences else {}
    sentence_filter = SentenceFilter(sought, spec.min_words)
    sentences = _find_sentences(reading.documents if finds_sentences else [], sentence_filter, splitter)
    quarantined = [*keywords.quarantined, *reading.quarantined, *_undecodable(reading.documents)]
    if finds_sentences:
        _check_levels(study, spec, keywords, sentences, _hints(quarantined, reading.notes))
    documents, rows = _document_rows(reading.documents), _keyword_rows(keywords)
    _write(study, connection, documents, rows, sentences, quarantined)
    dropped = Counter(sentences["dropped_reason"].dropna())
    return ScrapeCounts(
        n_documents=len(documents),
        n_keywords=len(rows),
        n_sentences_kept=int(sentences["dropped_reason"].isna().sum()),
        n_dropped=dict(sorted(dropped.items())),
        n_quarantined=len(quarantined),
        keywords_without_sentences=[f"{level}: {word}" for level, word in sentence_filter.unseen()],
        notes=[*keywords.notes, *reading.notes, *_ordinary_nouns(spec, sentences)],
        seconds=time.perf_counter() - started,
    )


def _ordinary_nouns(spec: Scrape, sentences: pd.DataFrame) -> Iterator[str]:
    """Notes on keywords that are nouns of their own: where a sentence begins no capital tells them apart."""
    if spec.language != ENGLISH:
        return
    kept = sentences[sentences["dropped_reason"].isna()]
    for keyword, texts in kept.groupby("keyword")["sentence_text"]:
        noun = str(keyword).lower()
        n = int(texts.str.startswith(str(keyword)).sum())
        if n and noun != keyword and part_of_speech(noun) in ("NN", "NNS"):
            yield (
                f"{n:,} sentences begin with {keyword!r}, which is a word of its own ({noun}) and may not "
                "mean the level there: read them"
            )


def _undecodable(documents: Iterable[ReadDocument]) -> list[Quarantined]:
    return [
        row
        for read in documents
        for row in quarantine_undecodable("scrape", read.document_id, list(read.document.undecodable))
    ]


def _find_sentences(
    documents: Iterable[ReadDocument], sentence_filter: SentenceFilter, splitter: SentenceSplitter
) -> pd.DataFrame:
    rows = []
    for read in documents:
        sentences = splitter.split(read.document.paragraphs)
        for judged in sentence_filter.judge(sentences, read.wanted):
            # a sentence can stand for several levels only where its document is read for several
            suffix = f" {judged.level}" if judged.level and len(read.wanted) > 1 else ""
            sentence_id = f"{read.document_id}#{judged.position}{suffix}"
            rows.append((sentence_id, read.document_id, read.source.tag, *judged[1:]))
    return pd.DataFrame(rows, columns=_SENTENCE_COLUMNS)


def _check_levels(study: Study, spec: Scrape, keywords: KeywordList, sentences: pd.DataFrame, hints: str) -> None:
    """A level without a sentence is an error unless branching gives it prompts; hints: what may be why."""
    kept = set(sentences.loc[sentences["dropped_reason"].isna(), "level"])
    ends = [] if study.prompts.branch is None else study.prompts.branch.ends(spec.levels)
    reached = {target for source, target in ends if source in kept}
    for level in spec.keywords:
        if level not in kept | reached:
            named_level = f"{spec.factor} {level!r} ({', '.join(keywords.words(level)) or 'none was found'})"
            raise SourceError(
                (study.path, "prompts", "scrape", "keywords", level),
                f"no sentence with a keyword of {named_level}",
                f"a whole one of {spec.min_words} words or more",
                "add a keyword or a source that has it, lower prompts.scrape.min_words, or remove the level" + hints,
            )


def _hints(quarantined: list[Quarantined], notes: list[str]) -> str:
    hints = list(notes)
    if quarantined:
        hints.insert(0, f"{len(quarantined):,} records were rejected; the first: {quarantined[0].detail}")
    return "".join(f"; {hint}" for hint in hints)


def _keyword_rows(keywords: KeywordList) -> pd.DataFrame:
    rows = [(one.level, *one.found) for one in keywords.keywords]
    return pd.DataFrame(rows, columns=["level", "keyword", "keyword_type", "keyword_provider", "score"])


def _document_rows(documents: Iterable[ReadDocument]) -> pd.DataFrame:
    rows = pd.DataFrame(
        {
            "document_id": read.document_id,
            "source_tag": read.source.tag,
            "source_type": read.source.type,
            "uri": read.document.uri,
            "revision": read.document.revision,
            "revised_at": read.document.revised_at,
            "retrieved_at": read.document.retrieved_at,
            "licence": read.document.licence or read.source.licence,
            "sha256": read.document.sha256,
            "document_text": read.document.document_text,
        }
        for read in documents
    )
    # where no document has one the column would have no type
    return rows if rows.empty else rows.astype({"revised_at": "datetime64[us]"})


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
