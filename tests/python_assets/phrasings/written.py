"""The phrasings that rules on answers are judged on: the project's own, and those of PLUMBLINE_DATA.

Ours were written in rounds; each but the first was judged before anything was changed for it
(docs/statistics.md, "What rules read off answers").
"""

import csv
from pathlib import Path

import pytest

_OWN = Path(__file__).parent


def own_phrasings(kind: str) -> list[tuple[str, str]]:
    """Text and truth of ours; kind: refusals, yes_no or multiple_choice."""
    return _read(_OWN / f"{kind}.csv")


def shared_phrasings(kind: str, data_folder: Path) -> list[tuple[str, str]]:
    """Text and truth of those that are not part of the repository; skips the test where they are absent."""
    path = data_folder / "phrasings" / f"{kind}.csv"
    if not path.is_file():
        pytest.skip(f"{path} does not exist: PLUMBLINE_DATA has no phrasings")
    return _read(path)


def _read(path: Path) -> list[tuple[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [(row["text"], row["truth"]) for row in csv.DictReader(file)]
