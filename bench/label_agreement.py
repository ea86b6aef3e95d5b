"""Cohen's kappa, with its interval, of the packaged prototypes with the labels of one reader.

PLUMBLINE_DATA=FOLDER python -m bench.label_agreement
The reader saw the answers without their groups: fairsea/labels.csv, described in fairsea/SOURCE.md.
"""

import csv
import os
from pathlib import Path

import numpy as np
from statsmodels.stats.inter_rater import cohens_kappa, to_table

from python_assets.embeddings.embedding import load_encoder
from python_assets.extract.prototypes import label_of_nearest, similarity_to
from python_assets.study.measures import Prototypes

SETS = {"D1": "fair_sea_leadership", "D4": "fair_sea_family_reaction", "I4": "fair_sea_personality"}
UNMATCHED = "unmatched"


def found_labels(texts: list[str], name: str) -> list[str]:
    """The label of each text by a packaged set; `unmatched` where it has none."""
    rule, encoder = Prototypes(labels=name), load_encoder()
    own, none = rule.label_set
    anchors = [encoder.encode(list(anchors)) for anchors in [*own.values(), *([none] if none else [])]]
    labels, _ = label_of_nearest(similarity_to(encoder.encode(texts), anchors), list(own), rule)
    return [(label or UNMATCHED).lower() for label in labels]


def agreement(read: list[str], found: list[str]) -> str:
    """Answers alike, kappa and its interval of 95 %; both alike throughout, there is no kappa."""
    n_alike = sum(map(str.__eq__, read, found))
    if len({*read, *found}) == 1:
        return f"{n_alike} of {len(read)} alike; one label, so no kappa"
    _, codes = np.unique([*read, *found], return_inverse=True)
    table, _ = to_table(codes.reshape(2, -1).T)
    result = cohens_kappa(table)
    return (
        f"{n_alike} of {len(read)} alike, kappa {result.kappa:.2f} "
        f"[{result.kappa_low:.2f}, {result.kappa_upp:.2f}]"
    )


def main() -> None:
    """Print a line a category, of all answers and of those that the reader was sure of."""
    path = Path(os.environ["PLUMBLINE_DATA"]) / "fairsea" / "labels.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for category, name in SETS.items():
        own = [row for row in rows if row["prompt_category"] == category]
        found = found_labels([row["llm_output"] for row in own], name)
        sure = [(row["label"], label) for row, label in zip(own, found, strict=True) if row["sure"] == "1"]
        print(f"{category}: {agreement([row['label'] for row in own], found)}")
        print(f"{category}, sure: {agreement(*map(list, zip(*sure, strict=True)))}")


if __name__ == "__main__":
    main()
