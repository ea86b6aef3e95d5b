"""Factors: their levels, reference and texts, and that prompts have them."""

from collections.abc import Iterator, Sequence

from python_assets.errors import FieldPath, StudyError, Told
from python_assets.study.base import NEGATIVE_CONTROL
from python_assets.study.factors import DERIVED, TEMPLATE
from python_assets.study.problems import listed, unknown_name
from python_assets.study.prompts import OPTION_ORDER
from python_assets.study.study import Factor
from python_assets.study_file.expand import Draft
from python_assets.texts.identity import alike


def factor_problems(draft: Draft) -> Iterator[StudyError]:
    """Declared factors agree with themselves and with the prompts."""
    prompts = draft.parts.prompts
    templates, scrape = (prompts.templates, prompts.scrape) if prompts else (None, None)
    scraped = scrape.factor if scrape else None
    reserved = (*DERIVED, TEMPLATE) if templates else DERIVED
    if templates and templates.option_orders:
        reserved = (*reserved, OPTION_ORDER)
    for name, factor in draft.parts.factors.items():
        path: FieldPath = ("factors", name)
        if name in reserved:
            expected = f"another name than {listed(reserved)}, which every prompt has"
            yield StudyError(path, name, expected, "rename the factor or remove it")
        elif name == NEGATIVE_CONTROL:
            expected = "another name, for the levels of this factor are the negative controls"
            yield StudyError(path, name, expected, "rename the factor")
        elif draft.factors and not draft.factors[name].has_prompts and not _misspelled(draft):
            yield StudyError(path, name, f"a factor of the prompts: {_of_prompts(draft)}", _how_to_use(draft))
        levels = draft.factors[name].levels if draft.factors else factor.levels
        yield from _level_problems(path, factor, levels, is_scraped=name == scraped)


def repeated(path: FieldPath, names: Sequence[str], what: str) -> Iterator[StudyError]:
    """Names that occur twice in a list."""
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield StudyError((*path, index), name, f"each {what} once", "remove one of them")
        seen.add(name)


def alike_levels(path: FieldPath, levels: Sequence[str]) -> Iterator[StudyError]:
    """Levels that only case, encoding, blanks or invisible signs tell apart, each written so that these are seen."""
    for first, later in alike(levels):
        expected = f"another level than {ascii(levels[first])}: only case, encoding, blanks or invisible signs differ"
        yield StudyError((*path, later), Told(ascii(levels[later])), expected, "remove one of them, or rename it")


def unknown_level(path: FieldPath, level: str, factor: str, levels: Sequence[str]) -> StudyError:
    """A level that a factor does not have."""
    return unknown_name(path, level, f"a level of {factor}", levels, "correct it, or add it to the levels")


def _level_problems(
    path: FieldPath, factor: Factor, levels: list[str] | None, *, is_scraped: bool
) -> Iterator[StudyError]:
    name = str(path[-1])
    yield from repeated((*path, "levels"), factor.levels or [], "level")
    if levels is None:
        return
    if not is_scraped:  # those of a scrape are told where they are listed
        yield from alike_levels((*path, "levels"), levels)
    if factor.reference is not None and factor.reference not in levels:
        yield unknown_level((*path, "reference"), factor.reference, name, levels)
    for field, named in (("texts", factor.texts), ("pronouns", factor.pronouns)):
        for level in named:
            if level not in levels:
                yield unknown_level((*path, field, level), level, name, levels)


def _misspelled(draft: Draft) -> bool:
    """Whether templates name a factor that is not declared: it may be the one that seems to be unused."""
    prompts = draft.parts.prompts
    templates = prompts.templates if prompts else None
    return templates is not None and any(
        factor.has_prompts and factor.origin == "declared" and name not in draft.parts.factors
        for name, factor in (draft.factors or {}).items()
    )


def _of_prompts(draft: Draft) -> str:
    names = [factor.name for factor in (draft.factors or {}).values() if factor.has_prompts]
    return listed(name for name in names if name not in DERIVED)


def _how_to_use(draft: Draft) -> str:
    prompts = draft.parts.prompts
    if prompts and prompts.import_:
        return "name its column in prompts.import.factors"
    if prompts and prompts.templates:
        return "name it in prompts.templates.cross, or remove it"
    return "remove it; scraped prompts have the factor of prompts.scrape alone"
