"""Numbers, reasons and verdicts as the words of the report.

Belongs here: how one value is written. What is shown and in which order is sections.py and figures.py.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from python_assets.published.plain_numbers import rounded
from python_assets.study.base import AS_WRITTEN_READING
from python_assets.study.problems import plural as plural  # a word of the report, too

VERDICT_WORDS: Final[dict[str, str]] = {
    "beyond_margin": "beyond margin",
    "different": "significant difference",
    "equivalent": "equivalent",
    "inconclusive": "inconclusive",
    "not_tested": "not tested",
}
DIRECTIONS: Final[dict[str, str]] = {
    "higher_better": "higher is better",
    "higher_worse": "higher is worse",
    "none": "no direction declared",
}
SIMILAR_UNITS_SCOPE: Final = "similar units, these prompts"  # a word of column scope
SIMULATED: Final = "Simulated responses: no statement about a real model."
MINUS: Final = "\N{MINUS SIGN}"
MOST_IN_DIGITS: Final = 1e12
DASH: Final = "\N{EN DASH}"

Writer = Callable[[float | None], str]


DIFFERENCE_ROUNDING: Final = 1e-12  # what is left of a difference of equal numbers


def number(value: float | None) -> str:
    """A value with three significant digits, of which at most four stand after the point."""
    if value is None:
        return DASH
    size = abs(value)
    if size < DIFFERENCE_ROUNDING:
        return "0"
    if size >= 1000 or float(value).is_integer():
        return _signed(f"{value:,.0f}")
    if size < 0.0001:
        return _signed(f"{value:.1e}")
    decimals = 1 if size >= 10 else 2 if size >= 1 else 3 if size >= 0.1 else 4
    return _signed(f"{value:.{decimals}f}")


def fixed(value: float | None, decimals: int) -> str:
    """A value with so many digits after the point, as every number beside one scale has them."""
    if value is None:
        return DASH
    written = f"{value:,.{decimals}f}"
    return _signed(written if float(written.replace(",", "")) else written.removeprefix("-"))


def plain(value: float) -> str:
    """A round number, such as a tick or an error rate, with the digits it needs and no more."""
    return _signed(f"{value or 0.0:,.10f}".rstrip("0").rstrip("."))


def interval(low: float | None, high: float | None, write: Writer = number) -> str:
    """Both limits in brackets; a side without a limit is unbounded, and without both there is no interval."""
    if low is None and high is None:
        return ""
    left = "(unbounded" if low is None else f"[{write(low)}"
    right = "unbounded)" if high is None else f"{write(high)}]"
    return f"{left}, {right}"


def probability(value: float | None) -> str:
    """A p or q value with three digits after the point."""
    if value is None:
        return DASH
    if value < 0.001:
        return "<.001"
    return ">.999" if value > 0.999 else rounded(value, 3).removeprefix("0")


def share(value: float | None) -> str:
    """A share of 0 to 1 in per cent; only all is written as 100 %, and only none as 0 %."""
    if value is None:
        return DASH
    per_cent = min(max(round(value * 100, 1), 0.1), 99.9) if 0 < value < 1 else value * 100
    return f"{per_cent:.1f}".removesuffix(".0") + " %"


def words(name: str | None) -> str:
    """A name or a reason in snake case as words."""
    return (name or "").replace("_", " ")


def verdict(name: str | None) -> str:
    """A verdict in words."""
    return VERDICT_WORDS.get(name or "", words(name))


def counted(count: int, one: str, many_of: str) -> str:
    """A count with a noun whose plural has no s: 1 hypothesis, 2 hypotheses."""
    return f"{count:,} {one if count == 1 else many_of}"


def direction(name: str | None) -> str:
    """Which end of a measure is the good one."""
    return DIRECTIONS.get(name or "none", words(name))


def many(count: float) -> str:
    """A count that may be a product too large for digits."""
    return f"{count:,.0f}" if count < MOST_IN_DIGITS else f"{count:.1e}".replace("e+", " × 10^")


def sample(hypothesis: Mapping[str, Any]) -> str:
    """What a question was measured on: root prompts, units such as names, or both.

    Groups that are compared within units count the units alone (columns n_units and n_root_prompts are one).
    """
    n_units, n_prompts = hypothesis["n_units"], hypothesis["n_root_prompts"] or 0
    if n_units in (None, n_prompts):
        return plural(n_prompts, "unit" if hypothesis["scope"] == SIMILAR_UNITS_SCOPE else "root prompt")
    return f"{plural(n_units, 'unit')} and {plural(n_prompts, 'root prompt')}"


def is_as_written(hypothesis: Mapping[str, Any]) -> bool:
    """Whether a question is of a measure that reads the words that name the group, which another reads without."""
    return str(hypothesis["measure_id"]).endswith(AS_WRITTEN_READING)


def listed(names: Sequence[str], most: int) -> str:
    """Names in a row, the first of them where there are more than that."""
    if len(names) > most:
        names = [*names[:most], f"{len(names) - most:,} more"]
    *others, last = names or [""]
    return f"{', '.join(others)} and {last}" if others else last


def shortened(text: str | None, length: int) -> str:
    """The first characters of a text, and how many there are in all where it is longer."""
    if text is None:
        return ""
    return text if len(text) <= length else f"{text[:length].rstrip()} … ({len(text):,} characters)"


def minus_signs(text: str) -> str:
    """A text with the real sign before numbers below 0, where it has the hyphen of the command line."""
    return re.sub(r"(?<![\w-])-(?=\d|\.\d)", MINUS, text)


def scope_words(row: Mapping[str, Any]) -> str:
    """What a hypothesis is about, and how the words of its groups were controlled; '' without a scope.

    Args:
        row: with scope, wording and n_negative_controls.
    """
    scope, wording = row["scope"], row["wording"]
    if not scope or wording not in ("one_wording", "negative_controls"):
        return scope or ""
    n = row["n_negative_controls"]
    how = "one wording a group" if wording == "one_wording" else f"compared with {plural(n or 0, 'control edit')}"
    return f"{scope}, these words ({how})"


def _signed(text: str) -> str:
    return text.replace("-", MINUS)
