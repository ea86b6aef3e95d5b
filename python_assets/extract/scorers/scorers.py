"""Rows of raw.scorers: what reads each measure, and what is known of how rightly it does."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

import pandas as pd

from python_assets.extract.classifiers.probes import NOT_PROBED, probed
from python_assets.extract.job import Read
from python_assets.extract.measurement_rows import given
from python_assets.extract.measures import DISAGREEMENT, Measure
from python_assets.extract.scorers.packaged import Validation, validations
from python_assets.study.base import UNDECIDED, UNDECIDED_AS_NO, UNSCORED
from python_assets.warehouse.raw_tables import columns_of

Unknown = Literal["not_validated", "judge_not_measured", "read_by_import", "nothing_read", "counts_not_told"]

_COUNTED: Final = ("empty", "truncated", "other_language", "unscored")
_READ_ELSEWHERE: Final[dict[str, Unknown]] = {
    "column": "read_by_import",
    "judge": "judge_not_measured",
    "when": "nothing_read",
}
_OF_VALIDATION: Final = frozenset(Validation._fields) - {"scorer", "label_set", "version"}


def scorer_rows(reads: Sequence[Read]) -> pd.DataFrame:
    """The rows of raw.scorers: of each measure one a packaged figure, or one that says why there is none."""
    rows = [row for read in reads for row in _rows(read)]
    return pd.DataFrame(rows, columns=columns_of("scorers"))


def label_set_of(measure: Measure) -> str:
    """The packaged preset or set of labels that a measure reads by; '' where it has labels of its own, or none."""
    near = measure.spec.prototypes or measure.spec.taxonomy
    named = near.labels if near is not None else measure.spec.choices
    return named if isinstance(named, str) else ""


def _rows(read: Read) -> Iterable[dict[str, Any]]:
    measure, versions = read.measure, _versions(read)
    what_reads = {
        "measure_id": measure.measure_id,
        "scorer": measure.scorer,
        "label_set": label_set_of(measure),
        "model": measure.model,
        "model_revision": measure.model_revision,
        "scorer_version": "; ".join(versions),
        "languages": measure.languages,
        "parameters": measure.parameters,
        "probe": _probe(measure),
    }
    known = _known(measure, versions)
    if not known:
        yield {**what_reads, **_NOTHING, "reason": _why_unknown(measure)}
    for one in known:
        yield {
            **what_reads,
            **{name: value for name, value in one._asdict().items() if name in _OF_VALIDATION},
            "validated_version": one.version,
            "is_current": all(_is_version(version, one.version) for version in versions),
            "reason": "counts_not_told" if one.n is None else None,
        }


def _probe(measure: Measure) -> str | None:
    if measure.reads != "classifier":
        return None
    # a simulated one has no revision, and no labels that could be turned
    return NOT_PROBED if measure.model_revision is None else probed(measure)


_NOTHING: Final = dict.fromkeys(
    ("material", "source", "licence", "labelled_by", "language", "model_family", "topic"), ""
)


def _versions(read: Read) -> list[str]:
    """What read the values that there are, or would have read them."""
    if isinstance(read.version, str):
        return [read.version]
    has_value = ~given(read.values.reason)
    return sorted(set(read.version[has_value] if has_value.any() else read.version))


def _known(measure: Measure, versions: list[str]) -> list[Validation]:
    """The packaged figures of what reads a measure, or read it for the import that says so.

    An engine beside rules reads what the rules were not shown to.
    """
    if measure.spec.engine is not None:
        return []
    if measure.reads == "column":
        return [one for one in validations() if versions and all(_is_version(name, one.version) for name in versions)]
    reads_by = (measure.scorer, label_set_of(measure))
    return [one for one in validations() if (one.scorer, one.label_set) == reads_by]


def _is_version(version: str, validated: str) -> bool:
    """Whether what was validated is what reads, with its own or with neutral words."""
    return version == validated or version.startswith(f"{validated}; ")


def _why_unknown(measure: Measure) -> Unknown:
    if measure.scorer in _COUNTED or measure.measure_id.endswith((UNSCORED, UNDECIDED, UNDECIDED_AS_NO, DISAGREEMENT)):
        return "nothing_read"
    if measure.spec.engine is not None:
        return "judge_not_measured"
    return _READ_ELSEWHERE.get(measure.reads, "not_validated")
