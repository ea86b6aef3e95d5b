"""Generations compared with each other: every row of inference.generation_comparisons, with q and verdict.

Belongs here: which generations, cells and measures are compared, and in which sets their questions stand.
What changed is measure_changes.py and subgroup_rates.py.

Source: inference.md 6.4 and 8.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Final

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.changes.change_rows import change_rows, joined_rows, without_value
from python_assets.infer.changes.measure_changes import MeasureChanges, Swaps
from python_assets.infer.changes.pairs_of_generations import Facts, Pair, compared_pairs, read_facts
from python_assets.infer.changes.subgroup_rates import subgroup_changes
from python_assets.infer.design.cells import Cells
from python_assets.infer.draws.exchange import Ints, stable_seed
from python_assets.infer.draws.flips import Flips
from python_assets.infer.formulas.multiplicity import group_levels
from python_assets.infer.formulas.verdict import Verdict
from python_assets.infer.options import Options
from python_assets.infer.tables import DISPARITY_CHANGE, GROUPS_MOVED, QUESTIONS, Table

ACROSS: Final = " against "  # between the two generations of a question
_POSITIONS: Final = """
    with units as (
        select unit_id, row_number() over (order by unit_id) - 1 as position, count(*) over () as n
        from (select distinct unit_id from raw.prompts)
    )
    select position, n
    from (
        select distinct root_position, unit_id
        from intermediate.int_prompt_groups
        where slice_id = ? and grouping_id = ?
    )
    join units using (unit_id)
    order by root_position
"""


def compare_generations(
    connection: duckdb.DuckDBPyConnection,
    layouts: Sequence[Cells],
    reference: str | None,
    options: Options,
    measures: Collection[str] | None = None,
) -> pd.DataFrame:
    """Every row of inference.generation_comparisons but for study_id, set, q and verdict.

    Beside their columns rows have std_error and p_maxt, of changes of means: of group rows, stepped down. The
    same root prompts are swapped in all of them.

    Args:
        connection: to the build file of one study, after dbt has made schema intermediate.
        layouts: the cells of its slices and groupings; those whose groups are models are left out. Of a part of
            the study: their columns of its measures, in the frame of all.
        reference: the generation or role that others are compared with; the first generation where None.
        options: what every statistic is computed with.
        measures: of a part of the study; the rows of all parts together are those of the whole. None: all.
    """
    pairs = compared_pairs(connection, reference)
    facts = read_facts(connection, pairs, measures)
    of_cells = (
        table
        for cells in layouts
        if not cells.is_of_models
        for table in _of_cells(cells, pairs, facts, _swaps(connection, cells, options), options)
    )
    return joined_rows(chain(of_cells, subgroup_changes(connection, pairs, options, measures)))


def _swaps(connection: duckdb.DuckDBPyConnection, cells: Cells, options: Options) -> Swaps:
    """The signs of the root prompts of a slice and grouping, drawn of all prompts whatever was measured."""
    found = connection.execute(_POSITIONS, [cells.slice_id, cells.grouping_id]).fetchall()
    position, n_units = np.array([position for position, _ in found]), found[0][1]
    seed = stable_seed(options.seed, "generations swapped")

    def swaps(units: Ints) -> Flips:
        return Flips(seed, options.n_permutations, n_units, position[units], options.n_first)

    return swaps


def _of_cells(cells: Cells, pairs: Sequence[Pair], facts: Facts, swaps: Swaps, options: Options) -> Iterator[Table]:
    """The rows of one slice and grouping, measure by measure; labels of a measure together."""
    plain = cells.columns[(cells.columns.statistic == "mean") & (cells.columns.parameters == "")]
    for (measure_id, calibration), of_measure in plain.groupby(["measure_id", "calibration"], sort=True):
        columns = of_measure.groupby(["category", "generation_id"]).column_position.first()
        for pair in pairs:
            keys = {
                "slice_id": cells.slice_id,
                "grouping_id": cells.grouping_id,
                "measure_id": measure_id,
                "calibration": calibration,
                "generation_a_id": pair.own,
                "generation_b_id": pair.other,
            }
            of_pair = {
                category: (columns[category, pair.own], columns[category, pair.other])
                for category in of_measure.category.unique()
                if (category, pair.own) in columns and (category, pair.other) in columns
            }
            if of_pair and facts.is_same_instrument(pair, str(measure_id)):
                kind = str(of_measure.kind.iloc[0])
                is_identical = pair in facts.identical
                yield from MeasureChanges(
                    cells, of_pair, kind, keys, is_identical=is_identical, swaps=swaps, options=options
                ).tables()
                continue
            reason = "instrument_changed" if of_pair else "no_values"
            keys |= {"comparison": QUESTIONS, "group_id": "", "category": "", "n_root_prompts": None}
            yield change_rows(without_value(len(QUESTIONS), reason), missing=reason, **keys)


def pair_questions(rows: pd.DataFrame) -> pd.DataFrame:
    """The questions of every pair, as rows of questions, to be corrected with those of groups."""
    of_pairs = rows[rows.comparison.isin(QUESTIONS)]
    pair = of_pairs.generation_a_id + ACROSS + of_pairs.generation_b_id
    columns = [
        "slice_id",
        "measure_id",
        "calibration",
        "grouping_id",
        "comparison",
        "p_value",
        "n_draws",
        "inference_reason",
    ]
    return (
        of_pairs[columns]
        .rename(columns={"comparison": "statistic"})
        .assign(generation_id=pair, parameters="", n_groups=0, method=None, is_permuted=False)
    )


def with_levels_of_pairs(rows: pd.DataFrame, questions: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Add set_id, q_value and verdict: of the questions, and of the groups that answer groups_moved.

    Args:
        rows: of compare_generations.
        questions: of with_levels, those of pair_questions among them.
        alpha: error rate.
    """
    keys = ["slice_id", "measure_id", "calibration", "grouping_id", "generation_id", "statistic"]
    of_pairs = questions[questions.statistic.isin(QUESTIONS)].set_index(keys)[["set_id", "q_value"]]
    is_group = (rows.comparison == DISPARITY_CHANGE).to_numpy()
    of_row = rows[keys[:4]].assign(
        generation_id=rows.generation_a_id + ACROSS + rows.generation_b_id,
        statistic=rows.comparison.where(~is_group, GROUPS_MOVED),
    )
    found = of_pairs.reindex(pd.MultiIndex.from_frame(of_row)).reset_index(drop=True)
    q = found.q_value.to_numpy(dtype=float, copy=True)
    for set_id in found.set_id.dropna().unique():
        member = np.flatnonzero(is_group & (found.set_id == set_id).to_numpy())
        ordered = np.sort(questions.p_value[questions.set_id == set_id].dropna().to_numpy(dtype=float))
        q[member] = group_levels(rows.p_maxt.to_numpy(dtype=float)[member], q[member], ordered)
    words = np.where(q <= alpha, Verdict.DIFFERENCE_SHOWN, Verdict.INCONCLUSIVE).astype(object)
    words[np.isnan(q)] = Verdict.NOT_COMPUTABLE
    has_set = is_group | rows.comparison.isin(QUESTIONS).to_numpy()
    words[~has_set] = None
    return rows.assign(set_id=found.set_id.where(has_set, None), q_value=np.where(has_set, q, np.nan), verdict=words)
