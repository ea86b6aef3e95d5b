"""Finders of keywords by name: what a finder is asked, what it gives, where a new one registers itself."""

import json
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from python_assets.registry import Registry
from python_assets.study.scrape import KeywordFinder
from python_assets.study.study import LEVEL_SEPARATOR, Scrape, Study
from python_assets.texts.sentences import composed
from python_assets.warehouse.build import Quarantined
from python_assets.warehouse.run_context import RunContext

MOST_CHARACTERS: Final = 100


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
    field: str
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
    if len(keyword) > MOST_CHARACTERS:
        return f"it has more than {MOST_CHARACTERS} characters"
    if LEVEL_SEPARATOR in keyword:
        return f"it holds {LEVEL_SEPARATOR!r}, which joins levels into a group"
    if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in keyword):
        return "it holds a line break or another control character"
    return None


def rejected_keyword(level: str, found: FoundKeyword) -> Quarantined:
    """The quarantine row of a keyword that cannot be used."""
    shown = found.keyword[:MOST_CHARACTERS]
    detail = f"scrape: {found.provider} found {shown!r} for {level}: {unusable_keyword(found.keyword)}"
    record = json.dumps(found._asdict(), ensure_ascii=False)
    return Quarantined(f"{level}: {shown}", "unusable_keyword", detail, record)
