"""Measures: what reads them exists, names and labels are their own, slices are there."""

from collections.abc import Collection, Iterator

from python_assets.errors import FieldPath, StudyError
from python_assets.extract.ground_truth import truth_problems
from python_assets.extract.languages import KNOWN_LANGUAGES
from python_assets.extract.measure_problems import spec_problems
from python_assets.extract.measures import imported_ids, measures_of
from python_assets.registry import is_function_path
from python_assets.study.base import ALL_PROMPTS, AS_WRITTEN_READING, OTHER_LANGUAGE
from python_assets.study.measures import IN_EVERY_STUDY, WHOLE
from python_assets.study.problems import listed, unknown_name
from python_assets.study.study import MeasureSpec, make_id
from python_assets.study_file.checks.engines import engine_problems
from python_assets.study_file.expand import Draft


def measure_problems(draft: Draft) -> Iterator[StudyError]:
    """Every measure can be read off the responses, and is told from the others by its name."""
    yield from _name_problems(draft)
    for path, spec in draft.parts.measures.items():
        for problem in spec_problems(path, spec):
            bare = _is_bare(spec) and problem.where == (*path, "scorer")
            yield problem.at(path) if bare else problem
        yield from _method_problems(draft, path, spec)
        yield from engine_problems(draft, (*path, *_engine_field(spec)), spec.engine)
        yield from _cluster_problems(draft, path, spec)
        yield from _option_problems(draft, path, spec)
        yield from _language_problems(path, spec)
        yield from _label_problems(path, spec)
        yield from _slice_problems(draft, path, spec)
        yield from truth_problems(path, spec, draft.groupings)
        if spec.scale and spec.scale[0] >= spec.scale[1]:
            yield StudyError((*path, "scale"), list(spec.scale), "the lower end first", "swap the two numbers")


def _engine_field(spec: MeasureSpec) -> FieldPath:
    """Where an entry names its engine."""
    if spec.refusal is not None:
        return ("refusal", "judge")
    return ("judge", "engine") if spec.rubric else ("judge",)


def every_measure_id(draft: Draft) -> list[str]:
    """The identifiers of all measures of a study, those that every study has included."""
    specs = draft.parts.measures.values()
    imported = imported_ids(specs)
    declared = [key for spec in specs for key in _ids(spec, imported)]
    return list(dict.fromkeys([*declared, *IN_EVERY_STUDY]))


def _ids(spec: MeasureSpec, imported: Collection[str]) -> list[str]:
    """The measures of an entry; its own name alone where it cannot be measured."""
    if any(spec_problems((), spec)):
        return [make_id(spec.name)]
    return [measure.measure_id for measure in measures_of(spec, imported)]


def _name_problems(draft: Draft) -> Iterator[StudyError]:
    taken: dict[str, str] = {}
    specs = draft.parts.measures
    imported = imported_ids(specs.values())
    for path, spec in specs.items():
        where = path if _is_bare(spec) else (*path, "name")
        for key in _ids(spec, imported):
            if key in IN_EVERY_STUDY and spec.scorer != key:
                expected = f"a name other than {listed(IN_EVERY_STUDY)}, which are measured in every study"
                yield StudyError(where, spec.name, expected, "rename the measure")
            elif key == OTHER_LANGUAGE:
                expected = f"a name other than {key!r}, which counts responses that measures leave out"
                yield StudyError(where, spec.name, expected, "rename the measure")
            elif key.endswith(AS_WRITTEN_READING):
                expected = f"a name that does not end in {AS_WRITTEN_READING!r}, as measures that score names do"
                yield StudyError(where, spec.name, expected, "rename the measure")
            elif key in taken:
                expected = f"a measure of its own; {taken[key]!r} has the identifier {key!r} already"
                yield StudyError(where, spec.name, expected, "rename one of them")
            taken.setdefault(key, spec.name)


def _is_bare(spec: MeasureSpec) -> bool:
    """Whether the name alone says what a measure is."""
    return spec.name == spec.scorer


def _method_problems(draft: Draft, path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    prompts = draft.parts.prompts
    if spec.function is not None and not is_function_path(spec.function):
        expected = "module:function, a function in a file beside the study file"
        yield StudyError((*path, "function"), spec.function, expected, "write it so, without .py")
    for field in ("column", "columns", "annotation"):
        if (named := getattr(spec, field)) is not None and prompts and prompts.import_ is None:
            expected = "prompts.import, which columns belong to"
            yield StudyError((*path, field), named, expected, "import a table, or measure otherwise")
    for companion in ("baseline_column", "version_column"):
        if (named := getattr(spec, companion)) is not None and spec.column is None:
            yield StudyError((*path, companion), named, "column beside it", "add column: or remove it")
    if spec.column is not None and spec.baseline_column is not None and spec.kind != "continuous":
        expected = "a continuous measure; labels and 0/1 have no difference from a baseline"
        yield StudyError((*path, "baseline_column"), spec.baseline_column, expected, "remove it, or change kind")


def _cluster_problems(draft: Draft, path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    clusters = spec.clusters or spec.cluster_and_sort
    if clusters is None or draft.factors is None or clusters.per in (WHOLE, *draft.factors):
        return
    known = [WHOLE, *draft.factors]
    yield unknown_name((*path, spec.method, "per"), clusters.per, "a factor of the prompts", known, "write per: all")


def _option_problems(draft: Draft, path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    prompts = draft.parts.prompts
    if spec.option_probability is None or prompts is None:
        return
    templates = prompts.templates.texts if prompts.templates else []
    roles = list(dict.fromkeys(role for text in templates for role in text.options or ()))
    if spec.option_probability not in roles:
        where, remedy = (*path, "option_probability"), "add options: to a template, or name one of them"
        yield unknown_name(where, spec.option_probability, "an option of a template", roles, remedy)


def _language_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    for position, code in enumerate(spec.languages or ()):
        if code not in KNOWN_LANGUAGES:
            where, expected = (*path, "languages", position), "a code of ISO 639-1, for example en"
            yield StudyError(where, code, expected, "write the code of two letters")


def _label_problems(path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    labels = spec.labels
    if labels and spec.favourable is not None and spec.favourable not in labels:
        yield unknown_name((*path, "favourable"), spec.favourable, "a label", labels, "correct it")
    elif labels and spec.kind == "binary" and spec.favourable is None:
        expected = "favourable beside it, the label that counts as 1"
        yield StudyError((*path, "kind"), spec.kind, expected, f"add favourable: {labels[0]}")


def _slice_problems(draft: Draft, path: FieldPath, spec: MeasureSpec) -> Iterator[StudyError]:
    each = (draft.factors or {}).get(draft.parts.each or "")
    if spec.slice is None or draft.factors is None or (each and each.levels is None):
        return
    known = [ALL_PROMPTS, *draft.slices]
    for index, name in enumerate([spec.slice] if isinstance(spec.slice, str) else spec.slice):
        if name not in known:
            where = (*path, "slice") if isinstance(spec.slice, str) else (*path, "slice", index)
            yield unknown_name(where, name, "a slice", known, "declare it under slices:")
