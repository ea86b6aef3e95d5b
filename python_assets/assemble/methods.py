"""Prompt methods by name: how a sentence becomes a prompt, and where a new method registers itself."""

from collections.abc import Callable
from typing import NamedTuple

from python_assets.registry import Registry
from python_assets.study import Task


class Made(NamedTuple):
    """A prompt made from a sentence, or the reason why there is none."""

    prompt_text: str | None
    reason: str | None


class PromptMethod(NamedTuple):
    """A way from (sentence, keyword) to a prompt, and the task that its prompts set."""

    task: Task
    make: Callable[[str, str], Made]


METHODS: Registry[PromptMethod] = Registry("prompt method")
