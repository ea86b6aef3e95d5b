"""Logs of Inspect: what models answered to the samples of a task, and how its scorers marked it.

Source: https://inspect.aisi.org.uk/eval-logs.html, EvalLog and EvalSample of inspect_ai.log.
"""

import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

import pandas as pd

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
from python_assets.importers.files import value_at
from python_assets.importers.formats import PATH_FIELD, Described, ImportedTable, Importer, import_of, importer
from python_assets.importers.inspect_metrics import METADATA, SCORES, as_number, numbers_for_marks, published_metrics
from python_assets.importers.log_metrics import PublishedMetric, with_metrics
from python_assets.importers.row_rules import FILE, ROW_COLUMN
from python_assets.importers.table import ENDINGS, table_of_rows
from python_assets.providers.outcomes import CONTENT_FILTER
from python_assets.sandbox.worker import now_reading
from python_assets.study.imports import ImportColumns
from python_assets.study.study import Factor, Study
from python_assets.texts.limits import MOST_UNPACKED_BYTES
from python_assets.warehouse.build import Quarantined

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample, EvalSampleSummary
    from inspect_ai.model import ChatMessage

_ENDING: Final = ".eval"
SCHEMA_VERSION: Final = 2
OLDEST: Final = "0.3.285"
INSTALL: Final = "pip install 'plumbline[inspect]'"
_CONVERT: Final = "convert it: inspect log convert --to eval --output-dir FOLDER LOG"
SAMPLES_AT_ONCE: Final = 100

# parts of a sample that may be as long as its transcript and are not imported
_NOT_READ: Final = {"events", "events_data", "messages", "store", "timelines"}
_LENGTH: Final = "length"
_FINISH_REASONS: Final = {"model_length": _LENGTH}
# what a prompt or an answer holds besides text
_TEXT: Final = ("text", "reasoning")
_KEY: Final = ["dataset", "id", "epoch"]


class InspectImport(LogImport):
    """Logs of Inspect, .eval files.

    factors, root_prompt: paths in the metadata of samples, as person.gender. model_factors: paths in the
    header of a log, as eval.task_args.role or plan.config.temperature.
    """


class _InspectLog(NamedTuple):
    """A log as far as it is read without its transcripts; marked: the scores whose letters are read as numbers."""

    file: Path
    header: "EvalLog"
    summaries: "list[EvalSampleSummary]"
    marked: frozenset[str] = frozenset()

    @property
    def missing(self) -> Iterator[tuple[str | int, int]]:
        """Samples and epochs that were to be run and are not there."""
        there = {(summary.id, summary.epoch) for summary in self.summaries}
        for sample_id in self.header.eval.dataset.sample_ids or []:
            for epoch in range(1, (self.header.eval.config.epochs or 1) + 1):
                if (sample_id, epoch) not in there:
                    yield sample_id, epoch


@importer("inspect")
class InspectImporter(Importer):
    """Every sample and epoch of every log: prompts are samples, epochs replicates, scores measures.

    A generation is a model and a task, and what model_factors adds. Marks are the numbers that Inspect counts
    them as, where nothing but marks stands there and Inspect counts them.
    """

    options: ClassVar = InspectImport

    @classmethod
    def described(cls, study: Study) -> Described:
        """Factors of models, and a measure for every score that the logs hold.

        Raises:
            SourceError: a log cannot be read, or inspect_ai is not installed.
        """
        return opened(_described, study)

    @classmethod
    def read(cls, study: Study) -> ImportedTable:
        """Read every sample of every log.

        Returns:
            What table_of_rows gives. Samples that were to be run and are not in a log, and those that were
            declared invalid, are in quarantine.

        Raises:
            SourceError: a log cannot be read, or two logs hold the same response.
        """
        return opened(_read, study)

    @classmethod
    def tables(cls, study: Study, path: str) -> list[Path]:
        """None, as a log is no table; it has what the study file names.

        Raises:
            SourceError: no sample or log has it.
        """
        opened(_require_paths, study)
        return []


def _described(study: Study) -> Described:
    spec = InspectImport.of(study)
    logs = _logs(study)
    model_columns = {"model": "eval.model", EVAL_TASK: "eval.task", **spec.model_factors}
    root = ["dataset", *(f"{METADATA}{path}" for path in spec.root_paths)] if spec.root_paths else None
    columns = ImportColumns(
        prompt=["dataset", "id"],
        root_prompt=root,
        messages="messages",
        prompt_text="input",
        replicate="replicate",
        response="response",
        system=list(model_columns.values()),
    )
    prompt_columns = {name: f"{METADATA}{path}" for name, path in spec.factors.items()}
    return Described(
        columns=columns,
        column_of=prompt_columns | model_columns,
        factors={EVAL_TASK: Factor(type="model", definition="the task of Inspect that asked")},
        measures=score_measures(_scores(logs), SCORES),
    )


