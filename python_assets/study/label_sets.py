"""Packaged sets of labels and the texts that stand for each, in a seed that dbt loads too.

Belongs here: reading the seed. How a text gets one of the labels is extract/prototypes.py and
extract/taxonomy.py.
"""

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

SEED: Final = Path(__file__).resolve().parents[2] / "dbt_models" / "seeds" / "label_texts.csv"


class LabelSet(NamedTuple):
    """Labels and what stands for each.

    texts: label to its anchor sentences or synonyms. none: sentences that say none of the labels.
    """

    texts: Mapping[str, Sequence[str]]
    none: Sequence[str] = ()


@cache
def label_sets() -> dict[str, LabelSet]:
    """Every packaged set by its name, labels and texts in the order of the seed."""
    with SEED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = dict.fromkeys(row["label_set"] for row in rows)
    return {name: _label_set([row for row in rows if row["label_set"] == name]) for name in names}


def _label_set(rows: Sequence[dict[str, str]]) -> LabelSet:
    labels = dict.fromkeys(row["label"] for row in rows)
    texts = {label: [row["text"] for row in rows if row["label"] == label] for label in labels}
    none = texts.pop("", [])
    return LabelSet(texts, none)
