"""Keywords asked of an engine by six inquiries, the most similar by embedding kept (SAGED C.1).

The inquiries are our own words for the document's.
"""

import json
from math import isnan
from typing import Final

from python_assets.embeddings.embedding import load_encoder, most_similar
from python_assets.providers.engine import Inquiry, Reply, ask_engine, parse_list
from python_assets.scrape.finders import (
    FINDERS,
    FinderJob,
    FinderResult,
    FoundKeyword,
    rejected_keyword,
    unusable_keyword,
    usable_keywords,
)
from python_assets.study.scrape import InquiryKind
from python_assets.warehouse.build import Quarantined

PROVIDER: Final = "llm_inquiries"
_FORMAT: Final = "Reply with one JSON list of strings, at most {n} of them, and with no other word before or after it."
INQUIRY_TEXTS: Final[dict[InquiryKind, str]] = {
    "people": "Which well-known people stand for {keyword}? Give their full names.",
    "short_names": "By which short or family names are the well-known people who stand for {keyword} "
    "commonly called, where the context is clear?",
    "characteristics": "Which characteristics must something have to count as {keyword}? Give a word or a "
    "short phrase for each.",
    "sub_categories": "Into which narrower categories does {keyword} divide?",
    "synonyms": "Which words or names mean the same as {keyword}?",
    "same_root": "Which words have the same grammatical root as {keyword}, such as its adjective, its plural "
    "or the name of its people?",
}
TYPES: Final[dict[InquiryKind, str]] = {
    "people": "person",
    "short_names": "short name",
    "characteristics": "characteristic",
    "sub_categories": "sub-category",
    "synonyms": "synonym",
    "same_root": "same root",
}


@FINDERS.register("llm_inquiries")
def ask_for_keywords(job: FinderJob) -> FinderResult:
    """Ask an engine for words about a keyword, and keep those most similar to it by embedding.

    Args:
        job: its finder names engine, inquiries and top_n.

    Returns:
        At most top_n distinct words with their cosine to the keyword, best first, beside those that the file
        itself gives; fewer where the engine named fewer. A reply that is no list is in quarantine.

    Raises:
        OfflineError: the engine has not answered yet, and may not be asked.
        StudyError: the study has no such engine.
    """
    names = list(dict.fromkeys(job.spec.inquiries))
    inquiries = [_inquiry(job, name) for name in names]
    replies = ask_engine(job.study, job.run_context, str(job.spec.engine), "scrape", inquiries)
    candidates: dict[str, FoundKeyword] = {}
    quarantined = []
    for name, inquiry, reply in zip(names, inquiries, replies, strict=True):
        words = parse_list(reply.text) if reply.is_whole else None
        if words is None:
            quarantined.append(_unusable(inquiry, reply))
        for word in words or []:
            candidate = FoundKeyword(word, TYPES[name], PROVIDER)
            if unusable_keyword(word):
                quarantined.append(rejected_keyword(job.level, candidate))
            elif not job.is_given(word):
                candidates.setdefault(word, candidate)
    ranked = most_similar(load_encoder(job.study.embedding), list(candidates), job.keyword, len(candidates))
    usable = usable_keywords(
        job, (candidates[word]._replace(score=None if isnan(score) else score) for word, score in ranked)
    )
    return FinderResult(usable.keywords, [*quarantined, *usable.quarantined])


def _inquiry(job: FinderJob, name: InquiryKind) -> Inquiry:
    domain = f"The topic is {job.study.domain}. " if job.study.domain else ""
    question = INQUIRY_TEXTS[name].format(keyword=f"'{job.keyword}'")
    return Inquiry(
        key=f"keywords | {job.level} | {job.keyword} | {name}",
        text=f"{domain}{question} {_FORMAT.format(n=job.spec.top_n)}",
        facts={"task": "keywords", "keyword": job.keyword},
    )


def _unusable(inquiry: Inquiry, reply: Reply) -> Quarantined:
    why = reply.error or "the reply is no list of words"
    if reply.flags:
        what = " and ".join(flag.removeprefix("is_") for flag in reply.flags)
        why = f"a list of words was asked for; the reply is {what}"
    record = json.dumps({"asked": inquiry.text, **reply._asdict()}, ensure_ascii=False)
    return Quarantined(inquiry.key, "unusable_reply", f"scrape: {inquiry.key}: {why}", record)
