"""How each kind of measure reads the units: texts, status, embeddings or a column of the import."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.extract.column import VERSION as COLUMN_VERSION
from python_assets.extract.column import column_values
from python_assets.extract.extractor import LARGEST_NUMBER, extractors
from python_assets.extract.measures import Measure
from python_assets.extract.rows import (
    REASON_OF_STATUS,
    Objects,
    Values,
    given,
    no_numbers,
    nothing,
    only_where,
)
from python_assets.extract.scoring import Scorer, text_method
from python_assets.extract.units import Ids, Units
from python_assets.study import Study
from python_assets.warehouse import Quarantined

# Pairs of embeddings compared at once: 50 MB of double precision numbers.
_PAIRS_TOGETHER: Final = 8_192


class Job(NamedTuple):
    """One measure over the units that it has rows for."""

    study: Study
    measure: Measure
    units: Units
    wanted: Ids
    scorer: Scorer
    imported: pd.DataFrame | None


class Read(NamedTuple):
    """What a measure read, with the version of what read it and what it rejected."""

    values: Values
    version: str
    quarantine: list[Quarantined]


def _status_reasons(job: Job) -> Objects:
    """Why a unit without a text is not measured."""
    status = job.units.table["status"].iloc[job.wanted]
    reasons = status.map(REASON_OF_STATUS).fillna("response_empty").to_numpy(dtype=object)
    return only_where(job.units.column("text_id")[job.wanted] < 0, reasons)


def _read_texts(job: Job) -> Read:
    method = text_method(job.measure, job.study)
    text_ids = job.units.column("text_id")[job.wanted]
    baseline_ids = job.units.column("baseline_id")[job.wanted]
    n = len(job.wanted)
    scores = job.scorer.scores(method, np.concatenate([text_ids, baseline_ids]))
    own, base = scores.iloc[:n], scores.iloc[n:]
    values = Values(
        units=job.wanted,
        value=own["value"].to_numpy(dtype=float),
        baseline_value=base["value"].to_numpy(dtype=float),
        label=_none_for_null(own["label"]),
        label_method=_none_for_null(own["label_method"]),
        reason=np.where(text_ids < 0, _status_reasons(job), _none_for_null(own["reason"])),
    )
    return Read(values, method.version, [])


def _none_for_null(column: pd.Series) -> Objects:
    return only_where(column.notna().to_numpy(), column.to_numpy(dtype=object))


def _read_unmatched(job: Job) -> Read:
    """1 where the measure read the text and no rule or several decided on a label."""
    read = _read_texts(job)
    has_text = job.units.column("text_id")[job.wanted] >= 0
    n = len(job.wanted)
    values = Values(
        units=job.wanted,
        value=np.where(has_text, ~given(read.values.label), np.nan).astype(float),
        baseline_value=no_numbers(n),
        label=nothing(n),
        label_method=nothing(n),
        reason=_status_reasons(job),
    )
    return Read(values, read.version, [])


def _read_status(job: Job) -> Read:
    """Of responses only: a baseline text has no status."""
    built = extractors[str(job.measure.spec.extractor)]
    wanted = job.wanted[~job.units.column("is_baseline")[job.wanted]]
    status = job.units.table["status"].iloc[wanted].astype(object)
    has_failed = (status == "error").to_numpy()
    numbers = status.map({name: built.function(name) for name in status.unique()}).to_numpy(dtype=float)
    n = len(wanted)
    values = Values(
        units=wanted,
        value=np.where(has_failed, np.nan, numbers),
        baseline_value=no_numbers(n),
        label=nothing(n),
        label_method=nothing(n),
        reason=only_where(has_failed, "response_error"),
    )
    return Read(values, built.version(), [])


def _read_embeddings(job: Job) -> Read:
    """Of responses only: the distance of a baseline text from itself is no measurement."""
    built = extractors[str(job.measure.spec.extractor)]
    version = built.version()
    wanted = job.wanted[~job.units.column("is_baseline")[job.wanted]]
    job = job._replace(wanted=wanted)
    text_ids = job.units.column("text_id")[wanted]
    baseline_ids = job.units.column("baseline_id")[wanted]
    reason = _status_reasons(job)
    reason[(text_ids >= 0) & (baseline_ids < 0)] = "no_baseline"
    number = no_numbers(len(wanted))
    has_pair = np.flatnonzero((text_ids >= 0) & (baseline_ids >= 0))
    for start in range(0, len(has_pair), _PAIRS_TOGETHER):
        some = has_pair[start : start + _PAIRS_TOGETHER]
        responses = job.scorer.vectors(version, text_ids[some])
        baselines = job.scorer.vectors(version, baseline_ids[some])
        number[some] = built.function(responses, baselines, job.measure.options)
    is_wrong = np.zeros(len(wanted), dtype=bool)
    is_wrong[has_pair] = ~(np.abs(number[has_pair]) <= LARGEST_NUMBER)
    number[is_wrong], reason[is_wrong] = np.nan, "not_finite"
    n = len(wanted)
    return Read(Values(wanted, number, no_numbers(n), nothing(n), nothing(n), reason), version, [])


def _read_column(job: Job) -> Read:
    if job.imported is None:
        raise ValueError(f"measure {job.measure.measure_id} needs the imported table")
    values, quarantine = column_values(job.measure, job.study, job.units, job.wanted, job.imported)
    return Read(values, COLUMN_VERSION, quarantine)


READERS: Final[Mapping[str, Callable[[Job], Read]]] = {
    "text": _read_texts,
    "unmatched": _read_unmatched,
    "status": _read_status,
    "embeddings": _read_embeddings,
    "column": _read_column,
}
