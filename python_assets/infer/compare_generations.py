"""Generations compared with each other: every row of inference.generation_comparisons, with q and verdict.

Belongs here: which rows there are, and their place in the set of questions. What they are is
generation_changes.py, change_rows.py, subgroup_changes.py and subgroup_distributions.py.

Source: inference.md 6.4 and 8.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, Protocol

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.cells import Cells
from python_assets.infer.change_rows import DISPARITY_CHANGE, GROUPS_MOVED, QUESTIONS
from python_assets.infer.changes import Signs, choose_signs
from python_assets.infer.generation_changes import changes
from python_assets.infer.generation_pairs import compared_pairs
from python_assets.infer.multiplicity import group_levels
from python_assets.infer.permutation import stable_seed
from python_assets.infer.scheme import Options
from python_assets.infer.subgroup_changes import SubgroupCounts, deviation_metric_rows, swapped_distance_p
from python_assets.infer.subgroup_distributions import distribution_rows
from python_assets.infer.verdict import Verdict

ROW: Final = [
    *("slice_id", "measure_id", "calibration", "grouping_id", "generation_a_id", "generation_b_id"),
    *("comparison", "group_id", "category"),
]
_NUMBERS: Final = "value value_a value_b ci_low ci_high p_value p_value_exact p_value_asymptotic q_value"
_COUNTS: Final = "n_groups_a n_groups_b n_root_prompts n_dropped"
_WORDS: Final = "set_id verdict scope method reason inference_reason"
COLUMNS: Final = {
    **dict.fromkeys(["study_id", *ROW], "varchar not null"),
    **dict.fromkeys(_NUMBERS.split(), "double"),
    **dict.fromkeys(_COUNTS.split(), "bigint"),
    **dict.fromkeys(_WORDS.split(), "varchar"),
}
ACROSS: Final = " against "  # between the two generations of a question


class Compares(Protocol):
    """What a study says of comparing generations."""

    @property
    def compared_with(self) -> str | None:
        """The generation or role that others are compared with; the first generation where None."""


def compare_generations(
    connection: duckdb.DuckDBPyConnection, layouts: Sequence[Cells], analysis: Compares, options: Options
) -> pd.DataFrame:
    """Every row of inference.generation_comparisons but for study_id, set, q and verdict.

    Beside their columns rows have std_error and p_maxt, of changes of means.

    Args:
        connection: to the build file of one study, after dbt has made schema intermediate.
        layouts: the cells of its slices and groupings.
        analysis: says what is compared.
        options: what every statistic is computed with.
    """
    pairs = compared_pairs(connection, analysis.compared_with)
    found = changes(connection, layouts, pairs, options)
    counts = SubgroupCounts(connection)
    rows = [*deviation_metric_rows(counts, pairs, options.alpha), *_distances(connection, counts, options)]
    table = pd.concat([found, pd.DataFrame(rows)], ignore_index=True)
    texts = {
        name: object for name, kind in COLUMNS.items() if kind.startswith("varchar") and name != "study_id"
    }
    columns = [*(name for name in COLUMNS if name != "study_id"), "std_error", "p_maxt"]
    return table.reindex(columns=columns).astype(texts)


def _distances(
    connection: duckdb.DuckDBPyConnection, counts: SubgroupCounts, options: Options
) -> Iterator[dict[str, Any]]:
    """Distances of subgroup rates; those of groupings have a p by swapping, beside both naive ones."""
    seed = stable_seed(options.seed, "generations swapped", "subgroups")

    @lru_cache(maxsize=1)  # rows of one place have the same units
    def signs(n_units: int) -> Signs:
        return choose_signs(seed, options.n_draws_nonlinear, n_units, np.arange(n_units))

    for row in distribution_rows(connection.execute("from intermediate.int_subgroup_sums order by all").df()):
        place = (row["slice_id"], row["measure_id"], row["grouping_id"])
        if place in counts.places and not np.isnan(row["value"]):
            units, (own, other) = counts.of(place, (row["generation_a_id"], row["generation_b_id"]))
            p = swapped_distance_p(own, other, signs(len(units)))
            row |= {"p_value": p, "n_root_prompts": len(units)}
        yield row


def pair_questions(rows: pd.DataFrame) -> pd.DataFrame:
    """What is asked of every pair, as questions beside those of groups, to be corrected with them."""
    asked = rows[rows.comparison.isin(QUESTIONS)]
    return asked[["slice_id", "measure_id", "calibration", "grouping_id", "p_value"]].assign(
        generation_id=asked.generation_a_id + ACROSS + asked.generation_b_id,
        statistic=asked.comparison,
        parameters="",
        n_groups=0,
        method=None,
        inference_reason=asked.inference_reason,
    )


def with_levels_of_pairs(rows: pd.DataFrame, questions: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Add set_id, q_value and verdict: of the questions, and of the groups that answer groups_moved.

    Args:
        rows: of compare_generations.
        questions: of with_levels, those of pair_questions among them.
        alpha: error rate.
    """
    keys = ["slice_id", "measure_id", "calibration", "grouping_id", "generation_id", "statistic"]
    of_pairs = questions[questions.statistic.isin(QUESTIONS)]
    told = of_pairs.set_index(keys)[["set_id", "q_value"]]
    statistic = rows.comparison.where(rows.comparison != DISPARITY_CHANGE, GROUPS_MOVED)
    pair = rows.generation_a_id + ACROSS + rows.generation_b_id
    of_row = rows[keys[:4]].assign(generation_id=pair, statistic=statistic)
    found = told.reindex(pd.MultiIndex.from_frame(of_row)).reset_index(drop=True)
    q = found.q_value.to_numpy(dtype=float, copy=True)
    is_group = (rows.comparison == DISPARITY_CHANGE).to_numpy()
    for set_id in found.set_id.dropna().unique():
        member = np.flatnonzero(is_group & (found.set_id == set_id).to_numpy())
        ordered = np.sort(questions.p_value[questions.set_id == set_id].dropna().to_numpy(dtype=float))
        q[member] = group_levels(rows.p_maxt.to_numpy(dtype=float)[member], q[member], ordered)
    words = np.where(q <= alpha, Verdict.DIFFERENCE_SHOWN, Verdict.INCONCLUSIVE).astype(object)
    words[np.isnan(q)] = Verdict.NOT_COMPUTABLE
    is_asked = is_group | rows.comparison.isin(QUESTIONS).to_numpy()
    words[~is_asked] = None
    return rows.assign(
        set_id=found.set_id.where(is_asked, None), q_value=np.where(is_asked, q, np.nan), verdict=words
    )
