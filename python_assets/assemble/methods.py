"""Prompt methods by name: how sentences become prompts, and where a new method registers itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from python_assets.registry import Registry
from python_assets.study.study import PromptTask, Study
from python_assets.warehouse.run_context import RunContext


class Sentence(NamedTuple):
    """A sentence that was kept, of one level: a row of raw.sentences."""

    sentence_id: str
    document_id: str
    source_tag: str
    level: str
    keyword: str
    text: str


class Made(NamedTuple):
    """A prompt made from a sentence, or the reason why there is none."""

    prompt_text: str | None
    reason: str | None


class MethodJob(NamedTuple):
    """What a method may use besides the sentences; keywords: of every level, at least its name."""

    study: Study
    run_context: RunContext | None
    keywords: Mapping[str, Sequence[str]]


# one result a sentence, in order
Maker = Callable[[Sequence[Sentence]], list[Made]]


class PromptMethod(NamedTuple):
    """A way from sentences to prompts, and the task that its prompts set.

    maker: what makes the prompts of one study; it is called with some of the sentences, then with others.
    """

    task: PromptTask
    maker: Callable[[MethodJob], Maker]


METHODS: Registry[PromptMethod] = Registry("prompt method", __name__)
