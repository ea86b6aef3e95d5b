"""What a gate found, in words: groups beyond their margin first, then all others, then what is not known.

Belongs here: the words. The rules are moved.py.
"""

import csv
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

import pandas as pd

from python_assets.gate.both_runs import NOW, BothRuns
from python_assets.gate.moved import Gate, GateOutcome
from python_assets.infer.formulas.verdict import Verdict
from python_assets.infer.tables import SEPARATOR
from python_assets.published.account import outcomes_in_words
from python_assets.published.beyond_margin import beyond_margin_in_words
from python_assets.published.query import format_table
from python_assets.study.base import CALIBRATIONS
from python_assets.study.problems import plural
from python_assets.warehouse import paths

REASONS: Final = paths.PROJECT / "dbt_models" / "seeds" / "reasons.csv"
CHANGE_COLUMNS: Final = [
    *("system", "measure", "grouping", "group", "mean then", "mean now"),
    *("against others", "interval", "margin", "verdict"),
]
_HYPOTHESIS: Final = ["system_id", "measure_id", "calibration", "grouping_id", "slice_id", "category"]
_WORDS: Final = {
    GateOutcome.BEYOND_MARGIN: "beyond its margin",
    GateOutcome.APART_BEYOND_MARGIN: "apart, beyond the margin",
    GateOutcome.MOVED: "moved",
    GateOutcome.APART: "apart",
    GateOutcome.WITHIN_MARGIN: "within its margin",
    GateOutcome.INCONCLUSIVE: "inconclusive",
    GateOutcome.UNCHANGED: "unchanged",
}
AGAINST_OTHERS: Final = (
    "against others: how the mean of a group changed, less how the others' that stayed did on the same prompts."
)
_MOST_BEYOND: Final = 5
_SHOWN: Final = (Verdict.BEYOND_MARGIN, Verdict.DIFFERENT)


class ToldRow(NamedTuple):
    """The change of a group, a cell a column of COLUMNS, and its verdict."""

    cells: tuple[Any, ...]
    verdict: str


class GateMessage(NamedTuple):
    """What a gate found: the verdict on the whole, groups beyond their margin first, and what is said beside them."""

    verdict: str
    rows: list[ToldRow]
    notes: list[str]


def tell(gate: Gate) -> GateMessage:
    """What a gate found, in words.

    Args:
        gate: what was found.
    """
    changes = gate.changes[gate.changes.reason.isna()]
    # without a margin only what moved is told
    shown = changes[changes.margin.notna() | changes.verdict.isin(_SHOWN)]
    order = shown.verdict.ne(Verdict.BEYOND_MARGIN).sort_values(kind="stable").index
    return GateMessage(
        _verdict(gate),
        [ToldRow(_row(row), row.verdict) for _, row in shown.loc[order].iterrows()],
        [
            *_camps(shown),
            *_read_by(gate, shown),
            *_without_margin(gate.changes),
            *_not_compared(gate),
            *_hypotheses(gate),
            *gate.read_alike,
            *_beyond(gate),
        ],
    )


def text(gate: Gate, runs: BothRuns) -> str:
    """What a gate found, for a terminal.

    Args:
        gate: what was found.
        runs: which runs were compared.
    """
    report = tell(gate)
    return "\n".join(
        [
            f"{runs.study_id}: run {runs.now.run_id} against {runs.then.run_id}.",
            AGAINST_OTHERS,
            "",
            format_table(CHANGE_COLUMNS, [row.cells for row in report.rows]),
            "",
            *report.notes,
            report.verdict,
        ]
    )


def _row(row: pd.Series) -> tuple[Any, ...]:
    label = f' "{row.category}"' if row.category else ""
    return (
        row.system_id,
        f"{CALIBRATIONS[row.calibration]} {row.measure_id}".lstrip(),
        _place(row.grouping_id, row.slice_id),
        row.group_id + label,
        f"{row.mean_then:+.3f}",
        f"{row.mean_now:+.3f}",
        f"{row.value:+.3f}",
        "-" if pd.isna(row.ci_low) else f"{row.ci_low:+.3f} to {row.ci_high:+.3f}",
        None if pd.isna(row.margin) else f"{row.margin:g}",
        _word(row),
    )


def _word(row: pd.Series) -> str:
    if row.outcome == GateOutcome.EXPLAINED_BY:
        return f"only because of {', '.join(row.explained_by.split(SEPARATOR))}"
    return _WORDS[row.outcome]


