"""Labels of people: their measure is one of the study, and their sheets can be read and say something."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pandas as pd

from python_assets.errors import FieldPath, PlumblineError, SourceError, StudyError, Told
from python_assets.labelling.row_ids import PAIR
from python_assets.labelling.sheets import LABEL, read_sheet
from python_assets.study.people_labels import HumanLabels, PairLabels
from python_assets.study.problems import unknown_name
from python_assets.study.study import make_id
from python_assets.study_file.checks.measures import every_measure_id
from python_assets.study_file.expand import Draft

_DRAW: Final = {
    True: "draw one with plumbline label-sheet STUDY --pairs N",
    False: "draw one with plumbline label-sheet STUDY --measure M --root-prompts R",
}


def label_problems(draft: Draft) -> Iterator[StudyError]:
    """Every sheet is of a measure that the study has, and is named once."""
    known = every_measure_id(draft)
    for path, sheet in draft.parts.human_labels.items():
        if make_id(sheet.measure) not in known:
            yield unknown_name((*path, "measure"), sheet.measure, "a measure", known, "correct it")
    at_most = draft.parts.analysis.quality.max_bad_pairs
    if at_most is not None and not draft.parts.pair_labels:
        expected = "pair_labels, whose bad pairs are counted"
        remedy = f"{_DRAW[True]} and name it, or remove the bound"
        yield StudyError(("analysis", "quality", "max_bad_pairs"), at_most, expected, remedy)
    every: tuple[Mapping[FieldPath, PairLabels], ...] = (draft.parts.human_labels, draft.parts.pair_labels)
    yield from _of_raters([*every[0].items(), *every[1].items()])
    for entries in every:
        counted = Counter(_entry(spec) for spec in entries.values())
        for path, spec in entries.items():
            if counted.pop(_entry(spec), 1) > 1:
                expected = f"each sheet once for a rater; {spec.rater} has it more often"
                remedy = "remove the other entry, or name the other rater"
                yield StudyError((*path, "file"), spec.file, expected, remedy)


def _of_raters(entries: Sequence[tuple[FieldPath, PairLabels]]) -> Iterator[StudyError]:
    """Nobody is a person in one entry and a program in another."""
    automatic: dict[str, bool] = {}
    for path, spec in entries:
        if automatic.setdefault(spec.rater, spec.automatic) != spec.automatic:
            expected = f"a person or a program as {spec.rater}, the same in every entry"
            yield StudyError((*path, "automatic"), spec.automatic, expected, "say the same of it, or name it otherwise")


def label_file_problems(draft: Draft) -> Iterator[PlumblineError]:
    """Every sheet is there, can be read, holds labels, and is of this study and measure."""
    known = {PAIR, *every_measure_id(draft)}
    for path, spec in (*draft.parts.human_labels.items(), *draft.parts.pair_labels.items()):
        of = make_id(spec.measure) if isinstance(spec, HumanLabels) else PAIR
        field = (*path, "file")
        if of not in known:
            continue
        try:
            rows = read_sheet(draft.file.parent / spec.file, field)
        except (SourceError, StudyError) as error:
            yield error
            continue
        yield from _row_problems(rows, spec, field, draft.study_id, of)


def _entry(spec: PairLabels) -> tuple[str, str, str]:
    return spec.file, spec.rater, make_id(spec.measure) if isinstance(spec, HumanLabels) else PAIR


def _row_problems(
    rows: pd.DataFrame, spec: PairLabels, field: FieldPath, study_id: str, of: str
) -> Iterator[StudyError]:
    """What is wrong with all rows alike; what is wrong with one is told by the run, row by row."""
    for column, name in (("study", study_id), ("measure", of)):
        there = rows[column].dropna().unique()
        if len(there) and name not in there:
            got = Told(f"a sheet of {column} {', '.join(there)}")
            yield StudyError(field, got, f"one of {column} {name}", _DRAW[of == PAIR])
            return
    if rows[LABEL].isna().all():
        got = Told(f"{spec.file} without a label in {len(rows):,} rows" if len(rows) else f"{spec.file} without a row")
        yield StudyError(field, got, f"labels in the column {LABEL}", "fill it in, or remove the entry until it is")
