"""Responses that are one choice of a measure and nothing else: they refuse in no language.

Running text may refuse behind any first word ("No puedo responder."), so that every word of it has to be the
choice's.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from python_assets.extract.labels.labels import words_by_label
from python_assets.extract.labels.short_answers import is_short_answer
from python_assets.providers.refusal.opening import json_values, opened
from python_assets.study.measures import MeasureSpec
from python_assets.texts.patterns import PatternTimeout, is_whole
from python_assets.texts.words import normalise, word_character

_ANOTHER_WORD: Final = "xxxx"


def is_choice(text: str, prompt: str, spec: MeasureSpec) -> bool:
    """Tell whether a response is nothing but a choice as its measure spells it.

    Punctuation, quotation marks and blanks around it do not count; nor does JSON with this one value. Of several words
    the prompt has to offer it: a measure may list a refusal ("prefiero no responder") among its choices.

    Args:
        text: the response.
        prompt: what it answers; '' where it is unknown.
        spec: a measure by choices or patterns.

    Raises:
        PatternTimeout: a pattern did not end.
    """
    return any(
        _is_spelled(spec, written) and (len(written.split()) == 1 or normalise(written) in normalise(prompt))
        for written in _ways_to_write(text)
    )


def _ways_to_write(text: str) -> Iterator[str]:
    """The whole response, and without what stands around its words."""
    read = opened(text)
    if (values := json_values(read)) is not None:
        read = values[0][1] if len(values) == 1 else ""
    if isinstance(read, str) and (written := " ".join(read.split())):
        yield written
        if words := _words().search(written):
            yield words.group()


@cache
def _words() -> re.Pattern[str]:
    return re.compile(rf"{word_character()}(?:.*{word_character()})?")


def _is_spelled(spec: MeasureSpec, written: str) -> bool:
    """Tell whether a choice of a measure is spelled so; a pattern that takes any word more spells none."""
    if isinstance(spec.choices, str):
        return is_short_answer(spec.choices, written)
    if spec.choices is not None:
        listed = (word for words in words_by_label(spec.choices).values() for word in words)
        return normalise(written) in map(normalise, listed)
    more = (f"{written} {_ANOTHER_WORD}", f"{_ANOTHER_WORD} {written}")
    for label, pattern in (spec.patterns or {}).items():
        try:
            if is_whole(pattern, written) and not any(is_whole(pattern, longer) for longer in more):
                return True
        except PatternTimeout as error:
            raise error.at(("patterns", label)) from None
    return False
