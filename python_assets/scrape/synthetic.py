"""Articles that an engine writes about each level, from a template of the study file (SAGED A.2, D.1)."""

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from python_assets.providers.engine import Inquiry, Reply, ask_engine
from python_assets.scrape.sources import SOURCES, SourceJob, SourceResult
from python_assets.texts.documents import Document
from python_assets.texts.markdown import markdown_paragraphs
from python_assets.warehouse.build import Quarantined, utc_now

_WHY: Final = {
    "is_refused": "the engine refused to write it",
    "is_empty": "the engine wrote nothing",
    "is_truncated": "it was cut off; raise decoding.max_tokens or max_characters of the engine",
}


class _Article(NamedTuple):
    """An article to write: its address, the levels it is for, what the engine is asked."""

    uri: str
    levels: tuple[str, ...]
    inquiry: Inquiry


@SOURCES.register("synthetic")
def write_articles(job: SourceJob) -> SourceResult:
    """Have an engine write n articles about each level, or about the one keyword of the source.

    Args:
        job: its source names engine, template and n; {level} in the template is the level's name.

    Returns:
        One document an article, its text read as Markdown; an article that failed, was refused by the engine
        or was cut off in the middle is in quarantine.

    Raises:
        OfflineError: an article is not written yet, and no engine may be asked.
        StudyError: the study has no such engine.
    """
    articles = list(_articles(job))
    inquiries = [article.inquiry for article in articles]
    replies = ask_engine(job.study, job.run_context, str(job.source.engine), "scrape", inquiries)
    documents, quarantined = [], []
    for article, reply in zip(articles, replies, strict=True):
        if reply.is_whole and reply.text:
            documents.append(_document(article, reply.text))
        else:
            quarantined.append(_unwritten(article, reply))
    return SourceResult(documents, quarantined)


def article_paragraphs(text: str) -> list[str]:
    """Paragraphs of an article as models write them: Markdown in which every line is one, tables apart."""
    return markdown_paragraphs(re.sub(r"\n(?!\|)", "\n\n", text))


def _articles(job: SourceJob) -> Iterator[_Article]:
    for name, levels in job.topics.items():
        for number in range(1, job.source.n + 1):
            yield _Article(
                uri=f"engine:{job.source.engine}/{job.source.tag}/{name}/{number}",
                levels=levels,
                inquiry=Inquiry(
                    key=f"article | {job.source.tag} | {name} | {number}",
                    text=str(job.source.template).replace("{level}", name),
                    facts={job.scrape.factor: name, "source_tag": job.source.tag, "task": "article", "level": name},
                    repeat=number - 1,
                ),
            )


def _document(article: _Article, text: str) -> Document:
    return Document(
        uri=article.uri,
        paragraphs=tuple(article_paragraphs(text)),
        document_text=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        retrieved_at=utc_now(),
        levels=article.levels,
    )


def _unwritten(article: _Article, reply: Reply) -> Quarantined:
    why = reply.error or "; ".join(_WHY[flag] for flag in reply.flags)
    record = json.dumps({"asked": article.inquiry.text, **reply._asdict()}, ensure_ascii=False)
    return Quarantined(article.uri, "article_not_written", f"scrape: {article.uri}: {why}", record)
