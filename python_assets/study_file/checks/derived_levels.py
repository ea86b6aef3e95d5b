"""Factors whose levels are derived: rules that can be read, maps from a factor, conditions."""

from collections.abc import Iterator

import regex

from python_assets.errors import FieldPath, StudyError
from python_assets.study.factors import (
    DERIVED,
    OF_SYSTEMS,
    KnownFactor,
    factors_of_prompts,
    fits_conditions,
    mapped_factors,
)
from python_assets.study.problems import listed, unknown_name
from python_assets.study.study import Factor, Prompts
from python_assets.study_file.checks.factors import unknown_level
from python_assets.study_file.expand import Draft
from python_assets.texts.patterns import is_found
from python_assets.texts.words import normalise


def derived_level_problems(draft: Draft) -> Iterator[StudyError]:
    """Rules, maps and conditions of factors can be applied to the prompts of the study."""
    prompts = draft.parts.prompts
    for name, factor in draft.parts.factors.items():
        path: FieldPath = ("factors", name)
        for level, rule in (factor.rules or {}).items():
            yield from _rule_problems((*path, "rules", level), rule)
        yield from _word_problems((*path, "rules"), factor)
        if prompts is not None and draft.factors is not None:
            yield from _origin_problems(path, factor, prompts)
            yield from _map_problems(path, factor, draft.factors)
            yield from _condition_problems(path, factor, draft.factors, prompts)
    yield from _circles(draft)
    if prompts is not None:
        yield from _combination_problems(draft, prompts)


def _rule_problems(path: FieldPath, rule: str | list[str]) -> Iterator[StudyError]:
    if not isinstance(rule, str):
        for index, word in enumerate(rule):
            if not any(character.isalnum() for character in word):
                expected = "a word with a letter or a digit"
                yield StudyError((*path, index), word, expected, "write an expression instead, or remove it")
        return
    try:
        matches_nothing = is_found(rule, "")
    except regex.error as error:
        yield StudyError(path, rule, f"a regular expression ({error})", "correct it, or write [word, word]")
        return
    if matches_nothing:
        expected = "an expression that an empty text does not match"
        yield StudyError(path, rule, expected, "make it find a word")


def _word_problems(path: FieldPath, factor: Factor) -> Iterator[StudyError]:
    taken: dict[str, str] = {}
    for level, rule in (factor.rules or {}).items():
        for index, word in enumerate(rule if isinstance(rule, list) else ()):
            owner = taken.setdefault(normalise(word), level)
            if owner != level:
                expected = f"a word of one level; it stands for {owner!r} too"
                yield StudyError((*path, level, index), word, expected, "remove one of them")


def _origin_problems(path: FieldPath, factor: Factor, prompts: Prompts) -> Iterator[StudyError]:
    for field in ("rules", "map"):
        if getattr(factor, field) is not None and path[-1] in factors_of_prompts(prompts):
            expected = "a factor that prompts do not bring with them"
            yield StudyError((*path, field), str(path[-1]), expected, f"rename the factor, or remove {field}")


def _map_problems(path: FieldPath, factor: Factor, factors: dict[str, KnownFactor]) -> Iterator[StudyError]:
    if factor.map is None:
        return
    where, source = (*path, "map", "from"), factor.map.from_
    model_factors = {name for name, one in factors.items() if one.type == "model"}
    model_factors |= set(OF_SYSTEMS) - set(factors)
    known = sorted(model_factors) if factor.type == "model" else [n for n in factors if n not in model_factors]
    known = [name for name in known if name != path[-1]]
    if factor.type != "model" and source in model_factors:
        expected = f"type: model, because {source} is a factor of models"
        yield StudyError((*path, "type"), factor.type, expected, "write type: model")
    elif source not in known:
        kind = "a factor of models" if factor.type == "model" else "a factor of the prompts"
        yield unknown_name(where, source, kind, known, "declare it under factors:")


def _circles(draft: Draft) -> Iterator[StudyError]:
    ordered = mapped_factors(draft.parts.factors)
    for name, factor in draft.parts.factors.items():
        if factor.map is not None and name not in ordered and factor.map.from_ != name:
            expected = "a factor that is not mapped back from this one"
            yield StudyError(("factors", name, "map", "from"), factor.map.from_, expected, "break the circle")


def _combination_problems(draft: Draft, prompts: Prompts) -> Iterator[StudyError]:
    """A listed combination that a condition forbids would be left out without a word."""
    declared = draft.parts.factors
    for index, levels in enumerate(prompts.templates.combinations if prompts.templates else ()):
        decided = {name: one for name, one in declared.items() if set(one.conditions) <= set(levels)}
        if not fits_conditions(decided, levels):
            expected = "levels that the conditions of factors (when) allow together"
            path: FieldPath = ("prompts", "templates", "combinations", index)
            yield StudyError(path, levels, expected, "correct the combination, or take it out")


def _condition_problems(
    path: FieldPath, factor: Factor, factors: dict[str, KnownFactor], prompts: Prompts
) -> Iterator[StudyError]:
    if factor.when is None:
        return
    brought = [name for name in factors_of_prompts(prompts) if name != path[-1]]
    if prompts.scrape is not None or path[-1] not in factors_of_prompts(prompts):
        expected = "a factor that templates cross or an import has a column of"
        yield StudyError((*path, "when"), dict(factor.when), expected, "remove when")
        return
    for name, levels in factor.conditions.items():
        where: FieldPath = (*path, "when", name)
        if name not in brought:
            kind = "another factor that the prompts bring, without a condition of its own"
            yield unknown_name(where, name, kind, brought, f"take one of them; {listed(DERIVED)} are none")
            continue
        for level in levels:
            known = factors[name].levels
            if known is not None and level not in known:
                yield unknown_level(where, level, name, known)
