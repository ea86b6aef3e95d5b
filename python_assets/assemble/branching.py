"""Branches of root prompts: the same prompt with the words of another level (SAGED 2.3, C.2).

A branch differs from its root in those words and in nothing else, so a prompt that names a third level, or
one in which a word of its own level has no counterpart, gets no branch.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from python_assets.assemble.prompts import Prompt
from python_assets.scrape.keywords import Occurrence, WordFinder, capitalised
from python_assets.study import Branch, Scrape

ID_SEPARATOR = " > "


class Replaced(NamedTuple):
    """A text with words replaced, what was written for what was found, the level's words that still stand."""

    text: str
    replacements: dict[str, str]
    left: tuple[str, ...]


class Branched(NamedTuple):
    """The branches of root prompts, and how many pairs of root and level got none, by reason."""

    branches: list[Prompt]
    n_dropped: Counter[str]


class Vocabulary:
    """The words of every level, and which word of one level stands for which of another."""

    def __init__(self, scrape: Scrape, branch: Branch) -> None:
        """Collect the words: keywords, forms, replacements and the level's own name."""
        from_levels = scrape.levels if branch.from_ == "all" else branch.from_
        self.sources = [level for level in from_levels if level in scrape.keywords]
        self.targets = scrape.levels if branch.to == "all" else branch.to
        self._branch = branch
        self._forms = {
            level: {form: [words] if isinstance(words, str) else words for form, words in forms.items()}
            for level, forms in branch.forms.items()
        }
        levels = scrape.levels
        self._names = {level: self._names_of(level, scrape.words(level)) for level in levels}
        self._words = {level: self._names[level] | self._written_or_found(level) for level in levels}
        self._any_word = WordFinder(sorted(set().union(*self._words.values())))
        self._own_words = {level: WordFinder(sorted(words)) for level, words in self._words.items()}
        self._mappings: dict[tuple[str, str], tuple[dict[str, str], WordFinder]] = {}

    def names_another_level(self, level: str, text: str) -> bool:
        """Tell whether a text holds a word of another level that is no word of its own level."""
        return any(found.word not in self._words[level] for found in self._any_word.find(text))

    def replace(self, text: str, source: str, target: str) -> Replaced:
        """Write the words of the target level for those of the source level, all in one pass.

        Args:
            text: a prompt or baseline of the source level.
            source: a level.
            target: another level.

        Returns:
            The new text; left names the words of the source level for which the target level has none.
        """
        if (source, target) not in self._mappings:
            mapping = self._mapping(source, target)
            self._mappings[source, target] = (mapping, WordFinder(mapping))
        mapping, finder = self._mappings[source, target]
        found = finder.find(text)
        named = self._own_words[source].find(text)
        left = tuple(word.word for word in named if not self._is_replaced(word, found, self._names[source]))
        return Replaced(*replace_words(text, mapping, found), left)

    def _names_of(self, level: str, keywords: Sequence[str]) -> set[str]:
        return {level, *keywords, *(word for words in self._forms.get(level, {}).values() for word in words)}

    def _written_or_found(self, level: str) -> set[str]:
        words = set(self._branch.replacements.get(level, {}).values())
        if self.sources == [level]:
            words.update(word for replacements in self._branch.replacements.values() for word in replacements)
        return words

    def _mapping(self, source: str, target: str) -> dict[str, str]:
        written = self._forms.get(target, {})
        shared = {form: words for form, words in self._forms.get(source, {}).items() if form in written}
        mapping = {word: written[form][0] for form, words in shared.items() for word in words}
        mapping.update(self._branch.replacements.get(target, {}))
        mapping.setdefault(source, target)
        return mapping

    @staticmethod
    def _is_replaced(word: Occurrence, found: Sequence[Occurrence], names: set[str]) -> bool:
        """A name must be replaced from end to end; a word of another target's dictionary, in part."""
        if word.word in names:
            return any(other.start <= word.start and word.end <= other.end for other in found)
        return any(other.start < word.end and word.start < other.end for other in found)


def replace_words(
    text: str, mapping: dict[str, str], found: Sequence[Occurrence]
) -> tuple[str, dict[str, str]]:
    """Write mapping[word] for every occurrence of a word.

    Args:
        text: any text.
        mapping: what to write, by word.
        found: occurrences of those words in the text, in order, none overlapping another.

    Returns:
        The text, capitals kept as they were found (a first letter at the start of the text, a word all in
        capitals); and what was written for each spelling that was found.
    """
    pieces = []
    replacements = {}
    done = 0
    for occurrence in found:
        at_start = not any(map(str.isalnum, text[: occurrence.start]))
        written = _in_case(occurrence, mapping[occurrence.word], at_start)
        replacements[occurrence.text] = written
        pieces += [text[done : occurrence.start], written]
        done = occurrence.end
    return "".join([*pieces, text[done:]]), replacements


def branch_prompts(
    roots: Sequence[Prompt], factor: str, vocabulary: Vocabulary, counterfactual_baseline: bool
) -> Branched:
    """Make the branches of root prompts.

    Args:
        roots: prompts with one level of the factor; levels that are no source of branches are passed over.
        factor: the factor that branches change.
        vocabulary: the words of its levels.
        counterfactual_baseline: replace the words in the baseline too; otherwise branches keep the root's.

    Returns:
        Branches in order of root and level. Dropped are pairs of root and level with no_replacement (the
        prompt would be the root's) and word_without_replacement (it would name both levels).
    """
    branches = []
    n_dropped: Counter[str] = Counter()
    for root in roots:
        level = root.levels[factor]
        for target in vocabulary.targets if level in vocabulary.sources else []:
            if target == level:
                continue
            prompt = vocabulary.replace(root.prompt_text, level, target)
            baseline = vocabulary.replace(root.baseline_text or "", level, target)
            if not prompt.replacements:
                n_dropped["no_replacement"] += 1
            elif prompt.left or (counterfactual_baseline and baseline.left):
                n_dropped["word_without_replacement"] += 1
            else:
                written = baseline if counterfactual_baseline else None
                branches.append(_branch(root, factor, target, prompt, written))
    return Branched(branches, n_dropped)


def _branch(root: Prompt, factor: str, target: str, prompt: Replaced, baseline: Replaced | None) -> Prompt:
    branch = root._replace(
        prompt_id=f"{root.root_prompt_id}{ID_SEPARATOR}{target}",
        is_root=False,
        prompt_text=prompt.text,
        levels=root.levels | {factor: target},
        replacements=prompt.replacements,
    )
    if baseline is None or root.baseline_text is None:
        return branch
    return branch._replace(
        baseline_text=baseline.text,
        baseline_kind="counterfactual",
        replacements=prompt.replacements | baseline.replacements,
    )


def _in_case(found: Occurrence, written: str, at_start: bool) -> str:
    if found.text == found.word:
        return capitalised(written) if at_start else written
    return capitalised(written) if found.text == capitalised(found.word) else written.upper()
