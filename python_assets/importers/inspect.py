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
    LogImport,
    log_files,
    require_named,
    require_told_apart,
    rows_of,
    score_measures,
)
from python_assets.importers.files import value_at
from python_assets.importers.formats import (
    PATH_FIELD,
    Described,
    ImportedTable,
    Importer,
    import_of,
    importer,
)
from python_assets.importers.row_rules import FILE, ROW
from python_assets.importers.table import table_of_rows
from python_assets.study.imports import ImportColumns
from python_assets.study.study import Factor, Study
from python_assets.texts.limits import MOST_UNPACKED_BYTES
from python_assets.warehouse.build import Quarantined

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample, EvalSampleSummary

ENDING: Final = ".eval"
SCHEMA_VERSION: Final = 2
OLDEST: Final = "0.3.285"
INSTALL: Final = "pip install 'plumbline[inspect]'"
METADATA: Final = "metadata."
SCORES: Final = "scores."
SAMPLES_AT_ONCE: Final = 100

# what scorers write for correct, incorrect, partial and no answer; inspect_ai.scorer.value_to_float
_MARKS: Final = {"C": 1, "I": 0, "P": 0.5, "N": 0}
# parts of a sample that may be as long as its transcript and are not imported
_NOT_READ: Final = {"events", "events_data", "messages", "store", "timelines"}
_FINISH_REASONS: Final = {"model_length": "length"}
_KEY: Final = ["dataset", "id", "epoch"]


class InspectImport(LogImport):
    """Logs of Inspect, .eval files.

    factors, root_prompt: paths in the metadata of samples, as person.gender. model_factors: paths in the
    header of a log, as eval.task_args.role or plan.config.temperature.
    """


