"""Marks by a judge: an engine reads a text and a rubric of the study, and names one option of a closed scale.

Belongs here: from marks to labels, means and disagreement. How texts are marked is marking.py.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from python_assets.extract.job import Job, Read
from python_assets.extract.judges.marking import NO_MARK, marks_of, measured_by, version_of
from python_assets.extract.measurement_rows import MeasuredValues, Objects, given, no_numbers, nothing, only_where
from python_assets.extract.measures import Measure
from python_assets.extract.units import Ids
from python_assets.study.study import Judge


class _Marks(NamedTuple):
    """What the marks of texts come to; arrays as long as the units, NaN and None where there is nothing.

    label: of most marks, none where two share the first place. mean: of the options' numbers. disagreement:
    share of the marks that differ from the most frequent. n_usable: how many marks there are.
    """

    label: Objects
    mean: NDArray[np.float64]
    disagreement: NDArray[np.float64]
    n_usable: Ids


def read_judge(job: Job) -> list[Read]:
    """What a judge marks: its label or number, and with several repeats how far they disagree.

    Raises:
        OfflineError: nothing may be asked, and not every text is marked already.
        ProviderError: the engine cannot answer at all.
    """
    judge = job.measure.spec.rubric
    if judge is None:
        raise ValueError(f"measure {job.measure.measure_id} has no judge")
    both = np.concatenate([job.text_ids(), job.baseline_ids()])
    wanted = np.unique(both[both >= 0])
    table = marks_of(job, judge, wanted)
    n = len(job.wanted)
    marked, base = _settled(judge, table[both[:n]]), _settled(judge, table[both[n:]])
    reads = [
        _judged(job, judge, marked, base),
        *(_disagreement(job, judge, measure, marked, base) for measure in job.measures[1:]),
    ]
    n_unusable = int((table[wanted] == NO_MARK).sum())
    return [reads[0]._replace(n_unusable=n_unusable), *reads[1:]]


def _settled(judge: Judge, marks: Ids) -> _Marks:
    """Majority, mean and disagreement of marks, shape (units, repeats)."""
    options = list(judge.options)
    counts = np.stack([(marks == position).sum(axis=1) for position in range(len(options))], axis=1)
    n_usable, most = counts.sum(axis=1), counts.max(axis=1)
    is_settled = (n_usable > 0) & ((counts == most[:, None]).sum(axis=1) == 1)
    numbers = (
        np.array(list(judge.options.values()), dtype=float)
        if isinstance(judge.options, dict)
        else no_numbers(len(options))
    )
    some = np.where(n_usable > 0, n_usable, np.nan)
    return _Marks(
        label=only_where(is_settled, np.array(options, dtype=object)[counts.argmax(axis=1)]),
        mean=counts @ numbers / some,
        disagreement=1 - most / some,
        n_usable=n_usable,
    )


def _judged(job: Job, judge: Judge, own: _Marks, base: _Marks) -> Read:
    reason = _reasons(job, own)
    if job.measure.kind != "continuous":
        reason[~given(reason) & ~given(own.label)] = "judge_disagrees"
    method = only_where(given(own.label), "judge")
    values = MeasuredValues(
        units=job.wanted, value=own.mean, baseline_value=base.mean, label=own.label, label_method=method, reason=reason
    )
    return Read(measured_by(job, job.measure), values, version_of(job, judge))


def _disagreement(job: Job, judge: Judge, measure: Measure, own: _Marks, base: _Marks) -> Read:
    none = nothing(len(job.wanted))
    values = MeasuredValues(
        units=job.wanted,
        value=own.disagreement,
        baseline_value=base.disagreement,
        label=none,
        label_method=none,
        reason=_reasons(job, own),
    )
    return Read(measured_by(job, measure), values, version_of(job, judge))


def _reasons(job: Job, own: _Marks) -> Objects:
    reason = job.reasons()
    reason[~given(reason) & (own.n_usable == 0)] = "judge_unusable"
    return reason
