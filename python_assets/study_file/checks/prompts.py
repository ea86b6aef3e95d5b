"""Prompts: levels and keywords that are there, templates that name factors."""

import re
from collections.abc import Iterator, Mapping

from python_assets.errors import FieldPath, StudyError, Told
from python_assets.study.base import FACTOR_NAME, NEGATIVE_CONTROL
from python_assets.study.factors import DERIVED
from python_assets.study.problems import listed, nearest, unknown_name
from python_assets.study.prompts import OPTIONS, OPTIONS_SLOT
from python_assets.study.pronouns import SLOT, pronoun_slots
from python_assets.study.scrape import Keyword
from python_assets.study.study import Factor, Import, Prompts, Scrape, Template, Templates
from python_assets.study_file.checks.branching import branch_problems
from python_assets.study_file.checks.engines import engine_problems
from python_assets.study_file.checks.factors import alike_levels, repeated, unknown_level
from python_assets.study_file.checks.scraping import scraping_problems
from python_assets.study_file.checks.units import unit_problems, without_levels
from python_assets.study_file.checks.written import written_problems
from python_assets.study_file.expand import Draft
from python_assets.texts.words import WordScanner

_SCRAPE: FieldPath = ("prompts", "scrape")
_TEMPLATES: FieldPath = ("prompts", "templates")


def prompt_problems(draft: Draft) -> Iterator[StudyError]:
    """The prompts of a study name factors and levels that are there."""
    prompts = draft.parts.prompts
    if prompts is None:
        return
    if prompts.scrape:
        yield from _scrape_problems(draft, prompts, prompts.scrape)
        yield from branch_problems(draft, prompts.scrape, prompts.branch)
        yield from engine_problems(draft, ("prompts", "assemble", "engine"), prompts.assemble.engine)
        yield from written_problems(draft, prompts, prompts.scrape)
        yield from _message_problems(prompts, prompts.scrape)
    if prompts.templates:
        yield from _template_problems(draft, prompts.templates)
    if prompts.import_:
        yield from _import_problems(draft, prompts.import_)


def _scrape_problems(draft: Draft, prompts: Prompts, scrape: Scrape) -> Iterator[StudyError]:
    levels, name = scrape.levels, scrape.factor
    branched = prompts.scraped_levels
    yield from repeated((*_SCRAPE, "levels"), levels, "level")
    yield from alike_levels((*_SCRAPE, "levels"), levels)
    if scrape.reference is not None and prompts.level(scrape.reference) not in branched:
        yield unknown_level((*_SCRAPE, "reference"), scrape.reference, name, branched)
    for level in scrape.keywords:
        if level not in levels:
            yield unknown_level((*_SCRAPE, "keywords", level), level, name, levels)
    yield from scraping_problems(draft, scrape)
    declared = draft.parts.factors.get(name)
    if declared and declared.levels and set(declared.levels) != set(branched):
        expected = f"the levels of prompts.scrape: {listed(branched)}"
        yield StudyError(("factors", name, "levels"), declared.levels, expected, "remove levels here")


def _message_problems(prompts: Prompts, scrape: Scrape) -> Iterator[StudyError]:
    """The messages before scraped prompts are the same for every level: they have no slots and name no level."""
    words = {word: level for level, word in _words_of_levels(prompts, scrape) if re.search(r"[^\W_]", word)}
    finder = WordScanner(words)
    for index, message in enumerate(prompts.assemble.messages or ()):
        path: FieldPath = ("prompts", "assemble", "messages", index, "content")
        if slots := SLOT.findall(message.content):
            expected = "messages without slots, for they are the same before every prompt"
            yield StudyError(path, f"{{{slots[0]}}}", expected, "take the braces away, or write prompts.templates")
        if levels := sorted(finder.meanings(message.content)) if prompts.branch else []:
            expected = f"messages that name no level of {scrape.factor}, for branches keep them as they are"
            got = Told(f"words of {listed(levels)}")
            yield StudyError(path, got, expected, "reword them, or write prompts.templates, whose messages have slots")


def _words_of_levels(prompts: Prompts, scrape: Scrape) -> Iterator[tuple[str, str]]:
    """Every word by which the study file itself names a level."""
    for level in scrape.levels:
        yield level, level
        for entry in scrape.keywords.get(level, []):
            if isinstance(entry, str | Keyword):
                yield level, entry if isinstance(entry, str) else entry.keyword
        for written in (prompts.branch.forms.get(level, {}) if prompts.branch else {}).values():
            yield from ((level, word) for word in ([written] if isinstance(written, str) else written))


def _template_problems(draft: Draft, templates: Templates) -> Iterator[StudyError]:
    declared = draft.parts.factors
    yield from _cross_problems((*_TEMPLATES, "cross"), templates.cross, declared)
    yield from _combination_problems(declared, templates)
    ids = [text.id for text in templates.texts]
    for index, text in enumerate(templates.texts):
        path: FieldPath = (*_TEMPLATES, "texts", index)
        if text.id in ids[:index]:
            yield StudyError((*path, "id"), text.id, "each template id once", "rename one of them")
        yield from _cross_problems((*path, "cross"), text.cross or [], declared)
        yield from _levels_problems((*path, "factors"), text.factors, declared)
        given = {
            *templates.cross_of(text),
            *(name for one in templates.combinations_of(text) for name in one),
            *(text.units.nested_in if text.units else ()),
        }
        for name in text.factors:
            if name in given:
                expected = "a factor that is the template's own, or one that is crossed, not both"
                yield StudyError((*path, "factors", name), name, expected, "remove it here")
        yield from unit_problems((*path, "units"), text, templates, declared)
        yield from _slot_problems(path, text, templates, declared, draft)


