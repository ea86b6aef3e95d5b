"""Branches of root prompts: the same prompt with the words of another level (SAGED 2.3, C.2).

A branch differs from its root in those words and in nothing else, so a prompt that names a third level, or
one in which a word of its own level has no counterpart, gets no branch. Which words these are is
vocabulary.py, and whether they are of one part of speech word_classes.py.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from python_assets.assemble.prompts import AssembledPrompt
from python_assets.assemble.vocabulary import Ends, Replaced, Vocabulary
from python_assets.assemble.word_classes import changes_word_class
from python_assets.study.study import Branch

ID_SEPARATOR = " > "


class Branched(NamedTuple):
    """The branches of root prompts, and how many pairs of root and level got none, by reason."""

    branches: list[AssembledPrompt]
    n_dropped: Counter[str]


def is_branched(root: AssembledPrompt, branch: Branch) -> bool:
    """Tell whether a root prompt is of a source that is branched at all."""
    return branch.source_tags is None or root.source_tag in branch.source_tags


def branch_prompts(roots: Sequence[AssembledPrompt], factor: str, vocabulary: Vocabulary, branch: Branch) -> Branched:
    """Make the branches of root prompts.

    Args:
        roots: prompts with one level of the factor; levels and source tags that are not branched from are
            passed over.
        factor: the factor that branches change.
        vocabulary: the words of its levels.
        branch: whether baselines are branched too, and of which source tags; otherwise branches keep the
            root's baseline.

    Returns:
        Branches in order of root and level. Dropped are pairs of root and level with names_another_level
        (the prompt names a level that is not its own, as a question may), word_without_replacement (it would
        name the root's level still, or what would be written is of another part of speech) and no_replacement
        (it would be the root's).
    """
    branches = []
    n_dropped: Counter[str] = Counter()
    for root in roots:
        level = root.levels[factor]
        for target in vocabulary.targets(level) if is_branched(root, branch) else []:
            prompt = vocabulary.replace(root.prompt_text, level, target)
            baseline = vocabulary.replace(root.baseline_text or "", level, target)
            if vocabulary.names_another_level(level, root.prompt_text):
                n_dropped["names_another_level"] += 1
            elif word_without_replacement(root.prompt_text, root.baseline_text, vocabulary, (level, target), branch):
                n_dropped["word_without_replacement"] += 1
            elif not prompt.replacements:
                n_dropped["no_replacement"] += 1
            else:
                written = baseline if branch.counterfactual_baseline else None
                branches.append(_branch(root, factor, target, prompt, written))
    return Branched(branches, n_dropped)


def word_without_replacement(
    prompt: str, baseline: str | None, vocabulary: Vocabulary, ends: Ends, branch: Branch
) -> str | None:
    """A word of a prompt, or of a baseline that is branched too, that a target level has no word for.

    Args:
        prompt: of the source level.
        baseline: the text that it is measured beside.
        vocabulary: the words of the levels.
        ends: source and target level.
        branch: whether baselines are branched.

    Returns:
        None where there is none; the source level's own name where what would be written is of another part
        of speech.
    """
    left = vocabulary.replace(prompt, *ends).left
    if not left and branch.counterfactual_baseline:
        left = vocabulary.replace(baseline or "", *ends).left
    if left:
        return left[0]
    return ends[0] if changes_word_class(prompt, vocabulary, ends) else None


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
