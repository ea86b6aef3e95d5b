"""Files that a study names: texts, tables with their columns, and functions of the user's own."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from python_assets.errors import FieldPath, PlumblineError, SourceError, StudyError
from python_assets.extract.ground_truth import FIELD, group_ids, name_problems, truth_problems
from python_assets.importers.files import table_columns
from python_assets.importers.formats import IMPORTERS, PATH_FIELD
from python_assets.importers.level_map import read_level_table
from python_assets.importers.truth_tables import read_truth_table
from python_assets.registry import is_function_path, unfit_function
from python_assets.study.base import REPLAY
from python_assets.study.problems import listed, unknown_name
from python_assets.study.study import Import, Study, Vectors
from python_assets.study_file.checks.factors import unknown_level
from python_assets.study_file.checks.labels import label_file_problems
from python_assets.study_file.checks.units import unit_file_problems
from python_assets.study_file.expand import Draft
from python_assets.texts.files import TEXT_READERS, find_files, find_texts

IMPORT: Final[FieldPath] = ("prompts", "import")
PATH_REMEDY: Final = "correct the path, which starts from the folder of the study file"
_AUTO: Final = "auto"


def file_problems(draft: Draft) -> list[PlumblineError]:
    """What of the named files is missing, cannot be read, or lacks a named column."""
    problems: list[PlumblineError] = [*_function_problems(draft), *_vector_problems(draft)]
    problems += _map_problems(draft)
    problems += unit_file_problems(draft)
    problems += _truth_problems(draft)
    problems += label_file_problems(draft)
    if draft.parts.prompts is not None:
        study = draft.study()
        problems += _extension_problems(draft, study)
        problems += _source_problems(study)
        if study.prompts.import_ is not None:
            problems += _import_problems(draft, study, study.prompts.import_)
    return problems


def _function_problems(draft: Draft) -> Iterator[StudyError]:
    named: dict[FieldPath, str] = {(*path, "provider"): spec.provider for path, spec in draft.parts.systems.items()}
    named |= {(*path, "function"): spec.function or "" for path, spec in draft.parts.measures.items()}
    for path, name in named.items():
        file = draft.file.parent / f"{name.partition(':')[0]}.py"
        if is_function_path(name) and not file.is_file():
            expected = f"a function in {file.name} beside the study file"
            yield StudyError(path, name, expected, f"put {file.name} there")
    for statistic, name in draft.parts.analysis.statistic_functions.items():
        if unfit := unfit_function(name, draft.file.parent, n_arguments=1):
            yield unfit.at(("analysis", "custom_statistics", statistic))


def _vector_problems(draft: Draft) -> Iterator[StudyError]:
    embedding = draft.parts.embedding
    if isinstance(embedding, Vectors):
        file = draft.file.parent / embedding.vectors
        if not file.is_file():
            yield _absent(("embedding", "vectors"), embedding.vectors, file)


def _map_problems(draft: Draft) -> Iterator[PlumblineError]:
    """Tables of levels: they can be read, and have a row of every level that is declared."""
    for name, factor in draft.parts.factors.items():
        if factor.map is None:
            continue
        try:
            table = read_level_table(draft.file.parent, name, factor)
            table.of(_declared_levels(draft, factor.map.from_))
        except (SourceError, StudyError) as error:
            yield error
            continue
        if factor.reference is not None and factor.reference not in table.mapped.values():
            known = list(dict.fromkeys(table.mapped.values()))
            yield unknown_level(("factors", name, "reference"), factor.reference, name, known)


def _truth_problems(draft: Draft) -> Iterator[PlumblineError]:
    """Tables of ground truth: they can be read, and the names of the study are theirs."""
    levels = {name: factor.levels or [] for name, factor in (draft.factors or {}).items()}
    groupings = {factors: group_ids(factors, levels) for factors in draft.groupings}
    for path, spec in draft.parts.measures.items():
        if spec.ground_truth is None or any(truth_problems(path, spec, groupings)):
            continue
        try:
            table = read_truth_table(draft.file.parent, spec.ground_truth, (*path, FIELD))
        except (SourceError, StudyError) as error:
            yield error
            continue
        yield from name_problems(path, spec, table, groupings)


def _declared_levels(draft: Draft, name: str) -> list[str]:
    """The levels that the study file itself gives a factor of prompts or of generations."""
    if draft.factors is not None and name in draft.factors:
        return draft.factors[name].levels or []
    systems = [one for entry in draft.systems.values() for one in entry]
    return [one.model for one in systems if name == "model" and one.spec.provider != REPLAY]


def _source_problems(study: Study) -> Iterator[StudyError]:
    for placed in study.prompts.scrape.placed_sources() if study.prompts.scrape else ():
        if placed.source.path is not None:
            yield from _text_problems(study, ("prompts", "scrape", *placed.path, "path"), placed.source.path)


def _extension_problems(draft: Draft, study: Study) -> Iterator[StudyError]:
    for path, spec in draft.parts.systems.items():
        for name, extension in spec.extension.items():
            if extension is not None and extension.path is not None:
                where = (*path, "extension", *([name] if name else []), "path")
                yield from _text_problems(study, where, extension.path)


def _text_problems(study: Study, path: FieldPath, pattern: str) -> Iterator[StudyError]:
    for file in _files(find_texts, study, pattern):
        if file is None and study.resolve(pattern).is_dir():
            yield StudyError(path, pattern, f"a folder with files that end in {listed(TEXT_READERS)}", PATH_REMEDY)
        elif file is None or not file.is_file():
            yield _absent(path, pattern, file)
        elif file.suffix.lower() not in TEXT_READERS:
            expected = f"a file that ends in {listed(TEXT_READERS)}"
            yield StudyError(path, pattern, expected, "convert the text, or rename the file")
        elif problem := _reading_problem(file):
            expected = f"a file that can be read, not {problem}"
            yield StudyError(path, pattern, expected, "change its permissions")


def _files(find: Callable[[Study, str, str], list[Path]], study: Study, pattern: str) -> list[Path] | list[None]:
    """The files of a path or pattern; one None where no file matches."""
    try:
        return find(study, pattern, "")
    except SourceError:
        return [None]


def _absent(path: FieldPath, pattern: str, file: Path | None) -> StudyError:
    expected = "a pattern that a file matches" if file is None else f"a file, but there is none at {file}"
    return StudyError(path, pattern, expected, PATH_REMEDY)


def _reading_problem(file: Path) -> str | None:
    try:
        with file.open("rb"):
            return None
    except OSError as error:
        return str(error.strerror)


def _import_problems(draft: Draft, study: Study, spec: Import) -> Iterator[PlumblineError]:
    for index, named in enumerate(spec.paths):
        path: FieldPath = (*IMPORT, "path") if isinstance(spec.path, str) else (*IMPORT, "path", index)
        try:
            files = _imported_files(study, spec, named)
        except SourceError as error:
            yield error.at(path) if error.where == PATH_FIELD else error
            continue
        for file in files:
            yield from _table_problems(draft, spec, file, path, named)


def _imported_files(study: Study, spec: Import, named: str) -> list[Path] | list[None]:
    matching = _files(find_files, study, named)
    is_there = all(file is not None and file.is_file() for file in matching)
    return IMPORTERS[spec.format].tables(study, named) if is_there else matching


def _table_problems(
    draft: Draft, spec: Import, file: Path | None, path: FieldPath, named: str
) -> Iterator[PlumblineError]:
    if file is None or not file.is_file():
        yield _absent(path, named, file)
        return
    for sheet in spec.sheets:
        try:
            there = table_columns(file, path, sheet)
        except SourceError as error:
            yield error
            return
        yield from _column_problems(draft, spec, file, there)


def _column_problems(draft: Draft, spec: Import, file: Path, there: list[str]) -> Iterator[StudyError]:
    remedy = "correct the name of the column"
    for path, column in [*_named_columns(spec), *_measured_columns(draft)]:
        if column not in there:
            yield unknown_name(path, column, f"a column of {file.name}", there, remedy)


def _named_columns(spec: Import) -> Iterator[tuple[FieldPath, str]]:
    for field, named in spec.columns.model_dump().items():
        if isinstance(named, list):
            yield from (((*IMPORT, "columns", field, index), column) for index, column in enumerate(named))
        elif named is not None and (field, named) != ("replicate", _AUTO):
            yield (*IMPORT, "columns", field), named
    for factor, column in spec.factors.items():
        yield (*IMPORT, "factors", factor), column


def _measured_columns(draft: Draft) -> Iterator[tuple[FieldPath, str]]:
    for path, spec in draft.parts.measures.items():
        for field in ("column", "baseline_column", "version_column", "annotation"):
            if (column := getattr(spec, field)) is not None:
                yield (*path, field), column
        yield from (((*path, "columns", index), name) for index, name in enumerate(spec.columns or ()))
