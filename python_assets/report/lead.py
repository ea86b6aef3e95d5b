"""The sentences that a report opens with: what is significant, family by family, the primary ones first.

Belongs here: the words. They are made of the rows that the table below them and the result cards are made of, so that
none of these says something else.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from python_assets.published.account import ABOUT_GROUPS
from python_assets.published.effects import effect_in_words
from python_assets.report.matrix import (
    BEYOND_MARGIN,
    EQUIVALENT,
    INCONCLUSIVE,
    MOST_NAMED,
    NOT_TESTED,
    Cell,
    Matrix,
    key_of,
    named,
    statistic_name,
)
from python_assets.report.reader import Reader, Row
from python_assets.report.result_cards import TOOL
from python_assets.report.sentences import measure_name
from python_assets.report.text import counted, listed, minus_signs, plural, words

MOST_CLAUSES: Final = 3
_CHANGED: Final = f"""
    select distinct system_id, reference_system_id, measure_id
    from system_comparisons
    where study_id = $study and comparison in ('mean_change', 'groups_changed')
        and verdict in ('beyond_margin', 'different') and {ABOUT_GROUPS}
    order by all
"""
_FAMILIES: Final[Mapping[str, str]] = {"primary": "Primary", "secondary": "Secondary"}


class _Statement(NamedTuple):
    """Sentences about one family."""

    family_id: str
    text: str


def lead_sentences(reader: Reader, matrix: Matrix) -> str:
    """Say what is significant, beginning with the primary hypotheses; what is not, where nothing is.

    Args:
        reader: the study.
        matrix: the table below the sentences.
    """
    first = _Statement(matrix.family_id, _of_family(matrix))
    others = [_Statement(name, text) for name, text in _other_families(matrix).items()]
    if others:
        sentences = [f"{_family(one.family_id)}: {one.text}" for one in [first, *others]]
    else:
        begins_with_name = any(cell.is_found for cells in matrix.cells.values() for cell in cells.values())
        sentences = [first.text if begins_with_name else f"{first.text[:1].upper()}{first.text[1:]}"]
    return " ".join([*sentences, *_comparisons(reader.rows(_CHANGED)), *_tool(reader.rows(TOOL)[0])])


def _family(family_id: str) -> str:
    name = words(family_id)
    return _FAMILIES.get(family_id, name[:1].upper() + name[1:])


def _of_family(matrix: Matrix) -> str:
    """What the hypotheses of the table are: a sentence per system that differs, one of those that do not."""
    systems = list(dict.fromkeys(system for cells in matrix.cells.values() for system in cells))
    differing = [name for name in systems if any(_cell(cells, name, is_found=True) for cells in matrix.cells.values())]
    if not differing:
        return _nothing_significant([cell for cells in matrix.cells.values() for cell in cells.values()])
    between = f"the groups of {matrix.grouping_id}" if matrix.grouping_id else "groups"
    if len(differing) > MOST_NAMED:
        return _of_many(len(differing), len(systems), matrix, between)
    sentences = [f"{name} differs between {between}: {_clauses(name, matrix)}." for name in differing]
    others = [name for name in systems if name not in differing]
    if others:
        cells = [cells[name] for name in others for cells in matrix.cells.values() if name in cells]
        sentences.append(f"{listed(others, MOST_NAMED)}: {_nothing_significant(cells)}")
    return " ".join(sentences)


def _cell(cells: Mapping[str, Cell], system_id: str, *, is_found: bool) -> Cell | None:
    cell = cells.get(system_id)
    return cell if cell is not None and cell.is_found is is_found else None


def _clauses(system_id: str, matrix: Matrix) -> str:
    """The measures in which a system differs, those beyond their margin first."""
    differing = [(key, cell) for key, cells in matrix.cells.items() if (cell := _cell(cells, system_id, is_found=True))]
    differing.sort(key=lambda pair: pair[1].verdict != BEYOND_MARGIN)
    return "; ".join(_cut([f"{matrix.names[key]}{_ends(cell)}" for key, cell in differing]))


def _ends(cell: Cell) -> str:
    margin = {BEYOND_MARGIN: ", beyond margin"}.get(cell.verdict, ", within the margin" if cell.is_inside else "")
    ends = [
        f"{way}: {listed(names, MOST_NAMED)}"
        for way, names in (("lower", cell.lower), ("higher", cell.higher))
        if names
    ]
    # a metric of all groups can be what is beyond the margin
    if cell.verdict == BEYOND_MARGIN and cell.effect and not cell.is_named:
        ends = [cell.effect, *ends]
    return f"{margin} ({'; '.join(ends)})" if ends else margin


def _of_many(n_found: int, n_systems: int, matrix: Matrix, between: str) -> str:
    counts = {
        matrix.names[key]: (
            sum(cell.is_found for cell in cells.values()),
            sum(cell.verdict == BEYOND_MARGIN for cell in cells.values()),
        )
        for key, cells in matrix.cells.items()
    }
    clauses = [
        f"{name} ({plural(n, 'system')}{f', {n_beyond:,} beyond margin' if n_beyond else ''})"
        for name, (n, n_beyond) in counts.items()
        if n
    ]
    which = f"all {n_systems:,} systems" if n_found == n_systems else f"{n_found:,} of {n_systems:,} systems"
    return f"{which} differ between {between}: {', '.join(_cut(clauses))}."


def _cut(clauses: Sequence[str]) -> list[str]:
    n_more = len(clauses) - MOST_CLAUSES
    return [*clauses[:MOST_CLAUSES], f"{n_more} more"] if n_more > 0 else [*clauses]


def _nothing_significant(cells: Sequence[Cell]) -> str:
    """What cells without a significant difference are: equivalent, inconclusive, not tested."""
    verdicts = [cell.verdict for cell in cells]
    n_tested = sum(verdict != NOT_TESTED for verdict in verdicts)
    if not n_tested:
        return "nothing could be tested, so this study does not say whether groups differ."
    n_equivalent, n_inconclusive = verdicts.count(EQUIVALENT), verdicts.count(INCONCLUSIVE)
    n_left = f", {len(verdicts) - n_tested:,} not tested" if n_tested < len(verdicts) else ""
    if n_equivalent == n_tested:
        every = "the one test" if n_tested == 1 else f"all {n_tested:,}"
        return f"equivalent in {every}: differences are within the margin{n_left}."
    counts = [f"{n_inconclusive:,} inconclusive", *([f"{n_equivalent:,} equivalent"] if n_equivalent else [])]
    return f"nothing significant ({', '.join(counts)}{n_left})."


def _other_families(matrix: Matrix) -> dict[str, str]:
    """By family, in their order, what else is significant: hypotheses that repeat no other one, beyond margin first."""
    families: dict[str, list[Row]] = {}
    for row in matrix.hypotheses:
        if row["family_id"] != matrix.family_id and row["outcome"] == "significant" and not row["is_repeated"]:
            families.setdefault(row["family_id"], []).append(row)
    return {name: _of_other(differing, matrix) for name, differing in families.items()}


def _of_other(rows: Sequence[Row], matrix: Matrix) -> str:
    beyond = [row for row in rows if row["verdict"] == BEYOND_MARGIN]
    statements = [
        f"{row['system_id']} is beyond margin in {_what(row, matrix)}: {minus_signs(effect_in_words(row))}"
        for row in beyond[:MOST_CLAUSES]
    ]
    if len(beyond) > MOST_CLAUSES:
        statements.append(f"{len(beyond) - MOST_CLAUSES:,} more beyond margin")
    others = {
        "significant": [row for row in rows if row["verdict"] not in (BEYOND_MARGIN, EQUIVALENT)],
        "significant, within the margin,": [row for row in rows if row["verdict"] == EQUIVALENT],
    }
    for name, differing in others.items():
        if differing:
            named_rows = [f"{_what(row, matrix)} ({row['system_id']})" for row in differing]
            statements.append(f"{'also ' if statements else ''}{name} in {listed(named_rows, MOST_CLAUSES)}")
    return f"{'; '.join(statements)}."


def _what(row: Row, matrix: Matrix) -> str:
    is_of_all = (row["grouping_id"], row["slice_id"]) == (matrix.grouping_id, "all")
    measure = measure_name(row["measure_id"]) if is_of_all else named(key_of(row))
    is_plain = row["statistic"] in ("mean", "share") and row["calibration"] == "raw"
    return measure if is_plain else f"{statistic_name(row)} of {measure}"


def _comparisons(changed: Sequence[Row]) -> list[str]:
    pairs: dict[tuple[str, str], list[str]] = {}
    for row in changed:
        pairs.setdefault((row["system_id"], row["reference_system_id"]), []).append(measure_name(row["measure_id"]))
    if len(pairs) == 1:
        (((this_system, other), measures),) = pairs.items()
        return [f"{this_system} and {other} differ from each other in {listed(measures, MOST_NAMED)}."]
    return [f"{plural(len(pairs), 'pair')} of systems differ from each other."] if pairs else []


def _tool(row: Row) -> list[str]:
    """That the scorer or the texts differ by themselves, which no system has brought about."""
    n, n_tested = row["n_shown"], row["n_tested"]
    if not n:
        return []
    return [f"Tool bias: {n:,} of {counted(n_tested, 'hypothesis', 'hypotheses')} of the baseline texts significant."]
