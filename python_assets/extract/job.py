"""What a reader is given and what it gives: one entry of `measures` over the units that it has rows for.

Belongs here: the records that readers share. The readers themselves are in readers.py; one that needs all
vectors of a study at once (clusters) takes a Job like any other: it finds every text in job.units, their
vectors through job.text_scores.vectors, and what prompts belong to through job.connection.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.extract.measurement_rows import MeasuredValues, Objects, given, no_numbers, nothing, only_where
from python_assets.extract.measures import Measure
from python_assets.extract.scoring import TextScores
from python_assets.extract.units import NEUTRAL_BASELINE_ID, NEUTRAL_ID, Ids, TextUnits
from python_assets.study.base import UNDECIDED, UNDECIDED_AS_NO
from python_assets.study.study import Study
from python_assets.texts.group_mask import NO_WORDS, GroupMask
from python_assets.warehouse.build import Quarantined
from python_assets.warehouse.run_context import RunContext


class Job(NamedTuple):
    """One entry of `measures`.

    measures: what the entry is, in the order of raw.measures; most entries are one measure, some are several
    that are read together (a classifier with several scores, labels and those without, clusters). wanted: row
    numbers of units.table that they have rows for. imported: rows of the import, where a column is read.
    run_context: for what an engine is asked. read: measures that were read before, by id. is_neutral: texts
    are read with neutral words in the place of those that name their group (neutral_reading.py); languages
    are told of what was written. neutral_ids: measures that do. words: the study's own, which a yes or no
    does not depend on.
    """

    study: Study
    measures: Sequence[Measure]
    units: TextUnits
    wanted: Ids
    text_scores: TextScores
    connection: duckdb.DuckDBPyConnection
    imported: pd.DataFrame | None
    run_context: RunContext | None
    read: Mapping[str, "Read"] = MappingProxyType({})
    is_neutral: bool = False
    words: GroupMask = NO_WORDS
    neutral_ids: frozenset[str] = frozenset()

    @property
    def measure(self) -> Measure:
        """The first measure, where the entry has no other, or the others follow from it."""
        return self.measures[0]

    def text_ids(self) -> Ids:
        """The texts of the wanted units, -1 where there is none or it is in another language."""
        return self._as_read(self.in_languages(self.units.column("text_id")[self.wanted]), NEUTRAL_ID)

    def baseline_ids(self) -> Ids:
        """The baseline texts of the wanted units, -1 where there is none or it is in another language."""
        baseline_ids = self.units.column("baseline_id")[self.wanted]
        return self._as_read(self.text_scores.only_languages(self.measure.languages, baseline_ids), NEUTRAL_BASELINE_ID)

    def reasons(self) -> Objects:
        """Why a wanted unit has no text that can be measured; None where it has one."""
        has_text = self.units.column("text_id")[self.wanted] >= 0
        unit_reasons = only_where(~has_text, self.reasons_without_text())
        unit_reasons[has_text & (self.text_ids() < 0)] = "other_language"
        return unit_reasons

    def reasons_without_text(self) -> Objects:
        """Why there would be nothing to measure if a wanted unit had no text."""
        return self.units.column("reason_without_text")[self.wanted]

    def only_responses(self) -> "Job":
        """The same without baseline texts."""
        return self._replace(wanted=self.wanted[~self.units.column("is_baseline")[self.wanted]])

    def in_languages(self, text_ids: Ids) -> Ids:
        """Texts of the wanted units, -1 in place of those in another language than the measure's."""
        asked_ids = self.units.column("asked_id")[self.wanted]
        return self.text_scores.only_languages(self.measure.languages, text_ids, asked_ids)

    def _as_read(self, readable: Ids, neutral: str) -> Ids:
        if not self.is_neutral:
            return readable
        return np.where(readable < 0, -1, self.units.column(neutral)[self.wanted])


class Read(NamedTuple):
    """One measure as it was read.

    measure: with the model and revision that read it. version: of what read it, one for all values or one a
    value. quarantine: what it rejected. clusters: rows of raw.clusters without study_id, on the first measure
    of a clustering. n_unusable: a judge's marks that name no option, on its first measure.
    """

    measure: Measure
    values: MeasuredValues
    version: str | Objects
    quarantine: Sequence[Quarantined] = ()
    clusters: pd.DataFrame | None = None
    n_unusable: int = 0


def following_values(job: Job, measure: Measure, labelled: MeasuredValues) -> MeasuredValues:
    """Values of a measure that follows from labels, by the ending of its id.

    Args:
        job: of the labels.
        measure: its id ends in UNSCORED, UNDECIDED or UNDECIDED_AS_NO.
        labelled: the labels.
    """
    if measure.measure_id.endswith(UNDECIDED_AS_NO):
        return _undecided_as_no(job, labelled)
    return _without_label(job, measure, labelled)


def _undecided_as_no(job: Job, labelled: MeasuredValues) -> MeasuredValues:
    """1 where the label is the favourable one, 0 where it is another or the response is undecided.

    Without an undecided response it would be the labels' measure again: it has no value then, reason none_undecided.
    """
    n = len(job.wanted)
    is_undecided = labelled.reason == UNDECIDED.removeprefix("_")
    is_known = given(labelled.label) | is_undecided
    reason = only_where(~is_known, labelled.reason)
    if not (is_undecided & ~job.units.column("is_baseline")[job.wanted]).any():
        is_known[:], reason[:] = False, "none_undecided"
    is_favourable = labelled.label == (job.measure.favourable or "yes")
    return MeasuredValues(
        units=job.wanted,
        value=np.where(is_known, is_favourable, np.nan).astype(float),
        baseline_value=no_numbers(n),
        label=nothing(n),
        label_method=nothing(n),
        reason=reason,
    )


def _without_label(job: Job, measure: Measure, labelled: MeasuredValues) -> MeasuredValues:
    """1 where the labels' measure read the text and found none: it is undecided, or nothing could be read of it."""
    n = len(job.wanted)
    is_undecided = labelled.reason == UNDECIDED.removeprefix("_")
    is_one = is_undecided if measure.measure_id.endswith(UNDECIDED) else ~given(labelled.label) & ~is_undecided
    return MeasuredValues(
        units=job.wanted,
        value=np.where(job.text_ids() >= 0, is_one, np.nan).astype(float),
        baseline_value=no_numbers(n),
        label=nothing(n),
        label_method=nothing(n),
        reason=job.reasons(),
    )
