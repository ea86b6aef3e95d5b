"""Units: those of templates name a table and factors, and no unit is declared in two places."""

from collections.abc import Iterator, Mapping

from python_assets.errors import FieldPath, PlumblineError, SourceError, StudyError
from python_assets.importers.unit_table import read_units
from python_assets.study.base import ROOT_PROMPT
from python_assets.study.factors import DERIVED, TEMPLATE
from python_assets.study.problems import listed, unknown_name
from python_assets.study.prompts import OPTION_ORDER
from python_assets.study.study import Factor, Template, Templates
from python_assets.study_file.checks.factors import repeated
from python_assets.study_file.expand import Draft


def unit_problems(
    path: FieldPath, text: Template, templates: Templates, declared: Mapping[str, Factor]
) -> Iterator[StudyError]:
    """The units of a template lie in declared factors, and are those of every template that names them.

    Args:
        path: of the units.
        text: a template.
        templates: all of them.
        declared: the factors of the study file.
    """
    if (units := text.units) is None:
        return
    yield from repeated((*path, "nested_in"), units.nested_in, "factor")
    for index, name in enumerate(units.nested_in):
        yield from without_levels((*path, "nested_in", index), name, declared)
    taken = [*DERIVED, TEMPLATE, OPTION_ORDER, *text.factors, *templates.cross_of(text), *units.nested_in]
    if units.name in taken:
        expected = f"a factor of the units alone, unlike {listed(dict.fromkeys(taken))}"
        yield StudyError((*path, "name"), units.name, expected, "name the column of the units")
    if units != templates.units[units.name]:
        expected = f"the file and nested_in of the other templates whose units are {units.name}"
        yield StudyError(path, units.name, expected, "write them alike, or give these units another name")
    if templates.combinations_of(text):
        expected = "no units where combinations are listed for all templates, which would leave out some units"
        remedy = "give the template cross: of its own, [] where only units vary"
        yield StudyError(path, units.name, expected, remedy)


def without_levels(path: FieldPath, name: str, declared: Mapping[str, Factor]) -> Iterator[StudyError]:
    """A factor that templates are crossed with, or units lie in, is declared with its levels."""
    with_levels = [one for one, factor in declared.items() if factor.levels]
    if name not in with_levels:
        remedy = f"declare it: factors: {{{name}: {{levels: [...]}}}}"
        yield unknown_name(path, name, "a factor with levels", with_levels, remedy)


def unit_file_problems(draft: Draft) -> Iterator[PlumblineError]:
    """Tables of units: they can be read, and their levels are declared."""
    templates = draft.parts.prompts.templates if draft.parts.prompts else None
    reported: set[str] = set()
    for index, text in enumerate(templates.texts if templates else ()):
        if text.units is None or text.units.file in reported:
            continue
        reported.add(text.units.file)
        field = ("prompts", "templates", "texts", index, "units", "file")
        try:
            read_units(draft.file.parent, text.units, draft.parts.factors, field)
        except (SourceError, StudyError) as error:
            yield error


def declared_unit_problems(draft: Draft) -> Iterator[StudyError]:
    """The unit of all prompts stands in one place."""
    units = draft.parts.prompts.units if draft.parts.prompts else {}
    if draft.parts.unit not in (None, ROOT_PROMPT) and units:
        expected = f"no unit beside those that some prompts have of their own ({listed(units)})"
        yield StudyError(("unit",), draft.parts.unit, expected, "remove it, or the units of the prompts")
