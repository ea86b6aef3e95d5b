"""Labels by rule: which of a few answers a text gives, by lists of words or by regular expressions.

A label is decided when one rule speaks for it and none for another; otherwise the text has no label and a
reason. Words are compared without regard to case and kind of apostrophe, as whole words: letters, digits and
combining marks make a word, so that scripts without blanks between words (Chinese, Thai) need patterns
instead.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from python_assets.extract.scorer import Score, TextMethod
from python_assets.texts.limits import MOST_CHARACTERS
from python_assets.texts.patterns import PatternTimeout, is_found
from python_assets.texts.words import normalise, word_character

Choices = Sequence[str] | Mapping[str, Sequence[str]]

_RULES: Final = "1"


def words_by_label(choices: Choices) -> dict[str, list[str]]:
    """The words of every label; a label without a list of its own is its own word."""
    if isinstance(choices, Mapping):
        return {label: list(words) for label, words in choices.items()}
    return {label: [label] for label in choices}


def choices_method(choices: Choices) -> TextMethod:
    """Decide labels by their words.

    The words of one label at the start of the text decide (method choice_start: 'Yes, because no one ...' is
    yes); quotation marks, markdown and the like before them do not count, and 'Yes and no' decides nothing.
    Otherwise the label whose words alone occur anywhere (choice_anywhere). Where words overlap, the one that
    begins first counts, then the longest: 'not biased' is not 'biased'.

    Args:
        choices: labels, or label to words; words are told apart after `normalise`.

    Returns:
        A method whose reasons are no_rule_matched and several_rules_matched.
    """
    words = words_by_label(choices)
    label_of = {normalise(word): label for label, listed in words.items() for word in listed}
    longest_first = "|".join(re.escape(word) for word in sorted(label_of, key=lambda word: (-len(word), word)))
    letter = word_character()
    start = re.compile(rf"[\W_]*?({longest_first})(?!{letter})")
    anywhere = re.compile(rf"(?<!{letter})({longest_first})(?!{letter})")
    joined = re.compile(rf"(?: and | or | ?[/&] ?)({longest_first})(?!{letter})")

    def score(text: str) -> Score:
        normalised = normalise(text[:MOST_CHARACTERS])
        if first := start.match(normalised):
            second = joined.match(normalised, first.end())
            labels = {label_of[match.group(1)] for match in (first, second) if match}
            return _decided(labels, "choice_start")
        labels = {label_of[match.group(1)] for match in anywhere.finditer(normalised)}
        return _decided(labels, "choice_anywhere")

    return _method("choices", words, score)


def patterns_method(patterns: Mapping[str, str]) -> TextMethod:
    """Decide labels by regular expressions: the label whose expression alone is found in the text.

    Args:
        patterns: label to expression of the package regex, used as written; (?i) at its start disregards
            case.

    Returns:
        A method whose reasons are no_rule_matched and several_rules_matched; it raises PatternTimeout.
    """

    def speaks(label: str, text: str) -> bool:
        try:
            return is_found(patterns[label], text)
        except PatternTimeout as error:
            raise error.at(("patterns", label)) from None

    def score(text: str) -> Score:
        read = text[:MOST_CHARACTERS]
        return _decided({label for label in patterns if speaks(label, read)}, "pattern")

    return _method("patterns", dict(patterns), score)


def _decided(labels: set[str], method: str) -> Score:
    if len(labels) == 1:
        return Score(label=labels.pop(), label_method=method)
    return Score(reason="several_rules_matched" if labels else "no_rule_matched")


def _method(key: str, rules: Mapping[str, object], score: Callable[[str], Score]) -> TextMethod:
    written = json.dumps(rules, sort_keys=True)
    digest = hashlib.sha256(written.encode()).hexdigest()[:16]
    return TextMethod(key, f"{key} {_RULES}, rules {digest}", lambda texts: [score(text) for text in texts])
