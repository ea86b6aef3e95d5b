"""Branches: they name levels, lead to every level without keywords, and have the words that they write."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from python_assets.errors import NOTHING, FieldPath, StudyError
from python_assets.study.problems import listed, unknown_name
from python_assets.study.study import Branch, Scrape
from python_assets.study_file.checks.engines import engine_problems
from python_assets.study_file.checks.factors import unknown_level
from python_assets.study_file.expand import Draft

BRANCH: FieldPath = ("prompts", "branch")
_ENGLISH: Final = "en"
LANGUAGE_NOT_BRANCHED: Final = "language_not_branched"
KEYWORDS: FieldPath = ("prompts", "scrape", "keywords")


def branch_problems(draft: Draft, scrape: Scrape, branch: Branch | None) -> Iterator[StudyError]:
    """What of the branches does not fit the scraped levels.

    Args:
        draft: its generations hold the engine that is asked for replacements.
        scrape: the levels and their keywords.
        branch: None where nothing is branched; then every level needs keywords of its own.
    """
    ends = [] if branch is None else branch.ends(scrape.levels)
    for level in scrape.levels:
        if level not in scrape.keywords and level not in [target for _, target in ends]:
            expected = f"keywords for {level!r}, because no branch leads to it"
            remedy = "add them, or add a branch to it, or remove the level"
            yield StudyError(KEYWORDS, NOTHING, expected, remedy)
    if branch is None:
        return
    yield from _level_problems(scrape, branch)
    yield from _merge_problems(scrape, branch)
    sources = [level for level in scrape.levels if level in scrape.keywords and level in dict(ends)]
    prompts = draft.parts.prompts
    is_written = prompts is not None and prompts.assemble.chosen_method == "written"  # which has its own language
    yield from _word_problems(scrape, branch, sources, ends, is_written=is_written)
    yield from _name_problems(draft, scrape, branch)


class _NamedLevels(NamedTuple):
    path: FieldPath
    level: str
    is_source: bool = False


def _level_problems(scrape: Scrape, branch: Branch) -> Iterator[StudyError]:
    for path, level, is_source in _named_levels(branch):
        if level not in scrape.levels:
            yield unknown_level(path, level, scrape.factor, scrape.levels)
        elif is_source and level not in scrape.keywords:
            expected = f"a level with keywords: {listed(scrape.keywords)}"
            yield StudyError(path, level, expected, "add keywords for it")


def _named_levels(branch: Branch) -> Iterator[_NamedLevels]:
    for end, levels in (("from", branch.from_), ("to", branch.to)):
        for index, level in enumerate(levels if isinstance(levels, list) else []):
            yield _NamedLevels((*BRANCH, end, index), level, end == "from")
    for index, pair in enumerate(branch.pairs or []):
        for position, level in enumerate(pair):
            yield _NamedLevels((*BRANCH, "pairs", index, position), level, position == 0 or branch.both_directions)
    yield from (_NamedLevels((*BRANCH, "replacements", level), level) for level in branch.replacements)
    yield from (_NamedLevels((*BRANCH, "forms", level), level) for level in branch.forms)
    for name, levels in branch.merge.items():
        yield from (_NamedLevels((*BRANCH, "merge", name, index), level) for index, level in enumerate(levels))


def _merge_problems(scrape: Scrape, branch: Branch) -> Iterator[StudyError]:
    seen: dict[str, str] = {}
    for name, levels in branch.merge.items():
        path: FieldPath = (*BRANCH, "merge", name)
        if name in scrape.levels and name not in levels:
            expected = "a name that no other level has"
            yield StudyError(path, name, expected, "rename it, or add the level of this name to the list")
        for index, level in enumerate(levels):
            if level in seen:
                expected = f"each level merged once; {level!r} merges into {seen[level]!r} already"
                yield StudyError((*path, index), level, expected, "remove one of them")
            seen.setdefault(level, name)


def _word_problems(
    scrape: Scrape, branch: Branch, sources: Sequence[str], ends: Sequence[tuple[str, str]], *, is_written: bool
) -> Iterator[StudyError]:
    if scrape.language != _ENGLISH and not branch.forms and not is_written:
        expected = f"the forms of every level in {scrape.language}, where words bend as they do not in English"
        remedy = f"write all forms of each level's words in branch.forms ({LANGUAGE_NOT_BRANCHED} without)"
        yield StudyError((*BRANCH, "forms"), NOTHING, expected, remedy)
    if branch.replacements and len(sources) > 1:
        expected = f"forms, because there are {len(sources)} levels to branch from"
        remedy = "write the words of every level in forms, or branch from one level"
        yield StudyError((*BRANCH, "replacements"), listed(sources), expected, remedy)
    if branch.forms:
        targets = {target for _, target in ends}
        yield from _form_problems(branch, sources, [level for level in scrape.levels if level in targets])


def _form_problems(branch: Branch, sources: Sequence[str], targets: Sequence[str]) -> Iterator[StudyError]:
    path: FieldPath = (*BRANCH, "forms")
    for level in sources:
        if level not in branch.forms:
            expected = f"the forms of {level!r}, which is branched from"
            yield StudyError(path, NOTHING, expected, f"add {level}: with the words to replace")
    names = list(dict.fromkeys(name for level in sources for name in branch.forms.get(level, {})))
    for level in dict.fromkeys([*sources, *targets]):
        if level in sources and level not in branch.forms:
            continue
        given = branch.forms.get(level, {})
        if missing := [name for name in names if name not in given]:
            expected = f"the forms {listed(names)} for {level!r}"
            yield StudyError((*path, level), list(given), expected, f"add {', '.join(missing)}")
    yield from _shared_words(branch, names)


def _shared_words(branch: Branch, names: Sequence[str]) -> Iterator[StudyError]:
    """A word that two levels have for one form: their branches would be one text."""
    for name in names:
        seen: dict[str, str] = {}
        for level, forms in branch.forms.items():
            words = forms.get(name, [])
            for word in [words] if isinstance(words, str) else words:
                if word in seen and branch.merged(seen[word]) != branch.merged(level):
                    expected = f"a word that no other level has; {seen[word]!r} has it as well"
                    remedy = "give each level its own, or merge them"
                    yield StudyError((*BRANCH, "forms", level, name), word, expected, remedy)
                seen.setdefault(word, level)


def _name_problems(draft: Draft, scrape: Scrape, branch: Branch) -> Iterator[StudyError]:
    for index, tag in enumerate(branch.source_tags or []):
        if tag not in scrape.tags:
            path: FieldPath = (*BRANCH, "source_tags", index)
            yield unknown_name(path, tag, "the tag of a source", scrape.tags, "correct it")
    yield from engine_problems(draft, (*BRANCH, "check"), branch.check)
    if branch.find is not None:
        yield from engine_problems(draft, (*BRANCH, "find", "engine"), branch.find.engine)
