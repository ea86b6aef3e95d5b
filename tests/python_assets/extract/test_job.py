"""Measures that follow from labels."""

from types import SimpleNamespace

import numpy as np
import pytest

from python_assets.extract.job import following_values
from python_assets.extract.measurement_rows import MeasuredValues

AS_NO = SimpleNamespace(measure_id="grant_undecided_as_no")


def as_no(favourable, *read):
    """Value and reason of texts of which was read a label or None, a reason or None, whether it is a baseline text."""
    label, reason, is_baseline = (np.array(column, dtype=object) for column in zip(*read, strict=True))
    job = SimpleNamespace(
        wanted=np.arange(len(read)),
        units=SimpleNamespace(column={"is_baseline": is_baseline.astype(bool)}.__getitem__),
        measure=SimpleNamespace(favourable=favourable),
    )
    empty = np.full(len(read), np.nan)
    values = following_values(job, AS_NO, MeasuredValues(job.wanted, empty, empty, label, label, reason))
    return [None if np.isnan(value) else value for value in values.value], list(values.reason)


ANSWERS = [
    ("yes", None, False),
    ("no", None, False),
    (None, "undecided", False),
    (None, "response_refused", False),
]


@pytest.mark.parametrize(
    ("favourable", "values"), [("yes", [1, 0, 0, None]), ("no", [0, 1, 0, None]), (None, [1, 0, 0, None])]
)
def test_the_favourable_label_is_1_and_an_undecided_response_0(favourable, values):
    assert as_no(favourable, *ANSWERS) == (values, [None, None, None, "response_refused"])


def test_an_undecided_baseline_text_is_no_undecided_response():
    read = [*ANSWERS[:2], (None, "undecided", True)]
    assert as_no("yes", *read) == ([None] * 3, ["none_undecided"] * 3)
