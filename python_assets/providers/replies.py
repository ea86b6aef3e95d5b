"""What an engine replied, read as data: lists, mappings, yes or no.

Belongs here: reading alone. JSON and Python literals are parsed, nothing is evaluated; what cannot be read
is None, and the caller counts it.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

_FENCE: Final = re.compile(r"```[\w-]*\n?(.*?)```", re.DOTALL)
_BULLET: Final = re.compile(r"\s*(?:[-*\u2022\u2013]|\(?\d{1,3}[.):])\s+(?=\S)")
_ARROW: Final = re.compile(r"\s*(?:->|=>|\u2192|:)\s*")
_BOLD: Final = re.compile(r"\*\*(.+?)\*\*")
_QUOTES: Final = " \t\"'`*_\u201c\u201d\u2018\u2019"


def parse_list(text: str | None) -> list[str] | None:
    """The texts of a list.

    Args:
        text: a JSON or Python list, alone, fenced or within other words, or one entry a bulleted line.

    Returns:
        Its entries in order without blanks around them, empty ones left out; None where there is no list, or
        one that holds more than texts and numbers.
    """
    for value in _literals(text or "", "[", "]"):
        if isinstance(value, list | tuple) and all(map(_is_scalar, value)):
            return [entry for entry in map(_written, value) if entry]
    return [_bare(entry) for entry in _bulleted(text or "") if _bare(entry)] or None


def parse_mapping(text: str | None) -> dict[str, str] | None:
    """The texts of a mapping.

    Args:
        text: a JSON object or Python dictionary, alone, fenced or within other words, or one `a: b` or
            `a -> b` a bulleted line.

    Returns:
        Its entries in order, those with an empty side left out; None where there is no mapping, or one that
        holds more than texts and numbers.
    """
    for value in _literals(text or "", "{", "}"):
        if isinstance(value, dict) and all(map(_is_scalar, [*value, *value.values()])):
            return _filled((_written(key), _written(word)) for key, word in value.items())
    pairs = [_ARROW.split(line, maxsplit=1) for line in _bulleted(text or "")]
    if not pairs or any(len(pair) < 2 for pair in pairs):
        return None
    return _filled((_bare(key), _bare(word)) for key, word in pairs) or None


def parse_yes_no(text: str | None) -> bool | None:
    """Whether a reply says yes: its first or last word, upper and lower case alike.

    Returns:
        None where neither is yes or no, or the first says one and the last the other.
    """
    word = parse_one_of(text, ("yes", "no"))
    return None if word is None else word == "yes"


def parse_answers(text: str | None, questions: Sequence[str]) -> dict[str, bool] | None:
    """Yes or no to each of several questions.

    Args:
        text: a JSON object or Python dictionary, alone, fenced or within other words, or one `question: yes` a
            bulleted line; true and false count as yes and no.
        questions: the keys, as they were asked; others are passed over.

    Returns:
        One answer a question, in their order; None where one is missing or neither yes nor no.
    """
    for value in _literals(text or "", "{", "}"):
        if isinstance(value, dict):
            return _answers({str(key): _as_word(answer) for key, answer in value.items()}, questions)
    return _answers(parse_mapping(text) or {}, questions)


def _answers(said: Mapping[str, str], questions: Sequence[str]) -> dict[str, bool] | None:
    answers = {question: parse_yes_no(said.get(question)) for question in questions}
    readable = {question: answer for question, answer in answers.items() if answer is not None}
    return readable if len(readable) == len(questions) else None


def _as_word(answer: Any) -> str:
    return ("yes" if answer else "no") if isinstance(answer, bool) else str(answer)


def parse_one_of(text: str | None, words: Sequence[str]) -> str | None:
    """Which of some words a reply says: its first or last word, upper and lower case alike.

    Returns:
        None where neither is one of them, or the first says one and the last another.
    """
    any_word = "|".join(map(re.escape, words))
    places = (re.match(rf"\W*({any_word})\b", text or "", re.I), re.search(rf"\b({any_word})\W*\Z", text or "", re.I))
    matched_words = {match.group(1).lower() for match in places if match}
    return matched_words.pop() if len(matched_words) == 1 else None


def _literals(text: str, opening: str, closing: str) -> Iterator[Any]:
    """What can be parsed of a text: the whole, what is fenced, the widest part between brackets."""
    candidates = [text, *_FENCE.findall(text)]
    if opening in text and closing in text:
        candidates.append(text[text.index(opening) : text.rindex(closing) + 1])
    for candidate in candidates:
        if candidate.strip().startswith(opening):
            yield _literal(candidate.strip())


def _literal(text: str) -> Any:
    for read in (json.loads, ast.literal_eval):
        try:
            with warnings.catch_warnings():
                # a backslash that escapes nothing is no error of ours
                warnings.simplefilter("ignore", SyntaxWarning)
                return read(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    return None


def _bulleted(text: str) -> list[str]:
    lines = text.splitlines()
    return [line[match.end() :] for line in lines if (match := _BULLET.match(line))]


def _bare(entry: str) -> str:
    """A line's entry: what is bold at its start, else all of it, without quotes and a closing comma."""
    bold = _BOLD.match(entry.strip())
    return (bold.group(1) if bold else entry).strip().rstrip(",;").strip(_QUOTES)


def _filled(pairs: Iterator[tuple[str, str]]) -> dict[str, str]:
    return {key: word for key, word in pairs if key and word}


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _written(value: Any) -> str:
    return str(value).strip()
