"""Verdicts of each system on each measure that a study is about: the table at the top of page one.

Belongs here: the strongest verdict of some hypotheses, its effect, and the table of both. The sentence above the table
is lead.py, results in detail are result_cards.py.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypedDict

from python_assets.infer.tables import INTERACTION
from python_assets.published.account import ABOUT_GROUPS, family_order
from python_assets.published.beyond_margin import beyond_margin
from python_assets.published.detectable import DETECTABLE
from python_assets.published.effects import (
    ADJUSTED,
    GROUP_CONTRASTS,
    adjusted_effects,
    effect_columns,
    estimate,
    whole_effect_in_words,
)
from python_assets.published.plain_numbers import size
from python_assets.report.reader import Reader, Row
from python_assets.report.sentences import measure_name
from python_assets.report.text import VERDICT_WORDS, minus_signs, words
from python_assets.study.base import BASELINE, GROUND_TRUTH

BEYOND_MARGIN, DIFFERENT, INCONCLUSIVE, EQUIVALENT = "beyond_margin", "different", "inconclusive", "equivalent"
NOT_TESTED, NOT_ASKED = "not_tested", "not_asked"
VERDICTS: Final[Mapping[str, str]] = {
    name: VERDICT_WORDS[name] for name in (BEYOND_MARGIN, DIFFERENT, INCONCLUSIVE, EQUIVALENT, NOT_TESTED)
} | {NOT_ASKED: "not asked yet"}
"""Of a system in several hypotheses, the strongest first."""
PRIMARY, ALL_ELSE = "primary", "secondary"
_PLAIN: Final = ("mean", "share")  # of a measure, which needs no other name
MAX_LINES: Final = 60
LINES_AT_ONCE: Final = 5
MOST_HEADS: Final = 6  # systems in columns, where measures are fewer
MOST_NAMED: Final = 3
# of groups of one system: those of pairs, of the tool and of labels against real shares have sections of their own
VERDICT_ROWS: Final = f"""
    select hypotheses.system_id, hypotheses.measure_id, hypotheses.grouping_id, hypotheses.slice_id,
        hypotheses.calibration, hypotheses.statistic, hypotheses.parameters, hypotheses.family_id,
        hypotheses.verdict, hypotheses.outcome, finding_rank, coalesce(is_repeated, false) as is_repeated,
        measures.kind, {effect_columns("hypotheses")}, {ADJUSTED}
    from hypotheses
    left join findings
        using (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
    left join measures using (study_id, measure_id)
    {adjusted_effects("hypotheses")}
    where study_id = $study and hypotheses.reference_system_id = '' and hypotheses.system_id <> '{BASELINE}'
        and not coalesce(is_tool_bias, false) and hypotheses.statistic <> '{GROUND_TRUTH}' and {ABOUT_GROUPS}
    order by {family_order("hypotheses")}, finding_rank nulls last, hypotheses.measure_id, hypotheses.grouping_id,
        hypotheses.slice_id, hypotheses.system_id
"""
# a mean or a share is lower or higher; of other statistics a sign says nothing to a reader
GROUPS: Final = f"""
    select distinct on (system_id, measure_id, grouping_id, slice_id, group_id, category)
        system_id, measure_id, grouping_id, slice_id, group_id, category, own.value < 0 as is_lower, position,
        statistic, own.value, own.ci_low, own.ci_high, value_shrunken, ci_low_selected, ci_high_selected,
        contrast as metric, kind
    from finding_groups as own
    left join (select study_id, measure_id, kind from measures) as kinds using (study_id, measure_id)
    {GROUP_CONTRASTS}
    where study_id = $study and direction is not null and statistic in ('mean', 'share')
    order by calibration desc, position
"""
Key = tuple[str, str, str]  # measure, grouping, slice


class Cell(NamedTuple):
    """A system on a measure: its verdict, and the effect that it is of.

    is_found: the groups differ significantly. lower, higher: groups that differ on their own. effect: the strongest
    one with its interval, the largest where nothing is significant. detectable: the smallest difference that the
    design detects; '' where something is significant or nothing is known of the spread. group_effect: of the group
    that differs most, where a metric of all groups is the effect. is_named: the effect is of one of lower or higher.
    """

    verdict: str
    is_found: bool
    lower: list[str]
    higher: list[str]
    effect: str = ""
    detectable: str = ""
    group_effect: str = ""
    is_named: bool = False

    @property
    def is_inside(self) -> bool:
        """Groups differ, and every difference is inside its margin."""
        return self.is_found and self.verdict not in (BEYOND_MARGIN, DIFFERENT)


class MatrixLine(NamedTuple):
    """A measure with a cell for each system, or a system with a cell for each measure; None where it was not tested.

    is_under: whether it is another statistic of the measure above it. family_id: of its hypotheses, where these are of
    another family than those of the table.
    """

    name: str
    cells: list[Cell | None]
    is_under: bool = False
    family_id: str = ""


class Matrix(NamedTuple):
    """Systems and measures: the more numerous are lines, the first MAX_LINES of n_all; heads are of the others.

    family_id: of the hypotheses. kind: what a line is. cells: by measure, grouping and slice, then by system. names:
    of those. grouping_id: of all, and then in none of their names; '' where there are several. hypotheses: rows of
    all families, as VERDICT_ROWS has them.
    """

    family_id: str
    kind: str
    heads: list[str]
    lines: list[MatrixLine]
    n_all: int
    cells: dict[Key, dict[str, Cell]]
    names: dict[Key, str]
    grouping_id: str
    hypotheses: list[Row]

    @property
    def has_detectable(self) -> bool:
        """Whether a cell has a smallest difference that the design detects."""
        return any(cell.detectable for by_system in self.cells.values() for cell in by_system.values())


class _Rest(TypedDict):
    """Fields of a Matrix that are the same whichever way round it is."""

    cells: dict[Key, dict[str, Cell]]
    names: dict[Key, str]
    grouping_id: str
    hypotheses: list[Row]


def verdict_of(hypotheses: Iterable[Row]) -> str:
    """The strongest verdict of hypotheses.

    Args:
        hypotheses: rows with verdict, as table hypotheses has them.
    """
    verdicts = {row["verdict"] for row in hypotheses}
    return next((name for name in VERDICTS if name in verdicts), NOT_TESTED)


def study_matrix(reader: Reader) -> Matrix:
    """Verdict and strongest effect of each system on each measure that a study is about.

    Hypotheses of other families that are beyond their margin have a line of their own under their measure, and so has
    a measure that differs significantly in other families alone.

    Args:
        reader: the study.
    """
    every, groups = reader.rows(VERDICT_ROWS), reader.rows(GROUPS)
    detectable = {
        (row["model"], row["measure_id"], row["grouping_id"]): row["detectable"] for row in reader.rows(DETECTABLE)
    }
    family_id = PRIMARY if any(row["family_id"] == PRIMARY for row in every) else ALL_ELSE
    tested = [row for row in every if row["family_id"] == family_id]
    systems = sorted({row["system_id"] for row in tested})
    cells = {key: _cells(key, tested, groups, detectable) for key in dict.fromkeys(map(key_of, tested))}
    under = _elsewhere(reader, every, family_id, cells)
    names, grouping_id = _names([*cells, *(key for key, *_ in under)])
    rest: _Rest = {"cells": cells, "names": names, "grouping_id": grouping_id, "hypotheses": every}
    if len(systems) > max(len(cells) + len(under), MOST_HEADS):
        columns = {names[key]: by_system for key, by_system in cells.items()}
        columns |= {
            f"{_named_line(names[key], statistic)} ({words(family)})": by_system
            for (key, statistic, family), by_system in under.items()
        }
        lines = [MatrixLine(name, [by_system.get(name) for by_system in columns.values()]) for name in systems]
        return Matrix(family_id, "system", [*columns], lines[:MAX_LINES], len(lines), **rest)
    systems = sorted({*systems, *(system for by_system in under.values() for system in by_system)})
    lines = []
    for key in dict.fromkeys([*cells, *(key for key, *_ in under)]):
        if key in cells:
            lines.append(MatrixLine(names[key], [cells[key].get(system) for system in systems]))
        lines += [
            MatrixLine(
                statistic if key in cells else _named_line(names[key], statistic),
                [by_system.get(system) for system in systems],
                is_under=key in cells,
                family_id=family,
            )
            for (other, statistic, family), by_system in under.items()
            if other == key
        ]
    return Matrix(family_id, "measure", systems, lines[:MAX_LINES], len(lines), **rest)


def key_of(row: Row) -> Key:
    """The measure, grouping and slice of a hypothesis."""
    return row["measure_id"], row["grouping_id"], row["slice_id"]


def statistic_name(row: Row) -> str:
    """The statistic of a hypothesis, with its calibration where that is not raw: calibrated selection rate."""
    statistic = words(row["statistic"])
    return statistic if row["calibration"] == "raw" else f"{row['calibration']} {statistic}"


def _names(keys: Sequence[Key]) -> tuple[dict[Key, str], str]:
    """The names of lines, and the one grouping of all of them, which is then in no name; '' where there are several."""
    groupings = {(grouping_id, slice_id) for _, grouping_id, slice_id in keys}
    if len(groupings) == 1 and next(iter(groupings))[1] == "all":
        return {key: measure_name(key[0]) for key in keys}, next(iter(groupings))[0]
    return {key: named(key) for key in keys}, ""


def named(key: Key) -> str:
    """A measure with its grouping and slice: refusal by race, slice letters."""
    measure_id, grouping_id, slice_id = key
    return f"{measure_name(measure_id)} by {grouping_id}" + ("" if slice_id == "all" else f", slice {slice_id}")


def _named_line(name: str, statistic: str) -> str:
    return name if statistic in _PLAIN else f"{name}: {statistic}"


def _elsewhere(
    reader: Reader, every: Sequence[Row], family_id: str, cells: Collection[Key]
) -> dict[tuple[Key, str, str], dict[str, Cell]]:
    """Cells by system of what other families have, by measure, statistic and family.

    That is each statistic beyond its margin for some system, and of a measure that has no cell the first significant
    one, means and shares before other statistics.
    """
    beyond = [
        row
        for row in beyond_margin(reader.connection, reader.study_id)
        if not row["reference_system_id"] and row["family_id"] != family_id
    ]
    first: dict[Key, Row] = {key_of(row): row for row in reversed(beyond)}
    significant = [row for row in every if row["outcome"] == "significant" and not row["is_repeated"]]
    for row in sorted(significant, key=lambda row: row["statistic"] not in _PLAIN):
        if key_of(row) not in cells:
            first.setdefault(key_of(row), row)
    wanted = {_hypothesis(row) for row in [*beyond, *first.values()]}
    cells_under: dict[tuple[Key, str, str], dict[str, Cell]] = {}
    for row in every:
        if _hypothesis(row) in wanted:
            cell = Cell(row["verdict"], row["outcome"] == "significant", [], [], _effect(row))
            line = (key_of(row), statistic_name(row), row["family_id"])
            cells_under.setdefault(line, {})[row["system_id"]] = cell
    return cells_under


def _hypothesis(row: Row) -> tuple[str, ...]:
    return (*key_of(row), row["calibration"], row["statistic"], row["parameters"])


def _cells(
    key: Key, hypotheses: Sequence[Row], groups: Sequence[Row], detectable: Mapping[Key, float | None]
) -> dict[str, Cell]:
    rows_by_system: dict[str, list[Row]] = {}
    for row in hypotheses:
        if key_of(row) == key:
            rows_by_system.setdefault(row["system_id"], []).append(row)
    return {
        system: _cell(rows, [row for row in groups if row["system_id"] == system and key_of(row) == key], detectable)
        for system, rows in rows_by_system.items()
    }


def _cell(rows: Sequence[Row], groups: Sequence[Row], detectable: Mapping[Key, float | None]) -> Cell:
    verdict, is_found = verdict_of(rows), any(row["outcome"] == "significant" for row in rows)
    head = next((row for row in rows if row["verdict"] == verdict), rows[0])
    differing = sorted(groups, key=lambda row: row["position"]) if is_found else []
    effect = _effect(head)
    is_of_metric = effect and not head["group_id"] and differing
    return Cell(
        verdict,
        is_found,
        lower=[_group(row) for row in differing if row["is_lower"]],
        higher=[_group(row) for row in differing if not row["is_lower"]],
        effect=effect,
        group_effect=_effect_words(max(differing, key=lambda row: abs(estimate(row)[0] or 0))) if is_of_metric else "",
        is_named=bool(head["group_id"]) and _group(head) in map(_group, differing),
        detectable="" if is_found else _detectable(head, detectable),
    )


def _detectable(row: Row, detectable: Mapping[Key, float | None]) -> str:
    effect = detectable.get((row["system_id"], row["measure_id"], row["grouping_id"]))
    is_mean = row["statistic"] in _PLAIN and row["slice_id"] == "all" and row["calibration"] == "raw"
    if effect is None or not is_mean or row["verdict"] == NOT_TESTED:
        return ""
    return size(effect, is_rate=row["kind"] in ("binary", "categorical"))


def _effect(row: Row) -> str:
    if row["value"] is None or row["verdict"] == NOT_TESTED:
        return ""
    words_of_effect = _effect_words(row)
    return words_of_effect if row["is_headline"] else f"largest: {words_of_effect}"


def _effect_words(row: Row) -> str:
    """An effect in words, that of a cell beyond its factors as an interaction."""
    note = " (interaction)" if row["metric"] == INTERACTION else ""
    return f"{minus_signs(whole_effect_in_words(row, with_ci=False))}{note}"


def _group(row: Row) -> str:
    return f"{row['group_id']} ({row['category']})" if row["category"] else str(row["group_id"])