def _read(study: Study) -> ImportedTable:
    logs = _logs(study)
    format_columns = (FILE, ROW_COLUMN, *_KEY, "messages", "input", "replicate", "response", *ENDINGS, "is_invalid")
    rows = rows_of(study, format_columns, (record for log in logs for record in _records(log)), _entry)
    require_told_apart(
        rows,
        [*import_of(study).columns_of_models.values(), *_KEY],
        "name one of the logs, or what tells them apart: model_factors: {NAME: eval.task_args.ARGUMENT}",
    )
    valid = ~rows["is_invalid"].astype(bool)
    quarantine = [
        *(one for log in logs for one in _absent(log)),
        *(_invalid(row) for _, row in rows[~valid].iterrows()),
    ]
    kept = rows[valid].drop(columns="is_invalid").reset_index(drop=True)
    table = table_of_rows(study, kept, quarantine, needs_levels=True, carried=(*ENDINGS, FILE))
    return with_metrics(study, table, _published(logs))


def _require_paths(study: Study) -> None:
    logs = _logs(study)
    # the summary of a sample leaves out metadata beyond 1,000 characters
    first = [record for log in logs for record in islice(_records(log), 1)]
    require_named(study, [*_summarised(logs), *first], _entry)


def _logs(study: Study) -> list[_InspectLog]:
    """Header and summaries of every log that a study names.

    Raises:
        SourceError: inspect_ai is absent or too old, or a log is no whole log that it can read.
    """
    files = log_files(study, InspectImport.of(study), _ENDING, remedies={".json": _CONVERT})
    try:
        from inspect_ai.log import (
            read_eval_log,
            read_eval_log_sample_summaries,
            read_eval_log_samples_by_id,  # noqa: F401  (which older versions lack)
        )
    except ImportError as error:
        expected = f"inspect_ai {OLDEST} or newer, which reads logs of Inspect"
        raise SourceError(PATH_FIELD, f"{error}", expected, f"install it: {INSTALL}") from error
    logs = []
    for file in files:
        with _readable(file):
            _require_small_parts(file)
            header = read_eval_log(file, header_only=True)
            _require_version(file, header.version)
            logs.append(_InspectLog(file, header, read_eval_log_sample_summaries(file)))
    marked = frozenset(numbers_for_marks([log.header for log in logs], _scores(logs)))
    return [log._replace(marked=marked) for log in logs]


def _require_small_parts(file: Path) -> None:
    """See that no part fills memory; a whole log may be larger, as it is read sample by sample."""
    with zipfile.ZipFile(file) as packed:
        largest = max((member.file_size for member in packed.infolist()), default=0)
    if largest > MOST_UNPACKED_BYTES:
        raise ValueError(f"a part unpacks to {largest:,} bytes, more than {MOST_UNPACKED_BYTES:,}")


def _require_version(file: Path, version: int) -> None:
    if version != SCHEMA_VERSION:
        got, expected = f"{file} of version {version}", f"a log of schema version {SCHEMA_VERSION}"
        remedy = "convert it with `inspect log convert`, or take a version of Plumbline that reads it"
        raise SourceError(PATH_FIELD, got, expected, remedy)


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    """Tell which log it is that cannot be read."""
    from zstandard import ZstdError

    broken = (OSError, ValueError, KeyError, IndexError, zipfile.BadZipFile, zlib.error, ZstdError)
    now_reading(file)
    try:
        yield
    except broken as error:
        got = f"{file}, which was cut or is none ({type(error).__name__}: {error})"
        remedy = "copy it again, or recover it with `inspect log recover`"
        raise SourceError(PATH_FIELD, got, "a log of Inspect", remedy) from error


def _scores(logs: Sequence[_InspectLog]) -> dict[str, list[Any]]:
    values_by_score: dict[str, list[Any]] = {}
    for log in logs:
        for summary in log.summaries:
            for name, value in _scores_of(log, summary).items():
                values_by_score.setdefault(name, []).append(value)
    return values_by_score


def _published(logs: Sequence[_InspectLog]) -> Iterator[PublishedMetric]:
    for log in logs:
        n_samples = len({str(summary.id) for summary in log.summaries})
        yield from published_metrics(log.file, log.header, n_samples)


def _records(log: _InspectLog) -> Iterator[dict[str, Any]]:
    """Every sample of a log with what its header says of the evaluation, in the order of the log."""
    from inspect_ai.log import read_eval_log_samples_by_id

    keys = [(summary.id, summary.epoch) for summary in log.summaries]
    header = _header(log)
    for start in range(0, len(keys), SAMPLES_AT_ONCE):
        with _readable(log.file):
            samples = read_eval_log_samples_by_id(
                log.file, keys[start : start + SAMPLES_AT_ONCE], resolve_attachments="core", exclude_fields=_NOT_READ
            )
        for position, sample in enumerate(samples, start + 1):
            yield {FILE: log.file.name, ROW_COLUMN: position, **header, **_of_sample(log, sample)}


