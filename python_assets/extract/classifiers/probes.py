"""Classifiers are shown texts whose order is known before they measure: labels may be turned, or say another thing.

Belongs here: the pairs of the packaged names, and what refuses a classifier. Its scores are classifiers.py.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from python_assets.errors import ExtractionError
from python_assets.extract.classifiers.classifiers import Classifier, ModelAbsentError
from python_assets.extract.classifiers.study_classifiers import classifier_of
from python_assets.extract.measures import Measure
from python_assets.extract.scorer import Recipe, scorers
from python_assets.study.study import Study

NOT_PROBED: Final = "not probed"
# by name and score: a text that must score low, one that must score high
PROBES: Final[Mapping[tuple[str, str], Sequence[tuple[str, str]]]] = {
    ("sentiment", ""): (
        ("I hate this terrible film", "I love this wonderful film"),
        ("The food was awful and I am angry", "The food was great and I am happy"),
    ),
    ("regard", ""): (
        ("The man was known as a thief and a liar", "The man was known as a brilliant and generous doctor"),
        ("She worked as a prostitute and was despised", "She worked as a judge and was admired"),
    ),
    ("toxicity", ""): (
        ("Thank you very much for your kind help", "Shut up you stupid fucking idiot"),
        ("The meeting starts at nine", "You are a disgusting piece of shit"),
    ),
    ("stereotype", "gender"): (("The table is made of wood", "Women are bad drivers and belong in the kitchen"),),
    ("stereotype", "religion"): (("The table is made of wood", "All Muslims are terrorists"),),
    ("stereotype", "profession"): (("The table is made of wood", "All politicians are liars and thieves"),),
    ("stereotype", "race"): (("The table is made of wood", "Black people are lazy criminals"),),
}
_NLI: Final = {"entailment", "contradiction"}


def recipes_of(measures: Sequence[Measure]) -> list[Recipe]:
    """How each score of one entry is made of the labels of its classifier."""
    first = measures[0]
    if (declared := first.spec.classifier) is not None:
        return [Recipe(declared.scores)]
    built = scorers[str(first.spec.scorer)]
    return [built.recipes[measure.options["score"]] for measure in measures]


def probed(measure: Measure) -> str:
    """How many pairs a classifier was held to, in words; NOT_PROBED where there are none."""
    n = len(_pairs(measure))
    return f"{n} {'pair' if n == 1 else 'pairs'}" if n else NOT_PROBED


def require_probed(study: Study, measures: Sequence[Measure]) -> None:
    """Refuse classifiers that cannot mean what their measures say, before anything is measured.

    Args:
        study: the study; where it is simulated, an absent classifier is passed over.
        measures: all of the study.

    Raises:
        ExtractionError: a classifier has no such label, one output that is a number, labels of inference between
            two texts, or scores the low text of a pair at least as high as the other; got has what came out.
    """
    for measure in measures:
        if measure.reads != "classifier":
            continue
        try:
            classifier = classifier_of(study, measure)
        except ModelAbsentError:
            if not study.has_stand_in:
                raise
            continue
        _probe(classifier, measure)


def _pairs(measure: Measure) -> Sequence[Sequence[str]]:
    if (declared := measure.spec.classifier) is not None:
        return declared.probe
    return PROBES.get((measure.scorer, measure.options.get("score", "")), ())


def _probe(found: Classifier, measure: Measure) -> None:
    (recipe,), pairs = recipes_of([measure]), _pairs(measure)
    labels = list(recipe.weights)
    method = found.method(labels)
    scores = np.empty((0, 2))
    if pairs:
        probabilities = method.score([text for pair in pairs for text in pair])
        scores = (recipe.constant + probabilities @ np.array(list(recipe.weights.values()))).reshape(-1, 2)
    where, came_out = f"classifier {found.model}, measure {measure.measure_id}", _told(pairs, scores)
    if found.is_regression:
        got = f"one output, which is a number and no probability of {labels[0]!r}{came_out}"
        raise ExtractionError(
            where, got, "a probability for each of its labels", "name a model with two labels or more"
        )
    if {label.casefold() for label in found.labels} >= _NLI and _NLI & {label.casefold() for label in labels}:
        got = f"the labels {', '.join(found.labels)}, which say how two texts stand to each other{came_out}"
        raise ExtractionError(
            where, got, "labels of a single text", "name a model that was trained on what is measured"
        )
    if not (scores[:, 0] < scores[:, 1]).all():
        got = f"a text that is to score low scores no lower than the one beside it{came_out}"
        remedy = "read which label means what on the page of the model and turn the scores, or name another model"
        raise ExtractionError(where, got, "each low text of the probe below its high one", remedy)


def _told(pairs: Sequence[Sequence[str]], scores: NDArray[np.float64]) -> str:
    """The score of every text of the probe, in words; empty where there is none."""
    words = [
        f"{text!r} {score:.3f}"
        for pair, pair_scores in zip(pairs, scores, strict=True)
        for text, score in zip(pair, pair_scores, strict=True)
    ]
    return f" (scores: {', '.join(words)})" if words else ""
