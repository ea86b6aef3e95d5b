"""Prompt methods by name: how sentences become prompts, and where a new method registers itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from python_assets.assemble.vocabulary import Vocabulary
from python_assets.registry import Registry
from python_assets.study.study import PromptTask, Study
from python_assets.warehouse.run_context import RunContext

PORTABLE: Final = "portable"


class Sentence(NamedTuple):
    """A sentence that was kept, of one level: a row of raw.sentences."""

    sentence_id: str
    document_id: str
    source_tag: str
    level: str
    keyword: str
    text: str


class Made(NamedTuple):
    """A prompt made from a sentence, or the reason why there is none, with the words that it is about."""

    prompt_text: str | None
    reason: str | None
    words: str | None = None


class Portability(NamedTuple):
    """Whether a prompt carries over to other levels: PORTABLE or why not, and the words that say so."""

    verdict: str
    words: str | None = None

    @property
    def is_portable(self) -> bool:
        """Whether there is no reason against it."""
        return self.verdict == PORTABLE


# of a sentence and the prompt that was made from it; None where it is not branched
CheckPortability = Callable[[Sentence, str], Portability | None]


class MethodJob(NamedTuple):
    """What a method may use besides the sentences.

    keywords: of every level, at least its name. check: whether a prompt would be used, for a method that can
    try again; None where it would in any case. vocabulary: what is written for the words of one level in
    branches to another, None where nothing is branched. method: the name of one; the study's where absent.
    """

    study: Study
    run_context: RunContext | None
    keywords: Mapping[str, Sequence[str]]
    check: CheckPortability | None = None
    vocabulary: Vocabulary | None = None
    method: str | None = None


# one result a sentence, in order
Maker = Callable[[Sequence[Sentence]], list[Made]]


class PromptMethod(NamedTuple):
    """A way from sentences to prompts, and the task that its prompts set.

    maker: what makes the prompts of one study; it is called with some of the sentences, then with others.
    has_baseline: whether the sentence that a prompt is of is its baseline.
    """

    task: PromptTask
    maker: Callable[[MethodJob], Maker]
    has_baseline: bool = True


METHODS: Registry[PromptMethod] = Registry("prompt method", __name__)