def _header(log: _InspectLog) -> dict[str, Any]:
    return log.header.model_dump(mode="json", include={"eval", "plan"}, exclude_none=True)


def _of_sample(log: _InspectLog, sample: "EvalSample") -> dict[str, Any]:
    prompt = _asked(sample)
    return {
        "dataset": log.header.eval.dataset.name or log.header.eval.task,
        "id": str(sample.id),
        "epoch": sample.epoch,
        "replicate": sample.epoch - 1,
        "messages": prompt.messages_json,
        "input": prompt.text,
        "response": _response(sample),
        "finish_reason": _finish_reason(sample),
        "error": None if sample.error is None else f"imported: {sample.error.message}",
        "is_invalid": sample.invalidation is not None,
        "metadata": sample.metadata,
        "scores": _scores_of(log, sample),
    }


def _finish_reason(sample: "EvalSample") -> str | None:
    """Why an answer ended, as its server said; where a limit of its sample ended it, that it was cut."""
    stop_reason = sample.output.choices[0].stop_reason if sample.output.choices else None
    reason = _FINISH_REASONS.get(stop_reason or "", stop_reason)
    if sample.limit is None or reason == CONTENT_FILTER:
        return reason
    return _LENGTH


def _response(sample: "EvalSample") -> str:
    """What was answered, a mark for each part that is no text."""
    message = sample.output.choices[0].message if sample.output.choices else None
    is_text = message is None or isinstance(message.content, str) or _marks_of(message) == ""
    return sample.output.completion if is_text or message is None else _text_of(message)


def _scores_of(log: _InspectLog, sample: "EvalSample | EvalSampleSummary") -> dict[str, Any]:
    scores = (sample.scores or {}).items()
    values = dict(pair for name, score in scores for pair in _parts(name, score.value))
    return {name: as_number(value) if name in log.marked else value for name, value in values.items()}


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A score of several parts is several scores, each called by its path."""
    if isinstance(value, dict | list):
        for step, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield f"{name}.{step}", entry
    else:
        yield name, value


def _summarised(logs: Sequence[_InspectLog]) -> Iterator[dict[str, Any]]:
    """What summaries tell of samples without their being read."""
    for log in logs:
        header = _header(log)
        for summary in log.summaries:
            yield {**header, "metadata": summary.metadata, "scores": _scores_of(log, summary)}


def _entry(record: dict[str, Any], column: str) -> Any:
    """What a column stands for; the name of a score may hold dots itself."""
    if column.startswith(SCORES):
        return record["scores"].get(column.removeprefix(SCORES))
    return value_at(record, column)


def _asked(sample: "EvalSample") -> ItemPrompt:
    """What was asked as it stands in the data set, then choices; messages that are no turns are one text by role."""
    choices = "".join(f"\n{chr(ord('A') + at)}) {choice}" for at, choice in enumerate(sample.choices or []))
    if isinstance(sample.input, str):
        return ItemPrompt(None, sample.input + choices)
    if len(sample.input) == 1:
        return ItemPrompt(None, _text_of(sample.input[0]) + choices)
    messages = [{"role": message.role, "content": _text_of(message)} for message in sample.input]
    prompt = asked_in_turns(json.dumps(messages))
    if prompt is None:
        return ItemPrompt(None, "\n\n".join(f"{one['role']}: {one['content']}" for one in messages) + choices)
    return prompt._replace(text=f"{prompt.text}{choices}")


def _text_of(message: "ChatMessage") -> str:
    """The text of a message, after a mark for each image or other part that is none."""
    return f"{_marks_of(message)}{message.text}"


def _marks_of(message: "ChatMessage") -> str:
    content = message.content
    kinds = [] if isinstance(content, str) else [piece.type for piece in content if piece.type not in _TEXT]
    return "".join(f"[{kind}]\n" for kind in kinds)


def _absent(log: _InspectLog) -> Iterator[Quarantined]:
    for sample_id, epoch in log.missing:
        yield Quarantined(
            f"{log.file.name}:sample {sample_id} epoch {epoch}",
            "not_in_log",
            f"import: the log, whose status is {log.header.status}, lacks sample {sample_id} of epoch "
            f"{epoch}, which was to be run; finish it with `inspect eval-retry`",
            json.dumps({"id": sample_id, "epoch": epoch}),
        )


def _invalid(row: pd.Series) -> Quarantined:
    return Quarantined(
        f"{row[FILE]}:row {row[ROW_COLUMN]}",
        "invalidated",
        f"import: sample {row['id']} of epoch {row['epoch']} was declared invalid in its log",
        json.dumps({name: row[name] for name in (*_KEY, "response")}, ensure_ascii=False),
    )
