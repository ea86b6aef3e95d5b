"""Sources and keyword finders: levels and engines that are there, a wiki that knows whom to write to."""

from collections.abc import Iterator
from typing import Final

from python_assets.errors import NOTHING, FieldPath, StudyError
from python_assets.study.scrape import Keyword, KeywordFinder, PlacedSource
from python_assets.study.study import Scrape
from python_assets.study_file.checks.engines import engine_problems
from python_assets.study_file.checks.factors import unknown_level
from python_assets.study_file.expand import Draft
from python_assets.texts.sentences import LANGUAGES

_SCRAPE: Final[FieldPath] = ("prompts", "scrape")
_SLOT: Final = "{level}"
_ENGLISH: Final = "en"


def scraping_problems(draft: Draft, scrape: Scrape) -> Iterator[StudyError]:
    """What of the sources and finders does not fit the levels and the generations.

    Args:
        draft: its generations hold the engines.
        scrape: sources and keywords.
    """
    yield from _language_problems(draft, scrape)
    templates: dict[tuple[str, str, str], str] = {}
    for placed in scrape.placed_sources():
        path: FieldPath = (*_SCRAPE, *placed.path)
        yield from _level_problems(scrape, placed, path)
        yield from engine_problems(draft, (*path, "engine"), placed.source.engine)
        if placed.source.type == "synthetic":
            yield from _article_problems(scrape, placed, path, templates)
    yield from _unread_problems(scrape)
    finders = list(_finders(scrape))
    for path, finder in finders:
        yield from engine_problems(draft, (*path, "engine"), finder.engine)
    asks_wiki = any(placed.source.type == "wikipedia" for placed in _known_sources(draft, scrape))
    asks_wiki = asks_wiki or any(finder.find.endswith("_on_wiki") for _, finder in finders)
    if asks_wiki and not scrape.wiki.contact:
        expected = "an e-mail address or a page of yours, because wikis want to know whom to write to"
        remedy = "add wiki: {contact: you@example.org}, or read other sources"
        yield StudyError((*_SCRAPE, "wiki", "contact"), NOTHING, expected, remedy)


def _language_problems(draft: Draft, scrape: Scrape) -> Iterator[StudyError]:
    """Texts are cut by rules of their language; the first part of a sentence is found in English alone."""
    path: FieldPath = (*_SCRAPE, "language")
    if scrape.language not in LANGUAGES:
        expected = f"a language with rules for sentences: {', '.join(sorted(LANGUAGES))}"
        remedy = "read texts of one of them, or write the sentences as prompts.templates"
        yield StudyError(path, scrape.language, expected, remedy)
        return
    prompts = draft.parts.prompts
    if scrape.language != _ENGLISH and prompts is not None and prompts.assemble.chosen_method == "written":
        remedy = "write the items as prompts.templates, or in English"
        yield StudyError(path, scrape.language, f"{_ENGLISH}, which items are written in", remedy)
    splits = prompts is not None and prompts.assemble.chosen_method == "split_sentences"
    if scrape.language != _ENGLISH and splits:
        expected = f"{_ENGLISH}, because split_sentences finds the verbs of English alone"
        remedy = "set prompts.assemble: {method: questions, engine: NAME}, or read English texts"
        yield StudyError(path, scrape.language, expected, remedy)


def _known_sources(draft: Draft, scrape: Scrape) -> Iterator[PlacedSource]:
    """The sources, less the default wiki where it stands in for sources that could not be read."""
    shared: FieldPath = (*_SCRAPE, "sources")
    is_stand_in = "sources" not in scrape.model_fields_set and any(
        path[: len(shared)] == shared for path in draft.parts.unread
    )
    for placed in scrape.placed_sources():
        if placed.keyword is not None or not is_stand_in:
            yield placed


def _level_problems(scrape: Scrape, placed: PlacedSource, path: FieldPath) -> Iterator[StudyError]:
    if placed.keyword is not None and placed.source.levels is not None:
        expected = f"no levels, because it is read for {placed.keyword!r} of {placed.level!r} alone"
        yield StudyError((*path, "levels"), placed.source.levels, expected, "remove levels here")
        return
    for position, level in enumerate(placed.source.levels or []):
        if level not in scrape.levels:
            yield unknown_level((*path, "levels", position), level, scrape.factor, scrape.levels)


def _article_problems(
    scrape: Scrape, placed: PlacedSource, path: FieldPath, templates: dict[tuple[str, str, str], str]
) -> Iterator[StudyError]:
    """Articles are told apart by tag and name, so two templates of one name need two tags."""
    source, template = placed.source, str(placed.source.template)
    if _SLOT not in template:
        expected = f"a template that holds {_SLOT}, the name that the article is about"
        yield StudyError((*path, "template"), source.template, expected, f"write {_SLOT} where the name belongs")
    names = [placed.keyword] if placed.keyword is not None else source.levels or scrape.levels
    taken = {templates.setdefault((source.tag, str(source.engine), name), template) for name in names}
    if taken - {template}:
        expected = "a tag of its own, because articles are told apart by it"
        yield StudyError((*path, "tag"), source.tag, expected, "rename one of the two")


def _unread_problems(scrape: Scrape) -> Iterator[StudyError]:
    for level, entries in scrape.keywords.items():
        for position, entry in enumerate(entries):
            if isinstance(entry, Keyword) and not entry.use_shared and not entry.sources:
                expected = f"sources for {entry.keyword!r}, which is kept out of those of {level!r}"
                path = (*_SCRAPE, "keywords", level, position, "sources")
                yield StudyError(path, NOTHING, expected, "add them, or remove use_shared")


def _finders(scrape: Scrape) -> Iterator[tuple[FieldPath, KeywordFinder]]:
    for level, entries in scrape.keywords.items():
        for position, entry in enumerate(entries):
            if isinstance(entry, KeywordFinder):
                yield (*_SCRAPE, "keywords", level, position), entry
