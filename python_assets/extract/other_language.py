"""How often responses are in another language than a measure was made for: values that groups then lack."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from python_assets.extract.job import Job, Read
from python_assets.extract.measurement_rows import MeasuredValues, given, no_numbers, nothing, only_where
from python_assets.extract.measures import Measure, gated_languages
from python_assets.study.base import OTHER_LANGUAGE
from python_assets.study.measures import MeasureSpec

_VERSION: Final = "other_language 1"


def read_other_language(job: Job) -> Read | None:
    """Which responses a measure of the study leaves out for their language.

    Args:
        job: with all measures of the study, and all units as wanted.

    Returns:
        A binary measure of the responses: 1 where the text is surely in none of the languages that some
        measure declares. None where that is nowhere so: a rate of 0 in every group asks nothing.
    """
    declared = gated_languages(job.measures)
    responses = job.only_responses()
    text_ids = job.units.column("text_id")[responses.wanted]
    is_foreign = np.zeros(len(text_ids), dtype=bool)
    asked_ids = job.units.column("asked_id")[responses.wanted]
    for languages in declared:
        is_foreign |= (text_ids >= 0) & (job.text_scores.only_languages(languages, text_ids, asked_ids) < 0)
    if not is_foreign.any():
        return None
    n = len(text_ids)
    reason = only_where(text_ids < 0, responses.reasons_without_text())
    values = MeasuredValues(
        units=responses.wanted,
        value=np.where(given(reason), np.nan, is_foreign),
        baseline_value=no_numbers(n),
        label=nothing(n),
        label_method=nothing(n),
        reason=reason,
    )
    return Read(_measure(declared), values, _VERSION)


def _measure(declared: Sequence[str]) -> Measure:
    return Measure(
        measure_id=OTHER_LANGUAGE,
        kind="binary",
        unit="share",
        scale_low=0.0,
        scale_high=1.0,
        direction="higher_worse",
        favourable=None,
        scorer=OTHER_LANGUAGE,
        model=None,
        model_revision=None,
        parameters=f"languages={', '.join(declared)}",
        languages="",
        slices=(),
        reads="text",
        spec=MeasureSpec(name=OTHER_LANGUAGE, scorer=OTHER_LANGUAGE),
        options={},
    )
