"""Measures by rule: whether the label that another measure read is a level of the prompt."""

from typing import Final

import numpy as np

from python_assets.errors import StudyError, Told
from python_assets.extract.job import Job, Read
from python_assets.extract.measurement_rows import MeasuredValues, Objects, given, no_numbers, nothing, only_where
from python_assets.extract.units import Ids
from python_assets.study.base import UNDECIDED, UNSCORED
from python_assets.study.measures import Equals
from python_assets.study.problems import listed
from python_assets.study.study import make_id

_VERSION: Final = "when 1"
# a response that says nothing, or will not say it, is one that does not deviate
_SAYS_NOTHING: Final = ("response_refused", "response_empty")


def read_deviation(job: Job) -> list[Read]:
    """Tell the responses whose label equals a level of their prompt, of all responses there are.

    Args:
        job: of one measure with `when`; the measure that it names was read.

    Returns:
        1 where the label equals the level; 0 where it is another, where the response is refused or blank and
        where no rule or several fit it; else no value, with the reason that there is no label, or
        no_factor_level.

    Raises:
        StudyError: a level is no label of the measure, so that no response could equal it.

    Source: multi-factor document, 3.1.1 (the deviation rate is of all responses), metrics.md 3.
    """
    rule = job.measure.spec.when
    if rule is None:
        raise ValueError(f"measure {job.measure.measure_id} has no rule")
    named = make_id(rule.measure)
    answers = job.read[named]
    job = job._replace(wanted=job.wanted[np.isin(job.wanted, answers.values.units)])
    levels = _levels(job, rule)
    _check_levels(job, rule, levels)
    at = np.searchsorted(answers.values.units, job.wanted)
    labels, reasons = answers.values.label[at], answers.values.reason[at]
    is_otherwise = np.isin(reasons.astype(str), _SAYS_NOTHING)
    for ending in (UNSCORED, UNDECIDED):
        if (ending_read := job.read.get(named + ending)) is not None:
            is_otherwise |= ending_read.values.value[at] == 1
    is_known = (given(labels) | is_otherwise) & given(levels)
    value = np.where(is_known, given(labels) & (labels == levels), np.nan).astype(float)
    n = len(job.wanted)
    reason = only_where(~given(levels), "no_factor_level")
    is_unlabelled = given(levels) & ~is_known
    reason[is_unlabelled] = reasons[is_unlabelled]
    values = MeasuredValues(
        units=job.wanted,
        value=value,
        baseline_value=no_numbers(n),
        label=nothing(n),
        label_method=nothing(n),
        reason=reason,
    )
    return [Read(job.measure, values, _version(answers.version, at))]


def _version(of_labels: str | Objects, at: Ids) -> str | Objects:
    if isinstance(of_labels, str):
        return f"{_VERSION}; {of_labels}"
    return np.array([f"{_VERSION}; {one}" for one in of_labels[at]], dtype=object)


def _levels(job: Job, rule: Equals) -> Objects:
    """The level of each wanted unit's prompt, None where it has none."""
    rows = job.connection.execute(
        "select prompt_id, level from raw.prompt_factors where study_id = ? and factor = ?",
        [job.study.study_id, rule.equals_factor],
    ).fetchall()
    prompts = job.units.table["prompt_id"].astype(object).iloc[job.wanted]
    levels = prompts.map(dict(rows)).to_numpy(dtype=object)
    return only_where(given(levels), levels)


def _check_levels(job: Job, rule: Equals, levels: Objects) -> None:
    answers = next(spec for spec in job.study.measures if make_id(spec.name) == make_id(rule.measure))
    labels = answers.labels
    if unknown := sorted(set(levels[given(levels)]) - set(labels)) if labels else []:
        where = (job.study.path, "measures", job.measure.spec.name)
        got = Told(f"the level {listed(unknown)} of {rule.equals_factor}")
        raise StudyError(where, got, f"a label of {answers.name}: {listed(labels)}", "write both alike")
