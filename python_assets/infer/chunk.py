"""Some measures of a study: everything that inference reads of them, through three functions with tables between.

Belongs here: what is computed measure by measure. What needs all measures of a study, sets and q, levels and verdicts,
is run.py, which joins the tables of all parts between these functions.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Final

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.infer.changes.infer_changes import (
    PairLayouts,
    compare_again,
    compare_systems,
    pair_layouts,
    pair_questions,
    pairs_by_t,
    with_who_moved,
)
from python_assets.infer.changes.missing_changes import with_missing_changes
from python_assets.infer.design.cells import Cells
from python_assets.infer.design.custom_functions import custom_functions
from python_assets.infer.groups.crossings import few_flips, hypotheses_by_t, with_standing_cells
from python_assets.infer.groups.layout import labelled_measures, layouts
from python_assets.infer.groups.missing_answers import with_missing_answers
from python_assets.infer.groups.peeling import peeled
from python_assets.infer.groups.selected_intervals import with_selected_intervals
from python_assets.infer.groups.unscored import too_many_unscored
from python_assets.infer.options import Options, options_of
from python_assets.infer.tables import CONTROLLED, HYPOTHESIS, PAIR_HYPOTHESES, Place, Table
from python_assets.infer.truth.truth_rows import truth_rows
from python_assets.study.study import Study
from python_assets.warehouse.progress import SILENT, Progress, Tell

DRAWS: Final = "draws"
Frames = dict[str, pd.DataFrame]


class Chunk:
    """Some measures of a study, all in one build file."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        study: Study,
        progress: Progress = SILENT,
        measures: Sequence[str] | None = None,
        level: float | None = None,
    ) -> None:
        """Read the cells, and load the functions of the study's own.

        Args:
            connection: to the build file, after SQL has made schema intermediate.
            study: what it declares.
            progress: is told how many draws are done.
            measures: those of the part; all where None.
            level: of the look that is taken; alpha where None.

        Raises:
            StudyError: a function that is a statistic cannot be loaded.
        """
        self._connection, self._study, self._progress, self._measures = connection, study, progress, measures
        self._options = options_of(study, level)
        self._unscored = too_many_unscored(connection, study)
        self._labelled = labelled_measures(connection, study, measures)
        self._functions = custom_functions(connection, study)
        self._layouts = layouts(
            connection,
            has_unit=study.unit is not None,
            wordings=list(study.prompts.wordings),
            measures=measures,
            labelled=self._labelled,
            unscored=self._unscored,
            contrasts=self._options.contrasts,
            functions=self._functions,
        )

    def first(self) -> Frames:
        """The rows of every table, without sets, q and verdicts."""
        options = self._options
        n_draws = [layout.n_draws(options) for layout in self._layouts.values()]
        tell, before = self._progress.start("inference", DRAWS, sum(n_draws)), np.cumsum([0, *n_draws])
        rows = list[tuple[str, Table]]()
        paired = {(cells.slice_id, cells.grouping_id): cells for cells in self._of_pairs}

        def in_turn() -> Iterator[Cells]:
            """Cells of pairs, each after the rows of its groups, which are shuffled in the same orders."""
            yield from (cells for key, cells in paired.items() if key not in self._layouts)
            for (key, layout), n in zip(self._layouts.items(), before, strict=False):
                rows.extend(layout.rows(options, partial(_tell_after, tell, int(n))))
                if key in paired:
                    yield paired[key]

        changes = compare_systems(self._connection, in_turn(), self._study.compared_with, options, self._measures)
        every = chain(rows, truth_rows(self._connection, options, self._measures, self._unscored))
        tables = _with_controlled(_stacked(every))
        tables["system_comparisons"] = changes
        for function in self._functions.values():
            if function.first_failure is not None:
                where = f"analysis.custom_statistics: {function.path} gives no number of some groups or draws"
                self._progress.say(f"{where}, the first time {function.first_failure}; such values are NULL")
        return tables

    @property
    def corrected(self) -> frozenset[Place]:
        """Where people labelled enough whole root prompts for corrected values to be tested, as Sets has it."""
        return frozenset(setting for layout in self._layouts.values() for setting in layout.corrected)

    @cached_property
    def _of_pairs(self) -> PairLayouts:
        layout_cells = [one.of_models for one in self._layouts.values()]
        return pair_layouts(self._connection, layout_cells, self._labelled, list(self._study.prompts.wordings))

    def again(self, hypotheses: pd.DataFrame, options: Options) -> Frames:
        """The rows of some questions of the part with more draws."""
        rows = chain(*(layout.again(hypotheses, options) for layout in self._layouts.values()))
        tables = _with_controlled(_stacked(rows))
        pair_hypotheses = hypotheses[hypotheses.statistic.isin(PAIR_HYPOTHESES)]
        if not len(pair_hypotheses):
            return tables
        again = compare_again(self._connection, self._of_pairs, self._study.compared_with, pair_hypotheses, options)
        question_tables = [tables["hypotheses"], pair_questions(again)] if tables else [pair_questions(again)]
        return {**tables, "hypotheses": pd.concat(question_tables, ignore_index=True), "system_comparisons": again}

    def last(self, tables: Frames, ordered: Mapping[str, NDArray[np.float64]]) -> Frames:
        """Contrasts and pairs of generations of the part, with what is left where called groups are taken out.

        Args:
            tables: rows of the part: questions and contrasts with q, system_comparisons.
            ordered: p of the questions of each set, ascending.

        Returns:
            Both tables with value_without and explained_by, and what cells of crossings that stand have beyond their
            parts, block by block.
        """
        contrasts, hypotheses, pairs = (tables[name] for name in ("contrasts", "hypotheses", "system_comparisons"))
        options = self._options
        contrasts = with_selected_intervals(contrasts.reset_index(drop=True), self._layouts, options)
        contrasts = with_missing_answers(contrasts, self._layouts, options)
        contrasts = peeled(contrasts, hypotheses, self._layouts, ordered, options)
        contrasts, blocks = with_standing_cells(contrasts, hypotheses, self._layouts, ordered, options)
        cells = {key: layout.of_models for key, layout in self._layouts.items()}
        pairs = with_who_moved(self._connection, cells, pairs, ordered, options)
        pairs = with_missing_changes(self._connection, self._of_pairs, pairs, options)
        return {"contrasts": contrasts, "interaction_blocks": blocks, "system_comparisons": pairs}


