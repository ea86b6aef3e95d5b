"""Several benchmarks in one study: what each importer reads, under one table of factors.

Belongs here: putting together what other importers read. A factor that two benchmarks have under one name is
one factor; a prompt has no level of those that its own benchmark lacks.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, ClassVar, Final

import pandas as pd
from pydantic import Field, SerializeAsAny, ValidationInfo, field_validator, model_validator

from python_assets.errors import FieldPath, PlumblineError, StudyError
from python_assets.importers.files import table_columns
from python_assets.importers.formats import (
    IMPORTERS,
    PATH_FIELD,
    Described,
    ImportedTable,
    Importer,
    import_of,
    importer,
)
from python_assets.study.base import Expanded, FactorName, Level, Unfit
from python_assets.study.imports import DescribedImport, Import, ImportColumns, options_of
from python_assets.study.problems import listed, unknown_name
from python_assets.study.study import Factor, MeasureSpec, Study

FORMATS: Final = ("table", "bbq", "plumbline")
"""What can be one of several; logs publish metrics of their own run, which are of no whole."""

FIELD: Final[FieldPath] = ("prompts", "import", "imports")
SEPARATOR: Final = ": "  # between the name of a benchmark and the key of a prompt in it
_KEYS: Final = ("prompt_id", "root_prompt_id", "unit_id")


class SeveralImport(DescribedImport):
    """Imports by the name of their benchmark, which is the level of a factor of every prompt.

    factor: what that factor is called. called: by benchmark, what a factor of its import is called in the
    study, in the place of its own name.
    """

    path: list[Expanded] = []
    factor: FactorName = "benchmark"
    imports: Annotated[dict[Level, SerializeAsAny[Import]], Field(min_length=2)]
    called: dict[Level, dict[FactorName, FactorName]] = {}

    @field_validator("imports", mode="before")
    @classmethod
    def _options_of_each_format(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(data, dict):
            return data
        return {
            name: options_of(part).model_validate(part, context=info.context) if isinstance(part, dict) else part
            for name, part in data.items()
        }

    @model_validator(mode="after")
    def _parts_that_fit(self) -> "SeveralImport":
        if self.path:
            raise Unfit("no path here: each of imports has its own", "move it there")
        for name, part in self.imports.items():
            if part.format not in FORMATS:
                raise Unfit(f"imports of format {listed(FORMATS)}, not {name!r}", "import it in a study of its own")
            if not isinstance(part.columns.system, str | None):
                raise Unfit(f"one column of generations, where {name!r} names several", "name one column")
        for name, names in self.called.items():
            if name not in self.imports:
                raise Unfit(f"called: by {listed(self.imports)}, not {name!r}", "correct the name")
            if len(set(names.values())) < len(names):
                raise Unfit(f"called: two factors of {name!r} under two names", "keep one of them")
        return self


@importer("several")
class SeveralImporter(Importer):
    """Each import as its own importer reads it; keys of prompts begin with the name of the benchmark."""

    options: ClassVar = SeveralImport

    @classmethod
    def described(cls, study: Study) -> Described:
        """Factors, unit and measures of all; a column is there where every benchmark has it.

        Raises:
            StudyError: a name under `called` is no factor of its import, or two would be one.
        """
        spec = _spec(study)
        parts = {name: _described(study, name) for name in spec.imports}
        factors: dict[str, Factor] = {spec.factor: _tag(spec)}
        measures: dict[str, MeasureSpec] = {}
        named = {spec.factor: spec.factor}
        for name, found in parts.items():
            names = _names(spec, name, found)
            named |= {shared: shared for shared in names.values()}
            for own, factor in found.factors.items():
                factors[names[own]] = _joined(factors.get(names[own]), factor)
            measures = {measure.name: measure for measure in found.measures} | measures
        columns = [found.columns for found in parts.values()]
        removes = {found.removes_prompt for found in parts.values()}
        return Described(
            columns=ImportColumns(
                prompt="prompt_id",
                root_prompt="root_prompt_id",
                prompt_text=_where_all("prompt_text", [one.tells_texts for one in columns]),
                baseline_text=_where_all("baseline_text", [one.baseline_text for one in columns]),
                response="response_text" if any(one.response for one in columns) else None,
                system="system" if any(one.system for one in columns) else None,
            ),
            column_of=named,
            factors=factors,
            unit=next((found.unit for found in parts.values() if found.unit is not None), None),
            measures=list(measures.values()),
            removes_prompt=removes.pop() if len(removes) == 1 else None,
            units={unit: nested for found in parts.values() for unit, nested in found.units.items()},
        )

    @classmethod
    def read(cls, study: Study) -> ImportedTable:
        """Read each benchmark and put them together.

        A benchmark whose answers are not recorded, beside others whose are, brings its prompts alone.

        Raises:
            SourceError, StudyError: as its importer; or a measure reads a column that no benchmark has, or
                answers of a benchmark name no generation where those of another do.
        """
        spec = _spec(study)
        of_parts = {name: _part(study, name) for name in spec.imports}
        _require_columns(study, of_parts)
        read = {name: _read(study, name, part) for name, part in of_parts.items()}
        return _together(read, _answered(study, of_parts, read))


def _spec(study: Study) -> SeveralImport:
    spec = import_of(study)
    if not isinstance(spec, SeveralImport):
        raise TypeError(f"format {spec.format} is not several imports")
    return spec


def _tag(spec: SeveralImport) -> Factor:
    names = list(spec.imports)
    return Factor(type="prompt", levels=names, reference=names[0], definition="the benchmark that a prompt is of")


def _where_all(name: str, columns: Sequence[object]) -> str | None:
    return name if all(columns) else None


def _joined(one: Factor | None, other: Factor) -> Factor:
    """A factor that two benchmarks describe: the first one's words, the levels of both."""
    if one is None:
        return other
    levels = None if one.levels is None or other.levels is None else list(dict.fromkeys([*one.levels, *other.levels]))
    return one.model_copy(update={"levels": levels})


