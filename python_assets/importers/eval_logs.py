"""What logs of evaluation tools have in common: files that are named twice, and scores as measures.

Belongs here: what more than one log format needs. The formats are inspect.py and lm_eval.py.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Self, TypeVar

import pandas as pd
from pydantic import StrictStr, model_validator

from python_assets.errors import SourceError
from python_assets.importers.formats import PATH_FIELD, import_of
from python_assets.importers.row_rules import FILE
from python_assets.sandbox.sandbox import in_sandbox
from python_assets.study.base import Columns, Direction, FactorName, Kind, Unfit, make_id, stated_fields
from python_assets.study.messages import as_json, read_conversation
from python_assets.study.problems import listed
from python_assets.study.study import Import, MeasureSpec, Study
from python_assets.texts.files import find_files
from python_assets.warehouse.file_hashes import sha256_of_file

EVAL_TASK: Final = "eval_task"
"""The factor of models that is the task of a log; `task` is the factor of prompts, completion or question."""

_NONE: Final = "none"
"""The level of a factor of models that a log says nothing of."""

Record = dict[str, Any]
Entry = Callable[[Record, str], Any]
_T = TypeVar("_T")


class ItemPrompt(NamedTuple):
    """What an item asks; messages_json: what stands before the text, as raw.prompts has it."""

    messages_json: str | None
    text: str | None


class LogImport(Import):
    """Logs of a tool that asks models the items of tasks.

    factors: of prompts, each by the path of its level in what the tool keeps of an item. model_factors:
    further factors of models, each by its path in what the tool keeps of the whole evaluation. root_prompt:
    paths that tell root prompts apart; every item is one where it is absent.
    """

    model_factors: dict[FactorName, StrictStr] = {}
    root_prompt: Columns | None = None

    @model_validator(mode="after")
    def _no_columns(self) -> Self:
        if stated_fields(self) & {"columns", "task"}:
            raise Unfit(f"no columns or task: format {self.format} has them", "remove them")
        return self

    @property
    def root_paths(self) -> list[str]:
        """The paths that tell root prompts apart."""
        return [self.root_prompt] if isinstance(self.root_prompt, str) else self.root_prompt or []

    @classmethod
    def of(cls, study: Study) -> Self:
        """What a study says of its import.

        Raises:
            TypeError: it is of another format.
        """
        spec = import_of(study)
        if not isinstance(spec, cls):
            raise TypeError(f"format {spec.format} is not {cls.__name__}")
        return spec


def log_files(
    study: Study, spec: Import, ending: str, remedies: Mapping[str, str] = MappingProxyType({})
) -> list[Path]:
    """The logs that an import names, each content once: a copy, or a file named twice, changes nothing.

    Args:
        study: says where its file lies.
        spec: names the logs.
        ending: of logs.
        remedies: what to do with files of other endings.

    Raises:
        SourceError: a pattern that no file matches, a file that is absent or has another ending.
    """
    files: dict[str, Path] = {}
    for path in spec.paths:
        for file in find_files(study, path, PATH_FIELD):
            if not file.is_file():
                raise SourceError(PATH_FIELD, f"no file at {file}", "a log", "correct the path")
            if file.suffix != ending:
                expected = f"a log that ends in {ending}"
                remedy = remedies.get(file.suffix, "name the logs alone")
                raise SourceError(PATH_FIELD, f"{file}", expected, remedy)
            files.setdefault(sha256_of_file(file), file)
    return list(files.values())


def opened(read: Callable[[Study], _T], study: Study) -> _T:
    """What a function reads of the logs that a study imports; a worker runs it.

    Raises:
        SourceError: as the function raises it, or the logs ask for more than the worker has.
    """
    return in_sandbox(partial(read, study), ", ".join(import_of(study).paths), PATH_FIELD)


def score_measures(
    values: Mapping[str, Iterable[Any]], prefix: str, directions: Mapping[str, Direction] = MappingProxyType({})
) -> list[MeasureSpec]:
    """A measure for every score, of the kind that its values have.

    Args:
        values: by the name of the score what it is, in any order: numbers, truth values, texts, None.
        prefix: what stands before the name in the column that the measure reads.
        directions: which end of a score is good, where its tool says so.

    Returns:
        Binary where every value is 0 or 1, continuous where every one is a number, else categorical. A score
        without any value is left out.

    Raises:
        SourceError: two scores have the same identifier.
    """
    names: dict[str, str] = {}
    measures = []
    for score, score_values in values.items():
        kind = _kind(value for value in score_values if not is_missing(value))
        if kind is None:
            continue
        name = make_id(score) or make_id(f"score_{score}")
        if name in names:
            got = f"the scores {names[name]!r} and {score!r}, which are both {name}"
            expected = "scores whose names keep different identifiers"
            raise SourceError(PATH_FIELD, got, expected, "name logs with one of them")
        names[name] = score
        measures.append(MeasureSpec(name=name, kind=kind, column=f"{prefix}{score}", direction=directions.get(score)))
    return measures


def is_missing(value: Any) -> bool:
    """Whether a score says nothing: null, or not a number, by which tools mark what they did not score."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _kind(values: Iterable[Any]) -> Kind | None:
    distinct = set(values)
    if not distinct:
        return None
    if any(isinstance(value, str) for value in distinct):
        return "categorical"
    return "binary" if distinct <= {0, 1} else "continuous"


