"""Results of promptfoo: what models answered to its tests, and how its assertions scored the answers.

Source: https://www.promptfoo.dev/docs/configuration/outputs, promptfoo eval --output results.json, version 3.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from python_assets.errors import SourceError
from python_assets.importers.eval_logs import (
    ItemPrompt,
    LogImport,
    asked_in_turns,
    log_files,
    opened,
    require_named,
    rows_of,
    score_measures,
)
from python_assets.importers.files import parse_object, value_at
from python_assets.importers.formats import PATH_FIELD, Described, ImportedTable, Importer, importer
from python_assets.importers.row_rules import FILE, ROW_COLUMN
from python_assets.importers.table import AUTO, ENDINGS, table_of_rows
from python_assets.providers.outcomes import CONTENT_FILTER
from python_assets.sandbox.worker import now_reading
from python_assets.study.base import Direction
from python_assets.study.imports import ImportColumns
from python_assets.study.study import Factor, Study
from python_assets.texts.decoding import quarantine_undecodable, read_text
from python_assets.warehouse.build import Quarantined

_ENDING: Final = ".json"
_VERSION: Final = 3
_TEMPLATE: Final = "eval_prompt"
"""The factor of prompts that is the template of promptfoo, by its label."""

VARS, SCORES = "vars.", "scores."
LONGEST_LABEL: Final = 60  # a prompt without a label is labelled with its whole text
HIGHER_BETTER: Final[Mapping[str, Direction]] = {"score": "higher_better", "pass": "higher_better"}
_CONVERT: Final = dict.fromkeys((".yaml", ".yml", ".csv"), "write them by: promptfoo eval --output results.json")

_NEEDED: Final = ("provider", "prompt", "vars")
_FAILED_TO_ASK: Final = 2  # failureReason: 0 none, 1 an assertion, 2 an error
# what promptfoo itself puts among the variables of a test, another value each time
_NOT_OF_THE_TEST: Final = ("sessionId",)


class PromptfooImport(LogImport):
    """Results of promptfoo, one file of JSON an evaluation.

    factors, root_prompt: variables of a test, or paths in them, as person.gender. model_factors: paths in the results
    file, as config.description.
    """


class _Results(NamedTuple):
    """A file: its whole content, the results that can be used by their place, and the others."""

    file: Path
    content: dict[str, Any]
    results: list[tuple[int, dict[str, Any]]]
    quarantine: list[Quarantined]


@importer("promptfoo")
class PromptfooImporter(Importer):
    """Every result: prompts are templates and the variables of a test, generations providers, scores measures.

    Tests of equal variables are repeats of one prompt. A template is a factor of prompts. Measures are `score` and
    `pass` of all assertions together, and every named score.
    """

    options: ClassVar = PromptfooImport

    @classmethod
    def described(cls, study: Study) -> Described:
        """Factors of models and templates, and a measure for every score.

        Raises:
            SourceError: a file cannot be read, or is of another version.
        """
        return opened(_described, study)

    @classmethod
    def read(cls, study: Study) -> ImportedTable:
        """Read every result of every file.

        Returns:
            What table_of_rows gives. Entries that are no result are in quarantine, by file and place.

        Raises:
            SourceError: a file cannot be read.
        """
        return opened(_read, study)

    @classmethod
    def tables(cls, study: Study, path: str) -> list[Path]:
        """None, as results are no table; they have what the study file names.

        Raises:
            SourceError: no result has it.
        """
        opened(_require_paths, study)
        return []


def _described(study: Study) -> Described:
    spec, files = PromptfooImport.of(study), _files(study)
    model_columns = {"model": "model"} | {name: f"file.{path}" for name, path in spec.model_factors.items()}
    root_paths = [f"{VARS}{path}" for path in spec.root_paths]
    columns = ImportColumns(
        prompt=[_TEMPLATE, "test"],
        root_prompt=[_TEMPLATE, *root_paths] if root_paths else None,
        messages="messages",
        prompt_text="input",
        replicate=AUTO,
        response="response",
        system=list(model_columns.values()),
    )
    scores: dict[str, list[Any]] = {}
    for one in files:
        for _, result in one.results:
            for name, value in _scores(result).items():
                scores.setdefault(name, []).append(value)
    return Described(
        columns=columns,
        column_of={
            **{name: f"{VARS}{path}" for name, path in spec.factors.items()},
            _TEMPLATE: _TEMPLATE,
            **model_columns,
        },
        factors={_TEMPLATE: Factor(type="prompt", definition="the template of promptfoo")},
        measures=score_measures(scores, SCORES, HIGHER_BETTER),
    )


def _read(study: Study) -> ImportedTable:
    files = _files(study)
    format_columns = (FILE, ROW_COLUMN, _TEMPLATE, "test", "messages", "input", "response", *ENDINGS)
    rows = rows_of(study, format_columns, _rows(files), _entry)
    quarantine = [record for one in files for record in one.quarantine]
    return table_of_rows(study, rows, quarantine, needs_levels=True, carried=(*ENDINGS, FILE))


def _require_paths(study: Study) -> None:
    require_named(study, list(_rows(_files(study))), _entry)


def _files(study: Study) -> list[_Results]:
    return [_results(file) for file in log_files(study, PromptfooImport.of(study), _ENDING, _CONVERT)]


def _results(file: Path) -> _Results:
    now_reading(file)
    decoded = read_text(file, PATH_FIELD)
    quarantine = quarantine_undecodable("import", file.name, decoded.undecodable)
    content = parse_object(decoded.text)
    summary = content.get("results") if content else None
    if isinstance(summary, list):  # the summary by itself, as its node package returns it
        summary = content
    if not isinstance(summary, dict) or not isinstance(summary.get("results"), list):
        got, remedy = (
            f"{file}, no whole JSON object with results",
            "write it again: promptfoo eval --output results.json",
        )
        raise SourceError(PATH_FIELD, got, "results of promptfoo", remedy)
    if summary.get("version") != _VERSION:
        got, expected = f"{file} of version {summary.get('version')!r}", f"results of version {_VERSION}"
        raise SourceError(PATH_FIELD, got, expected, "write them with a promptfoo of 2025 or later")
    results = []
    for index, result in enumerate(summary["results"]):
        if isinstance(result, dict) and all(isinstance(result.get(name), dict) for name in _NEEDED):
            results.append((index, result))
            continue
        detail = f"import: results[{index}] of {file.name} is no result of promptfoo with {', '.join(_NEEDED)}"
        record = json.dumps(result, ensure_ascii=False)
        quarantine.append(Quarantined(f"{file.name}:results[{index}]", "unparseable", detail, record))
    return _Results(
        file, {name: section for name, section in (content or {}).items() if name != "results"}, results, quarantine
    )


def _rows(files: Iterable[_Results]) -> Iterator[dict[str, Any]]:
    """One row a result, what its file says beside it."""
    for one in files:
        for index, result in one.results:
            prompt = _asked(result["prompt"].get("raw"))
            response = result.get("response")
            answer = response if isinstance(response, dict) else {}
            test_vars = {name: value for name, value in result["vars"].items() if _is_of_the_test(name)}
            yield {
                FILE: one.file.name,
                ROW_COLUMN: index,
                _TEMPLATE: _template(result),
                "test": json.dumps(test_vars, ensure_ascii=False, sort_keys=True),
                "messages": prompt.messages_json,
                "input": prompt.text,
                "model": result["provider"].get("label") or result["provider"].get("id"),
                "response": _as_text(answer.get("output")),
                "finish_reason": CONTENT_FILTER if answer.get("isRefusal") is True else answer.get("finishReason"),
                "error": _error(result, answer),
                "vars": result["vars"],
                "scores": _scores(result),
                "file": one.content,
            }


def _is_of_the_test(name: str) -> bool:
    return not name.startswith("_") and name not in _NOT_OF_THE_TEST


def _template(result: dict[str, Any]) -> str:
    """The label of a prompt; without one it is its whole text, in whose place its id or beginning stands."""
    label = str(result["prompt"].get("label") or result["prompt"].get("raw") or "")
    flat = " ".join(label.split())
    return (
        flat if len(flat) <= LONGEST_LABEL else f"{flat[:LONGEST_LABEL]} {str(result.get('promptId', ''))[:8]}".strip()
    )


def _asked(raw: Any) -> ItemPrompt:
    """What was asked; a prompt that is a list of messages, as JSON, in its turns."""
    if isinstance(raw, str):
        return (asked_in_turns(raw) if raw.lstrip().startswith("[") else None) or ItemPrompt(None, raw)
    return ItemPrompt(None, _as_text(raw))


def _as_text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _error(result: dict[str, Any], answer: dict[str, Any]) -> str | None:
    """Why there is no answer; that an assertion failed is no error of the model."""
    error = answer.get("error") or (result.get("error") if result.get("failureReason") == _FAILED_TO_ASK else None)
    if error is None and answer.get("output") is None:
        error = result.get("error") or "no output"
    return None if error is None else str(error)


def _scores(result: dict[str, Any]) -> dict[str, Any]:
    """What the assertions came to; nothing where there was no answer to score."""
    answer = result.get("response")
    if _error(result, answer if isinstance(answer, dict) else {}) is not None:
        return {}
    named = result.get("namedScores")
    scores = {name: value for name, value in (named if isinstance(named, dict) else {}).items() if _is_number(value)}
    whole = {"score": result.get("score"), "pass": result.get("success")}
    return scores | {name: value for name, value in whole.items() if _is_number(value)}


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float)


def _entry(row: dict[str, Any], column: str) -> Any:
    """What a column stands for; the name of a score may hold dots itself."""
    if column.startswith(SCORES):
        value = row["scores"].get(column.removeprefix(SCORES))
        return int(value) if isinstance(value, bool) else value
    return value_at(row, column)
