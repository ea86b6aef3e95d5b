"""One slice and grouping of a build file: its questions, asked once, again, or of some of its groups.

Belongs here: which cells and rows a question is computed from. How is compare_groups.py's.
"""

from collections.abc import Callable, Collection, Iterator

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.asked import Asked, asked_statistics
from python_assets.infer.cells import (
    KEYS_OF_QUESTION,
    Cells,
    Rows,
    Values,
    columns_of,
    of_columns,
    of_statistic,
)
from python_assets.infer.compare_groups import Responses, compare_groups, compare_statistics
from python_assets.infer.comparison import compare_labels, compare_means, compare_rates
from python_assets.infer.contrasts import Contrasts
from python_assets.infer.means import one_sided_p
from python_assets.infer.nonlinear import compare_statistic
from python_assets.infer.permutation import Floats, Ints
from python_assets.infer.read_cells import normalised, read_cells, read_rows, read_values
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.reference import Reference
from python_assets.infer.rows import Table
from python_assets.infer.scheme import Blocks, InUnits, Options, choose_schemes
from python_assets.infer.summary import bootstrap_rows, summary_rows
from python_assets.warehouse.progress import Tell


class Layout:
    """One slice and grouping of a build file; its responses are read once, if at all."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, slice_id: str, grouping_id: str, *, has_unit: bool
    ) -> None:
        """Read the cells."""
        self.cells = read_cells(connection, slice_id, grouping_id, has_unit=has_unit)
        self._connection = connection
        self._asked = asked_statistics(connection)
        self._values: Values | None = None
        self._rows: Rows | None = None

    def _read_values(self) -> Values:
        if self._values is None:
            self._values = read_values(self._connection, self.cells)
        return self._values

    def n_draws(self, options: Options) -> int:
        """How many arrangements all of its statistics are computed in; the means are one of them."""
        return options.n_permutations + len(self._asked) * options.n_draws_nonlinear

    def rows(self, options: Options, drawn: Tell) -> Iterator[tuple[str, Table]]:
        """Yield the rows of every table.

        Args:
            options: what is asked for.
            drawn: hears of the draws of this slice and grouping that are done.
        """
        for rows in summary_rows(self.cells, options.alpha):
            yield "summary_statistics", rows
        yield from compare_groups(self.cells, self._sources(np.arange(len(self.cells.columns))), options)
        drawn(options.n_permutations)
        for n_done, asked in enumerate(self._asked, start=1):
            chosen, values = self._of_statistic(asked)
            if len(chosen.columns):
                yield "summary_statistics", bootstrap_rows(chosen, values, asked, options)
                yield from compare_statistics(chosen, values, asked, options)
            drawn(options.n_permutations + n_done * options.n_draws_nonlinear)

    def _sources(self, columns: Ints) -> Responses:
        """What is read of some columns; which responses a rate selects is told by all columns together."""

        def rows() -> Rows:
            if self._rows is None:
                self._rows = read_rows(self._connection, self.cells)
            return self._rows._replace(x=self._rows.x[:, columns])

        return Responses(rows, self._read_values)

    def contrast(
        self, question: tuple[str, ...], groups: Collection[int], reference: Reference, options: Options
    ) -> Contrasts | None:
        """The contrast of a question among some of its groups alone; None where nothing can be compared.

        Args:
            question: values of KEYS_OF_QUESTION.
            groups: positions of the groups that are left.
            reference: what each is compared with.
            options: B and alpha.
        """
        asked = self._asked_of(question)
        cells, values = (self.cells, None) if asked is None else self._of_statistic(asked)
        columns = columns_of(cells, {question})
        left = _among(of_columns(cells, columns), groups)
        sources = self._sources(columns)
        scheme, x = _only_scheme(left, lambda: _rows_among(sources.rows(), groups), reference, options)
        if scheme is None:
            return None
        if values is not None and asked is not None:
            if not isinstance(scheme, Blocks):
                return None
            return next(iter(compare_statistic(scheme, values, columns, asked).contrasts.values()))
        return _contrast(scheme, str(left.roles[0]), x)

    def p_past_margin(
        self, question: tuple[str, ...], group: int, reference: Reference, *, shift: float, options: Options
    ) -> float:
        """One-sided p that the difference of one group lies past a margin; NaN where it cannot be told.

        Args:
            question: values of KEYS_OF_QUESTION.
            group: position of the group.
            reference: what it is compared with.
            shift: the margin, with the sign of the difference; it is taken off the values of the group.
            options: B.
        """
        columns = columns_of(self.cells, {question})
        cells = of_columns(self.cells, columns)
        moved = cells.x - np.where(cells.frame.group == group, shift, 0.0)[:, None]
        sources = self._sources(columns)

        def rows() -> Rows:
            found = sources.rows()
            return found._replace(x=found.x - np.where(found.frame.group == group, shift, 0.0)[:, None])

        scheme, x = _only_scheme(cells._replace(x=moved), rows, reference, options)
        if scheme is None:
            return np.nan
        row = int(np.flatnonzero(reference.rows(scheme.n_groups)[0] == group)[0])
        return one_sided_p(scheme.sides, x, scheme.draws, row, np.sign(shift))

    def _asked_of(self, question: tuple[str, ...]) -> Asked | None:
        """The statistic that a question is of, where rows are shuffled for it."""
        statistic, parameters = question[-2:]
        for asked in self._asked:
            if (asked.statistic, asked.parameters) == (statistic, parameters):
                return asked
        return None

    def _of_statistic(self, asked: Asked) -> tuple[Cells, Values]:
        plain = self._read_values()
        over = asked.normalise_over
        scaled = normalised(self._connection, self.cells, plain, over) if asked.normalise else plain
        return of_statistic(self.cells, scaled, asked)

    def again(self, questions: pd.DataFrame, options: Options) -> Iterator[tuple[str, Table]]:
        """Yield the rows of some questions of this slice and grouping once more, with other options."""
        here = questions[
            (questions.slice_id == self.cells.slice_id) & (questions.grouping_id == self.cells.grouping_id)
        ]
        if not len(here):
            return
        asked_for = set(here[KEYS_OF_QUESTION].itertuples(index=False, name=None))
        columns = columns_of(self.cells, asked_for)
        if len(columns):
            yield from compare_groups(of_columns(self.cells, columns), self._sources(columns), options)
        statistics = {question[-2:] for question in asked_for}
        for asked in self._asked:
            if (asked.statistic, asked.parameters) not in statistics:
                continue
            chosen, values = self._of_statistic(asked)
            columns = columns_of(chosen, asked_for)
            if len(columns):
                chosen, values = of_columns(chosen, columns), values.of_columns(columns)
                yield from compare_statistics(chosen, values, asked, options)


def _only_scheme(
    cells: Cells, rows: Callable[[], Rows], reference: Reference, options: Options
) -> tuple[Blocks | InUnits | None, Floats]:
    """The scheme of the columns of one question, which share their presence pattern, and their values."""
    for chosen in choose_schemes(cells, rows, options):
        if not isinstance(chosen.scheme, InferenceReason):
            everything = np.arange(len(cells.columns))
            return chosen.scheme._replace(reference=reference), chosen.take(everything)
    return None, np.empty((0, 0))


def _among(cells: Cells, groups: Collection[int]) -> Cells:
    """Cells without the values of other groups."""
    is_left = np.isin(cells.frame.group, list(groups))
    return cells._replace(
        x=np.where(is_left[:, None], cells.x, np.nan), n_responses=cells.n_responses * is_left[:, None]
    )


def _rows_among(rows: Rows, groups: Collection[int]) -> Rows:
    """Responses without those of other groups."""
    is_left = np.isin(rows.frame.group, list(groups))
    return rows._replace(x=np.where(is_left[:, None], rows.x, np.nan))


def _contrast(scheme: Blocks | InUnits, role: str, x: Floats) -> Contrasts:
    """The tested contrast of one measure, without a margin; of all its labels where it has labels."""
    none = np.full(x.shape[1], np.nan)
    margins = dict.fromkeys(("mean_difference", "risk_difference"), none)
    if role == "continuous":
        return compare_means(scheme, x, margins, with_indices=False).contrasts["mean_difference"]
    if role == "label":
        of_labels = {"risk_difference": none[:1]}
        compared = compare_labels(scheme, x[:, None], of_labels, with_indices=False)
    else:
        compared = compare_rates(scheme, x, margins, with_log=False, with_indices=False)
    return compared.contrasts["risk_difference"]
