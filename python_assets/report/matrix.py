"""Verdicts of each system on each measure that a study is about: the table at the top of page one.

Belongs here: the strongest verdict of some hypotheses, its effect, and the table of both. The sentence above the table
is lead.py, results in detail are result_cards.py.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from python_assets.published.account import ABOUT_GROUPS
from python_assets.published.beyond_margin import beyond_margin
from python_assets.published.effects import ADJUSTED, adjusted_effects, effect_columns, effect_in_words
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
MAX_LINES: Final = 60
LINES_AT_ONCE: Final = 5
MOST_HEADS: Final = 6  # systems in columns, where measures are fewer
MOST_NAMED: Final = 3
# of groups of one system: those of pairs, of the tool and of labels against real shares have sections of their own
HYPOTHESES: Final = f"""
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
    order by finding_rank nulls last, hypotheses.measure_id, hypotheses.grouping_id, hypotheses.slice_id,
        hypotheses.system_id
"""
# a mean or a share is lower or higher; of other statistics a sign says nothing to a reader
GROUPS: Final = """
    select distinct on (system_id, measure_id, grouping_id, slice_id, group_id, category)
        system_id, measure_id, grouping_id, slice_id, group_id, category, value < 0 as is_lower, position
    from finding_groups
    where study_id = $study and direction is not null and statistic in ('mean', 'share')
    order by calibration desc, position
"""
_DETECTABLE: Final = """
    select grouping_id, measure_id, min(minimum_detectable_effect) as effect
    from design_power
    where study_id = $study and source = 'observed' and contrast in ('mean_difference', 'risk_difference')
        and minimum_detectable_effect is not null
    group by grouping_id, measure_id
