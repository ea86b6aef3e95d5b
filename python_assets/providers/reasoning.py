"""What a reasoning model thinks aloud before it answers, told from the answer.

Belongs here: the marks that families of models write, and telling by them. A server that sends reasoning in a
field of its own has told already.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

from python_assets.providers.records import Answer

# Opening mark to closing mark, as the chat templates of these families have them.
REASONING_TAGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "<think>": "</think>",  # DeepSeek, Qwen, GLM, MiniMax, Nemotron, Phi, OLMo
        "<thinking>": "</thinking>",
        "<thought>": "</thought>",  # EXAONE, Gemini
        "<reasoning>": "</reasoning>",
        "<reflection>": "</reflection>",  # Reflection, which writes it within <thinking>, too
        "<scratchpad>": "</scratchpad>",  # as prompts ask for it
        "<analysis>": "</analysis>",
        "[THINK]": "[/THINK]",  # Mistral
        "<seed:think>": "</seed:think>",  # Seed-OSS
        "◁think▷": "◁/think▷",  # Kimi
        "<|channel>thought": "<channel|>",  # Gemma
        "<|START_THINKING|>": "<|END_THINKING|>",  # Command
        "<|begin_of_thought|>": "<|end_of_thought|>",  # OpenThinker
        "<|inner_prefix|>": "<|inner_suffix|>",  # Apertus
    }
)
# Around the answer, by models that reason; alone they may belong to the answer.
_ANSWER_TAGS: Final = {
    "<answer>": "</answer>",
    "<response>": "</response>",
    "<output>": "</output>",
    "<|START_RESPONSE|>": "<|END_RESPONSE|>",
    "<|begin_of_solution|>": "<|end_of_solution|>",
}

# OpenAI's harmony: <|channel|>analysis<|message|>...<|end|><|start|>assistant<|channel|>final<|message|>...
HARMONY_TOKENS: Final = frozenset(
    {"<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>", "<|return|>", "<|call|>"}
)
HARMONY_CHANNEL: Final = "<|channel|>"
_HARMONY_START: Final = re.compile(r"\s*(?:(?:<\|start\|>)?\s*assistant\s*)?<\|channel\|>")
_HARMONY_FINAL: Final = re.compile(
    r"(?:(?:<\|start\|>)?assistant)?<\|channel\|>\s*final\b[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
)
_HARMONY_END: Final = re.compile(r"<\|(?:end|return|call|start)\|>")
_HARMONY_HEADER: Final = re.compile(r"(?:<\|start\|>[^<]*)?<\|channel\|>[^<]*(?:<\|message\|>)?|<\|\w+\|>")
# the same by a server that leaves out control tokens
_BARE_START: Final = re.compile(r"\s*analysis(?=[A-Z\"'])")
_BARE_FINAL: Final = re.compile(r"assistantfinal")
_BARE_BEFORE: Final = re.compile(r"\s*analysis")
_BEGIN: Final = {mark[0] for pair in REASONING_TAGS.items() for mark in pair} | {HARMONY_CHANNEL[0]}


class _Parts(NamedTuple):
    answer: str
    reasoning: str


def part_reasoning(text: str, tags: Mapping[str, str] | None = None) -> tuple[str, str]:
    """Part a text into answer and reasoning.

    Args:
        text: as the model wrote it. Reasoning stands at its start within marks, several passages after one
            another; some chat templates write the opening mark themselves, so that only the closing one is
            there; where only the opening one is, the model was cut off while it reasoned. Of harmony's
            channels the answer is `final`.
        tags: opening to closing marks beside REASONING_TAGS.

    Returns:
        The answer, unchanged where there is no reasoning, and the reasoning without its marks, '' where there
        is none.
    """
    if _is_plain(text, tags or {}):
        return text, ""
    every = {**REASONING_TAGS, **(tags or {})}
    split = _harmony(text) or _within(text, every) or _up_to_closing(text, every)
    if split is None:
        return text, ""
    passages = [split.reasoning]
    while further := _harmony(split.answer) or _within(split.answer, every):
        split = further
        passages.append(split.reasoning)
    return _unwrapped(split.answer), "\n\n".join(filter(None, passages))


def begins_with_reasoning(text: str, tags: Mapping[str, str] | None = None) -> bool:
    """Tell whether a text opens with a mark of reasoning."""
    if _is_plain(text, tags or {}):
        return False
    return _harmony(text) is not None or _within(text, {**REASONING_TAGS, **(tags or {})}) is not None


def parted(answer: Answer, tags: Mapping[str, str]) -> Answer:
    """An answer whose text is without its reasoning, which its context holds as `reasoning`."""
    if answer.text is None:
        return answer
    text, reasoning = part_reasoning(answer.text, tags)
    if not reasoning:
        return replace(answer, text=text)
    context = dict(answer.context or {})
    context["reasoning"] = "\n\n".join(filter(None, [context.get("reasoning"), reasoning]))
    return replace(answer, text=text, context=context)


def _is_plain(text: str, tags: Mapping[str, str]) -> bool:
    """Whether a text has no character that a mark begins with: most have none, and an import has a million texts."""
    begin = _BEGIN | {mark[:1] for pair in tags.items() for mark in pair}
    return not any(map(text.__contains__, begin)) and not (_BARE_FINAL.search(text) or _BARE_BEFORE.match(text))


def _within(text: str, tags: Mapping[str, str]) -> _Parts | None:
    """Reasoning within marks at the start of a text."""
    for opening, closing in tags.items():
        opened = re.match(rf"\s*{_pattern(opening)}", text)
        if opened is None:
            continue
        closed = _closing_mark(text, opened.end(), opening, closing)
        if closed is None:
            return _Parts("", text[opened.end() :].strip())
        return _Parts(text[closed.end() :], text[opened.end() : closed.start()].strip())
    return None


def _closing_mark(text: str, start: int, opening: str, closing: str) -> re.Match[str] | None:
    """The mark that closes what was opened before `start`, marks within it included; None where there is none.

    Reasoning that names the opening mark opens nothing: the last closing one closes it then.
    """
    depth, closed = 1, None
    for mark in re.compile(rf"(?P<opens>{_pattern(opening)})|{_pattern(closing)}\s*").finditer(text, start):
        depth += 1 if mark["opens"] else -1
        if not mark["opens"]:
            closed = mark
        if depth == 0:
            break
    return closed


def _up_to_closing(text: str, tags: Mapping[str, str]) -> _Parts | None:
    """Reasoning whose opening mark the chat template wrote."""
    lowered = text.lower()
    for opening, closing in tags.items():
        if closing.lower() not in lowered:
            continue
        closed = re.search(rf"{_pattern(closing)}\s*", text)
        if closed and not re.search(_pattern(opening), text[: closed.start()]):
            return _Parts(text[closed.end() :], text[: closed.start()].strip())
    return None


@cache
def _pattern(tag: str) -> str:
    """Tags are written in any case; of a word in square brackets the case is the mark."""
    return f"(?i:{re.escape(tag)})" if tag.startswith("<") else re.escape(tag)


def _harmony(text: str) -> _Parts | None:
    """The final channel of harmony, its control tokens written or left out."""
    final = _HARMONY_FINAL.search(text)
    if final or _HARMONY_START.match(text):
        before, answer = (text[: final.start()], text[final.end() :]) if final else (text, "")
        return _Parts(_HARMONY_END.split(answer, maxsplit=1)[0], _HARMONY_HEADER.sub("\n", before).strip())
    final = _BARE_FINAL.search(text)
    if final and (begun := _BARE_BEFORE.match(text)):
        return _Parts(text[final.end() :], text[begun.end() : final.start()].strip())
    if begun := _BARE_START.match(text):
        return _Parts("", text[begun.end() :].strip())
    return None


def _unwrapped(answer: str) -> str:
    for opening, closing in _ANSWER_TAGS.items():
        if opened := re.match(rf"\s*{_pattern(opening)}\s*", answer):
            return re.split(rf"\s*{_pattern(closing)}", answer[opened.end() :], maxsplit=1)[0]
    return answer
