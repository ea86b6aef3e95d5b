"""Measures by a packaged set of labels that plain sentences show to be too weak for answers.

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
