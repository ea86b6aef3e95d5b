"""The words of the project, as docs/glossary.md has them: what it bans or renames can only become rarer."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from tests.words import WITHOUT_A_LINE, breaches, budget, homonyms, identifiers, named, prose, renamed, with_a_line

GOLDEN = json.loads(Path(__file__).with_name("words_golden.json").read_text(encoding="utf-8"))
MOST_SHOWN = 40
LOWER = "python -m tests.words, and commit the lower number"


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["text"])
def test_banned_words_are_found_and_others_are_not(case):
    assert sorted(set(breaches(case["text"]))) == case["banned"]


@pytest.mark.parametrize(
    ("kind", "counted"),
    {"prose": [prose], "identifiers": [identifiers, homonyms], "old names": [renamed]}.items(),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_count_is_its_budget_and_can_only_fall(kind, counted):
    by_area = defaultdict(list)
    for count in counted:
        for match in count():
            by_area[match.area].append(match)
    allowed = {area: n for area, n in budget().items() if area.startswith(f"{kind}: ")}
    for area in allowed | by_area:
        found, most = by_area.get(area, []), allowed.get(area, 0)
        assert len(found) <= most, "\n".join([f"{area}: {len(found)}, at most {most}", *map(str, found[-MOST_SHOWN:])])
        assert len(found) >= most, f"{area}: {len(found)}, no longer {most}: {LOWER}"


def test_a_new_key_table_or_command_has_a_line_in_the_glossary():
    without = set(WITHOUT_A_LINE.read_text(encoding="utf-8").split())
    assert named() - with_a_line() - without == set(), "write it into docs/glossary.md"
    assert without - named() == set(), f"they are no more: {LOWER}"
    assert without & with_a_line() == set(), f"they have a line: {LOWER}"
