"""What logs of evaluation tools have in common: files that are named twice, and scores as measures.

Belongs here: what more than one log format needs. The formats are inspect.py and lm_eval.py.
"""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import pandas as pd

from python_assets.errors import SourceError
from python_assets.importers.formats import PATH_FIELD
from python_assets.importers.row_rules import FILE
from python_assets.published.manifest import sha256_of_file
from python_assets.study.base import make_id
from python_assets.study.measures import Kind
from python_assets.study.study import Import, MeasureSpec, Study
from python_assets.texts.files import find_files

EVAL_TASK: Final = "eval_task"
"""The factor of models that is the task of a log; `task` is the factor of prompts, completion or question."""


def log_files(study: Study, spec: Import, ending: str) -> list[Path]:
    """The logs that an import names, each content once: a copy, or a file named twice, changes nothing.

    Raises:
        SourceError: a pattern that no file matches, a file that is absent or has another ending.
    """
    files: dict[str, Path] = {}
    for path in spec.paths:
        for file in find_files(study, path, PATH_FIELD):
            if not file.is_file():
                raise SourceError(
                    f"{PATH_FIELD}: expected a file, but there is none at {file}. Correct the path."
                )
            if file.suffix != ending:
                raise SourceError(
                    f"{PATH_FIELD}: expected a log that ends in {ending}, but there is {file}. "
                    "Name the logs alone."
                )
            files.setdefault(sha256_of_file(file), file)
    return list(files.values())


def score_measures(values: Mapping[str, Iterable[Any]], prefix: str) -> list[MeasureSpec]:
    """A measure for every score, of the kind that its values have.

    Args:
        values: by the name of the score what it is, in any order: numbers, truth values, texts, None.
        prefix: what stands before the name in the column that the measure reads.

    Returns:
        Binary where every value is 0 or 1, continuous where every one is a number, else categorical. A score
        without any value is left out.

    Raises:
        SourceError: two scores have the same identifier.
    """
    names: dict[str, str] = {}
    measures = []
    for score, of_score in values.items():
        kind = _kind(value for value in of_score if not is_missing(value))
        if kind is None:
            continue
        name = make_id(score) or make_id(f"score_{score}")
        if name in names:
            raise SourceError(
                f"{PATH_FIELD}: expected scores whose names keep different identifiers, but {names[name]!r} "
                f"and {score!r} are both {name}. Name logs with one of them."
            )
        names[name] = score
        measures.append(MeasureSpec(name=name, kind=kind, column=f"{prefix}{score}"))
    return measures


def is_missing(value: Any) -> bool:
    """Whether a score says nothing: null, or not a number, by which tools mark what they did not score."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _kind(values: Iterable[Any]) -> Kind | None:
    found = set(values)
    if not found:
        return None
    if any(isinstance(value, str) for value in found):
        return "categorical"
    return "binary" if found <= {0, 1} else "continuous"


def require_told_apart(rows: pd.DataFrame, key: list[str], remedy: str) -> None:
    """See that no two logs hold the same response.

    Args:
        rows: of all logs, with FILE.
        key: the columns that tell responses apart.
        remedy: what the user does, as a sentence.

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
    raise SourceError(
        f"{PATH_FIELD}: {first[FILE]} and {row[FILE]} both hold the response of {named}. Expected each in "
        f"one log. {remedy}"
    )
