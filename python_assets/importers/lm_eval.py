"""Logs of lm_eval, the Language Model Evaluation Harness: answers of models to items of tasks, and metrics.

Source: https://github.com/EleutherAI/lm-evaluation-harness, lm_eval --log_samples.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from python_assets.errors import SourceError
from python_assets.importers.eval_logs import (
    EVAL_TASK,
    ItemPrompt,
    LogImport,
    asked_in_turns,
    log_files,
    opened,
    require_named,
    require_told_apart,
    rows_of,
    score_measures,
)
from python_assets.importers.files import parse_object, value_at
from python_assets.importers.formats import PATH_FIELD, Described, ImportedTable, Importer, import_of, importer
from python_assets.importers.lm_eval_metrics import (
    METRICS_PREFIX,
    SampleScore,
    aggregation_of,
    aggregations,
    direction_of,
    group_metrics,
    measure_name,
    n_items,
    of_task,
    published_metrics,
    sample_score,
)
from python_assets.importers.log_metrics import TRUE_LABEL, WEIGHT, PublishedMetric, with_metrics
from python_assets.importers.row_rules import FILE, ROW_COLUMN
from python_assets.importers.table import ENDINGS, table_of_rows
from python_assets.providers.outcomes import NOT_RECORDED
from python_assets.sandbox.worker import now_reading
from python_assets.study.base import Direction
from python_assets.study.imports import ImportColumns
from python_assets.study.study import Factor, Study
from python_assets.texts.decoding import quarantine_undecodable, read_lines, read_text
from python_assets.warehouse.build import Quarantined

_ENDING: Final = ".jsonl"
VERSIONS: Final = re.compile(r"0\.4(\..*)?")
KNOWN_VERSIONS: Final = "0.4"
DOC: Final = "doc."

_FILE_NAME: Final = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d{2}-\d{2}T[\d.-]+)\.jsonl")
_GENERATED: Final = "generate_until"
NOTHING_TO_MEASURE: Final = "logs that record no answers, and no metric of single items that can be read"
_NEEDED: Final = ("doc_id", "doc", "arguments", "resps", "filter", "metrics")
# of a sample: what other parts say again
_NOT_READ: Final = ("target", "filtered_resps", "doc_hash", "prompt_hash", "target_hash")
# what is the same for every filter
_OF_ITEMS: Final = ("doc", "arguments", "resps")
_KEY: Final = [EVAL_TASK, "id", "replicate"]


class LmEvalImport(LogImport):
    """Logs of lm_eval, samples_<task>_<time>.jsonl, each with results_<time>.json beside it.

    factors, root_prompt: paths in the items of a task, as person.gender. model_factors: paths in the results,
    as config.model_args.dtype.
    """


class _TaskItem(NamedTuple):
    """An item of a task: the number of its first line, the lines by their filter."""

    line: int
    samples: dict[str, dict[str, Any]]

    @property
    def first(self) -> dict[str, Any]:
        """What the lines have in common."""
        return next(iter(self.samples.values()))


class _LmEvalLog(NamedTuple):
    """A log with what its results say of the evaluation, and the lines that could not be used."""

    file: Path
    task: str
    results: dict[str, Any]
    items: list[_TaskItem]
    quarantine: list[Quarantined]

    @property
    def config(self) -> dict[str, Any]:
        """What the task is, as its results have it."""
        task_config = of_task(self.results, "configs", self.task)
        return task_config if isinstance(task_config, dict) else {}

    @property
    def is_written(self) -> bool:
        """Whether a model wrote answers; else it gave those that were there a probability."""
        return bool(self.config.get("output_type", _GENERATED) == _GENERATED)

    @property
    def aggregations(self) -> dict[str, str | None]:
        """How the metrics that the task names are aggregated."""
        return aggregations(self.config)


@importer("lm_eval")
class LmEvalImporter(Importer):
    """Every item of every task: prompts are items, repeats replicates, generations models, metrics measures.

    The task is a factor of prompts, which it makes. A metric is of all repeats of an item, so
    it stands at the first. Where a task scores given answers by their probability, nothing was written: the
    responses are not recorded and the metrics are all there is.
    """

    options: ClassVar = LmEvalImport

    @classmethod
    def described(cls, study: Study) -> Described:
        """Factors of models and tasks, and a measure for every metric of the logs.

        Raises:
            SourceError: a log or its results cannot be read, or are of another version.
        """
        return opened(_described, study)

    @classmethod
    def read(cls, study: Study) -> ImportedTable:
        """Read every item of every log.

        Returns:
            What table_of_rows gives. Lines that are no sample, or one that was there before, and items that
            the results count and the log lacks are in quarantine, by file and line.

        Raises:
            SourceError: a log cannot be read, or two logs hold the same response.
        """
        return opened(_read, study)

    @classmethod
    def tables(cls, study: Study, path: str) -> list[Path]:
        """None, as the study file names no column of a table; the logs have what it names.

        Raises:
            SourceError: no item or result has it.
        """
        opened(_require_paths, study)
        return []


def _described(study: Study) -> Described:
    spec, logs = LmEvalImport.of(study), _logs(study)
    model_columns = {"model": "results.model_name"} | {
        name: f"results.{path}" for name, path in spec.model_factors.items()
    }
    root_paths = [f"{DOC}{path}" for path in spec.root_paths]
    columns = ImportColumns(
        prompt=[EVAL_TASK, "id"],
        root_prompt=[EVAL_TASK, *root_paths] if root_paths else None,
        messages="messages",
        prompt_text="input",
        replicate="replicate",
        response="response",
        system=list(model_columns.values()),
    )
    prompt_columns = {name: f"{DOC}{path}" for name, path in spec.factors.items()}
    return Described(
        columns=columns,
        column_of={**prompt_columns, EVAL_TASK: EVAL_TASK, **model_columns},
        factors={EVAL_TASK: Factor(type="prompt", definition="the task of lm_eval that asked")},
        measures=score_measures(_metrics(logs), METRICS_PREFIX, _directions(logs)),
        no_measures=None if any(log.is_written for log in logs) else NOTHING_TO_MEASURE,
    )


def _read(study: Study) -> ImportedTable:
    logs = _logs(study)
    part_columns = [f"{prefix}{METRICS_PREFIX}{name}" for name in _metrics(logs) for prefix in (WEIGHT, TRUE_LABEL)]
    format_columns = (FILE, ROW_COLUMN, *_KEY, "messages", "input", "response", *ENDINGS, *part_columns)
    rows = rows_of(study, format_columns, (row for log in logs for row in _rows(log)), _entry)
    require_told_apart(
        rows,
        [*import_of(study).columns_of_models.values(), *_KEY],
        "name one of the logs, or what tells them apart: model_factors: {NAME: config.model_args.KEY}",
    )
    quarantine = [one for log in logs for one in (*log.quarantine, *_absent(log))]
    table = table_of_rows(study, rows, quarantine, needs_levels=True, carried=(*ENDINGS, FILE, *part_columns))
    return with_metrics(study, table, _published(logs))


def _require_paths(study: Study) -> None:
    require_named(study, [row for log in _logs(study) for row in _rows(log)], _entry)


def _logs(study: Study) -> list[_LmEvalLog]:
    return [_log(file) for file in log_files(study, LmEvalImport.of(study), _ENDING)]


def _log(file: Path) -> _LmEvalLog:
    named = _FILE_NAME.fullmatch(file.name)
    if named is None:
        expected = "a log that is called samples_<task>_<time>.jsonl as lm_eval wrote it"
        raise SourceError(PATH_FIELD, f"{file}", expected, "give it its name back")
    now_reading(file)
    results = _results(file, file.with_name(f"results_{named['date']}.json"))
    items, quarantine = _items(file)
    return _LmEvalLog(file, named["task"], results, items, quarantine)


def _results(log: Path, file: Path) -> dict[str, Any]:
    """What lm_eval wrote beside a log, of a version whose logs are known."""
    if not file.is_file():
        got, expected = f"{log} alone", f"{file.name} beside it, which says what model answered"
        raise SourceError(PATH_FIELD, got, expected, "put it there")
    results = parse_object(read_text(file, PATH_FIELD).text)
    if results is None or "model_name" not in results:
        got = f"{file}, no whole JSON object with model_name"
        raise SourceError(PATH_FIELD, got, "the results of lm_eval", "copy it again")
    version = str(results.get("lm_eval_version"))
    if not VERSIONS.fullmatch(version):
        got, expected = f"{file} of lm_eval {version}", f"logs of lm_eval {KNOWN_VERSIONS}"
        remedy = "write them with such a version, or import them as format table"
        raise SourceError(PATH_FIELD, got, expected, remedy)
    return results


def _items(file: Path) -> tuple[list[_TaskItem], list[Quarantined]]:
    """The items of a log, of which no more is kept than is read: a log may be larger than memory."""
    items: dict[str, _TaskItem] = {}
    quarantine = []
    for number, (line, undecodable) in enumerate(read_lines(file, PATH_FIELD), start=1):
        quarantine += quarantine_undecodable("import", file.name, undecodable)
        if not line.strip():
            continue
        sample = parse_object(line)
        if sample is None or not set(_NEEDED) <= set(sample):
            detail = f"import: line {number} of {file.name} is no sample of lm_eval: {_lacks(sample)}"
            quarantine.append(Quarantined(f"{file.name}:line {number}", "unparseable", detail, line))
            continue
        item = items.setdefault(str(sample["doc_id"]), _TaskItem(number, {}))
        if sample["filter"] in item.samples:
            detail = f"import: line {item.line} of {file.name} has item {sample['doc_id']} already"
            quarantine.append(Quarantined(f"{file.name}:line {number}", "duplicate_key", detail, line))
        else:
            item.samples[sample["filter"]] = _kept(sample, is_first=not item.samples)
    return list(items.values()), quarantine


def _kept(sample: dict[str, Any], *, is_first: bool) -> dict[str, Any]:
    """What is read of a sample: of its requests the first one, and of further filters the metrics alone."""
    kept = {name: value for name, value in sample.items() if name not in _NOT_READ}
    if not is_first:
        return {name: value for name, value in kept.items() if name not in _OF_ITEMS}
    arguments = {"gen_args_0": {"arg_0": value_at(sample, "arguments.gen_args_0.arg_0")}}
    answers = sample["resps"]
    return kept | {"arguments": arguments, "resps": answers[:1] if isinstance(answers, list) else answers}


def _lacks(sample: dict[str, Any] | None) -> str:
    if sample is None:
        return "it is no whole JSON object"
    return f"it has no {', '.join(name for name in _NEEDED if name not in sample)}"


def _absent(log: _LmEvalLog) -> Iterator[Quarantined]:
    """Items that the results count beyond those that the log has, usable or not."""
    n_counted = n_items(log.results, log.task) or 0
    n_unusable = sum(one.rule == "unparseable" for one in log.quarantine)
    n_missing = n_counted - len(log.items) - n_unusable
    for number in range(1, n_missing + 1):
        yield Quarantined(
            f"{log.file.name}:missing item {number}",
            "not_in_log",
            f"import: of the {n_counted} items that its results count, {log.file.name} lacks {n_missing}; "
            "copy it again",
            "{}",
        )


def _rows(log: _LmEvalLog) -> Iterator[dict[str, Any]]:
    """One row a response, what the log says of its item beside it."""
    is_written = log.is_written
    for item in log.items:
        sample = item.first
        prompt = _asked(value_at(sample, "arguments.gen_args_0.arg_0"))
        row = {
            FILE: log.file.name,
            ROW_COLUMN: item.line,
            EVAL_TASK: log.task,
            "id": str(sample["doc_id"]),
            "messages": prompt.messages_json,
            "input": prompt.text,
            "finish_reason": None if is_written else NOT_RECORDED,
            "error": None,
            "doc": sample["doc"],
            "results": log.results,
        }
        responses = _responses(sample) if is_written else [None]
        for replicate, response in enumerate(responses):
            metrics = _metrics_of(log, item) if replicate == 0 else {}
            yield {**row, "replicate": replicate, "response": response, "metrics": metrics}


def _asked(argument: Any) -> ItemPrompt:
    """The first argument of a request; one to a chat server is a list that holds its messages as JSON."""
    is_chat = isinstance(argument, list) and len(argument) == 1 and isinstance(argument[0], str)
    if is_chat and (prompt := asked_in_turns(argument[0])):
        return prompt
    return ItemPrompt(None, json.dumps(argument, ensure_ascii=False) if isinstance(argument, list) else argument)


def _responses(sample: dict[str, Any]) -> list[Any]:
    """The answers to the one request of an item, repeat by repeat."""
    requests = sample["resps"]
    repeats = requests[0] if isinstance(requests, list) and requests else None
    return repeats if isinstance(repeats, list) and repeats else [repeats]


def _metrics_of(log: _LmEvalLog, item: _TaskItem) -> dict[str, SampleScore]:
    """What an item has of every metric; of a task with filters by metric and filter, as in its results."""
    scores = {}
    named = log.aggregations
    for of, sample in item.samples.items():
        metrics = sample["metrics"]
        for metric in metrics if isinstance(metrics, list) else ():
            aggregation = aggregation_of(metric, named)
            score = sample_score(sample.get(metric), aggregation)
            if score is not None:
                scores[measure_name(metric, aggregation, of)] = score
    return scores


def _metrics(logs: Iterable[_LmEvalLog]) -> dict[str, list[Any]]:
    values_by_metric: dict[str, list[Any]] = {}
    for log in logs:
        for item in log.items:
            for name, score in _metrics_of(log, item).items():
                values_by_metric.setdefault(name, []).append(score.value)
    return values_by_metric


def _directions(logs: Iterable[_LmEvalLog]) -> dict[str, Direction]:
    """Which end of the scores is good, where their task says so of the metric."""
    directions: dict[str, Direction] = {}
    for log in logs:
        there, named = of_task(log.results, "higher_is_better", log.task), log.aggregations
        for metric, is_higher_better in (there if isinstance(there, dict) else {}).items():
            aggregation = aggregation_of(metric, named)
            direction = direction_of(aggregation, is_higher_better=bool(is_higher_better))
            if is_higher_better is not None and direction is not None:
                filters = {of for item in log.items for of in item.samples}
                directions |= {measure_name(metric, aggregation, of): direction for of in filters}
    return directions


def _published(logs: Iterable[_LmEvalLog]) -> Iterator[PublishedMetric]:
    """The metrics of every task, and once those of the groups in the results beside them."""
    dates = set()
    for log in logs:
        lines = [sample for item in log.items for sample in item.samples.values()]
        yield from published_metrics(log.file.name, log.task, log.results, log.aggregations, lines)
        if log.results.get("date") not in dates:
            dates.add(log.results.get("date"))
            yield from group_metrics(log.file.name, log.results)


def _entry(row: dict[str, Any], column: str) -> Any:
    """What a column stands for; the name of a metric may hold dots itself."""
    for prefix, field in (
        (METRICS_PREFIX, "value"),
        (f"{WEIGHT}{METRICS_PREFIX}", "weight"),
        (f"{TRUE_LABEL}{METRICS_PREFIX}", "true_label"),
    ):
        if column.startswith(prefix):
            return getattr(row["metrics"].get(column.removeprefix(prefix)), field, None)
    return value_at(row, column)