def _cross_problems(path: FieldPath, cross: list[str], declared: dict[str, Factor]) -> Iterator[StudyError]:
    yield from repeated(path, cross, "factor")
    for index, name in enumerate(cross):
        yield from without_levels((*path, index), name, declared)


def _combination_problems(declared: dict[str, Factor], templates: Templates) -> Iterator[StudyError]:
    if templates.cross and templates.combinations:
        expected = "cross or combinations, not both"
        yield StudyError((*_TEMPLATES, "cross"), templates.cross, expected, "remove one of them")
    for index, combination in enumerate(templates.combinations):
        path: FieldPath = (*_TEMPLATES, "combinations", index)
        if set(combination) != set(templates.combinations[0]):
            expected = f"the factors of the first combination: {listed(templates.combinations[0])}"
            yield StudyError(path, list(combination), expected, "name the same factors in every combination")
        yield from _levels_problems(path, combination, declared)


def _levels_problems(path: FieldPath, chosen: dict[str, str], declared: dict[str, Factor]) -> Iterator[StudyError]:
    for name, level in chosen.items():
        if name not in declared:
            remedy = f"declare it: factors: {{{name}: {{levels: [...]}}}}"
            yield unknown_name((*path, name), name, "a declared factor", list(declared), remedy)
            continue
        levels = declared[name].levels
        if levels is not None and level not in levels:
            yield unknown_level((*path, name), level, name, levels)


def _slot_problems(
    path: FieldPath, text: Template, templates: Templates, factors: Mapping[str, Factor], draft: Draft
) -> Iterator[StudyError]:
    """A slot is a factor that every prompt of the template has, a pronoun of its level, or what an edit fills."""
    controls = draft.controls
    combinations = [set(combination) for combination in templates.combinations_of(text)]
    known = {*templates.factors_of(text), *(set.intersection(*combinations) if combinations else ())}
    known |= {slot for name in known if name in factors for slot in pronoun_slots(name, factors[name].pronouns)}
    factor_names = sorted(known)
    known |= set(controls.slots if controls else ())
    kind = "a slot of a crossed factor" + " or of an edit" * bool(controls and controls.slots)
    may_be_of_edits = _has_unplaced_edits(draft, templates)
    # a name of cross that is misspelt is told where it stands, not at every slot that has it right
    is_misspelt = not set(templates.cross_of(text)) <= factors.keys()
    written: dict[FieldPath, str] = {("text",): text.text.replace(OPTIONS_SLOT, ""), ("baseline",): text.baseline or ""}
    written[(OPTIONS,)] = " ".join((text.options or {}).values())
    for index, message in enumerate(text.messages or ()):
        written[("messages", index, "content")] = message.content
    for field, content in written.items():
        for slot in SLOT.findall(content):
            if may_be_of_edits and nearest(slot, factor_names) is None:
                continue
            if slot not in known and not (is_misspelt and slot.partition(".")[0] in factors):
                remedy = "add the factor to prompts.templates.cross, or take the braces away"
                yield unknown_name((*path, *field), f"{{{slot}}}", kind, sorted(known), remedy)


def _has_unplaced_edits(draft: Draft, templates: Templates) -> bool:
    """Whether slots of edits are not known: what is wrong is told where the controls stand, not at every slot."""
    slots = draft.controls.slots if draft.controls else ()
    is_unread = ("negative_controls",) in {path[:1] for path in draft.parts.unread}
    return is_unread or any(not any(text.holds(f"{{{slot}}}") for text in templates.texts) for slot in slots)


def _import_problems(draft: Draft, spec: Import) -> Iterator[StudyError]:
    for name in spec.factors:
        where: FieldPath = ("prompts", "import", "factors", name)
        if name in DERIVED:
            expected = f"another name than {listed(DERIVED)}, which every prompt has"
            yield StudyError(where, name, expected, "rename the factor")
        elif name == NEGATIVE_CONTROL:
            expected = "another name, for the levels of this factor are the negative controls"
            yield StudyError(where, name, expected, "rename the factor")
    yield from _system_column_problems(draft, spec)


def _system_column_problems(draft: Draft, spec: Import) -> Iterator[StudyError]:
    """Each of several generation columns is a factor of models."""
    for index, (name, column) in enumerate(spec.columns_of_models.items()):
        where: FieldPath = ("prompts", "import", "columns", "system", index)
        declared = draft.parts.factors.get(name)
        if name in (*DERIVED, "system") or not re.fullmatch(FACTOR_NAME, name):
            expected = f"a column that can be called a factor of models, which {column!r} cannot"
            remedy = f"name it under prompts.import.factors, as in tuned_by: {column}"
            yield StudyError(where, column, expected, remedy)
        elif declared is not None and declared.type != "model":
            expected = f"type: model, because the column {column!r} tells generations apart"
            yield StudyError(("factors", name, "type"), declared.type, expected, "write type: model")
