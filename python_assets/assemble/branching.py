"""Branches of root prompts: the same prompt with the words of another level (SAGED 2.3, C.2).

A branch differs from its root in those words and in nothing else, so a prompt that names a third level, or
one in which a word of its own level has no counterpart, gets no branch. Which words these are is
vocabulary.py, and whether they are of one part of speech word_classes.py.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from python_assets.assemble.prompts import AssembledPrompt
from python_assets.assemble.vocabulary import Ends, Replaced, Vocabulary
from python_assets.assemble.word_classes import changes_word_class
from python_assets.study.base import ID_SEPARATOR
from python_assets.study.study import Branch


class BranchOutcome(NamedTuple):
    """What became of a pair of a root prompt and a level that it is branched to.

    root_level, level: before levels are merged. dropped_reason: None where there is a branch; words: what the
    reason is about.
    """

    root_prompt_id: str
    root_level: str
    level: str
    dropped_reason: str | None = None
    words: str | None = None


class Branched(NamedTuple):
    """The branches of root prompts, and what became of each pair of root and level, in order of both."""

    branches: list[AssembledPrompt]
    outcomes: list[BranchOutcome]

    @property
    def n_dropped(self) -> Counter[str]:
        """How many pairs got no branch, by reason."""
        return Counter(one.dropped_reason for one in self.outcomes if one.dropped_reason is not None)


def is_branched(root: AssembledPrompt, branch: Branch) -> bool:
    """Tell whether a root prompt is of a source that is branched at all."""
    return branch.source_tags is None or root.source_tag in branch.source_tags


class Rewritten(NamedTuple):
    """A root prompt and its baseline in the words of another level, and why they are no branch, if they are none.

    baseline: None where baselines are not branched. words: what the reason is about.
    """

    prompt: Replaced
    baseline: Replaced | None
    dropped_reason: str | None = None
    words: str | None = None


class Rewriter:
    """Writes root prompts in the words of other levels, each once: for its check, and for its branches.

    Attributes:
        vocabulary: the words of the levels.
        branch: which sources are branched, and whether baselines are.
    """

    def __init__(self, vocabulary: Vocabulary, branch: Branch) -> None:
        """Take the words of the levels, and what the study says of branches."""
        self.vocabulary, self.branch = vocabulary, branch
        self._written: dict[tuple[str, str | None, str], dict[str, Rewritten]] = {}

    def of(self, prompt: str, baseline: str | None, level: str) -> Mapping[str, Rewritten]:
        """A root prompt in the words of each level that its own is branched to, in their order.

        Args:
            prompt: of the source level.
            baseline: the text that it is measured beside.
            level: the source level.
        """
        key = (prompt, baseline, level)
        if key not in self._written:
            others = self.vocabulary.words_of_others(level, prompt)
            targets = self.vocabulary.targets(level)
            self._written[key] = {to: self._rewritten(prompt, baseline, (level, to), others) for to in targets}
        return self._written[key]

    def _rewritten(self, prompt: str, baseline: str | None, ends: Ends, others: Sequence[str]) -> Rewritten:
        written = self.vocabulary.replace(prompt, *ends)
        new_baseline = self.vocabulary.replace(baseline or "", *ends) if self.branch.counterfactual_baseline else None
        if others:
            return Rewritten(written, new_baseline, "names_another_level", _listed(others))
        if left := written.left or (() if new_baseline is None else new_baseline.left):
            return Rewritten(written, new_baseline, "word_without_replacement", _listed(left))
        if changes_word_class(prompt, self.vocabulary, ends):
            pairs = (f"{word} -> {other}" for word, other in written.replacements.items())
            return Rewritten(written, new_baseline, "word_without_replacement", _listed(pairs))
        return Rewritten(written, new_baseline, None if written.replacements else "no_replacement")


def branch_prompts(roots: Sequence[AssembledPrompt], factor: str, rewriter: Rewriter) -> Branched:
    """Make the branches of root prompts.

    Args:
        roots: prompts with one level of the factor; levels and source tags that are not branched from are
            passed over.
        factor: the factor that branches change.
        rewriter: writes them; where baselines are not branched, branches keep the root's.

    Returns:
        Branches in order of root and level. Dropped are pairs of root and level with names_another_level
        (the prompt names a level that is not its own, as a question may), word_without_replacement (it would
        name the root's level still, or what would be written is of another part of speech) and no_replacement
        (it would be the root's).
    """
    branches = []
    outcomes = []
    for root in roots:
        if not is_branched(root, rewriter.branch):
            continue
        level = root.levels[factor]
        for target, one in rewriter.of(root.prompt_text, root.baseline_text, level).items():
            outcomes.append(BranchOutcome(root.root_prompt_id, level, target, one.dropped_reason, one.words))
            if one.dropped_reason is None:
                branches.append(_branch(root, factor, target, one.prompt, one.baseline))
    return Branched(branches, outcomes)


def branch_id(root_prompt_id: str, level: str) -> str:
    """The id that the branch of a root prompt to a level has."""
    return f"{root_prompt_id}{ID_SEPARATOR}{level}"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def merge_levels(prompts: Sequence[AssembledPrompt], factor: str, branch: Branch) -> list[AssembledPrompt]:
    """Give prompts of merged levels the level that these become; their ids and texts stay (SAGED A.2).

    Args:
        prompts: root prompts and their branches.
        factor: the factor whose levels merge.
        branch: which levels become one.
    """
    return [
        prompt._replace(levels=prompt.levels | {factor: branch.merged(prompt.levels[factor])}) for prompt in prompts
    ]


def _branch(
    root: AssembledPrompt, factor: str, target: str, prompt: Replaced, baseline: Replaced | None
) -> AssembledPrompt:
    branch = root._replace(
        prompt_id=branch_id(root.root_prompt_id, target),
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
