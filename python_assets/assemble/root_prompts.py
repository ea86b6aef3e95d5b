"""Root prompts of sentences: made by the study's method, checked whether they carry over, sampled.

Belongs here: what becomes of each sentence. Why a prompt does not carry over is portability.py.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

from python_assets.assemble.methods import (
    METHODS,
    CheckPortability,
    Made,
    Maker,
    MethodJob,
    Portability,
    PromptMethod,
    Sentence,
)
from python_assets.assemble.portability.portability import REASONS_AGAINST
from python_assets.assemble.prompts import AssembledPrompt
from python_assets.assemble.sampling import make_per_stratum
from python_assets.texts.identity import as_seen

SAME_TEXT: Final = "same_text"


class SentenceOutcome(NamedTuple):
    """What became of a sentence that was kept: why it is no prompt, and whether its prompt carries over.

    portability: PORTABLE or why not; None where no prompt was made, or none that is branched.
    portability_words: what the reason is about, that of a sentence which names another level included, or the
    root prompt that has the same text (SAME_TEXT).
    """

    sentence_id: str
    dropped_reason: str | None
    portability: str | None = None
    portability_words: str | None = None


class RootPrompts(NamedTuple):
    """Root prompts in the order of their sentences, and one outcome a sentence."""

    prompts: list[AssembledPrompt]
    outcomes: list[SentenceOutcome]


class _Tried(NamedTuple):
    prompt_text: str | None
    outcome: SentenceOutcome


def make_root_prompts(
    job: MethodJob, factor: str, sentences: Sequence[Sentence], check: CheckPortability, *, drops: Collection[str]
) -> RootPrompts:
    """Make prompts until each level and source tag has as many as the study wants; one of each text and level.

    Args:
        job: the study and its method.
        factor: the factor that sentences are of levels of.
        sentences: in order.
        check: whether a prompt carries over.
        drops: the reasons for which a prompt that does not is none.
    """
    assembling = job.study.prompts.assemble
    method = METHODS[job.method or assembling.chosen_method]
    tried = make_per_stratum(
        sentences,
        stratum=lambda sentence: (sentence.level, sentence.source_tag),
        content=lambda sentence: f"{sentence.level}\0{sentence.text}",
        max_per_stratum=assembling.max_per_level,
        seed=job.study.seed,
        make=_once_each(_checking(method.maker(job), check, drops=drops), job.study.prompts.level),
        is_made=lambda one: one.prompt_text is not None,
    )
    prompts = [
        _root_prompt(sentence, one.prompt_text, method, factor)
        for sentence, one in tried
        if one.prompt_text is not None
    ]
    outcomes = {sentence.sentence_id: one.outcome for sentence, one in tried}
    not_sampled = (SentenceOutcome(one.sentence_id, "not_sampled") for one in sentences)
    return RootPrompts(prompts, [outcomes.get(one.sentence_id, one) for one in not_sampled])


def check_again(roots: RootPrompts, factor: str, check: CheckPortability, *, drops: Collection[str]) -> RootPrompts:
    """Check root prompts anew, once more words are known that are replaced.

    Args:
        roots: as they were made.
        factor: the factor that they are of levels of.
        check: whether a prompt carries over.
        drops: the reasons for which one that does not is taken out.
    """
    judged = {root.prompt_id: check(_sentence(root, factor), root.prompt_text) for root in roots.prompts}
    outcomes = [
        _outcome(one.sentence_id, judged[one.sentence_id], drops=drops) if one.sentence_id in judged else one
        for one in roots.outcomes
    ]
    kept = {one.sentence_id for one in outcomes if one.dropped_reason is None}
    return RootPrompts([root for root in roots.prompts if root.prompt_id in kept], outcomes)


def _checking(
    make: Maker, check: CheckPortability, *, drops: Collection[str]
) -> Callable[[Sequence[Sentence]], list[_Tried]]:
    def make_and_check(sentences: Sequence[Sentence]) -> list[_Tried]:
        made = zip(sentences, make(sentences), strict=True)
        return [_checked(sentence, one, check, drops=drops) for sentence, one in made]

    return make_and_check


def _once_each(
    make: Callable[[Sequence[Sentence]], list[_Tried]], level_of: Callable[[str], str]
) -> Callable[[Sequence[Sentence]], list[_Tried]]:
    """Leave out prompts whose text and level an earlier one has: they would count as further root prompts."""
    taken: dict[tuple[str, str], str] = {}

    def first_of_each_text(sentence: Sentence, one: _Tried) -> _Tried:
        if one.prompt_text is None:
            return one
        first = taken.setdefault((level_of(sentence.level), as_seen(one.prompt_text)), sentence.sentence_id)
        if first == sentence.sentence_id:
            return one
        return _Tried(None, SentenceOutcome(sentence.sentence_id, SAME_TEXT, portability_words=first))

    def make_once_each(sentences: Sequence[Sentence]) -> list[_Tried]:
        return [first_of_each_text(*one) for one in zip(sentences, make(sentences), strict=True)]

    return make_once_each


def _checked(sentence: Sentence, made: Made, check: CheckPortability, *, drops: Collection[str]) -> _Tried:
    if made.prompt_text is None:
        # a method that tries again gives the reason of its last try
        is_refused = made.reason in REASONS_AGAINST
        refused = (made.reason, made.words) if is_refused else (None, None)
        return _Tried(None, SentenceOutcome(sentence.sentence_id, made.reason, *refused))
    outcome = _outcome(sentence.sentence_id, check(sentence, made.prompt_text), drops=drops)
    return _Tried(None if outcome.dropped_reason else made.prompt_text, outcome)


def _outcome(sentence_id: str, found: Portability | None, *, drops: Collection[str]) -> SentenceOutcome:
    if found is None:
        return SentenceOutcome(sentence_id, None)
    dropped_reason = found.verdict if found.verdict in drops else None
    return SentenceOutcome(sentence_id, dropped_reason, *found)


def _root_prompt(sentence: Sentence, text: str, method: PromptMethod, factor: str) -> AssembledPrompt:
    return AssembledPrompt(
        prompt_id=sentence.sentence_id,
        root_prompt_id=sentence.sentence_id,
        is_root=True,
        task=method.task,
        prompt_text=text,
        baseline_text=sentence.text if method.has_baseline else None,
        baseline_kind="actual" if method.has_baseline else None,
        source_tag=sentence.source_tag,
        levels={factor: sentence.level},
        keyword=sentence.keyword,
        document_id=sentence.document_id,
    )


def _sentence(root: AssembledPrompt, factor: str) -> Sentence:
    return Sentence(
        sentence_id=root.prompt_id,
        document_id=root.document_id,
        source_tag=root.source_tag,
        level=root.levels[factor],
        keyword=root.keyword,
        text=root.baseline_text or root.prompt_text,
    )
