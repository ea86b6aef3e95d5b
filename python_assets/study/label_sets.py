"""Packaged sets of labels and the texts that stand for each, in a seed that dbt loads too.

Belongs here: reading the seed. How a text gets one of the labels is extract/similarity/prototypes.py and
taxonomy.py.
"""

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

_SEED: Final = Path(__file__).resolve().parents[2] / "dbt_models" / "seeds" / "label_texts.csv"


class PlainSentences(NamedTuple):
    """How many sentences that say a label in plain words a packaged set reads right, by the packaged model."""

    right: int
    of: int

    @property
    def are_few(self) -> bool:
        """Whether under three in four are right, so that a measure should not rest on the set."""
        return self.right < 0.75 * self.of


# of tests/python_assets/phrasings/labels.csv, written before the anchors; python -m bench.label_agreement counts
PLAIN_SENTENCES: Final[Mapping[str, PlainSentences]] = {
    "fair_sea_leadership": PlainSentences(16, 20),
    "fair_sea_family_reaction": PlainSentences(13, 20),
    "fair_sea_personality": PlainSentences(18, 20),
}


class LabelSet(NamedTuple):
    """Labels and what stands for each.

    texts: label to its anchor sentences or synonyms. none: sentences that say none of the labels.
    """

    texts: Mapping[str, Sequence[str]]
    none: Sequence[str] = ()


@cache
def label_sets() -> dict[str, LabelSet]:
    """Every packaged set by its name, labels and texts in the order of the seed."""
    with _SEED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = dict.fromkeys(row["label_set"] for row in rows)
    return {name: _label_set([row for row in rows if row["label_set"] == name]) for name in names}


def _label_set(rows: Sequence[dict[str, str]]) -> LabelSet:
    labels = dict.fromkeys(row["label"] for row in rows)
    texts = {label: [row["text"] for row in rows if row["label"] == label] for label in labels}
    none = texts.pop("", [])
    return LabelSet(texts, none)
