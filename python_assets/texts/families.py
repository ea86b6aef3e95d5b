"""Families of English wordings, read from data files.

A family is a regular expression, words or both, or a name for a rule of code alone; sentences in which
something must be found and others that must be left are its tests. Belongs here: reading them. What they are
about stands beside the code that asks for them (assemble/portability, providers/refusal).
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from python_assets.texts.yaml_loader import LOADER

_NOTHING: Final = "(?!)"


class Family(NamedTuple):
    """One family.

    place: where in a prompt its expression is looked for; '' where a rule of code asks for it by name. finds:
    what is told of each sentence; '' where nothing but its being found is. leaves: sentences of which nothing is.
    """

    pattern: re.Pattern[str]
    words: frozenset[str]
    place: str
    finds: Mapping[str, str]
    leaves: tuple[str, ...]


@cache
def families(file: Path) -> Mapping[str, Family]:
    """The families of a file by name, in its order.

    Args:
        file: YAML. {words} in an expression stands for any word of its family, {part} for any of the file's
            `parts`, which may name the parts above them.

    Raises:
        ValueError: an expression names what is not there.
        re.error: an expression is none.
    """
    read = yaml.load(file.read_bytes(), LOADER)
    expressions: dict[str, str] = {}
    for name, alternatives in read.get("parts", {}).items():
        expressions[name] = _filled("|".join(alternatives), expressions.items())
    return {name: _family(name, spec, expressions) for name, spec in read["families"].items()}


def _family(name: str, told: Mapping[str, Any], parts: Mapping[str, str]) -> Family:
    pattern, words = told.get("pattern", _NOTHING), told.get("words", [])
    pattern = _filled(pattern, [("words", "|".join(words)), *parts.items()])
    if unknown := re.search(r"\{[a-z]\w*\}", pattern):
        raise ValueError(f"family {name} names {unknown.group()}, which is not there")
    finds = told["finds"] if isinstance(told["finds"], dict) else dict.fromkeys(told["finds"], "")
    return Family(re.compile(pattern), frozenset(words), told.get("place", ""), finds, tuple(told["leaves"]))


def _filled(pattern: str, parts: Iterable[tuple[str, str]]) -> str:
    for name, alternatives in parts:
        pattern = pattern.replace(f"{{{name}}}", alternatives)
    return pattern
