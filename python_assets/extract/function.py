"""A measure of the user's own: a Python function beside the study file, from texts to their scores."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from python_assets.errors import ExtractionError, FieldPath
from python_assets.extract.scorer import Score, TextMethod
from python_assets.registry import load_function

ScoreForm = Literal["number", "0 or 1", "label"]

_EXPECTED: Final[Mapping[ScoreForm, str]] = {
    "number": "a number",
    "0 or 1": "0 or 1",
    "label": "a label (a text that is not blank)",
}

_TAKES: Final = {1: "a list of texts", 2: "a list of texts and a list of rows"}


class _Call(NamedTuple):
    """One function as a measure uses it; place is its file and its name, for errors."""

    function: Callable[..., Iterable[Any]]
    place: FieldPath
    wanted: ScoreForm


def function_method(path: str, folder: Path, wanted: ScoreForm) -> TextMethod:
    """Score texts with a function of the user's own.

    The function is called as function(list of texts) and gives as many results: numbers, or labels, or None
    where it cannot say (reason function_failed). It must score each text by that text alone, since results
    are kept by text.

    Args:
        path: `module:function`.
        folder: the folder of the study file.
        wanted: what its results must be.

    Returns:
        A method whose version holds the sha256 of the function's file.

    Raises:
        StudyError: the function cannot be imported.
    """
    call, version = _loaded(path, folder, wanted)
    return TextMethod(f"function, {wanted}", version, lambda texts: _score(call, texts))


class RowMethod(NamedTuple):
    """A function that sees rows: texts (None where there is none) and as many rows in, scores out."""

    version: str
    score: Callable[[Sequence[str | None], Sequence[Mapping[str, Any]]], list[Score]]


def function_of_rows(path: str, folder: Path, wanted: ScoreForm) -> RowMethod:
    """Score responses with a function of the user's own that sees their imported rows.

    The function is called as function(texts, rows): rows are mappings from a column to its entry, and texts
    hold None where a response has none. It gives as many results, as function_method says.

    Raises:
        StudyError: the function cannot be imported.
    """
    call, version = _loaded(path, folder, wanted)
    return RowMethod(version, lambda texts, rows: _score(call, texts, rows))


def _loaded(path: str, folder: Path, wanted: ScoreForm) -> tuple[_Call, str]:
    """A function of the study's folder, and the version of what it gives."""
    loaded = load_function(path, folder)
    module, _, function = path.partition(":")
    call = _Call(loaded.function, (folder / f"{module}.py", function), wanted)
    return call, f"{path}, file {loaded.source_sha256[:16]}"


def _score(call: _Call, texts: Sequence[str | None], rows: Sequence[Mapping[str, Any]] | None = None) -> list[Score]:
    arguments: list[Sequence[Any]] = [texts] if rows is None else [texts, rows]
    try:
        results = _results(call, arguments)
    except ExtractionError:
        raise
    except Exception as error:
        raise _failure(call, arguments, error) from error
    if len(results) != len(texts):
        raise ExtractionError(call.place, f"{len(results)} results for {len(texts)} texts", "one a text")
    return [_as_score(call, position, result) for position, result in enumerate(results)]


def _results(call: _Call, arguments: Sequence[Sequence[Any]]) -> list[Any]:
    results = call.function(*map(list, arguments))
    # a text is a sequence of texts too: its characters would pass for labels
    if isinstance(results, str | bytes | Mapping) or not isinstance(results, Iterable):
        got = f"a {type(results).__name__} for {len(arguments[0])} texts"
        raise ExtractionError(call.place, got, "a list of results")
    return list(results)


def _failure(call: _Call, arguments: Sequence[Sequence[Any]], error: Exception) -> ExtractionError:
    """What went wrong and at which text: the function is asked again with one text at a time."""
    n_texts = len(arguments[0])
    for position, one in enumerate(zip(*arguments, strict=True)):
        try:
            _results(call, [[argument] for argument in one])
        except Exception as alone:
            shown = ", ".join(_beginning(repr(argument)) for argument in one)
            got = f"{type(alone).__name__}: {alone} at text {position} of {n_texts} ({shown})"
            expected = f"{_EXPECTED[call.wanted]}, or None for a text it cannot score"
            return ExtractionError(call.place, got, expected, "correct it")
    got = f"{type(error).__name__}: {error} on {n_texts} texts together, on none of them alone"
    expected = f"a function that takes {_TAKES[len(arguments)]} and returns one result a text"
    return ExtractionError(call.place, got, expected, "correct it")


def _as_score(call: _Call, position: int, result: Any) -> Score:
    if result is None:
        return Score(reason="function_failed")
    if call.wanted == "label" and isinstance(result, str) and result.strip():
        return Score(label=result.strip(), label_method="function")
    if call.wanted == "number" and isinstance(result, Real | np.bool_):
        return Score(_as_float(result))
    if call.wanted == "0 or 1" and isinstance(result, Real | np.bool_) and result in (0, 1):
        return Score(float(result))
    expected = f"{_EXPECTED[call.wanted]}, or None for a text it cannot score"
    raise ExtractionError(call.place, f"{_beginning(repr(result))} for text {position}", expected)


def _as_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _beginning(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
