"""What each model came to in each question that a study is about: the first thing that a reader sees.

Belongs here: the strongest verdict of some questions, and the matrix and the sentence that are made of it. What was
found in detail is result_cards.py.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from python_assets.published.account import ABOUT_GROUPS
from python_assets.report.reader import Reader, Row
from python_assets.report.sentences import measure_name
from python_assets.report.text import listed, plural
from python_assets.study.base import BASELINE, GROUND_TRUTH

BEYOND_MARGIN, DIFFERENT, INCONCLUSIVE, EQUIVALENT = "beyond_margin", "different", "inconclusive", "equivalent"
NOT_TESTED, NOT_ASKED = "not_tested", "not_asked"
VERDICTS: Final[Mapping[str, str]] = {
    BEYOND_MARGIN: "bias shown",
    DIFFERENT: "difference shown",
    INCONCLUSIVE: "nothing shown",
    EQUIVALENT: "equal within margins",
    NOT_TESTED: "not tested",
    NOT_ASKED: "not asked yet",
}
"""Of a model in several questions, the strongest first."""
_SHOWN: Final = (BEYOND_MARGIN, DIFFERENT)
PRIMARY, ALL_ELSE = "primary", "secondary"
MAX_LINES: Final = 60
LINES_AT_ONCE: Final = 5
MOST_HEADS: Final = 6  # models in columns, where questions are fewer
MOST_NAMED: Final = 3
MOST_CLAUSES: Final = 3
_HYPOTHESES: Final = f"""
    select system_id, measure_id, grouping_id, slice_id, hypotheses.verdict, outcome
    from hypotheses
    left join findings
        using (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
    where study_id = $study and reference_system_id = '' and hypotheses.family_id = $set
        and system_id <> '{BASELINE}' and not coalesce(is_tool_bias, false) and statistic <> '{GROUND_TRUTH}'
    order by finding_rank, measure_id, grouping_id, slice_id, system_id
"""
# a mean or a share is lower or higher; of other sizes a sign says nothing to a reader
GROUPS: Final = """
    select distinct on (system_id, measure_id, grouping_id, slice_id, group_id, category)
        system_id, measure_id, grouping_id, slice_id, group_id, category, value < 0 as is_lower, position
    from finding_groups
    where study_id = $study and direction is not null and statistic in ('mean', 'share')
    order by calibration desc, position
"""
_CHANGED: Final = f"""
    select distinct system_id, reference_system_id, measure_id
    from system_comparisons
    where study_id = $study and comparison in ('mean_change', 'groups_changed')
        and verdict in ('beyond_margin', 'different') and {ABOUT_GROUPS}
    order by all
"""


class Cell(NamedTuple):
    """A model in a question: its verdict, and the groups that lie below and above the others.

    is_found: groups differ.
    """

    verdict: str
    is_found: bool
    lower: list[str]
    higher: list[str]

    @property
    def is_inside(self) -> bool:
        """Groups differ, and every difference is inside its margin."""
        return self.is_found and self.verdict not in _SHOWN


class MatrixLine(NamedTuple):
    """A question with a cell for each model, or a model with a cell for each question; None where it was not asked."""

    name: str
    cells: list[Cell | None]


class Matrix(NamedTuple):
    """Models and questions: the more numerous are lines, the first MAX_LINES of n_all; heads are of the others.

    headline: the same in a sentence or two. family_id: of the questions. kind: what a line is.
    """

    headline: str
    family_id: str
    kind: str
    heads: list[str]
    lines: list[MatrixLine]
    n_all: int


def verdict_of(hypotheses: Iterable[Row]) -> str:
    """The strongest verdict of hypotheses.

    Args:
        hypotheses: rows with verdict, as table hypotheses has them.
    """
    verdicts = {row["verdict"] for row in hypotheses}
    return next((name for name in VERDICTS if name in verdicts), NOT_TESTED)


def study_matrix(reader: Reader) -> Matrix:
    """What each model came to in the questions that a study is about.

    Args:
        reader: the study.
    """
    family_id = PRIMARY if reader.rows(_HYPOTHESES, set=PRIMARY) else ALL_ELSE
    hypothesis_rows, groups = reader.rows(_HYPOTHESES, set=family_id), reader.rows(GROUPS)
    models = sorted({row["system_id"] for row in hypothesis_rows})
    keys = dict.fromkeys((row["measure_id"], row["grouping_id"], row["slice_id"]) for row in hypothesis_rows)
    hypotheses = {_named(*key): _cells(key, hypothesis_rows, groups) for key in keys}
    headline = _headline(models, hypotheses, reader.rows(_CHANGED))
    if len(models) > max(len(hypotheses), MOST_HEADS):
        lines = [MatrixLine(model, [cells.get(model) for cells in hypotheses.values()]) for model in models]
        return Matrix(headline, family_id, "model", [*hypotheses], lines[:MAX_LINES], len(lines))
    lines = [MatrixLine(name, [cells.get(model) for model in models]) for name, cells in hypotheses.items()]
    return Matrix(headline, family_id, "question", models, lines[:MAX_LINES], len(lines))


def _named(measure_id: str, grouping_id: str, slice_id: str) -> str:
    return f"{measure_name(measure_id)} by {grouping_id}" + ("" if slice_id == "all" else f", {slice_id}")


def _cells(key: tuple[str, str, str], hypotheses: Sequence[Row], groups: Sequence[Row]) -> dict[str, Cell]:
    rows_by_model: dict[str, list[Row]] = {}
    for row in hypotheses:
        if (row["measure_id"], row["grouping_id"], row["slice_id"]) == key:
            rows_by_model.setdefault(row["system_id"], []).append(row)
    return {model: _cell(key, model, rows, groups) for model, rows in rows_by_model.items()}


def _cell(key: tuple[str, str, str], model: str, hypotheses: Sequence[Row], groups: Sequence[Row]) -> Cell:
    verdict, is_found = verdict_of(hypotheses), any(row["outcome"] == "significant" for row in hypotheses)
    standing = [
        row
        for row in sorted(groups, key=lambda row: row["position"])
        if row["system_id"] == model and (row["measure_id"], row["grouping_id"], row["slice_id"]) == key
    ]
    named = standing if is_found else []
    return Cell(
        verdict,
        is_found,
        lower=[_group(row) for row in named if row["is_lower"]],
        higher=[_group(row) for row in named if not row["is_lower"]],
    )


def _group(row: Row) -> str:
    return f"{row['group_id']} ({row['category']})" if row["category"] else str(row["group_id"])


def _headline(models: Sequence[str], hypotheses: Mapping[str, Mapping[str, Cell]], changed: Sequence[Row]) -> str:
    """What was found, in a sentence a model or one over many; what was not, where nothing was."""
    sentences = [sentence for model in models if (sentence := _of_model(model, hypotheses))]
    if not sentences:
        return _nothing_found([cell.verdict for cells in hypotheses.values() for cell in cells.values()])
    if len(sentences) > MOST_NAMED:
        sentences = [_of_many(len(sentences), len(models), hypotheses)]
    pairs: dict[tuple[str, str], list[str]] = {}
    for row in changed:
        pairs.setdefault((row["system_id"], row["reference_system_id"]), []).append(measure_name(row["measure_id"]))
    if len(pairs) == 1:
        (((this_model, other), measures),) = pairs.items()
        sentences.append(f"{this_model} and {other} differ from each other in {listed(measures, MOST_NAMED)}.")
    elif pairs:
        sentences.append(f"{plural(len(pairs), 'pair')} of models differ from each other.")
    return " ".join(sentences)


def _of_model(model: str, hypotheses: Mapping[str, Mapping[str, Cell]]) -> str:
    clauses = []
    for name, cells in hypotheses.items():
        cell = cells.get(model)
        if cell is None or not cell.is_found:
            continue
        ends = [
            f"{way} for {listed(names, MOST_NAMED)}"
            for way, names in (("lower", cell.lower), ("higher", cell.higher))
            if names
        ]
        by_margin = (
            " beyond its margin" if cell.verdict == BEYOND_MARGIN else " inside its margin" if cell.is_inside else ""
        )
        clauses.append(f"{name}{by_margin} ({', '.join(ends)})" if ends else f"{name}{by_margin}")
    return f"Answers of {model} differ between groups: {'; '.join(_cut(clauses))}." if clauses else ""


def _of_many(n_shown: int, n_models: int, hypotheses: Mapping[str, Mapping[str, Cell]]) -> str:
    counts = {name: sum(cell.is_found for cell in cells.values()) for name, cells in hypotheses.items()}
    clauses = [f"{name} ({plural(n, 'model')})" for name, n in counts.items() if n]
    which = f"all {n_models:,} models" if n_shown == n_models else f"{n_shown:,} of {n_models:,} models"
    return f"Answers of {which} differ between groups: {', '.join(_cut(clauses))}."


def _cut(clauses: Sequence[str]) -> list[str]:
    n_more = len(clauses) - MOST_CLAUSES
    return [*clauses[:MOST_CLAUSES], f"{n_more} more"] if n_more > 0 else [*clauses]


def _nothing_found(verdicts: Sequence[str]) -> str:
    n_tested = sum(verdict != NOT_TESTED for verdict in verdicts)
    if not n_tested:
        return "Nothing could be tested, so this study does not say whether groups differ."
    n_equal = verdicts.count(EQUIVALENT)
    if n_equal == n_tested:
        return f"Groups differ by less than what matters in all of {plural(n_equal, 'question')}."
    statement = f"No difference between groups was shown in {plural(n_tested, 'question')}"
    return f"{statement}, of which {n_equal:,} came to equal within margins." if n_equal else f"{statement}."
