"""The built-in extractors by the name a study file calls them by, and what each must declare.

Belongs here: the registry and the records that extractors share. An extractor itself is a file beside this
one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from python_assets.registry import Registry
from python_assets.study.study import Direction, Kind

# Engines raise or spread NaN on larger numbers (metrics.md).
LARGEST_NUMBER: Final = 1e100

Reason = Literal[
    "response_error",
    "no_response_text",
    "response_refused",
    "response_empty",
    "no_words",
    "no_baseline",
    "no_rule_matched",
    "undecided",
    "none_undecided",
    "several_rules_matched",
    "no_label_near",
    "several_labels_near",
    "not_finite",
    "missing_in_import",
    "invalid_annotation",
    "function_failed",
    "classifier_failed",
    "judge_disagrees",
    "judge_unusable",
    "other_language",
    "too_few_texts",
    "no_factor_level",
    "no_option",
    "no_option_probability",
    "no_labels",
    "too_few_labels",
    "labels_alike",
]
ScorerReads = Literal["text", "classifier", "embeddings", "flags", "trained"]


class Score(NamedTuple):
    """What was read off one text: a number, or a label with the rule that gave it, else a reason."""

    value: float | None = None
    label: str | None = None
    label_method: str | None = None
    reason: Reason | None = None


class TextMethod(NamedTuple):
    """A way to score texts one by one; key and version name it in the cache and in scorer_version."""

    key: str
    version: str
    score: Callable[[Sequence[str]], Sequence[Score]]


class ModelMethod(NamedTuple):
    """A way to score texts by a model that gives a number for each of its labels, all in one go.

    key and version name it in the cache; score gives one row a text, one column a label, NaN where it failed.
    """

    key: str
    version: str
    labels: Sequence[str]
    score: Callable[[Sequence[str]], NDArray[np.float64]]


class Recipe(NamedTuple):
    """A score made of the probabilities of labels: constant + the sum of weight times probability."""

    weights: Mapping[str, float]
    constant: float = 0.0


@dataclass(frozen=True, slots=True)
class Scorer:
    """A built-in measure, or several that are read together.

    Attributes:
        name: what raw.measures calls it.
        kind: continuous or binary; None where the study says it.
        unit: of its values.
        scale: lowest and highest possible value, None where there is none.
        direction: whether higher is better, worse or neither.
        languages: ISO 639-1 codes of what it was made for; empty where any text will do.
        reads: 'text' is called as (texts, parameters) -> list[Score]; 'embeddings' as (response vectors,
            baseline vectors, parameters) -> distances; 'flags' as (1, 0 or NaN of every response by flag,)
            -> numbers; 'classifier' as (model, revision) -> the loaded model, read by the recipes; 'trained' is
            a reader itself.
        version: gives what scorer_version says: everything a value depends on besides the text.
        source: where the method was published.
        function: does it.
        parameters: what a study file may set and to what; the first value is the default, no value means any.
        functions: parameters that may also be module:function, a function of the study's own.
        recipes: of a classifier, the scores by the end of their names; '' where it has one score.
    """

    name: str
    kind: Kind | None
    unit: str
    scale: tuple[float | None, float | None]
    direction: Direction
    languages: tuple[str, ...]
    reads: ScorerReads
    version: Callable[[], str]
    source: str
    function: Callable[..., Any]
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    functions: tuple[str, ...] = ()
    recipes: Mapping[str, Recipe] = field(default_factory=dict)


scorers: Final[Registry[Scorer]] = Registry("scorer", __name__)


def scorer(*names: str, **declared: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as a built-in measure.

    Args:
        names: what a study file may call it; the first is what the tables call it.
        declared: the attributes of Extractor besides name and function.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        built = Scorer(name=names[0], function=function, **declared)
        for name in names:
            scorers.register(name)(built)
        return function

    return register
