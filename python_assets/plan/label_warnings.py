"""What the plan says of measures of labels: of sets that are too weak for answers, and of a label that does nothing.

Belongs here: what the plan says of them. The figures are label_sets.py.
"""

from collections.abc import Iterator

from python_assets.study.label_sets import PLAIN_SENTENCES
from python_assets.study.study import Study


def label_warnings(study: Study) -> Iterator[str]:
    """One line a measure that needs an engine as judge; none where the study names an embedding of its own."""
    if study.embedding is not None:
        return
    for spec in study.measures:
        labels = spec.prototypes.labels if spec.prototypes else None
        reading = PLAIN_SENTENCES.get(labels) if isinstance(labels, str) else None
        if reading is not None and reading.are_few:
            yield (
                f"{spec.name} needs an engine as judge: the packaged reading labels {reading.right} of {reading.of} "
                "plain sentences right"
            )


def favourable_warnings(study: Study) -> Iterator[str]:
    """One line a measure of labels whose favourable one is not tested as a rate."""
    for spec in study.measures:
        if spec.favourable is not None and spec.kind != "binary":
            yield (
                f"{spec.name}: favourable changes no test without kind: binary; all labels are compared. Add kind: "
                f"binary to compare the rate of {spec.favourable}"
            )
