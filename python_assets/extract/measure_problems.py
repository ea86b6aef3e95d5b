"""What a measure of a study file says that cannot be measured.

Belongs here: what one entry says by itself. Its names among those of the study are
study_file/checks/measures.py.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import regex
from pydantic import ValidationError

from python_assets.errors import FieldPath, StudyError
from python_assets.extract.labels.labels import words_by_label
from python_assets.extract.scorer import Scorer, scorers
from python_assets.registry import is_function_path
from python_assets.study.label_sets import label_sets
from python_assets.study.measures import CLUSTERINGS, LABELLING
from python_assets.study.problems import listed, unknown_name
from python_assets.study.study import Judge, Kind, MeasureSpec
from python_assets.texts.patterns import is_found
from python_assets.texts.words import normalise


def default_kind(spec: MeasureSpec) -> Kind:
    """What an entry without kind is: numbers where labels have numbers, 0 and 1 by rule, else labels."""
    if spec.scorer is not None and spec.scorer in scorers:
        return scorers[spec.scorer].kind or "categorical"
    if spec.when is not None:
        return "binary"
    has_numbers = spec.method in ("classifier", "option_probability") or (
        spec.rubric and isinstance(spec.rubric.options, dict)
    )
    return "continuous" if has_numbers else "categorical"


def spec_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    """What one measure of a study file says that cannot be measured.

    Args:
        path: where the measure stands.
        spec: the measure.
    """
    if spec.scorer is not None:
        yield from _scorer_problems(path, spec)
    elif spec.parameters:
        yield StudyError((*path, "parameters"), dict(spec.parameters), "scorer beside it", "remove the parameters")
    yield from _choice_problems(path, spec)
    yield from _pattern_problems(path, spec)
    yield from _label_text_problems(path, spec)
    yield from _direction_problems(path, spec)
    yield from _own_kind_problems(path, spec)
    yield from _annotation_problems(path, spec)


def _scorer_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    name = str(spec.scorer)
    if name not in scorers:
        remedy = "say how to measure it: choices, patterns, column or function"
        yield unknown_name((*path, "scorer"), name, "a built-in scorer", list(scorers), remedy)
        return
    built = scorers[name]
    if built.kind is None:
        yield from _trained_problems(path, spec)
    elif spec.kind not in (None, built.kind):
        yield StudyError((*path, "kind"), spec.kind, f"{built.kind}, which {name} is", "remove kind")
    for parameter, value in spec.parameters.items():
        yield from _parameter_problems((*path, "parameters", parameter), built, parameter, value)
    if built.reads == "classifier":
        yield from _computing_problems((*path, "parameters"), spec)


def _trained_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    """What people are asked for decides what their labels can train."""
    if spec.kind is None:
        expected = f"kind for {spec.scorer}: what people mark"
        yield StudyError((*path, "kind"), None, expected, "add kind: binary, categorical or continuous")
    elif spec.kind == "categorical" and len(set(spec.labels)) < 2:
        expected = "the labels that people choose from, two or more"
        yield StudyError((*path, "options"), spec.labels, expected, "add options: [..., ...]")


def _parameter_problems(where: FieldPath, built: Scorer, parameter: str, value: str | float) -> Iterator[StudyError]:
    known = built.parameters.get(parameter)
    if known is None:
        expected = f"a parameter of {built.name}"
        yield unknown_name(where, parameter, expected, list(built.parameters), "remove it")
    elif known and str(value) not in known and not _is_own_function(built, parameter, value):
        also = ", or module:function" if parameter in built.functions else ""
        yield StudyError(where, value, f"one of {listed(known)}{also}", "write one of them")


def _annotation_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    """Only what is one label or one score of a text can be given by people as well."""
    if spec.annotation is None:
        return
    has_text = spec.method in (*LABELLING, "classifier") or spec.rubric is not None
    if (name := str(spec.scorer)) in scorers:
        built = scorers[name]
        has_text = built.reads in ("text", "classifier") and len(built.recipes) <= 1
    if not has_text:
        expected = "a measure of one label or score that is read off a text"
        yield StudyError((*path, "annotation"), spec.annotation, expected, "write column: in its place")


_EXPECTED_COMPUTING: Final = {
    "device": "cpu, cuda, cuda:1 and so on, or mps",
    "batch_size": "a whole number, 1 or more",
    "dtype": "float32, float16 or bfloat16",
}


def _computing_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    try:
        _ = spec.computing
    except ValidationError as error:
        for name in dict.fromkeys(str(entry["loc"][0]) for entry in error.errors()):
            expected = _EXPECTED_COMPUTING[name]
            yield StudyError((*path, name), spec.parameters[name], expected, "correct it, or remove it")


def _is_own_function(built: Scorer, parameter: str, value: str | float) -> bool:
    return parameter in built.functions and is_function_path(str(value))


def _choice_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    if isinstance(spec.choices, str):
        return
    taken: dict[str, str] = {}
    for label, words in words_by_label(spec.choices or []).items():
        where = (*path, "choices", label) if isinstance(spec.choices, dict) else (*path, "choices")
        if not words:
            yield StudyError(where, words, "at least one word", f"write the words that mean {label!r}, or remove it")
        for word in words:
            owner = taken.setdefault(normalise(word), label)
            if not normalise(word):
                yield StudyError(where, word, "a word that is not blank", "remove it")
            elif owner != label:
                yield StudyError(where, word, f"a word of one label; it stands for {owner!r} too", "remove one of them")


def _pattern_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    for label, pattern in (spec.patterns or {}).items():
        where = (*path, "patterns", label)
        try:
            matches_nothing = is_found(pattern, "")
        except regex.error as error:
            yield StudyError(where, pattern, f"a regular expression ({error})", "correct the expression")
            continue
        if matches_nothing:
            yield StudyError(where, pattern, "an expression that an empty text does not match", "make it find a word")


def _label_text_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    """What a measure with prototypes or a taxonomy says of its labels."""
    near = spec.prototypes or spec.taxonomy
    if near is None:
        return
    where = (*path, spec.method, "labels")
    if not near.is_known:
        remedy = "write labels with texts of your own"
        yield unknown_name(where, str(near.labels), "a packaged set of labels", list(label_sets()), remedy)
    elif isinstance(near.labels, str) and near.none:
        expected = "none beside labels of one's own; the packaged set has it"
        yield StudyError((*path, spec.method, "none"), near.none, expected, "remove none")
    elif not isinstance(near.labels, str):
        yield from _own_label_problems(where, near.labels, needs_texts=spec.prototypes is not None)
        if spec.taxonomy is not None:
            yield from _synonym_problems(where, near.labels)


def _own_label_problems(where: FieldPath, labels: Mapping[str, list[str]], needs_texts: bool) -> Iterator[StudyError]:
    for label, texts in labels.items():
        if needs_texts and not texts:
            expected = "at least one anchor sentence"
            yield StudyError((*where, label), texts, expected, f"write what says {label!r}, or remove it")
        if not all(text.strip() for text in (label, *texts)):
            yield StudyError((*where, label), texts, "a label and texts that are not blank", "remove the blank one")


def _synonym_problems(where: FieldPath, labels: Mapping[str, list[str]]) -> Iterator[StudyError]:
    """No word may stand for two labels, nor a label's own name for another."""
    taken = {normalise(label): label for label in labels}
    for label, words in labels.items():
        for word in words:
            if (owner := taken.setdefault(normalise(word), label)) != label:
                expected = f"a word of one label; it stands for {owner!r} too"
                yield StudyError((*where, label), word, expected, "remove one of them")