class _Log(NamedTuple):
    """A log as far as it is read without its transcripts; n_epochs: how often each sample was to be asked."""

    file: Path
    header: "EvalLog"
    summaries: "list[EvalSampleSummary]"

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

    A generation is a model and a task, and what model_factors adds. C and I are 1 and 0, as in the means that
    Inspect prints.
    """

    options: ClassVar = InspectImport

    @classmethod
    def described(cls, study: Study) -> Described:
        """Factors of models, and a measure for every score that the logs hold.

        Raises:
            SourceError: a log cannot be read, or inspect_ai is not installed.
        """
        spec = InspectImport.of(study)
        logs = _logs(study)
        of_models = {"model": "eval.model", EVAL_TASK: "eval.task", **spec.model_factors}
        root = ["dataset", *(f"{METADATA}{path}" for path in spec.root_paths)] if spec.root_paths else None
        columns = ImportColumns(
            prompt=["dataset", "id"],
            root_prompt=root,
            prompt_text="input",
            replicate="replicate",
            response="response",
            generation=list(of_models.values()),
        )
        of_prompts = {name: f"{METADATA}{path}" for name, path in spec.factors.items()}
        return Described(
            columns=columns,
            column_of=of_prompts | of_models,
            factors={EVAL_TASK: Factor(type="model", definition="the task of Inspect that asked")},
            measures=score_measures(_scores(logs), SCORES),
        )

    @classmethod
    def read(cls, study: Study) -> ImportedTable:
        """Read every sample of every log.

        Returns:
            What table_of_rows gives. Samples that were to be run and are not in a log, and those that were
            declared invalid, are in quarantine.

        Raises:
            SourceError: a log cannot be read, or two logs hold the same response.
        """
        logs = _logs(study)
        own = (FILE, ROW, *_KEY, "input", "replicate", "response", "finish_reason", "error", "is_invalid")
        rows = rows_of(study, own, (record for log in logs for record in _records(log)), _entry)
        require_told_apart(
            rows,
            [*import_of(study).columns_of_models.values(), *_KEY],
            "Name one of the logs, or what tells them apart: model_factors: {NAME: eval.task_args.ARGUMENT}.",
        )
        valid = ~rows["is_invalid"].astype(bool)
        quarantine = [
            *(one for log in logs for one in _absent(log)),
            *(_invalid(row) for _, row in rows[~valid].iterrows()),
        ]
        kept = rows[valid].drop(columns="is_invalid").reset_index(drop=True)
        return table_of_rows(study, kept, quarantine, needs_levels=True, tells_endings=True)

    @classmethod
    def tables(cls, study: Study, path: str) -> list[Path]:
        """None, as a log is no table; it has what the study file names.

        Raises:
            SourceError: no sample or log has it.
        """
        logs = _logs(study)
        # the summary of a sample leaves out metadata beyond 1,000 characters
        first = [record for log in logs for record in islice(_records(log), 1)]
        require_named(study, [*_summarised(logs), *first], _entry)
        return []


def _logs(study: Study) -> list[_Log]:
    """Header and summaries of every log that a study names.

    Raises:
        SourceError: inspect_ai is absent or too old, or a log is no whole log that it can read.
    """
    files = log_files(study, InspectImport.of(study), ENDING)
    try:
        from inspect_ai.log import (
            read_eval_log,
            read_eval_log_sample_summaries,
            read_eval_log_samples_by_id,  # noqa: F401  (which older versions lack)
        )
    except ImportError as error:
        raise SourceError(
            f"{PATH_FIELD}: logs of Inspect need inspect_ai {OLDEST} or newer ({error}). "
            f"Install it: {INSTALL}."
        ) from error
    logs = []
    for file in files:
        with _readable(file):
            _require_small_parts(file)
            header = read_eval_log(file, header_only=True)
            _require_version(file, header.version)
            logs.append(_Log(file, header, read_eval_log_sample_summaries(file)))
    return logs


def _require_small_parts(file: Path) -> None:
    """See that no part fills memory; a whole log may be larger, as it is read sample by sample."""
    with zipfile.ZipFile(file) as packed:
        largest = max((part.file_size for part in packed.infolist()), default=0)
    if largest > MOST_UNPACKED_BYTES:
        raise ValueError(f"a part unpacks to {largest:,} bytes, more than {MOST_UNPACKED_BYTES:,}")


def _require_version(file: Path, version: int) -> None:
    if version != SCHEMA_VERSION:
        raise SourceError(
            f"{PATH_FIELD}: expected a log of schema version {SCHEMA_VERSION}, but {file} is of {version}. "
            "Convert it with `inspect log convert`, or take a version of Plumbline that reads it."
        )


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    """Tell which log it is that cannot be read."""
    from zstandard import ZstdError

    broken = (OSError, ValueError, KeyError, IndexError, zipfile.BadZipFile, zlib.error, ZstdError)
    try:
        yield
    except broken as error:
        raise SourceError(
            f"{PATH_FIELD}: {file} cannot be read as a log of Inspect ({type(error).__name__}: {error}). It "
            "was cut, or is none. Copy it again, or recover it with `inspect log recover`."
        ) from error


def _scores(logs: Sequence[_Log]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for log in logs:
        for summary in log.summaries:
            for name, value in _scores_of(summary).items():
                found.setdefault(name, []).append(value)
    return found


def _records(log: _Log) -> Iterator[dict[str, Any]]:
    """Every sample of a log with what its header says of the evaluation, in the order of the log."""
    from inspect_ai.log import read_eval_log_samples_by_id

    keys = [(summary.id, summary.epoch) for summary in log.summaries]
    header = _header(log)
    for start in range(0, len(keys), SAMPLES_AT_ONCE):
        with _readable(log.file):
            samples = read_eval_log_samples_by_id(
                log.file,
                keys[start : start + SAMPLES_AT_ONCE],
                resolve_attachments="core",
                exclude_fields=_NOT_READ,
            )
        for position, sample in enumerate(samples, start + 1):
            yield {FILE: log.file.name, ROW: position, **header, **_of_sample(log, sample)}


def _header(log: _Log) -> dict[str, Any]:
    return log.header.model_dump(mode="json", include={"eval", "plan"}, exclude_none=True)


def _of_sample(log: _Log, sample: "EvalSample") -> dict[str, Any]:
    stop_reason = sample.output.choices[0].stop_reason if sample.output.choices else None
    return {
        "dataset": log.header.eval.dataset.name or log.header.eval.task,
        "id": str(sample.id),
        "epoch": sample.epoch,
        "replicate": sample.epoch - 1,
        "input": _prompt(sample),
        "response": sample.output.completion,
        "finish_reason": _FINISH_REASONS.get(stop_reason or "", stop_reason),
        "error": None if sample.error is None else f"imported: {sample.error.message}",
        "is_invalid": sample.invalidation is not None,
        "metadata": sample.metadata,
        "scores": _scores_of(sample),
    }


def _scores_of(sample: "EvalSample | EvalSampleSummary") -> dict[str, Any]:
    scores = (sample.scores or {}).items()
    return dict(part for name, score in scores for part in _parts(name, score.value))


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A score of several parts is several scores, each called by its path."""
    if isinstance(value, dict | list):
        for step, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield f"{name}.{step}", _mark(part)
    else:
        yield name, _mark(value)


def _mark(value: Any) -> Any:
    return _MARKS.get(value, value) if isinstance(value, str) else value


def _summarised(logs: Sequence[_Log]) -> Iterator[dict[str, Any]]:
    """What summaries tell of samples without their being read."""
    for log in logs:
        header = _header(log)
        for summary in log.summaries:
            yield {**header, "metadata": summary.metadata, "scores": _scores_of(summary)}


def _entry(record: dict[str, Any], column: str) -> Any:
    """What a column stands for; the name of a score may hold dots itself."""
    if column.startswith(SCORES):
        return record["scores"].get(column.removeprefix(SCORES))
    return value_at(record, column)


def _prompt(sample: "EvalSample") -> str:
    """What was asked as it stands in the data set: messages by role where there are several, then choices."""
    if isinstance(sample.input, str):
        text = sample.input
    elif len(sample.input) == 1:
        text = sample.input[0].text
    else:
        text = "\n\n".join(f"{message.role}: {message.text}" for message in sample.input)
    choices = (f"\n{chr(ord('A') + at)}) {choice}" for at, choice in enumerate(sample.choices or []))
    return text + "".join(choices)


def _absent(log: _Log) -> Iterator[Quarantined]:
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
        f"{row[FILE]}:row {row[ROW]}",
        "invalidated",
        f"import: sample {row['id']} of epoch {row['epoch']} was declared invalid in its log",
        json.dumps({name: row[name] for name in (*_KEY, "response")}, ensure_ascii=False),
    )