def _place(grouping: str, slice_id: str) -> str:
    return grouping if slice_id == "all" else f"{grouping} in {slice_id}"


def _camps(shown: pd.DataFrame) -> Iterator[str]:
    """The questions in which nobody can be told to have moved alone, with the groups that are called on either side."""
    apart = shown[shown.is_apart & shown.verdict.isin(_SHOWN)]
    for key, rows in apart.groupby(_HYPOTHESIS, sort=False):
        system, measure, calibration, grouping, slice_id, label = map(str, key)
        what, quoted_label = f"{CALIBRATIONS[calibration]} {measure}".lstrip(), f' "{label}"' if label else ""
        sides = [
            f"{', '.join(side.group_id)} ({word})"
            for word, side in (("up", rows[rows.value > 0]), ("down", rows[rows.value < 0]))
            if len(side)
        ]
        where = f"{system}, {what}{quoted_label} by {_place(grouping, slice_id)}"
        yield f"{where}: two camps moved apart, {' against '.join(sides)}; which of them moved is not settled."


def _read_by(gate: Gate, shown: pd.DataFrame) -> Iterator[str]:
    """What read the labels in which a group moved."""
    moved = shown[shown.verdict.isin(_SHOWN)]
    for measure in moved.measure_id.unique():
        if readers := gate.read_by.get(measure):
            yield f"{measure}: {readers}"


def _without_margin(changes: pd.DataFrame) -> Iterator[str]:
    if len(without := changes[changes.margin.isna()]):
        yield f"No margin, so not gated: {', '.join(without.measure_id.unique())}."


def _not_compared(gate: Gate) -> Iterator[str]:
    meanings = _meanings()
    keys = ["system_id", "measure_id", "grouping_id", "slice_id", "reason"]
    with_margin = gate.changes[gate.changes.reason.notna() & gate.changes.margin.notna()]
    for key, rows in with_margin.groupby(keys, sort=False):
        system, measure, grouping, slice_id, reason = key
        where = _place(str(grouping), str(slice_id))
        groups = [group for group in rows.group_id.unique() if group]
        which = f", {', '.join(groups)}" if groups else ""
        yield f"Not compared: {system}, {measure} by {where}{which}: {reason} ({meanings[str(reason)]})"
    for name in gate.alone:
        yield f"Not compared: {name}: one of the two runs lacks it."


def _hypotheses(gate: Gate) -> Iterator[str]:
    """What was asked of the two runs, and what the questions came to."""
    if n := gate.hypotheses.get("n_hypotheses"):
        yield f"{plural(n, 'question')} asked of both runs: {outcomes_in_words(gate.hypotheses)}."


def _beyond(gate: Gate) -> Iterator[str]:
    """What is beyond a margin without being gated: no exit code depends on it."""
    for row in gate.beyond[:_MOST_BEYOND]:
        system, statistic = row["system_id"].removesuffix(f"_{NOW}"), row["statistic"].replace("_", " ")
        what = f"{statistic} of {CALIBRATIONS[row['calibration']]} {row['measure_id']}".replace("  ", " ")
        where = f" by {_place(row['grouping_id'], row['slice_id'])}" if row["grouping_id"] else ""
        run = "change, " if row["reference_system_id"] else "groups of the run now, "
        yield f"Beyond margin, not gated: {run}{system}, {what}{where}: {beyond_margin_in_words(row, gate.alpha)}."
    if len(gate.beyond) > _MOST_BEYOND:
        yield f"Beyond margin, not gated: {len(gate.beyond) - _MOST_BEYOND:,} more."


def _verdict(gate: Gate) -> str:
    n = len(gate.compared)
    if not n:
        return "No group with a margin could be compared."
    if not len(gate.moved):
        return f"Of {n:,} groups with a margin none is beyond it."
    is_apart = gate.moved.is_apart.astype(bool)
    named = f"{(~is_apart).sum():,} moved beyond it" if not is_apart.all() else "none is known to have moved beyond it"
    n_camps = gate.moved[is_apart].groupby(_HYPOTHESIS).ngroups
    apart = f"; two camps moved apart by more in {n_camps:,} of the comparisons" if n_camps else ""
    return f"Of {n:,} groups with a margin {named}{apart}."


@cache
def _meanings() -> dict[str, str]:
    """What each reason means, without where it occurs."""
    with REASONS.open(encoding="utf-8", newline="") as file:
        return {row["reason"]: row["meaning"].partition(": ")[2] for row in csv.DictReader(file)}
