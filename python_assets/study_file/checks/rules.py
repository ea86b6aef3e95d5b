"""Measures by rule (when): they name a measure with labels and a factor whose levels are such labels."""

from collections.abc import Iterator

from python_assets.errors import FieldPath, StudyError
from python_assets.extract.measure_problems import default_kind
from python_assets.study.problems import listed, unknown_name
from python_assets.study.study import MeasureSpec, make_id
from python_assets.study_file.checks.comparisons import factor_name_problems
from python_assets.study_file.expand import Draft


def rule_problems(draft: Draft) -> Iterator[StudyError]:
    """Rules can be applied to what other measures read."""
    named = {make_id(spec.name): spec for spec in draft.parts.measures.values()}
    labelled = {key: spec for key, spec in named.items() if (spec.kind or default_kind(spec)) == "categorical"}
    for path, spec in draft.parts.measures.items():
        if spec.when is None:
            continue
        where: FieldPath = (*path, "when")
        answers = labelled.get(make_id(spec.when.measure))
        if answers is None:
            names = [one.name for one in labelled.values()]
            remedy = "add a measure with choices, patterns or a column of labels"
            yield unknown_name((*where, "measure"), spec.when.measure, "a measure with labels", names, remedy)
        elif answers.slice is not None and spec.slice != answers.slice:
            expected = f"the slice of {answers.name}, without which it has no labels"
            yield StudyError((*path, "slice"), spec.slice, expected, f"write slice: {answers.slice}")
        if draft.factors is not None:
            factor = spec.when.equals_factor
            yield from factor_name_problems((*where, "equals_factor"), factor, draft.factors)
            levels = draft.factors[factor].levels if factor in draft.factors else None
            yield from _level_problems((*where, "equals_factor"), answers, factor, levels or [])


def _level_problems(
    path: FieldPath, answers: MeasureSpec | None, factor: str, levels: list[str]
) -> Iterator[StudyError]:
    labels = answers.labels if answers else []
    if labels and (unknown := [level for level in levels if level not in labels]):
        expected = f"levels that are labels of the measure: {listed(labels)}; {listed(unknown)} is none"
        yield StudyError(path, factor, expected, "write labels and levels alike")
