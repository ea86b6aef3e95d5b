"""What a rater may write: the labels of a measure, or its numbers."""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from python_assets.extract.measures import Measure
from python_assets.study.base import NONE_FITS
from python_assets.study.measures import LABELLING

YES: Final = "yes"
NO: Final = "no"
_TRUTH: Final = {**dict.fromkeys((YES, "y", "true", "1"), 1.0), **dict.fromkeys((NO, "n", "false", "0"), 0.0)}


class Given(NamedTuple):
    """A label that is allowed: as the measure spells it, and as a number where the measure has numbers."""

    label: str
    value: float | None


class Allowed(NamedTuple):
    """What may stand in the column of labels.

    labels: one of these; none where it is a number from low to high, or any word where is_open. favourable: the
    label that counts 1, where the measure is 0 or 1 and has labels of its own.
    """

    labels: tuple[str, ...]
    low: float = -math.inf
    high: float = math.inf
    favourable: str | None = None
    is_binary: bool = False
    is_open: bool = False

    @property
    def text(self) -> str:
        """In words, for a rater and for errors."""
        if self.is_open:
            return "a label"
        if self.labels:
            return f"one of {', '.join(self.labels)}"
        if math.isinf(self.low) and math.isinf(self.high):
            return "a number"
        return f"a number from {self.low:g} to {self.high:g}"

    def read(self, written: str) -> Given | None:
        """What a cell says; None where it is not allowed."""
        if self.is_open:
            return Given(written, None)
        if self.is_binary and self.favourable is None:
            truth = _TRUTH.get(written.casefold())
            return None if truth is None else Given(YES if truth else NO, truth)
        if self.labels:
            meant = {label.casefold(): label for label in self.labels}.get(written.casefold())
            if meant is None:
                return None
            return Given(meant, float(meant == self.favourable) if self.is_binary else None)
        return self._number(written)

    def _number(self, written: str) -> Given | None:
        try:
            number = float(written)
        except ValueError:
            return None
        # float() reads 1_000, which no sheet means
        is_allowed = "_" not in written and math.isfinite(number) and self.low <= number <= self.high
        return Given(written, number) if is_allowed else None


ALLOWED_OF_PAIRS: Final = Allowed((YES, NO), is_binary=True)


def allowed_labels(measure: Measure, seen: Sequence[str] = ()) -> Allowed:
    """What people may say of an answer by a measure.

    Args:
        measure: of the study.
        seen: labels that answers got, where the study does not list them.
    """
    if measure.kind == "continuous":
        low = -math.inf if measure.scale_low is None else measure.scale_low
        high = math.inf if measure.scale_high is None else measure.scale_high
        return Allowed((), low, high)
    declared = tuple(measure.spec.labels)
    if measure.kind == "binary":
        # measures beside the labels of an entry, such as whether any fits, are yes or no themselves
        favourable = measure.favourable if measure.favourable in declared else None
        return Allowed(declared if favourable else (YES, NO), favourable=favourable, is_binary=True)
    labels = declared or tuple(seen)
    none = (NONE_FITS,) if measure.spec.method in (*LABELLING, "column") else ()
    return Allowed(
        labels + tuple(one for one in none if labels and one not in map(str.casefold, labels)), is_open=not declared
    )
