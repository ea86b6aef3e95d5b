"""Regressions: their measure is binary, and their factors, references, interactions and slice are there."""

from collections.abc import Iterator, Mapping

from python_assets.errors import FieldPath, StudyError
from python_assets.study.analysis import Regression
from python_assets.study.factors import OF_SYSTEMS, KnownFactor
from python_assets.study.problems import listed, unknown_name
from python_assets.study.study import make_id
from python_assets.study_file.checks.analysis import CORRECT, known_slices, known_systems, measure_kind
from python_assets.study_file.checks.factors import repeated, unknown_level
from python_assets.study_file.checks.measures import every_measure_id
from python_assets.study_file.expand import Draft


def regression_problems(draft: Draft) -> Iterator[StudyError]:
    """Every regression can be fitted, as far as the file alone tells."""
    for name, regression in draft.parts.analysis.regressions.items():
        path: FieldPath = ("analysis", "regressions", name)
        yield from _measure_problems(draft, (*path, "measure"), regression.measure)
        for field, kind, names in (
            ("slice", "a slice", known_slices(draft)),
            ("systems", "a generation", known_systems(draft)),
        ):
            yield from _name_problems(path, field, kind, getattr(regression, field), names)
        if draft.factors is not None:
            yield from _factor_problems(draft, (*path, "factors"), regression, draft.factors)
        yield from _interaction_problems((*path, "interactions"), regression)


def _measure_problems(draft: Draft, path: FieldPath, name: str) -> Iterator[StudyError]:
    known = every_measure_id(draft)
    if make_id(name) not in known:
        yield unknown_name(path, name, "a measure", known, CORRECT)
        return
    kind = measure_kind(draft, make_id(name))
    if kind not in (None, "binary"):
        expected = f"a binary measure, for a logistic regression is of 0 and 1; {name} is {kind}"
        yield StudyError(path, name, expected, "name a binary measure, or declare one with kind: binary")


def _name_problems(
    path: FieldPath, field: str, kind: str, value: str | list[str] | None, names: list[str] | None
) -> Iterator[StudyError]:
    if names is None or value is None:
        return
    if isinstance(value, str):
        if value not in names:
            yield unknown_name((*path, field), value, kind, names, CORRECT)
        return
    for index, name in enumerate(value):
        if make_id(name) not in names:
            yield unknown_name((*path, field, index), name, kind, names, CORRECT)


def _factor_problems(
    draft: Draft, path: FieldPath, regression: Regression, factors: Mapping[str, KnownFactor]
) -> Iterator[StudyError]:
    known = list(dict.fromkeys([*factors, *OF_SYSTEMS]))
    if isinstance(regression.factors, list):
        yield from repeated(path, regression.factors, "factor")
    for index, (name, reference) in enumerate(regression.declared_references.items()):
        where = (*path, index if isinstance(regression.factors, list) else name)
        if name not in known:
            yield unknown_name(where, name, "a factor", known, "declare it under factors:, or take one of these")
            continue
        if name == draft.parts.unit:
            expected = "factors other than the unit, whose levels are what the errors are over"
            yield StudyError(where, name, expected, "take it out, or declare another unit")
        levels = factors[name].levels if name in factors else None
        if levels is None:
            continue
        if len(levels) < 2:
            expected = f"a factor of two levels or more; {name} has {listed(levels)} alone"
            yield StudyError(where, name, expected, "take it out")
        if reference is not None and reference not in levels:
            yield unknown_level(where, reference, name, levels)


def _interaction_problems(path: FieldPath, regression: Regression) -> Iterator[StudyError]:
    named = list(regression.declared_references)
    for index, factors in enumerate(regression.interactions):
        where = (*path, index)
        yield from repeated(where, factors, "factor")
        for position, name in enumerate(factors):
            if name not in named:
                remedy = "add it to the factors, or take it out"
                yield unknown_name((*where, position), name, "a factor of the regression", named, remedy)
        if any(set(factors) == set(other) for other in regression.interactions[:index]):
            yield StudyError(where, factors, "each interaction once", "remove one of them")
