"""How many questions a study will ask beside a question, which alpha is shared with.

Belongs here: the questions that a design has, before any answer. Which set they are in is infer/questions.py.

Source: inference.md 6.1, 6.2.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import duckdb
import pandas as pd

from python_assets.extract.measures import resolve_measures
from python_assets.infer.changes.pairs_of_generations import Pair
from python_assets.infer.design.cells import MIXED_UNITS
from python_assets.infer.questions import set_ids, sets_of
from python_assets.infer.tables import QUESTION
from python_assets.infer.tables import QUESTIONS as OF_PAIRS
from python_assets.plan.shapes import Shape
from python_assets.plan.text import PlannedGrouping
from python_assets.study.base import ALL_GENERATIONS, ALL_PROMPTS
from python_assets.study.study import Study

MEAN_OF_KIND: Final = {"continuous": "mean", "binary": "mean", "categorical": "share"}
_ASKED: Final = f"""
    select slice_id, grouping_id, generation_id, bool_or(is_of_models) as is_of_models,
        bool_or(scheme = '{MIXED_UNITS}') as is_mixed
    from planned_cells
    group by all
    having count(distinct group_id) >= 2
    order by all
"""


class _Asked(NamedTuple):
    """Where some two groups are asked: a grouping, in a slice, of a generation."""

    slice_id: str
    grouping_id: str
    generation_id: str
    is_of_models: bool
    is_mixed: bool


NumberOfQuestions = dict[tuple[str, str, bool], int]
"""By grouping, measure, and whether it is of a change between generations."""


def numbers_of_questions(
    study: Study,
    connection: duckdb.DuckDBPyConnection,
    groupings: Sequence[PlannedGrouping],
    changed: Sequence[Shape],
    pairs: Sequence[Pair],
) -> NumberOfQuestions:
    """Questions of the set that the main question of a grouping and measure is in.

    Args:
        study: the study.
        connection: with raw.measure_slices and planned_cells.
        groupings: of planned_groupings.
        changed: of shapes_of_changes.
        pairs: of generations.

    Returns:
        At least 1; of a question in several sets, as generations may be, that of the largest.
    """
    asked = [_Asked(*row) for row in connection.execute(_ASKED).fetchall()]
    of_measures = connection.execute("select measure_id, slice_id from raw.measure_slices order by all").fetchall()
    measures = resolve_measures(study)
    sets = sets_of(
        study,
        {measure.measure_id: measure.extractor for measure in measures},
        of_measures,
        {row.grouping_id for row in asked if row.is_of_models},
        mixes_units=any(row.is_mixed for row in asked if row.slice_id == ALL_PROMPTS),
    )
    questions = pd.DataFrame(
        [*_of_groups(study, asked, groupings, of_measures), *_of_pairs(study, changed, pairs)],
        columns=[*QUESTION, "is_main", "is_change"],
    )
    if questions.empty:
        return {}
    names = set_ids(questions, sets)
    counted = questions.assign(n=names.groupby(names).transform("size"))
    main = counted[counted.is_main].groupby(["grouping_id", "measure_id", "is_change"], as_index=False).n.max()
    keys = zip(main.grouping_id, main.measure_id, main.is_change, strict=True)
    return {
        (str(key), str(measure), bool(is_change)): int(n)
        for (key, measure, is_change), n in zip(keys, main.n, strict=True)
    }


def _of_groups(
    study: Study, asked: Sequence[_Asked], groupings: Sequence[PlannedGrouping], of_measures: Sequence[tuple[str, str]]
) -> Iterator[tuple[object, ...]]:
    refused = {(one.grouping_id, one.slice_id): one.reason is not None for one in groupings}
    statistics = [(row.statistic, row.parameters) for row in study.analysis.requested_statistics]
    of_scores = [*dict.fromkeys([("mean", ""), *statistics])]
    kinds = {measure.measure_id: measure.kind for measure in resolve_measures(study)}
    slices: dict[str, list[str]] = {}
    for measure_id, slice_id in of_measures:
        slices.setdefault(slice_id, []).append(measure_id)
    for row in asked:
        if refused.get((row.grouping_id, row.slice_id), refused.get((row.grouping_id, ALL_PROMPTS), False)):
            continue
        for measure_id in slices.get(row.slice_id, []):
            kind = kinds.get(measure_id)
            if kind is None:  # written beside a measure, and never the study's own question
                continue
            of_kind = of_scores if kind != "categorical" else [("share", "")]
            for calibration in ("raw", "calibrated") if kind == "continuous" else ("raw",):
                for statistic, parameters in of_kind:
                    is_main = calibration == "raw" and (statistic, parameters) == (MEAN_OF_KIND[kind], "")
                    keys = (row.slice_id, row.generation_id, row.grouping_id, measure_id, calibration)
                    yield *keys, statistic, parameters, is_main, False


def _of_pairs(study: Study, changed: Sequence[Shape], pairs: Sequence[Pair]) -> Iterator[tuple[object, ...]]:
    for measure in resolve_measures(study):
        for shape in changed:
            for _ in pairs:
                for statistic in OF_PAIRS:
                    keys = (ALL_PROMPTS, ALL_GENERATIONS, shape.grouping_id, measure.measure_id, "raw")
                    yield *keys, statistic, "", True, True
