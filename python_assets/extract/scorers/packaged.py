"""The packaged figures: computed.csv, which bench/bench_scorers.py writes, and reported.csv, by other hands.

Belongs here: reading both. A figure of reported.csv is of texts that this project does not have, so no count says how
sure it is unless its source told it.
"""

import csv
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

COMPUTED: Final = Path(__file__).with_name("computed.csv")
TOLD: Final = Path(__file__).with_name("reported.csv")


class Validation(NamedTuple):
    """Figures of one instrument on some texts; columns are those of raw.scorers.

    version: of what was validated, raw.scorers calls it validated_version. A limit is None where no counts
    were told, a share where it is of no text.
    """

    scorer: str
    label_set: str
    version: str
    material: str
    source: str
    licence: str
    labelled_by: str
    language: str
    model_family: str
    topic: str
    is_training: bool
    n: int | None = None
    n_positive: int | None = None
    n_left_out: int | None = None
    recall: float | None = None
    recall_low: float | None = None
    recall_high: float | None = None
    precision: float | None = None
    precision_low: float | None = None
    precision_high: float | None = None
    specificity: float | None = None
    specificity_low: float | None = None
    specificity_high: float | None = None
    agreement: float | None = None
    agreement_low: float | None = None
    agreement_high: float | None = None
    kappa: float | None = None
    kappa_low: float | None = None
    kappa_high: float | None = None


@cache
def validations() -> tuple[Validation, ...]:
    """Every packaged row, those computed first."""
    return tuple(row for path in (COMPUTED, TOLD) for row in read_validations(path))


def read_validations(path: Path) -> list[Validation]:
    """The rows of one file."""
    with path.open(encoding="utf-8", newline="") as file:
        return [Validation(**{name: _read(name, text) for name, text in row.items()}) for row in csv.DictReader(file)]


def write_validations(path: Path, rows: list[Validation]) -> None:
    """Write rows in place of those of a file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Validation._fields)
        writer.writerows([_written(value) for value in row] for row in rows)


def _read(name: str, text: str) -> Any:
    if name == "is_training":
        return text == "true"
    if name in ("n", "n_positive", "n_left_out"):
        return int(text) if text else None
    return (float(text) if text else None) if name in _SHARES else text


def _written(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


_SHARES: Final = frozenset(Validation._fields[Validation._fields.index("recall") :])