def _alone(study: Study, part: Import) -> Study:
    return study.model_copy(update={"prompts": study.prompts.model_copy(update={"import_": part})})


@contextmanager
def _placed(name: str) -> Iterator[None]:
    """Errors of the paths of one import are told at its own."""
    try:
        yield
    except PlumblineError as error:
        steps = tuple(error.where) if isinstance(error.where, tuple) else ()
        if steps[-len(PATH_FIELD) :] != PATH_FIELD:
            raise
        raise error.at((*steps[: -len(PATH_FIELD)], *FIELD, name, "path")) from error


def _described(study: Study, name: str) -> Described:
    part = _spec(study).imports[name]
    with _placed(name):
        return IMPORTERS[part.format].described(_alone(study, part))


def _names(spec: SeveralImport, name: str, found: Described) -> dict[str, str]:
    """What each factor of an import is called in the study, by its own name.

    Raises:
        StudyError: a name under `called` is no factor of it, or two factors would be one.
    """
    called, own = spec.called.get(name, {}), list(found.column_of)
    where: FieldPath = ("prompts", "import", "called", name)
    for factor in called:
        if factor not in own:
            raise unknown_name((*where, factor), factor, f"a factor of {name}", own, "correct the name")
    names = {factor: called.get(factor, factor) for factor in own}
    taken = [spec.factor, *names.values()]
    if twice := [factor for factor in taken if taken.count(factor) > 1]:
        raise StudyError(where, twice[0], "each factor of an import under a name of its own", "call one otherwise")
    return names


def _part(study: Study, name: str) -> Study:
    """The study of one benchmark alone, with what its format tells, under its own names of factors."""
    spec, found = _spec(study), _described(study, name)
    names, part = _names(spec, name, found), spec.imports[name]
    described = part.model_copy(update={"columns": found.columns, "factors": dict(found.column_of)})
    factors = {own: study.factors[shared] for own, shared in names.items() if shared in study.factors}
    factors = {own: factor for own, factor in factors.items() if set(factor.conditions) <= set(names)}
    alone = _alone(study, described.with_units(found.units)).model_copy(update={"factors": factors})
    with _placed(name):
        there = set(_columns(alone, found))
    measures = [measure for measure in study.measures if set(measure.imported_columns) <= there]
    return alone.model_copy(update={"measures": measures})