"""
Key = tuple[str, str, str]  # measure, grouping, slice


class Cell(NamedTuple):
    """A system on a measure: its verdict, and the effect that it is of.

    is_found: the groups differ significantly. lower, higher: groups that differ on their own. effect: the strongest
    one with its interval, the largest where nothing is significant. detectable: the smallest difference that the
    design detects; '' where something is significant or nothing is known of the spread.
    """

    verdict: str
    is_found: bool
    lower: list[str]
    higher: list[str]
    effect: str = ""
    detectable: str = ""

    @property
    def is_inside(self) -> bool:
        """Groups differ, and every difference is inside its margin."""
        return self.is_found and self.verdict not in (BEYOND_MARGIN, DIFFERENT)


class MatrixLine(NamedTuple):
    """A measure with a cell for each system, or a system with a cell for each measure; None where it was not tested.

    is_under: whether it is another statistic of the measure above it.
    """

    name: str
    cells: list[Cell | None]
    is_under: bool = False


class Matrix(NamedTuple):
    """Systems and measures: the more numerous are lines, the first MAX_LINES of n_all; heads are of the others.

    family_id: of the hypotheses. kind: what a line is. cells: by measure, grouping and slice, then by system. names:
    of those. grouping_id: of all, and then in none of their names; '' where there are several.
    """

    family_id: str
    kind: str
    heads: list[str]
    lines: list[MatrixLine]
    n_all: int
    cells: dict[Key, dict[str, Cell]]
    names: dict[Key, str]
    grouping_id: str

    @property
    def has_detectable(self) -> bool:
        """Whether a cell has a smallest difference that the design detects."""
        return any(cell.detectable for of_key in self.cells.values() for cell in of_key.values())


def verdict_of(hypotheses: Iterable[Row]) -> str:
    """The strongest verdict of hypotheses.

    Args:
        hypotheses: rows with verdict, as table hypotheses has them.
    """
    verdicts = {row["verdict"] for row in hypotheses}
    return next((name for name in VERDICTS if name in verdicts), NOT_TESTED)


def study_matrix(reader: Reader) -> Matrix:
    """Verdict and strongest effect of each system on each measure that a study is about.

    Hypotheses of other families that are beyond their margin have a line of their own under their measure.

    Args:
        reader: the study.
    """
    every, groups = reader.rows(HYPOTHESES), reader.rows(GROUPS)
    detectable = {(row["grouping_id"], row["measure_id"]): row["effect"] for row in reader.rows(_DETECTABLE)}
    family_id = PRIMARY if any(row["family_id"] == PRIMARY for row in every) else ALL_ELSE
    tested = [row for row in every if row["family_id"] == family_id]
    systems = sorted({row["system_id"] for row in tested})
    cells = {key: _cells(key, tested, groups, detectable) for key in dict.fromkeys(map(key_of, tested))}
    under = _beyond_elsewhere(reader, every, family_id)
    names, grouping_id = _names([*cells, *(key for key, _ in under)])
    if len(systems) > max(len(cells) + len(under), MOST_HEADS):
        columns = {names[key]: of_key for key, of_key in cells.items()}
        columns |= {f"{names[key]}: {statistic}": of_key for (key, statistic), of_key in under.items()}
        lines = [MatrixLine(name, [of_key.get(name) for of_key in columns.values()]) for name in systems]
        return Matrix(family_id, "system", [*columns], lines[:MAX_LINES], len(lines), cells, names, grouping_id)
    systems = sorted({*systems, *(system for of_key in under.values() for system in of_key)})
    lines = []
    for key in dict.fromkeys([*cells, *(key for key, _ in under)]):
        if key in cells:
            lines.append(MatrixLine(names[key], [cells[key].get(system) for system in systems]))
        lines += [
            MatrixLine(
                statistic if key in cells else f"{names[key]}: {statistic}",
                [of_key.get(system) for system in systems],
                is_under=key in cells,
            )
            for (other, statistic), of_key in under.items()
            if other == key
        ]
    return Matrix(family_id, "measure", systems, lines[:MAX_LINES], len(lines), cells, names, grouping_id)


def key_of(row: Row) -> Key:
    """The measure, grouping and slice of a hypothesis."""
    return row["measure_id"], row["grouping_id"], row["slice_id"]


def statistic_name(row: Row) -> str:
    """The statistic of a hypothesis, with its calibration where that is not raw: calibrated selection rate."""
    statistic = {"mean": "mean", "share": "share"}.get(row["statistic"], words(row["statistic"]))
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


def _beyond_elsewhere(reader: Reader, every: Sequence[Row], family_id: str) -> dict[tuple[Key, str], dict[str, Cell]]:
    """Cells by system of each statistic of a measure that is beyond its margin for one of them in another family."""
    beyond = [
        row
        for row in beyond_margin(reader.connection, reader.study_id)
        if not row["reference_system_id"] and row["family_id"] != family_id
    ]
    wanted = {(*key_of(row), row["calibration"], row["statistic"], row["parameters"]) for row in beyond}
    found: dict[tuple[Key, str], dict[str, Cell]] = {}
    for row in every:
        if (*key_of(row), row["calibration"], row["statistic"], row["parameters"]) in wanted:
            cell = Cell(row["verdict"], row["outcome"] == "significant", [], [], _effect(row))
            found.setdefault((key_of(row), statistic_name(row)), {})[row["system_id"]] = cell
    return found


def _cells(
    key: Key, hypotheses: Sequence[Row], groups: Sequence[Row], detectable: Mapping[tuple[str, str], float]
) -> dict[str, Cell]:
    rows_by_system: dict[str, list[Row]] = {}
    for row in hypotheses:
        if key_of(row) == key:
            rows_by_system.setdefault(row["system_id"], []).append(row)
    return {
        system: _cell(rows, [row for row in groups if row["system_id"] == system and key_of(row) == key], detectable)
        for system, rows in rows_by_system.items()
    }


def _cell(rows: Sequence[Row], groups: Sequence[Row], detectable: Mapping[tuple[str, str], float]) -> Cell:
    verdict, is_found = verdict_of(rows), any(row["outcome"] == "significant" for row in rows)
    head = next((row for row in rows if row["verdict"] == verdict), rows[0])
    named = sorted(groups, key=lambda row: row["position"]) if is_found else []
    return Cell(
        verdict,
        is_found,
        lower=[_group(row) for row in named if row["is_lower"]],
        higher=[_group(row) for row in named if not row["is_lower"]],
        effect=_effect(head),
        detectable="" if is_found else _detectable(head, detectable),
    )


def _detectable(row: Row, detectable: Mapping[tuple[str, str], float]) -> str:
    effect = detectable.get((row["grouping_id"], row["measure_id"]))
    of_means = row["statistic"] in ("mean", "share") and row["slice_id"] == "all"
    if effect is None or not of_means or row["verdict"] == NOT_TESTED:
        return ""
    return size(effect, is_rate=row["kind"] in ("binary", "categorical"))


def _effect(row: Row) -> str:
    if row["value"] is None or row["verdict"] == NOT_TESTED:
        return ""
    words_of_effect = minus_signs(effect_in_words(row, with_ci=False))
    return words_of_effect if row["is_headline"] else f"largest: {words_of_effect}"


def _group(row: Row) -> str:
    return f"{row['group_id']} ({row['category']})" if row["category"] else str(row["group_id"])
