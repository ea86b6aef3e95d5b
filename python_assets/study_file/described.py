"""What an importer tells of an import, filled in where the study file says nothing.

Belongs here: factors, unit and measures of a format beside those of the file. What a format tells is the
importer's, in importers/.
"""

from python_assets.errors import FieldPath, SourceError
from python_assets.importers.formats import IMPORTERS, PATH_FIELD, Described
from python_assets.study.negative_controls import NegativeControls
from python_assets.study.study import Factor, Import, MeasureSpec, Prompts
from python_assets.study_file.expand import Draft
from python_assets.study_file.parts import Parts
from python_assets.study_file.yaml_lines import StudyFile


def with_description(parts: Parts, file: StudyFile) -> tuple[Parts, list[SourceError]]:
    """The parts of a study file with what the format of its import tells.

    Args:
        parts: of the file.
        file: what it says of measures, not what their default is.

    Returns:
        The parts, and the problem that the import tells nothing; then without prompts, since nothing is said
        of factors that only the import could name.
    """
    prompts = parts.prompts
    if prompts is None or prompts.import_ is None:
        return parts, []
    study = Draft(file=file.path, parts=parts, factors=None, systems={}, slices={}, groupings={}).study()
    try:
        description = IMPORTERS[prompts.import_.format].described(study)
    except SourceError as error:
        return parts._replace(prompts=None), [error]
    if description.no_measures is not None and not description.measures and "measures" not in file.data:
        expected, remedy = (
            "something that a measure reads",
            "import a log that has one, or name a measure that reads a column, such as doc.label",
        )
        return parts._replace(prompts=None), [SourceError(PATH_FIELD, description.no_measures, expected, remedy)]
    described = parts._replace(
        prompts=_prompts(prompts, prompts.import_, description),
        factors=_factors(parts, description),
        unit=parts.unit or description.unit,
        measures=_measures(parts, description, names_measures="measures" in file.data),
        negative_controls=parts.negative_controls or _controls(description),
    )
    return described, []


def _controls(description: Described) -> NegativeControls | None:
    controls = description.negative_controls
    if not controls:
        return None
    return NegativeControls(levels=dict(controls) if any(controls.values()) else list(controls))


def _prompts(prompts: Prompts, spec: Import, found: Described) -> Prompts:
    columns = {"columns": found.columns, "factors": dict(found.column_of)}
    described = spec.model_copy(update=columns).with_units(found.units)
    update: dict[str, object] = {"import_": described}
    if found.removes_prompt is not None and prompts.remove_prompt is None and not prompts.add_prompt:
        update["remove_prompt"] = found.removes_prompt
    return prompts.model_copy(update=update)


def _factors(parts: Parts, found: Described) -> dict[str, Factor]:
    """Described factors first, each with what the file says of it."""
    factors = {**found.factors, **parts.factors}
    for name in found.factors.keys() & parts.factors.keys():
        declared = parts.factors[name]
        stated = {field: getattr(declared, field) for field in declared.model_fields_set}
        factors[name] = found.factors[name].model_copy(update=stated)
    return factors


def _measures(parts: Parts, found: Described, *, names_measures: bool) -> dict[FieldPath, MeasureSpec]:
    """Those of the format where the file names none; a name alone stands for that of the format."""
    if not names_measures and found.measures:
        return {("measures", index): measure for index, measure in enumerate(found.measures)}
    by_name = {measure.name: measure for measure in found.measures}
    return {path: _named(spec, by_name.get(spec.name)) for path, spec in parts.measures.items()}


def _named(spec: MeasureSpec, described: MeasureSpec | None) -> MeasureSpec:
    if described is None or spec.scorer != spec.name:
        return spec
    stated = {field: getattr(spec, field) for field in spec.model_fields_set - {"scorer"}}
    return described.model_copy(update=stated)