def _columns(part: Study, found: Described) -> Iterator[str]:
    """The columns that measures can read of a benchmark."""
    spec = import_of(part)
    yield from (column for measure in found.measures for column in measure.imported_columns)
    for path in spec.paths:
        for file in IMPORTERS[spec.format].tables(part, path):
            for sheet in spec.sheets:
                yield from table_columns(file, PATH_FIELD, sheet)


def _require_columns(study: Study, parts: dict[str, Study]) -> None:
    """Every measure that reads columns reads those of a benchmark.

    Raises:
        StudyError: no benchmark has them.
    """
    read = {measure.name for part in parts.values() for measure in part.measures}
    for measure in study.measures:
        if measure.name not in read:
            columns = listed(measure.imported_columns)
            expected = f"a column of one of {listed(parts)}, which measure {measure.name} reads"
            raise StudyError((study.path, "measures"), columns, expected, "correct the name of the column")


def _read(study: Study, name: str, part: Study) -> ImportedTable:
    """What one benchmark holds, with its name before every key and as a level, factors under shared names."""
    spec = _spec(study)
    with _placed(name):
        found = IMPORTERS[import_of(part).format].read(part)
    names = {own: spec.called.get(name, {}).get(own, own) for own in import_of(part).factors}
    tagged = pd.DataFrame({"prompt_id": found.prompts["prompt_id"], "factor": spec.factor, "level": name})
    levels = found.prompt_factors.assign(factor=found.prompt_factors["factor"].replace(names))
    return found._replace(
        prompts=_keyed(found.prompts, name),
        prompt_factors=_keyed(pd.concat([levels, tagged], ignore_index=True), name),
        system_factors=found.system_factors.assign(factor=found.system_factors["factor"].replace(names)),
        rows=_keyed(found.rows, name),
        quarantine=[one._replace(record_key=f"{name}{SEPARATOR}{one.record_key}") for one in found.quarantine],
        normalised=found.normalised.assign(
            record_key=name + SEPARATOR + found.normalised["record_key"].astype("str"),
            factor=found.normalised["factor"].replace(names),
        ),
    )


def _keyed(table: pd.DataFrame, name: str) -> pd.DataFrame:
    return table.assign(**{key: name + SEPARATOR + table[key].astype("str") for key in _KEYS if key in table})


def _answered(study: Study, parts: dict[str, Study], read: dict[str, ImportedTable]) -> list[str]:
    """The benchmarks whose rows are answers; all of them where none names generations.

    Raises:
        StudyError: one has answers that name no generation, where another names them.
    """
    naming = [name for name, part in parts.items() if import_of(part).columns.system is not None]
    if not naming:
        return list(parts)
    for name, part in parts.items():
        has_answers = import_of(part).columns.response or any(measure.imported_columns for measure in part.measures)
        if name not in naming and has_answers:
            where = (study.path, *FIELD, name, "columns", "system")
            expected = f"the column that says which generation answered, as {listed(naming)} names one"
            raise StudyError(where, "none", expected, "add generation: COLUMN")
    return naming


def _together(read: dict[str, ImportedTable], answered: list[str]) -> ImportedTable:
    def all_of(field: str, names: list[str]) -> pd.DataFrame:
        tables = [getattr(read[name], field) for name in names]
        return pd.concat([table for table in tables if len(table)] or tables[:1], ignore_index=True)

    everyone = list(read)
    systems = all_of("system_factors", answered).drop_duplicates(ignore_index=True)
    return ImportedTable(
        prompts=all_of("prompts", everyone),
        prompt_factors=all_of("prompt_factors", everyone),
        system_factors=systems,
        rows=all_of("rows", answered),
        quarantine=[one for found in read.values() for one in found.quarantine],
        n_rows=sum(found.n_rows for found in read.values()),
        normalised=all_of("normalised", everyone),
        n_unpaired=sum(found.n_unpaired for found in read.values()),
    )
