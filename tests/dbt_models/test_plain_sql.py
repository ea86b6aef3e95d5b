"""The SQL is plain: what gives other digits or another order in another run or version is not written.

Every .sql of models, macros and tests is read as text, without its comments. Source: architecture.md 8.
"""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.dbt_models.conftest import DBT_FOLDER

FILES = sorted(path for folder in ("models", "macros", "tests") for path in (DBT_FOLDER / folder).rglob("*.sql"))
# texts, whole numbers and times, whose order is the same everywhere; a double is rounded first
KEY = (
    r"(\w+\.)?(\w+_(id|position|key|mart|at)|n_\w+|factors?|level|metric|name|calibration|category|reference|statistic"
    r"|parameters|scale|is_\w+|(other_)?replicate|place)"
)
ORDERED = re.compile(rf"{KEY}( asc| desc)?|({KEY}|round\(.+\)) (asc|desc) nulls (first|last)")


class Rule(NamedTuple):
    """What must not be found, and what to write instead."""

    pattern: re.Pattern[str]
    instead: str


RULES = {
    "decimal literal": Rule(
        re.compile(r"(?<![\w.%])\d+\.\d+(?![\de])"),
        "1.0e0: a decimal literal has a fixed number of digits, and what is divided by it may have",
    ),
    "formatted number": Rule(
        re.compile(r"\b(printf|format_string|format|format_number|to_char)\b\s*'?\s*\("),
        "digits_in_key in a key; sentences are written by Python",
    ),
}
# written before the rules; each file leaves this list when its SQL is mended
NOT_YET: dict[str, set[str]] = {
    "macros/sample_quantiles.sql": {"order of a window"},
    "macros/sample_rank_correlations.sql": {"order of a window"},
    "macros/standard_averages.sql": {"order of a window"},
    "models/intermediate/statistics/int_statistic_profiles.sql": {"order of a window"},
}


def sql_of(path: Path) -> str:
    """The text of a file without comments, in lower case."""
    text = re.sub(r"\{#.*?#\}", "", path.read_text(), flags=re.DOTALL)
    return re.sub(r"--.*", "", text).lower()


def broken_rules(path: Path) -> set[str]:
    text = sql_of(path)
    found = {rule for rule, (pattern, _) in RULES.items() if pattern.search(text)}
    if any(not is_stated(item) for item in window_order(text)):
        found.add("order of a window")
    return found


def window_order(text: str) -> list[str]:
    """What the rows of a window are ordered by, item by item."""
    found = []
    for start in (match.end() for match in re.finditer(r"\border by\b", text)):
        opened = text.rfind("(", 0, start)
        if not re.search(r"(over|as)\s*$", text[:opened]):
            continue  # a query, or an aggregate
        depth, item = 0, ""
        for character in text[start:]:
            if depth == 0 and character in ",)":
                found.append(" ".join(item.split()))
                item = ""
                if character == ")":
                    break
                continue
            depth += (character == "(") - (character == ")")
            item += character
    return found


def is_stated(item: str) -> bool:
    """Whether an order is the same in every run: by a key, or rounded and with NULLs at a stated end."""
    return bool(ORDERED.fullmatch(item))


def test_sql_is_plain():
    found = {path.relative_to(DBT_FOLDER).as_posix(): broken_rules(path) for path in FILES}
    assert {name: rules for name, rules in found.items() if rules} == NOT_YET


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("select n / 2.0", "decimal literal"),
        ("select n / 2.0e0", None),
        ("-- section 2.1\nselect {# 0.5 #} 1", None),
        ("select printf('%.3g', x)", "formatted number"),
        ("select row_number() over (order by x)", "order of a window"),
        ("select row_number() over (partition by y order by abs(x) desc nulls last, z_id)", "order of a window"),
        ("select row_number() over (order by round(x, 9) asc nulls last, study_id asc)", None),
    ],
)
def test_a_broken_rule_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, rule: str | None):
    monkeypatch.setattr("tests.dbt_models.test_plain_sql.DBT_FOLDER", tmp_path)
    path = tmp_path / "model.sql"
    path.write_text(text)
    assert rule in broken_rules(path) if rule else not broken_rules(path)
