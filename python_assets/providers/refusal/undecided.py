"""Whether an answer to a request for a decision leaves it open: an answer, but no decision.

It asks back, weighs both sides, or says that it does not decide. Belongs here: telling these from answers that
nothing could be read of, by the expressions of undecided.yml. English only.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import yaml

from python_assets.texts.yaml_loader import LOADER

UNDECIDED_VERSION: Final = "undecided 2"
_PATTERNS: Final = Path(__file__).with_name("undecided.yml")
_MOST_CHARACTERS: Final = 4_000
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\uff07", "'"))
_MARKUP: Final = re.compile(r"[*_#>`]+")


class _Patterns(NamedTuple):
    """What an answer may do.

    answers: it says what speaks for and what against, or comes down on a side. decides: it comes down on one.
    leaves_open: in any way.
    """

    answers: re.Pattern[str]
    decides: re.Pattern[str]
    leaves_open: re.Pattern[str]


def goes_into_it(text: str) -> bool:
    """Tell whether a text takes a side, or says what speaks for each: no refusal, even where it cannot decide."""
    return _patterns().answers.search(_plain(text)) is not None


def is_undecided(text: str) -> bool:
    """Tell whether an answer that neither decides nor refuses leaves the decision open.

    Args:
        text: the answer, with the study's own words masked.
    """
    read, patterns = _plain(text), _patterns()
    return patterns.decides.search(read) is None and patterns.leaves_open.search(read) is not None


def _plain(text: str) -> str:
    return _MARKUP.sub("", text[:_MOST_CHARACTERS].translate(_APOSTROPHES))


@cache
def _patterns() -> _Patterns:
    raw = yaml.load(_PATTERNS.read_text(encoding="utf-8"), Loader=LOADER)
    expressions: dict[str, str] = raw["parts"]

    def filled(expression: str) -> str:
        return re.sub("<([a-z_]+)>", lambda name: filled(expressions[name[1]]), expression)

    def any_of(expressions: Iterable[str]) -> re.Pattern[str]:
        return re.compile("|".join(map(filled, expressions)), re.IGNORECASE)

    open_ways = (*raw["asks_back"], *raw["both_sides"], *raw["weighs"], *raw["leaves_open"])
    return _Patterns(
        answers=any_of((*raw["both_sides"], *raw["comes_down"])),
        decides=any_of((*raw["comes_down"], *raw["decides"])),
        leaves_open=any_of(open_ways),
    )
