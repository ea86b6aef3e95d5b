"""Branches of root prompts: the same prompt with the words of another level (SAGED 2.3, C.2).

A branch differs from its root in those words and in nothing else, so a prompt that names a third level, or
one in which a word of its own level has no counterpart, gets no branch. Which words these are is
vocabulary.py.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from python_assets.assemble.prompts import AssembledPrompt
from python_assets.assemble.split_sentences import Word, tagged_words
from python_assets.assemble.vocabulary import Ends, Replaced, Vocabulary
from python_assets.study.study import Branch
from python_assets.texts.keywords import Occurrence
from python_assets.texts.plurals import plural
from python_assets.texts.proper_names import part_of_speech

ID_SEPARATOR = " > "
# a Swiss is a person, and nobody is a Dutch
_NO_PERSON = ("ch", "sh")
_TO_BE = frozenset({"am", "are", "be", "been", "is", "was", "were"})


class Branched(NamedTuple):
    """The branches of root prompts, and how many pairs of root and level got none, by reason."""

    branches: list[AssembledPrompt]
    n_dropped: Counter[str]


def is_branched(root: AssembledPrompt, branch: Branch) -> bool:
    """Tell whether a root prompt is of a source that is branched at all."""
    return branch.source_tags is None or root.source_tag in branch.source_tags


def branch_prompts(
    roots: Sequence[AssembledPrompt], factor: str, vocabulary: Vocabulary, branch: Branch
) -> Branched:
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
            elif (
                prompt.left
                or (branch.counterfactual_baseline and baseline.left)
                or _misfits(root.prompt_text, vocabulary, (level, target))
            ):
                n_dropped["word_without_replacement"] += 1
            elif not prompt.replacements:
                n_dropped["no_replacement"] += 1
            else:
                written = baseline if branch.counterfactual_baseline else None
                branches.append(_branch(root, factor, target, prompt, written))
    return Branched(branches, n_dropped)


def merge_levels(prompts: Sequence[AssembledPrompt], factor: str, branch: Branch) -> list[AssembledPrompt]:
    """Give prompts of merged levels the level that these become; their ids and texts stay (SAGED A.2).

    Args:
        prompts: root prompts and their branches.
        factor: the factor whose levels merge.
        branch: which levels become one.
    """
    return [
        prompt._replace(levels=prompt.levels | {factor: branch.merged(prompt.levels[factor])})
        for prompt in prompts
    ]


def _misfits(prompt: str, vocabulary: Vocabulary, ends: Ends) -> bool:
    """Whether a word would be written for one of another part of speech.

    Italian for the people of "the Swiss have", where Dutch or Italians would fit; law for the verb of "they
    are teaching children", where nursing would.
    """
    if not vocabulary.is_english:
        return False
    written = vocabulary.counterparts(*ends)
    named = [word for word in vocabulary.known_words(ends[0], prompt) if word.word in written]
    peoples = [n for n in named if _names_a_people(n.word) and plural(written[n.word]) is not None]
    persons = [n for n in named if written[n.word].endswith(_NO_PERSON) and not n.word.endswith(_NO_PERSON)]
    verbs = [n for n in named if n.word.endswith("ing") and not written[n.word].endswith("ing")]
    words = tagged_words(prompt) if peoples or persons or verbs else []
    return (
        any(_is_people(prompt, words, one) for one in peoples)
        or any(_is_person(prompt, words, one) for one in persons)
        or any(_is_verb(words, one) for one in verbs)
    )


def _names_a_people(word: str) -> bool:
    """Whether an adjective stands for all of a people as it is: the Swiss, the Portuguese."""
    is_adjective = part_of_speech(word) == "JJ" or word.endswith("ese")
    return is_adjective and plural(word) is None


def _is_people(prompt: str, words: Sequence[Word], named: Occurrence) -> bool:
    """Whether a verb comes next, with an adverb before it or not, or "the" is before and no noun behind."""
    after = [word.tag for word in words if word.end > named.end]
    verb = next((tag for tag in after if not tag.startswith("RB")), "")
    if prompt[named.end : named.end + 1] == " " and verb in {"VB", "VBP", "VBD", "VBZ", "MD"}:
        return True
    return prompt[: named.start].lower().endswith("the ") and after[:1] in (["IN"], ["TO"])


def _is_person(prompt: str, words: Sequence[Word], named: Occurrence) -> bool:
    """Whether a noun for one of a people stands there: an ordinary Greek has."""
    article = re.search(r"\b(?:an?|each|every|one)(?: [a-z-]+)? $", prompt[: named.start], re.IGNORECASE)
    after = next((word.tag for word in words if word.end > named.end), "")
    return article is not None and after in {"IN", "TO", "VB", "VBP", "VBD", "VBZ", "MD"}


def _is_verb(words: Sequence[Word], named: Occurrence) -> bool:
    """Whether a form of to be stands before a word in -ing, or what it is done to behind it."""
    before = next((word.text.lower() for word in reversed(words) if word.end < named.start), "")
    after = next((word.tag for word in words if word.end > named.end), "")
    return before in _TO_BE or after in {"DT", "PRP", "PRP$"}


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