def require_told_apart(rows: pd.DataFrame, key: list[str], remedy: str) -> None:
    """See that no two logs hold the same response.

    Args:
        rows: of all logs, with FILE.
        key: the columns that tell responses apart.
        remedy: what the user does.

    Raises:
        SourceError: two of them do.
    """
    again = rows[rows.duplicated(key)]
    if again.empty:
        return
    row = again.iloc[0]
    same = (rows[key] == row[key]).all(axis=1)
    first = rows[same].iloc[0]
    if first[FILE] == row[FILE]:
        return
    named = ", ".join(f"{column.rpartition('.')[2]} {row[column]}" for column in key)
    got = f"{first[FILE]} and {row[FILE]}, which both hold the response of {named}"
    raise SourceError(PATH_FIELD, got, "each response in one log", remedy)


def asked_in_turns(conversation: str) -> ItemPrompt | None:
    """A conversation of user and assistant in turns, whose last message is the prompt; None where it is none.

    Args:
        conversation: as JSON, a list of {role, content}.
    """
    try:
        read = read_conversation(conversation, holds_prompt=True)
    except Unfit:
        return None
    return ItemPrompt(as_json(read.before), read.prompt_text)


def rows_of(study: Study, own: Sequence[str], records: Iterable[Record], entry: Entry) -> pd.DataFrame:
    """One row a response, with the columns that its format has and those that the study file names.

    Args:
        study: with what the format described.
        own: the columns of the format.
        records: what a log says of each response and its item.
        entry: what of a record a column stands for; None where it has nothing.
    """
    wanted = list(dict.fromkeys([*own, *named_columns(study)]))
    rows = pd.DataFrame([[entry(record, name) for name in wanted] for record in records], columns=wanted)
    model_columns = list(import_of(study).columns_of_models.values())
    rows = rows.astype(object)
    rows[model_columns] = rows[model_columns].where(rows[model_columns].notna(), _NONE)
    return rows


def named_columns(study: Study) -> list[str]:
    """The paths that a study file names: of levels, of root prompts and of measures."""
    spec = import_of(study)
    root = spec.columns.root_prompt
    paths = [*spec.columns_of_models.values(), *spec.factors.values(), *(root or ())]
    return [*paths, *(column for measure in study.measures for column in measure.imported_columns)]


def require_named(study: Study, records: Sequence[Record], entry: Entry) -> None:
    """See that logs have what the study file names.

    Args:
        study: with what the format described.
        records: those that are looked in.
        entry: what of a record a column stands for.

    Raises:
        SourceError: no record has something at a path.
    """
    for column in named_columns(study):
        if "." in column and not any(entry(record, column) is not None for record in records):
            there = dict.fromkeys(path for record in records for path in _paths(record))
            section = [path for path in there if path.startswith(f"{column.partition('.')[0]}.")]
            got = f"logs without {column}"
            raise SourceError(PATH_FIELD, got, f"one of {listed(section or list(there))}", "correct the path")


def _paths(record: Record) -> Iterator[str]:
    """What a study file could name: what stands in the parts of a record, and inside of that."""
    for section, entries in record.items():
        for name, value in entries.items() if isinstance(entries, dict) else ():
            inside = [f".{step}" for step in value] if isinstance(value, dict) else []
            yield from (f"{section}.{name}{step}" for step in inside or [""])
