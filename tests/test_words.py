"""The words of the project, as docs/glossary.md has them: what it bans or renames can only become rarer."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from tests.words import breaches, budget, matches, named, old_words_in_use, with_a_line, without_a_line

GOLDEN = json.loads(Path(__file__).with_name("words_golden.json").read_text(encoding="utf-8"))
MOST_SHOWN = 40
# an item's theme, names in an import, who speaks in a chat; levels of factors, what a term of a regression does
OTHER_SENSES = {
    *("theme", "called", "role", "clusters.theme", "factor_importance.role", "factor_importance.level"),
    *("prompt_factors.level", "system_factors.level", "keywords.level", "impossible_cells.level", "branches.level"),
}
LOWER = "python -m tests.words, and commit the lower number"


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["text"])
def test_banned_words_are_found_and_others_are_not(case):
    assert sorted({say for _, say in breaches(case["text"])}) == case["banned"]


def test_a_count_is_its_budget_and_can_only_fall():
    by_area, allowed = defaultdict(list), budget()
    for match in matches():
        by_area[match.area].append(match)
    for area in allowed | by_area:
        found, most = by_area.get(area, []), allowed.get(area, 0)
        assert len(found) <= most, "\n".join([f"{area}: {len(found)}, at most {most}", *map(str, found[-MOST_SHOWN:])])
        assert len(found) >= most, f"{area}: {len(found)}, no longer {most}: {LOWER}"


def test_a_new_key_table_or_command_has_a_line_in_the_glossary():
    without = without_a_line()
    assert named() - with_a_line() - without == set(), "write it into docs/glossary.md"
    assert without - named() == set(), f"they are no more: {LOWER}"
    assert without & with_a_line() == set(), f"they have a line: {LOWER}"


def test_an_old_name_of_one_word_is_no_key_column_or_value():
    assert old_words_in_use() == OTHER_SENSES
