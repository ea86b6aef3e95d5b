"""The keywords of every level: those of the study file, then those that finders find."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from python_assets.scrape.finders import (
    FINDERS,
    FinderJob,
    FinderResult,
    FoundKeyword,
    rejected_keyword,
    unusable_keyword,
)
from python_assets.study.scrape import Keyword, KeywordEntry, KeywordFinder
from python_assets.study.study import Scrape, Study
from python_assets.texts.sentences import composed
from python_assets.warehouse.build import Quarantined
from python_assets.warehouse.run_context import RunContext

STUDY_FILE: Final = "study file"


class LevelKeyword(NamedTuple):
    """A keyword of a level; is_shared: whether the sources of its level are searched for it."""

    level: str
    found: FoundKeyword
    is_shared: bool = True

    @property
    def keyword(self) -> str:
        """The keyword itself."""
        return self.found.keyword


class KeywordList(NamedTuple):
    """The keywords of all levels, each once a level; records that were rejected; notes for the user."""

    keywords: list[LevelKeyword]
    quarantined: list[Quarantined]
    notes: list[str]

    def add(self, found: Iterable[tuple[str, FoundKeyword]]) -> list[str]:
        """Take in keywords that reading the sources brought; notes on those that were not there."""
        notes = []
        for level, one in found:
            if one.keyword not in self.words(level):
                self.keywords.append(LevelKeyword(level, one))
                notes.append(f"{level}: its name leads to the page {one.keyword!r}, which is a keyword, too")
        return notes

    def words(self, level: str) -> list[str]:
        """The keywords of a level, in order."""
        return [one.keyword for one in self.keywords if one.level == level]

    def shared_words(self, level: str) -> list[str]:
        """The keywords of a level that its shared sources are searched for."""
        return [one.keyword for one in self.keywords if one.level == level and one.is_shared]


def list_keywords(study: Study, scrape: Scrape, run_context: RunContext | None) -> KeywordList:
    """Collect what the study file gives and find the rest.

    Args:
        study: the study.
        scrape: its keywords by level.
        run_context: what finders may fetch and ask.

    Returns:
        Keywords with their letters composed; one that is given and found counts as given.

    Raises:
        OfflineError: a finder would have to fetch or ask, and may not.
        SourceError: the page that a finder searches is not there.
    """
    listed: dict[tuple[str, str], LevelKeyword] = {}
    quarantined: list[Quarantined] = []
    notes: list[str] = []
    for level, entries in scrape.keywords.items():
        for one in _given(level, entries):
            listed.setdefault((level, one.keyword), one)
        for finding in _findings(study, scrape, level, run_context):
            quarantined += finding.quarantined
            notes += finding.notes
            for candidate in finding.keywords:
                keyword = composed(candidate.keyword.strip())
                if unusable_keyword(keyword):
                    quarantined.append(rejected_keyword(level, candidate))
                else:
                    one = LevelKeyword(level, candidate._replace(keyword=keyword))
                    listed.setdefault((level, keyword), one)
    keywords = list(listed.values())
    return KeywordList(keywords, quarantined, [*notes, *_shared_by_levels(keywords)])


def _shared_by_levels(keywords: list[LevelKeyword]) -> Iterator[str]:
    """Notes on found keywords that several levels have; what the file itself gives twice is meant so."""
    levels: dict[str, list[LevelKeyword]] = {}
    for one in keywords:
        levels.setdefault(one.keyword, []).append(one)
    for keyword, having in levels.items():
        if len(having) > 1 and any(one.found.provider != STUDY_FILE for one in having):
            names = ", ".join(one.level for one in having)
            yield f"the keyword {keyword!r} was found for {names}: a sentence with it counts for each of them"


def _given(level: str, entries: list[KeywordEntry]) -> Iterator[LevelKeyword]:
    for entry in entries:
        if isinstance(entry, KeywordFinder):
            continue
        keyword = Keyword(keyword=entry) if isinstance(entry, str) else entry
        kind = keyword.type or ("name" if keyword.keyword == level else "form")
        given = FoundKeyword(composed(keyword.keyword), kind, STUDY_FILE)
        yield LevelKeyword(level, given, keyword.use_shared)


def _findings(study: Study, scrape: Scrape, level: str, run_context: RunContext | None) -> Iterator[FinderResult]:
    for position, entry in enumerate(scrape.keywords[level]):
        if isinstance(entry, KeywordFinder):
            field = (study.path, "prompts", "scrape", "keywords", level, position)
            yield FINDERS[entry.find](
                FinderJob(study=study, scrape=scrape, level=level, spec=entry, field=field, run_context=run_context)
            )
