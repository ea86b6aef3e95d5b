"""One slice and grouping of a build file: its questions, asked once, again, or of some of its groups.

Belongs here: which cells and rows a question is computed from. How is compare_groups.py's.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.contrasts.compare import Scheme, compare_labels, compare_values, intervals
from python_assets.infer.contrasts.controlled import with_controls
from python_assets.infer.contrasts.interaction import interaction
from python_assets.infer.contrasts.labelled import compare_labelled, labelled_intervals
from python_assets.infer.design.cells import (
    KEYS_OF_HYPOTHESIS,
    NO_FUNCTIONS,
    CellRows,
    Cells,
    Missing,
    StatisticSpec,
    Values,
    columns_of,
    equalised,
    of_columns,
    of_statistic,
    requested_statistics,
)
from python_assets.infer.design.control_cells import ControlCells, PromptCells, read_controls
from python_assets.infer.design.custom_functions import CustomFunction
from python_assets.infer.design.design import Frame
from python_assets.infer.design.labels import read_labels
from python_assets.infer.design.mixed_scorers import mixed_scorers
from python_assets.infer.design.pooled import pool_of
from python_assets.infer.design.read_cells import designs, normalised, read_cells, read_missing, read_rows, read_values
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.groups.compare_groups import GroupResponses, compare_groups, compare_statistics, takes_controls
from python_assets.infer.groups.summary import bootstrap_rows, function_rows, summary_rows
from python_assets.infer.options import Options, Reference, Unscored
from python_assets.infer.result import InferenceReason, Result, first_of
from python_assets.infer.schemes.choose import Blocks, choose_schemes
from python_assets.infer.schemes.corrected_values import with_labels
from python_assets.infer.schemes.labelled_contrast import LabelledContrast
from python_assets.infer.schemes.residuals import residuals
from python_assets.infer.statistics.compare_statistics import compare_statistic
from python_assets.infer.tables import CORRECTED, DIFFERENCES, Place, Table
from python_assets.study.base import NEGATIVE_CONTROL
from python_assets.study.study import Study
from python_assets.warehouse.progress import Tell

_HAS_LABELS: Final = "select count(*) > 0 from raw.human_labels where value is not null"


def labelled_measures(connection: duckdb.DuckDBPyConnection, study: Study, measures: Sequence[str] | None) -> list[str]:
    """The measures that the study names labels of, of some or of all, where people gave any."""
    named = sorted({labels.measure for labels in study.human_labels})
    if not named or connection.execute(_HAS_LABELS).fetchone() != (True,):
        return []
    return named if measures is None else [name for name in named if name in measures]


def layouts(
    connection: duckdb.DuckDBPyConnection,
    *,
    has_unit: bool,
    wordings: Collection[str] = (),
    measures: Sequence[str] | None = None,
    labelled: Sequence[str] = (),
    unscored: Unscored = frozenset(),
    contrasts: Sequence[str] = (),
    functions: Mapping[str, CustomFunction] = NO_FUNCTIONS,
) -> dict[tuple[str, str], "Layout"]:
    """All slices and groupings of a build file with cells of the measures.

    Args: as read_cells; labelled: measures that people gave labels of; unread: of too_many_unscored; contrasts: of
    Options; functions: of statistics of the study's own, by path.
    """
    mixed, none = mixed_scorers(connection), Unscored()
    by_design = {
        design: Layout(
            connection,
            *design,
            has_unit=has_unit,
            wordings=wordings,
            measures=measures,
            labelled=labelled,
            contrasts=contrasts,
            functions=functions,
            refused={
                InferenceReason.TOO_MANY_UNSCORED: unscored,
                InferenceReason.SCORER_DIFFERS: mixed.get(design, none),
            },
        )
        for design in designs(connection, measures)
    }
    control_cells = {
        slice_id: one.cells for (slice_id, grouping_id), one in by_design.items() if grouping_id == NEGATIVE_CONTROL
    }
    by_prompt = {
        name: PromptCells.of(one.columns, one.frame, one.x, one.n_responses) for name, one in control_cells.items()
    }
    for design, controls in read_controls(connection, by_prompt).items():
        if design in by_design:
            by_design[design].take_controls(controls)
    return by_design


class Layout:
    """One slice and grouping of a build file; its responses are read once, if at all.

    of_models: its cells as they were read. cells: the same, with the columns of all models together after them.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        slice_id: str,
        grouping_id: str,
        *,
        has_unit: bool,
        wordings: Collection[str] = (),
        measures: Sequence[str] | None = None,
        labelled: Sequence[str] = (),
        contrasts: Sequence[str] = (),
        functions: Mapping[str, CustomFunction] = NO_FUNCTIONS,
        refused: Mapping[InferenceReason, Unscored],
    ) -> None:
        """Read the cells, of some measures or of all; arguments as read_cells.

        labelled: measures that people gave labels of. contrasts: of Options. functions: of statistics of the study's
        own, by path. refused: by their reason, the generations and measures of which nothing is told.
        """

        def with_refused(cells: Cells) -> Cells:
            read_by = pd.MultiIndex.from_frame(cells.columns[["system_id", "measure_id"]])
            reasons = first_of([read_by.isin(list(unscored)) for unscored in refused.values()], [*refused])
            columns = cells.columns.assign(refused=pd.Series(reasons, index=cells.columns.index, dtype=object))
            return cells._replace(columns=columns)

        study_cells = read_cells(
            connection, slice_id, grouping_id, has_unit=has_unit, wordings=wordings, measures=measures
        )
        study_cells = study_cells._replace(x=equalised(study_cells.x))
        if labelled:
            study_cells = with_labels(study_cells, read_labels(connection, study_cells, labelled), labelled)
        self.of_models = with_refused(study_cells)
        self._pool = pool_of(study_cells.columns, contrasts)
        self.cells = with_refused(self._pool.cells(study_cells))
        self._connection = connection
        self._specs = requested_statistics(connection, functions)
        self._values: Values | None = None
        self._rows: CellRows | None = None

    def take_controls(self, controls: ControlCells) -> None:
        """Compare all that is computed from now on with negative controls."""
        self.of_models = self.of_models._replace(controls=controls)
        self.cells = self.cells._replace(controls=controls)

    @property
    def corrected(self) -> Iterator[Place]:
        """Places of the corrected values that are tested, as sets of questions have them: none of crossings."""
        cells = self.cells
        if cells.asks_of_parts is not None or cells.stratum_of_cell is not None or cells.refusal is not None:
            return
        for (system_id, measure_id, calibration), labelled in cells.labels.items():
            if calibration == CORRECTED and labelled.reason is None:
                yield cells.slice_id, cells.grouping_id, system_id, measure_id
                yield cells.slice_id, "", system_id, measure_id

    def _read_values(self) -> Values:
        if self._values is None:
            self._values = read_values(self._connection, self.of_models)
        return self._values

    def missing(self) -> Missing:
        """The answers of its cells that have no value."""
        return read_missing(self._connection, self.cells)

    def n_draws(self, options: Options) -> int:
        """How many arrangements all of its statistics are computed in; the means are one of them."""
        return options.n_permutations + len(self._specs) * options.n_draws_nonlinear

    def rows(self, options: Options, drawn: Tell) -> Iterator[tuple[str, Table]]:
        """Yield the rows of every table.

        Args:
            options: what is asked for.
            drawn: hears of the draws of this slice and grouping that are done.
        """
        for rows in summary_rows(self.of_models, options.alpha):
            yield "summary_statistics", rows
        yield from compare_groups(self.cells, self._sources(np.arange(len(self.cells.columns))), options)
        drawn(options.n_permutations)
        for n_done, spec in enumerate(self._specs, start=1):
            chosen, values = self._of_statistic(spec)
            if len(chosen.columns):
                if spec.function is not None:
                    yield "function_statistics", function_rows(chosen, values, spec.function)
                yield "summary_statistics", bootstrap_rows(chosen, values, spec, options)
                yield from compare_statistics(chosen, values, spec, options)
            drawn(options.n_permutations + n_done * options.n_draws_nonlinear)

    def _sources(self, columns: Ints) -> GroupResponses:
        """What is read of some columns; which responses a rate selects is told by all columns together."""

        def rows() -> CellRows:
            if self._rows is None:
                self._rows = self._pool.rows(read_rows(self._connection, self.of_models))
            return self._rows._replace(x=self._rows.x[:, columns])

        return GroupResponses(rows, self._read_values)

    def contrast(
        self,
        hypothesis: tuple[str, ...],
        groups: Collection[int],
        reference: Reference,
        *,
        margin: float,
        options: Options,
    ) -> Result | None:
        """The contrast of a question among some of its groups alone; None where nothing can be compared.

        Args:
            hypothesis: values of KEYS_OF_HYPOTHESIS.
            groups: positions of the groups that are left.
            reference: what each is compared with.
            margin: NaN where none is declared.
            options: B and alpha.
        """
        spec = next((one for one in self._specs if (one.statistic, one.parameters) == hypothesis[-2:]), None)
        cells, values = (self.cells, None) if spec is None else self._of_statistic(spec)

        def left(frame: Frame, x: Floats) -> Floats:
            return np.where(np.isin(frame.group, list(groups))[:, None], x, np.nan)

        columns = columns_of(cells, {hypothesis})
        scheme, x = self._only_scheme(cells, columns, left, reference, options)
        if scheme is None:
            return None
        if values is not None and spec is not None:
            if not isinstance(scheme, Blocks):
                return None
            return next(iter(compare_statistic(scheme, values, columns, spec).contrasts.values()))
        role, margins = str(cells.roles[columns[0]]), np.full(x.shape[1], margin)
        if isinstance(scheme, Blocks) and scheme.labelled is not None:
            compared = compare_labelled(scheme, x, margins)
        elif role == "label":
            compared = compare_labels(scheme, x[:, None], {"risk_difference": margins[:1]}, with_indices=False)
        else:
            margins_by_contrast = dict.fromkeys(DIFFERENCES, margins)
            compared = compare_values(scheme, x, margins_by_contrast, is_rate=role != "continuous", with_indices=False)
        contrast = next(iter(compared.contrasts.values()))
        if not isinstance(scheme, Blocks) or not takes_controls(cells, scheme, role):
            return contrast
        return with_controls(
            cells,
            scheme.design.cell,
            columns,
            x,
            contrast,
            reference=reference,
            margin=margins,
            alpha=options.alpha,
            is_rate=role != "continuous",
        )[0]

    def is_in_blocks(self, hypothesis: tuple[str, ...], options: Options) -> bool:
        """Whether the groups of a question meet in blocks."""
        columns = columns_of(self.cells, {hypothesis})
        if not len(columns):  # of a statistic that is no mean, which is compared in no other way
            return True
        return isinstance(self._only_scheme(self.cells, columns, lambda _, x: x, Reference(), options)[0], Blocks)

    def labels(self, hypothesis: tuple[str, ...]) -> list[str]:
        """The labels of a question, values of KEYS_OF_HYPOTHESIS; '' where it is of no label."""
        return self.cells.columns.category.iloc[columns_of(self.cells, {hypothesis})].tolist()

    def interaction(
        self,
        hypothesis: tuple[str, ...],
        without: Collection[int],
        *,
        margin: Floats,
        n_draws: int | None,
        options: Options,
    ) -> Result:
        """What the cells of a crossing have beyond their parts, some of them taken for absent in all blocks.

        Args:
            hypothesis: values of KEYS_OF_HYPOTHESIS.
            without: positions of the groups that are absent.
            margin: of each label.
            n_draws: of flips.
            options: of the study.

        Returns:
            Shape (labels, groups).
        """

        def left(frame: Frame, x: Floats) -> Floats:
            return np.where(np.isin(frame.group, list(without))[:, None], np.nan, x)

        columns = columns_of(self.cells, {hypothesis})
        scheme, x = self._only_scheme(self.cells, columns, left, Reference(), options)
        if scheme is None or scheme.parts is None:
            return Result.of((len(columns), len(self.cells.group_ids)), reason=InferenceReason.ALIASED)
        return interaction(scheme, x, scheme.parts, margin=margin, n_together=len(columns), n_draws=n_draws)

    def blocks_interaction(
        self, hypothesis: tuple[str, ...], without: Collection[int], options: Options
    ) -> tuple[Ints, Floats]:
        """What cells have beyond their parts in each block, of a question as interaction has it.

        Returns:
            Positions of blocks, and values of shape (blocks, groups, labels), NaN where a block tells nothing of a
            cell; no block where cells are of units of their own.
        """

        def left(frame: Frame, x: Floats) -> Floats:
            return np.where(np.isin(frame.group, list(without))[:, None], np.nan, x)

        columns = columns_of(self.cells, {hypothesis})
        scheme, x = self._only_scheme(self.cells, columns, left, Reference(), options)
        if not isinstance(scheme, Blocks) or scheme.parts is None:
            return np.empty(0, dtype=np.intp), np.empty((0, len(self.cells.group_ids), len(columns)))
        frame = scheme.design.frame
        by_block = frame._replace(root_of_block=np.arange(len(frame.root_of_block)))
        left_over = residuals(by_block, scheme.design.cell, x, scheme.parts)
        weight = np.where(left_over.weight > 0, left_over.weight, np.nan)
        return left_over.root, left_over.own / weight[:, :, None]

    def intervals(
        self, hypothesis: tuple[str, ...], reference: Reference, alpha: float, options: Options
    ) -> pd.DataFrame:
        """The intervals of a question of means, rates or shares of labels at another level.

        Args:
            hypothesis: values of KEYS_OF_HYPOTHESIS.
            reference: what groups are compared with.
            alpha: intervals are 1 - alpha.
            options: of the study.

        Returns:
            category, group_id, reference, low and high; no row where nothing can be compared.
        """
        columns = columns_of(self.cells, {hypothesis})
        scheme, x = self._only_scheme(self.cells, columns, lambda _, values: values, reference, options)
        names = reference.names(self.cells.group_ids) if scheme is not None else []
        rows = pd.DataFrame(
            [(label, *name) for label in self.cells.columns.category.iloc[columns] for name in names],
            columns=["category", "group_id", "reference"],
        )
        if scheme is None:
            return rows.assign(low=np.nan, high=np.nan)
        if isinstance(scheme.contrast, LabelledContrast):
            limits = labelled_intervals(scheme.contrast, x, alpha)
        else:
            limits = intervals(scheme, x, alpha, is_rate=str(self.cells.roles[columns[0]]) != "continuous")
        return rows.assign(low=limits.low.ravel(), high=limits.high.ravel())

    def _only_scheme(
        self,
        cells: Cells,
        columns: Ints,
        changed: Callable[[Frame, Floats], Floats],
        reference: Reference,
        options: Options,
    ) -> tuple[Scheme | None, Floats]:
        """The scheme of the columns of one question, which share their presence pattern, and their changed values."""
        cells, sources = of_columns(cells, columns), self._sources(columns)

        def rows() -> CellRows:
            single_rows = sources.rows()
            return single_rows._replace(x=changed(single_rows.frame, single_rows.x))

        for chosen in choose_schemes(cells._replace(x=changed(cells.frame, cells.x)), rows, options):
            if not isinstance(chosen.scheme, InferenceReason):
                return chosen.scheme._replace(reference=reference), chosen.take(np.arange(len(columns)))
        return None, np.empty((0, 0))

    def _of_statistic(self, spec: StatisticSpec) -> tuple[Cells, Values]:
        plain = self._read_values()
        over = spec.normalise_over
        scaled = normalised(self._connection, self.cells, plain, over) if spec.normalise else plain
        return of_statistic(self.cells, scaled, spec)

    def again(self, hypotheses: pd.DataFrame, options: Options) -> Iterator[tuple[str, Table]]:
        """Yield the rows of some questions of this slice and grouping once more, with other options."""
        here = hypotheses[
            (hypotheses.slice_id == self.cells.slice_id) & (hypotheses.grouping_id == self.cells.grouping_id)
        ]
        if not len(here):
            return
        asked_for = set(here[KEYS_OF_HYPOTHESIS].itertuples(index=False, name=None))
        columns = columns_of(self.cells, asked_for)
        if len(columns):
            yield from compare_groups(of_columns(self.cells, columns), self._sources(columns), options)
        statistics = {hypothesis[-2:] for hypothesis in asked_for}
        for spec in self._specs:
            if (spec.statistic, spec.parameters) not in statistics:
                continue
            chosen, values = self._of_statistic(spec)
            columns = columns_of(chosen, asked_for)
            if len(columns):
                chosen, values = of_columns(chosen, columns), values.of_columns(columns)
                yield from compare_statistics(chosen, values, spec, options)