def _direction_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    kind = spec.kind or default_kind(spec)
    if kind == "continuous" and spec.favourable is not None:
        yield StudyError((*path, "favourable"), spec.favourable, "a measure with labels", "write direction instead")
    if kind == "categorical" and spec.direction not in (None, "none"):
        yield StudyError((*path, "direction"), spec.direction, "none: labels have no order", "write favourable instead")
    if kind == "binary" and spec.favourable is not None and spec.direction == "higher_worse":
        expected = f"higher_better, because 1 stands for the favourable label {spec.favourable!r}"
        yield StudyError((*path, "direction"), spec.direction, expected, "remove direction")


def _own_kind_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    """The kind that a way to measure brings with it, and what several measures cannot have in common."""
    if spec.kind is not None and (
        spec.method in CLUSTERINGS
        or (spec.method in ("classifier", "option_probability") and spec.kind != "continuous")
    ):
        yield StudyError((*path, "kind"), spec.kind, f"no kind for {spec.method}, which has its own", "remove kind")
    if spec.rubric is not None:
        yield from _judge_problems(path, spec, spec.rubric)
    if spec.method in CLUSTERINGS or _is_several(spec.scorer):
        for field in ("scale", "unit", "direction"):
            if (value := getattr(spec, field)) is not None:
                expected = f"no {field}: the entry is several measures, each with its own"
                yield StudyError((*path, field), value, expected, f"remove {field}")


def _is_several(scorer: str | None) -> bool:
    return scorer is not None and scorer in scorers and len(scorers[scorer].recipes) > 1


def _judge_problems(path: FieldPath, spec: MeasureSpec, judge: Judge) -> Iterator[StudyError]:
    taken: set[str] = set()
    for option in judge.options:
        if not normalise(option) or normalise(option) in taken:
            expected = "options that are not blank and differ in more than case"
            yield StudyError((*path, "judge", "options"), option, expected, "rename it")
        taken.add(normalise(option))
    kind_of_options = default_kind(spec)
    if kind_of_options == "continuous" and spec.kind not in (None, kind_of_options):
        yield StudyError((*path, "kind"), spec.kind, "continuous, since the options have numbers", "remove kind")
    elif kind_of_options == "categorical" and spec.kind == "continuous":
        expected = "categorical, or binary with favourable: the options have no numbers"
        yield StudyError((*path, "kind"), spec.kind, expected, "remove kind, or give the options numbers")
