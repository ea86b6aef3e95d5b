"""Finders of keywords by name: what a finder is asked, what it gives, where a new one registers itself."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from python_assets.errors import FieldPath
from python_assets.registry import Registry
from python_assets.study.scrape import KeywordFinder
from python_assets.study.study import LEVEL_SEPARATOR, Scrape, Study
from python_assets.texts.plurals import plural
from python_assets.texts.sentences import composed
from python_assets.warehouse.build import Quarantined
from python_assets.warehouse.run_context import RunContext

_MOST_CHARACTERS: Final = 100
# shorter words of a domain are of and in
SHORTEST_NOUN: Final = 4


class FinderJob(NamedTuple):
    """Keywords to find for one level.

    Attributes:
        study: its domain, its embedding and its engines.
        scrape: the section the finder stands in; its wiki and language.
        level: whose keywords are looked for.
        spec: how, and how many.
        field: the place of the finder in the study file, for error texts.
        run_context: what may be fetched and asked; None where nothing may.
    """

    study: Study
    scrape: Scrape
    level: str
    spec: KeywordFinder
    field: FieldPath
    run_context: RunContext | None

    @property
    def keyword(self) -> str:
        """What the keywords are near to: the level's own name unless the file says otherwise."""
        return self.spec.keyword or self.level

    def is_given(self, word: str) -> bool:
        """Whether the study file itself gives the level a word: top_n counts others."""
        return composed(word.strip()) in map(composed, self.scrape.words(self.level))


class FoundKeyword(NamedTuple):
    """A keyword with its relation to the level, who gave it, and its cosine to what was asked, if any."""

    keyword: str
    keyword_type: str
    provider: str
    score: float | None = None


class FinderResult(NamedTuple):
    """What a finder gave: keywords, best first, records that were rejected, and notes for the user."""

    keywords: Sequence[FoundKeyword]
    quarantined: Sequence[Quarantined] = ()
    notes: Sequence[str] = ()


Finder = Callable[[FinderJob], FinderResult]

FINDERS: Registry[Finder] = Registry("keyword finder", __name__)


def unusable_keyword(keyword: str) -> str | None:
    """Why a word that a page or an engine gave cannot be a keyword; None where it can."""
    if not any(map(str.isalnum, keyword)):
        return "it holds no letter and no digit"
    if len(keyword) > _MOST_CHARACTERS:
        return f"it has more than {_MOST_CHARACTERS} characters"
    if LEVEL_SEPARATOR in keyword:
        return f"it holds {LEVEL_SEPARATOR!r}, which joins levels into a group"
    if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in keyword):
        return "it holds a line break or another control character"
    return None


class UsableKeywords(NamedTuple):
    """Found keywords that can be used, as many as wanted, and the records of those that came before them."""

    keywords: list[FoundKeyword]
    quarantined: list[Quarantined]


def usable_keywords(job: FinderJob, ranked: Iterable[FoundKeyword]) -> UsableKeywords:
    """The first top_n keywords that neither name another level nor are words of the domain itself.

    Args:
        job: whose keywords they are.
        ranked: best first.
    """
    others, domain = _words_of_others(job), _words_of_domain(job.study.domain)
    usable = UsableKeywords([], [])
    for keyword in ranked:
        if len(usable.keywords) == job.spec.top_n:
            break
        word = keyword.keyword.casefold()
        if named := next((level for level, words in others.items() if word in words), None):
            detail = f"scrape: {keyword.provider} found {keyword.keyword!r} for {job.level}: it names {named}"
            usable.quarantined.append(_quarantined(job, keyword, "keyword_of_another_level", detail))
        elif word in domain:
            detail = f"scrape: {keyword.provider} found {keyword.keyword!r} for {job.level}: a word of the domain"
            usable.quarantined.append(_quarantined(job, keyword, "keyword_of_the_domain", detail))
        else:
            usable.keywords.append(keyword)
    return usable


def _quarantined(job: FinderJob, found: FoundKeyword, rule: str, detail: str) -> Quarantined:
    record = json.dumps(found._asdict(), ensure_ascii=False)
    return Quarantined(f"{job.level}: {found.keyword}", rule, detail, record)


def _words_of_others(job: FinderJob) -> dict[str, set[str]]:
    """What names each level but the finder's: its name, initials, keywords, forms, and their plurals."""
    level_words = _words_of_level(job, job.level)
    return {level: _words_of_level(job, level) - level_words for level in job.scrape.levels if level != job.level}


def _words_of_level(job: FinderJob, level: str) -> set[str]:
    branch = job.study.prompts.branch
    words = [level, *job.scrape.words(level)]
    if branch is not None:
        words += branch.replacements.get(level, {}).values()
        for form in branch.forms.get(level, {}).values():
            words += [form] if isinstance(form, str) else form
    level_words = level.split()
    if len(level_words) > 1:  # EU, US
        words.append("".join(one_word[0] for one_word in level_words if one_word[0].isupper()))
    words = [word.removeprefix("the ") for word in words]
    return {one.casefold() for word in words for one in (word, plural(word)) if one}


def _words_of_domain(domain: str) -> set[str]:
    """The words of a domain in the singular and in the plural."""
    words = {word for word in re.findall(r"\w+", domain.casefold()) if len(word) >= SHORTEST_NOUN}
    singulars = {form for word in words for form in _singulars(word) if plural(form) == word}
    return words | singulars | {many for word in words if (many := plural(word))}


def _singulars(word: str) -> list[str]:
    return [word.removesuffix("s"), word.removesuffix("es"), f"{word.removesuffix('ies')}y"]


def rejected_keyword(level: str, found: FoundKeyword) -> Quarantined:
    """The quarantine row of a keyword that cannot be used."""
    shown = found.keyword[:_MOST_CHARACTERS]
    detail = f"scrape: {found.provider} found {shown!r} for {level}: {unusable_keyword(found.keyword)}"
    record = json.dumps(found._asdict(), ensure_ascii=False)
    return Quarantined(f"{level}: {shown}", "unusable_keyword", detail, record)
