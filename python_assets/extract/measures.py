"""The measures of a study with every default filled in, and what a study file may not say about them.

Belongs here: definitions only. Nothing is measured and no model is loaded.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from python_assets.extract.extractor import Extractor, extractors
from python_assets.extract.labels import normalise, words_by_label
from python_assets.study import Direction, Kind, MeasureSpec, Study, make_id
from python_assets.study_problems import FieldPath, Problem, StudyFileError, listed, unknown_name

# Every study has these, so that a difference in how often models answer is seen.
IN_EVERY_STUDY: Final = ("refusal", "empty", "truncated")
UNMATCHED: Final = "_unmatched"

_UNITS: Final[Mapping[Kind, str]] = {"continuous": "score", "binary": "share", "categorical": "label"}


class Measure(NamedTuple):
    """A measure as raw.measures has it, and how it is read off.

    slices: the slices it has rows in; none named means every slice. reads: which of run.READERS measures it.
    spec: how the study file spells it; for <measure>_unmatched that of the measure it counts. options: the
    parameters.
    """

    measure_id: str
    kind: Kind
    unit: str
    scale_low: float | None
    scale_high: float | None
    direction: Direction
    favourable: str | None
    extractor: str
    model: str | None
    model_revision: str | None
    parameters: str
    languages: str
    slices: tuple[str, ...]
    reads: Literal["text", "embeddings", "status", "column", "unmatched"]
    spec: MeasureSpec
    options: Mapping[str, str]


def resolve_measures(study: Study) -> list[Measure]:
    """Every measure of a study, in the order of its file, then those that every study has.

    Raises:
        StudyFileError: a measure cannot be what the file says; the text names everything that is wrong.
    """
    problems = [
        problem
        for position, spec in enumerate(study.measures)
        for problem in spec_problems(("measures", position), spec)
    ]
    if problems:
        raise StudyFileError(study.path, problems)
    declared = {make_id(spec.name) for spec in study.measures}
    implied = [MeasureSpec(name=name, extractor=name) for name in IN_EVERY_STUDY if name not in declared]
    specs = [*study.measures, *implied]
    return [measure for spec in specs for measure in _resolved(spec)]


def _resolved(spec: MeasureSpec) -> Iterator[Measure]:
    if spec.extractor is not None:
        yield _built_in(spec, extractors[spec.extractor])
        return
    measure = _declared(spec)
    yield measure
    if spec.way in ("choices", "patterns") and measure.kind == "categorical":
        yield _unmatched(measure)


def _built_in(spec: MeasureSpec, built: Extractor) -> Measure:
    options = {name: str(spec.parameters.get(name, known[0])) for name, known in built.parameters.items()}
    low, high = spec.scale or built.scale
    return Measure(
        measure_id=make_id(spec.name),
        kind=built.kind,
        unit=spec.unit or built.unit,
        scale_low=low,
        scale_high=high,
        direction=spec.direction or built.direction,
        favourable=None,
        extractor=built.name,
        model=built.model,
        model_revision=built.model_revision,
        parameters=_written(options),
        languages="|".join(spec.languages if spec.languages is not None else built.languages),
        slices=_slices(spec),
        reads=built.reads,
        spec=spec,
        options=options,
    )


def _declared(spec: MeasureSpec) -> Measure:
    kind: Kind = spec.kind or "categorical"
    low, high = spec.scale or ((0.0, 1.0) if kind == "binary" else (None, None))
    counts_favourable = kind == "binary" and spec.favourable is not None
    return Measure(
        measure_id=make_id(spec.name),
        kind=kind,
        unit=spec.unit or _UNITS[kind],
        scale_low=low,
        scale_high=high,
        direction=spec.direction or ("higher_better" if counts_favourable else "none"),
        favourable=spec.favourable,
        extractor=spec.function or spec.way,
        model=None,
        model_revision=None,
        parameters=_written(_declared_parameters(spec)),
        languages="|".join(spec.languages or ()),
        slices=_slices(spec),
        reads="column" if spec.column is not None else "text",
        spec=spec,
        options={},
    )


def _declared_parameters(spec: MeasureSpec) -> dict[str, str]:
    if spec.column is not None:
        baseline = {"baseline_column": spec.baseline_column} if spec.baseline_column else {}
        return {"column": spec.column} | baseline
    labels = spec.choices or spec.patterns
    return {"labels": "|".join(labels)} if labels else {}


def _unmatched(measure: Measure) -> Measure:
    return measure._replace(
        measure_id=measure.measure_id + UNMATCHED,
        kind="binary",
        unit=_UNITS["binary"],
        scale_low=0.0,
        scale_high=1.0,
        direction="higher_worse",
        favourable=None,
        extractor="unmatched",
        parameters=_written({"measure": measure.measure_id}),
        reads="unmatched",
    )


def _slices(spec: MeasureSpec) -> tuple[str, ...]:
    named = [spec.slice] if isinstance(spec.slice, str) else spec.slice or []
    return () if "all" in named else tuple(dict.fromkeys(named))


def _written(parameters: Mapping[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parameters.items())


def spec_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[Problem]:
    """What one measure of a study file says that cannot be measured.

    Args:
        path: where the measure stands.
        spec: the measure.
    """
    if spec.extractor is not None:
        yield from _extractor_problems(path, spec)
    elif spec.parameters:
        yield Problem(
            (*path, "parameters"), dict(spec.parameters), "extractor beside it", "remove the parameters"
        )
    yield from _choice_problems(path, spec)
    yield from _pattern_problems(path, spec)
    yield from _direction_problems(path, spec)


def _extractor_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[Problem]:
    name = str(spec.extractor)
    if name not in extractors:
        remedy = "say how to measure it: choices, patterns, column or function"
        yield unknown_name((*path, "extractor"), name, "a built-in extractor", list(extractors), remedy)
        return
    built = extractors[name]
    if spec.kind not in (None, built.kind):
        yield Problem((*path, "kind"), spec.kind, f"{built.kind}, which {name} is", "remove kind")
    for parameter, value in spec.parameters.items():
        where = (*path, "parameters", parameter)
        if parameter not in built.parameters:
            yield unknown_name(
                where, parameter, f"a parameter of {name}", list(built.parameters), "remove it"
            )
        elif str(value) not in built.parameters[parameter]:
            yield Problem(where, value, f"one of {listed(built.parameters[parameter])}", "write one of them")


def _choice_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[Problem]:
    taken: dict[str, str] = {}
    for label, words in words_by_label(spec.choices or []).items():
        where = (*path, "choices", label) if isinstance(spec.choices, dict) else (*path, "choices")
        if not words:
            yield Problem(
                where, words, "at least one word", f"write the words that mean {label!r}, or remove it"
            )
        for word in words:
            owner = taken.setdefault(normalise(word), label)
            if not normalise(word):
                yield Problem(where, word, "a word that is not blank", "remove it")
            elif owner != label:
                yield Problem(
                    where, word, f"a word of one label; it stands for {owner!r} too", "remove one of them"
                )


def _pattern_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[Problem]:
    for label, pattern in (spec.patterns or {}).items():
        where = (*path, "patterns", label)
        try:
            matches_nothing = re.compile(pattern).search("") is not None
        except re.error as error:
            yield Problem(where, pattern, f"a regular expression ({error})", "correct the expression")
            continue
        if matches_nothing:
            yield Problem(
                where, pattern, "an expression that an empty text does not match", "make it find a word"
            )


def _direction_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[Problem]:
    kind: Any = spec.kind or ("categorical" if spec.extractor is None else None)
    if kind == "continuous" and spec.favourable is not None:
        yield Problem(
            (*path, "favourable"), spec.favourable, "a measure with labels", "write direction instead"
        )
    if kind == "categorical" and spec.direction not in (None, "none"):
        yield Problem(
            (*path, "direction"), spec.direction, "none: labels have no order", "write favourable instead"
        )
    if kind == "binary" and spec.favourable is not None and spec.direction == "higher_worse":
        expected = f"higher_better, because 1 stands for the favourable label {spec.favourable!r}"
        yield Problem((*path, "direction"), spec.direction, expected, "remove direction")
