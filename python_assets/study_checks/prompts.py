"""Prompts: keywords, sources and branches that name levels, templates that name factors."""

import re
from collections.abc import Iterator

from python_assets.study import Branch, Factor, Import, Scrape, Template, Templates
from python_assets.study_checks.factors import repeated, unknown_level
from python_assets.study_expand import Draft
from python_assets.study_factors import DERIVED
from python_assets.study_problems import NOTHING, FieldPath, Problem, listed, unknown_name

SCRAPE: FieldPath = ("prompts", "scrape")
BRANCH: FieldPath = ("prompts", "branch")
TEMPLATES: FieldPath = ("prompts", "templates")


def prompt_problems(draft: Draft) -> Iterator[Problem]:
    """The prompts of a study name factors and levels that are there."""
    prompts = draft.parts.prompts
    if prompts is None:
        return
    if prompts.scrape:
        yield from _scrape_problems(draft, prompts.scrape)
        yield from _reach_problems(prompts.scrape, prompts.branch)
    if prompts.scrape and prompts.branch:
        yield from _branch_problems(prompts.scrape, prompts.branch)
    if prompts.templates:
        yield from _template_problems(draft, prompts.templates)
    if prompts.import_:
        yield from _import_problems(prompts.import_)


def _scrape_problems(draft: Draft, scrape: Scrape) -> Iterator[Problem]:
    levels, name = scrape.levels, scrape.factor
    yield from repeated((*SCRAPE, "levels"), levels, "level")
    if scrape.reference is not None and scrape.reference not in levels:
        yield unknown_level((*SCRAPE, "reference"), scrape.reference, name, levels)
    for level in scrape.keywords:
        if level not in levels:
            yield unknown_level((*SCRAPE, "keywords", level), level, name, levels)
    for index, source in enumerate(scrape.sources):
        for position, level in enumerate(source.levels or []):
            if level not in levels:
                yield unknown_level((*SCRAPE, "sources", index, "levels", position), level, name, levels)
    declared = draft.parts.factors.get(name)
    if declared and declared.levels and set(declared.levels) != set(levels):
        expected = f"the levels of prompts.scrape: {listed(levels)}"
        yield Problem(("factors", name, "levels"), declared.levels, expected, "remove levels here")


def _reach_problems(scrape: Scrape, branch: Branch | None) -> Iterator[Problem]:
    """Every level gets prompts: by keywords of its own or as the target of a branch."""
    targets = set() if branch is None else set(scrape.levels if branch.to == "all" else branch.to)
    for level in scrape.levels:
        if level not in scrape.keywords and level not in targets:
            expected = f"keywords for {level!r}, because no branch leads to it"
            remedy = "add them, or add a branch to it, or remove the level"
            yield Problem((*SCRAPE, "keywords"), NOTHING, expected, remedy)
    for index, level in enumerate([] if branch is None or branch.from_ == "all" else branch.from_):
        if level in scrape.levels and level not in scrape.keywords:
            expected = f"a level with keywords: {listed(scrape.keywords)}"
            yield Problem((*BRANCH, "from", index), level, expected, "add keywords for it")


def _branch_problems(scrape: Scrape, branch: Branch) -> Iterator[Problem]:
    named: dict[FieldPath, str] = {}
    for end, levels in (("from", branch.from_), ("to", branch.to)):
        if isinstance(levels, list):
            named |= {(*BRANCH, end, index): level for index, level in enumerate(levels)}
    named |= {(*BRANCH, "replacements", level): level for level in branch.replacements}
    named |= {(*BRANCH, "forms", level): level for level in branch.forms}
    for path, level in named.items():
        if level not in scrape.levels:
            yield unknown_level(path, level, scrape.factor, scrape.levels)
    sources = [level for level in _ends(branch.from_, scrape) if level in scrape.keywords]
    if branch.replacements and len(sources) > 1:
        expected = f"forms, because there are {len(sources)} levels to branch from"
        remedy = "write the words of every level in forms, or branch from one level"
        yield Problem((*BRANCH, "replacements"), listed(sources), expected, remedy)
    if branch.forms:
        yield from _form_problems(scrape, branch, sources)


def _ends(levels: str | list[str], scrape: Scrape) -> list[str]:
    return [level for level in scrape.levels if isinstance(levels, str) or level in levels]