def with_t_where_flips_are_few(tables: Frames, alpha: float) -> Frames:
    """Tables whose questions of crossings have p of t where no flip of their root prompts could be called in their set.

    Args:
        tables: of all parts: questions with n_hypotheses and p_by_t, their contrasts, and pairs of generations.
        alpha: error rate.

    Source: inference.md 6.10.
    """
    hypotheses = tables["hypotheses"]
    is_few = few_flips(hypotheses, alpha)
    if not is_few.any():
        return tables
    pairs = pairs_by_t(tables["system_comparisons"], pd.MultiIndex.from_frame(hypotheses.loc[is_few, HYPOTHESIS]))
    hypotheses, contrasts = hypotheses_by_t(hypotheses, tables["contrasts"], is_few)
    return {**tables, "hypotheses": hypotheses, "contrasts": contrasts, "system_comparisons": pairs}


def _tell_after(tell: Tell, n_before: int, n_done: int) -> None:
    tell(n_before + n_done)


def _stacked(chunks: Iterable[tuple[str, Table]]) -> Frames:
    """All rows of every table."""
    stacked: dict[str, list[Table]] = {}
    for name, chunk in chunks:
        stacked.setdefault(name, []).append(chunk)
    return {
        name: pd.DataFrame({key: np.concatenate([one[key] for one in rows]) for key in rows[0]})
        for name, rows in stacked.items()
    }


def _with_controlled(tables: Frames) -> Frames:
    """Tables whose hypotheses say what negative controls say of them, where they say anything."""
    controlled = tables.pop(CONTROLLED, None)
    if controlled is None:
        return tables
    controlled = controlled.drop(columns="category")
    hypotheses = tables["hypotheses"].merge(controlled, on=HYPOTHESIS, how="left", validate="one_to_one")
    return tables | {"hypotheses": hypotheses}


def united(chunks: Sequence[Frames]) -> Frames:
    """The tables of all parts, each as one."""
    names = dict.fromkeys(name for chunk in chunks for name in chunk)
    by_name = {name: [chunk[name] for chunk in chunks if name in chunk] for name in names}
    # a table without any row tells nothing of the types of columns
    full = {name: [one for one in tables if len(one)] or tables[:1] for name, tables in by_name.items()}
    return {name: pd.concat(tables, ignore_index=True) for name, tables in full.items()}
