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

_FORMATS: Final = ("table", "bbq", "plumbline")
"""What can be one of several; logs publish metrics of their own run, which are of no whole."""

_FIELD: Final[FieldPath] = ("prompts", "import", "imports")
_SEPARATOR: Final = ": "  # between the name of a benchmark and the key of a prompt in it
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
            name: options_of(options).model_validate(options, context=info.context)
            if isinstance(options, dict)
            else options
            for name, options in data.items()
        }

    @model_validator(mode="after")
    def _parts_that_fit(self) -> "SeveralImport":
        if self.path:
            raise Unfit("no path here: each of imports has its own", "move it there")
        for name, benchmark in self.imports.items():
            if benchmark.format not in _FORMATS:
                raise Unfit(f"imports of format {listed(_FORMATS)}, not {name!r}", "import it in a study of its own")
            if not isinstance(benchmark.columns.system, str | None):
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
        by_import = {name: _described(study, name) for name in spec.imports}
        factors: dict[str, Factor] = {spec.factor: _tag(spec)}
        measures: dict[str, MeasureSpec] = {}
        named = {spec.factor: spec.factor}
        for name, description in by_import.items():
            names = _names(spec, name, description)
            named |= {shared: shared for shared in names.values()}
            for factor_name, factor in description.factors.items():
                factors[names[factor_name]] = _joined(factors.get(names[factor_name]), factor)
            measures = {measure.name: measure for measure in description.measures} | measures
        columns = [description.columns for description in by_import.values()]
        removes = {description.removes_prompt for description in by_import.values()}
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
            unit=next((description.unit for description in by_import.values() if description.unit is not None), None),
            measures=list(measures.values()),
            removes_prompt=removes.pop() if len(removes) == 1 else None,
            units={unit: nested for description in by_import.values() for unit, nested in description.units.items()},
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
        studies = {name: _part(study, name) for name in spec.imports}
        _require_columns(study, studies)
        read = {name: _read(study, name, benchmark) for name, benchmark in studies.items()}
        return _together(read, _answered(study, studies, read))


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
        raise error.at((*steps[: -len(PATH_FIELD)], *_FIELD, name, "path")) from error


def _described(study: Study, name: str) -> Described:
    benchmark = _spec(study).imports[name]
    with _placed(name):
        return IMPORTERS[benchmark.format].described(_alone(study, benchmark))


def _names(spec: SeveralImport, name: str, found: Described) -> dict[str, str]:
    """What each factor of an import is called in the study, by its own name.

    Raises:
        StudyError: a name under `called` is no factor of it, or two factors would be one.
    """
    called, factor_names = spec.called.get(name, {}), list(found.column_of)
    where: FieldPath = ("prompts", "import", "called", name)
    for factor in called:
        if factor not in factor_names:
            raise unknown_name((*where, factor), factor, f"a factor of {name}", factor_names, "correct the name")
    names = {factor: called.get(factor, factor) for factor in factor_names}
    taken = [spec.factor, *names.values()]
    if twice := [factor for factor in taken if taken.count(factor) > 1]:
        raise StudyError(where, twice[0], "each factor of an import under a name of its own", "call one otherwise")
    return names


def _part(study: Study, name: str) -> Study:
    """The study of one benchmark alone, with what its format tells, under its own names of factors."""
    spec, description = _spec(study), _described(study, name)
    names, options = _names(spec, name, description), spec.imports[name]
    described = options.model_copy(update={"columns": description.columns, "factors": dict(description.column_of)})
    factors = {factor_name: study.factors[shared] for factor_name, shared in names.items() if shared in study.factors}
    factors = {factor_name: factor for factor_name, factor in factors.items() if set(factor.conditions) <= set(names)}
    alone = _alone(study, described.with_units(description.units)).model_copy(update={"factors": factors})
    with _placed(name):
        there = set(_columns(alone, description))
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
    read = {measure.name for benchmark in parts.values() for measure in benchmark.measures}
    for measure in study.measures:
        if measure.name not in read:
            columns = listed(measure.imported_columns)
            expected = f"a column of one of {listed(parts)}, which measure {measure.name} reads"
            raise StudyError((study.path, "measures"), columns, expected, "correct the name of the column")


def _read(study: Study, name: str, part: Study) -> ImportedTable:
    """What one benchmark holds, with its name before every key and as a level, factors under shared names."""
    spec = _spec(study)
    with _placed(name):
        imported = IMPORTERS[import_of(part).format].read(part)
    names = {
        factor_name: spec.called.get(name, {}).get(factor_name, factor_name) for factor_name in import_of(part).factors
    }
    tagged = pd.DataFrame({"prompt_id": imported.prompts["prompt_id"], "factor": spec.factor, "level": name})
    levels = imported.prompt_factors.assign(factor=imported.prompt_factors["factor"].replace(names))
    return imported._replace(
        prompts=_keyed(imported.prompts, name),
        prompt_factors=_keyed(pd.concat([levels, tagged], ignore_index=True), name),
        system_factors=imported.system_factors.assign(factor=imported.system_factors["factor"].replace(names)),
        rows=_keyed(imported.rows, name),
        quarantine=[one._replace(record_key=f"{name}{_SEPARATOR}{one.record_key}") for one in imported.quarantine],
        normalised=imported.normalised.assign(
            record_key=name + _SEPARATOR + imported.normalised["record_key"].astype("str"),
            factor=imported.normalised["factor"].replace(names),
        ),
    )


def _keyed(table: pd.DataFrame, name: str) -> pd.DataFrame:
    return table.assign(**{key: name + _SEPARATOR + table[key].astype("str") for key in _KEYS if key in table})


def _answered(study: Study, parts: dict[str, Study], read: dict[str, ImportedTable]) -> list[str]:
    """The benchmarks whose rows are answers; all of them where none names generations.

    Raises:
        StudyError: one has answers that name no generation, where another names them.
    """
    naming = [name for name, benchmark in parts.items() if import_of(benchmark).columns.system is not None]
    if not naming:
        return list(parts)
    for name, benchmark in parts.items():
        has_answers = import_of(benchmark).columns.response or any(
            measure.imported_columns for measure in benchmark.measures
        )
        if name not in naming and has_answers:
            where = (study.path, *_FIELD, name, "columns", "system")
            expected = f"the column that says which generation answered, as {listed(naming)} names one"
            raise StudyError(where, "none", expected, "add system: COLUMN")
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
        quarantine=[one for imported in read.values() for one in imported.quarantine],
        n_rows=sum(imported.n_rows for imported in read.values()),
        normalised=all_of("normalised", everyone),
        n_unpaired=sum(imported.n_unpaired for imported in read.values()),
    )