def _form_problems(scrape: Scrape, branch: Branch, sources: list[str]) -> Iterator[Problem]:
    path: FieldPath = (*BRANCH, "forms")
    for level in sources:
        if level not in branch.forms:
            expected = f"the forms of {level!r}, which is branched from"
            yield Problem(path, NOTHING, expected, f"add {level}: with the words to replace")
    names = list(dict.fromkeys(name for level in sources for name in branch.forms.get(level, {})))
    for level in dict.fromkeys([*sources, *_ends(branch.to, scrape)]):
        if level in sources and level not in branch.forms:
            continue
        given = branch.forms.get(level, {})
        if missing := [name for name in names if name not in given]:
            expected = f"the forms {listed(names)} for {level!r}"
            yield Problem((*path, level), list(given), expected, f"add {', '.join(missing)}")


def _template_problems(draft: Draft, templates: Templates) -> Iterator[Problem]:
    declared = draft.parts.factors
    with_levels = [name for name, factor in declared.items() if factor.levels]
    yield from repeated((*TEMPLATES, "cross"), templates.cross, "factor")
    for index, name in enumerate(templates.cross):
        if name not in with_levels:
            remedy = f"declare it: factors: {{{name}: {{levels: [...]}}}}"
            yield unknown_name(
                (*TEMPLATES, "cross", index), name, "a factor with levels", with_levels, remedy
            )
    yield from _combination_problems(draft, templates)
    ids = [text.id for text in templates.texts]
    for index, text in enumerate(templates.texts):
        path: FieldPath = (*TEMPLATES, "texts", index)
        if text.id in ids[:index]:
            yield Problem((*path, "id"), text.id, "each template id once", "rename one of them")
        yield from _levels_problems((*path, "factors"), text.factors, declared)
        for name in text.factors:
            if name in templates.cross or any(name in combination for combination in templates.combinations):
                expected = "a factor that is the template's own, or one that is crossed, not both"
                yield Problem((*path, "factors", name), name, expected, "remove it here")
        yield from _slot_problems(path, text, templates)


def _combination_problems(draft: Draft, templates: Templates) -> Iterator[Problem]:
    if templates.cross and templates.combinations:
        expected = "cross or combinations, not both"
        yield Problem((*TEMPLATES, "cross"), templates.cross, expected, "remove one of them")
    for index, combination in enumerate(templates.combinations):
        path: FieldPath = (*TEMPLATES, "combinations", index)
        if set(combination) != set(templates.combinations[0]):
            expected = f"the factors of the first combination: {listed(templates.combinations[0])}"
            yield Problem(path, list(combination), expected, "name the same factors in every combination")
        yield from _levels_problems(path, combination, draft.parts.factors)


def _levels_problems(
    path: FieldPath, chosen: dict[str, str], declared: dict[str, Factor]
) -> Iterator[Problem]:
    for name, level in chosen.items():
        if name not in declared:
            remedy = f"declare it: factors: {{{name}: {{levels: [...]}}}}"
            yield unknown_name((*path, name), name, "a declared factor", list(declared), remedy)
            continue
        levels = declared[name].levels
        if levels is not None and level not in levels:
            yield unknown_level((*path, name), level, name, levels)


def _slot_problems(path: FieldPath, text: Template, templates: Templates) -> Iterator[Problem]:
    """A slot is a factor that every prompt of the template has."""
    of_combinations = [set(combination) for combination in templates.combinations]
    known = {
        *templates.cross,
        *text.factors,
        *(set.intersection(*of_combinations) if of_combinations else ()),
    }
    for field in ("text", "baseline"):
        for slot in re.findall(r"\{(\w+)\}", getattr(text, field) or ""):
            if slot not in known:
                remedy = "add the factor to prompts.templates.cross, or take the braces away"
                yield unknown_name(
                    (*path, field), f"{{{slot}}}", "a slot of a crossed factor", sorted(known), remedy
                )


def _import_problems(spec: Import) -> Iterator[Problem]:
    for name in spec.factors:
        if name in DERIVED:
            expected = f"another name than {listed(DERIVED)}, which every prompt has"
            yield Problem(("prompts", "import", "factors", name), name, expected, "rename the factor")
