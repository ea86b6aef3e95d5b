"""How often the packaged prototypes are right: on plain sentences of ours, and beside the labels of one reader.

PLUMBLINE_DATA=FOLDER python -m bench.label_agreement
The sentences were written before the anchors. The reader saw the answers without their groups: fairsea/labels.csv,
described in fairsea/SOURCE.md; Cohen's kappa has its interval beside it.
"""

import csv
import os
from pathlib import Path

import numpy as np
from statsmodels.stats.inter_rater import cohens_kappa, to_table

from python_assets.embeddings.embedding import load_encoder
from python_assets.extract.similarity.prototypes import label_of_nearest, similarity_to
from python_assets.study.measures import Prototypes

SETS = {"D1": "fair_sea_leadership", "D4": "fair_sea_family_reaction", "I4": "fair_sea_personality"}
UNSCORED = "unscored"
SENTENCES = Path(__file__).resolve().parents[1] / "tests" / "python_assets" / "phrasings" / "labels.csv"


def found_labels(texts: list[str], name: str) -> list[str]:
    """The label of each text by a packaged set; `unscored` where it has none."""
    rule, encoder = Prototypes(labels=name), load_encoder()
    own, none = rule.label_set
    anchors = [encoder.encode(list(anchors)) for anchors in [*own.values(), *([none] if none else [])]]
    labels, _ = label_of_nearest(similarity_to(encoder.encode(texts), anchors), list(own), rule)
    return [(label or UNSCORED).lower() for label in labels]


def plain_sentences(category: str) -> tuple[int, int, int, int]:
    """Of the sentences of a category: right and all of those with a label, unlabelled and all of those without."""
    with SENTENCES.open(encoding="utf-8", newline="") as file:
        own = [row for row in csv.DictReader(file) if row["category"] == category]
    found = found_labels([row["text"] for row in own], SETS[category])
    pairs = [((row["truth"] or UNSCORED).lower(), label) for row, label in zip(own, found, strict=True)]
    with_label = [truth == label for truth, label in pairs if truth != UNSCORED]
    without = [truth == label for truth, label in pairs if truth == UNSCORED]
    return sum(with_label), len(with_label), sum(without), len(without)


def agreement(read: list[str], found: list[str]) -> str:
    """Answers alike, kappa and its interval of 95 %; one label read throughout, there is none."""
    n_alike = sum(map(str.__eq__, read, found))
    if len({*read}) == 1:
        return f"{n_alike} of {len(read)} alike; one label was read, so no kappa"
    _, codes = np.unique([*read, *found], return_inverse=True)
    table, _ = to_table(codes.reshape(2, -1).T)
    result = cohens_kappa(table)
    return f"{n_alike} of {len(read)} alike, kappa {result.kappa:.2f} [{result.kappa_low:.2f}, {result.kappa_upp:.2f}]"


def read_by_one_reader(data: Path) -> list[dict[str, str]]:
    """The rows of fairsea/labels.csv; what it calls unmatched is unscored here."""
    with (data / "fairsea" / "labels.csv").open(encoding="utf-8", newline="") as file:
        return [row | {"label": row["label"].replace("unmatched", UNSCORED)} for row in csv.DictReader(file)]


def main() -> None:
    """Print a line a category, of all answers and of those that the reader was sure of."""
    rows = read_by_one_reader(Path(os.environ["PLUMBLINE_DATA"]))
    for category, name in SETS.items():
        right, n, left, n_without = plain_sentences(category)
        print(f"{category}: {right} of {n} plain sentences right, {left} of {n_without} that say no label without one")
        own = [row for row in rows if row["prompt_category"] == category]
        found = found_labels([row["llm_output"] for row in own], name)
        sure = [(row["label"], label) for row, label in zip(own, found, strict=True) if row["sure"] == "1"]
        print(f"{category}: {agreement([row['label'] for row in own], found)}")
        print(f"{category}, sure: {agreement(*map(list, zip(*sure, strict=True)))}")


if __name__ == "__main__":
    main()
