"""tests/python_assets/infer/test_quantiles.py - mirrors python_assets/infer/quantiles.py."""

import numpy as np
import pytest

from python_assets.infer.design.cells import Sample
from python_assets.infer.draws.exchange import each_batch, given_draws
from python_assets.infer.statistics.quantiles import GroupQuantiles


def rows_of(design, n_rows, n_columns, rng):
    """Rounded values, so that there are ties, n_rows (cells, columns) in each cell; sorted by column."""
    cell = np.concatenate([np.repeat(np.arange(len(design.cell)), n_rows[:, c]) for c in range(n_columns)])
    column = np.repeat(np.arange(n_columns), n_rows.sum(axis=0))
    x = np.round(rng.normal(size=len(cell)), 1)
    edges = np.zeros(n_columns)
    return Sample(cell * n_columns + column, (len(design.cell), n_columns), x, x, edges, edges)


MEDIAN = ((0.5, 1),)
OF_NUMPY = {
    MEDIAN: np.median,
    ((0.9, 1),): lambda values: np.quantile(values, 0.9),
    ((0.75, 1), (0.25, -1)): lambda values: np.subtract(*np.quantile(values, [0.75, 0.25])),
    ((1.0, 1), (0.0, -1)): np.ptp,
}


@pytest.mark.parametrize("levels", OF_NUMPY, ids=str)
@pytest.mark.parametrize("has_gaps", [False, True])
def test_quantiles_of_every_arrangement_are_those_of_numpy(build, has_gaps, levels):
    rng = np.random.default_rng(1)
    x = np.ones((6, 4))
    if has_gaps:
        x[[0, 2, 3], [1, 0, 3]] = np.nan
        x[4, :3] = np.nan
    task, _ = build(x, n_permutations=20)
    design, n_columns = task.design, 11
    rows = rows_of(design, rng.integers(1, 4, size=(len(design.cell), n_columns)), n_columns, rng)
    sources = task.draws.sources(slice(0, 20))
    found = each_batch(
        design.group_slots, given_draws(sources), lambda w, _: list(GroupQuantiles(design, rows, levels).own(w))
    )[0]
    own = np.concatenate([values for _, values in found], axis=2) * rows.unit

    def of(values):
        return OF_NUMPY[levels](values) if len(values) else np.nan

    for draw, source in enumerate(sources):
        group = np.empty(len(source), dtype=int)
        group[source] = design.group
        for g in range(4):
            for column in range(n_columns):
                of_column = rows.column == column
                cell = rows.place[of_column] // n_columns
                values, is_own = rows.x[of_column], group[cell] == g
                assert own[draw, g, column] == pytest.approx(of(values[is_own]))


def test_group_without_a_cell_has_no_median(build):
    x = np.ones((5, 3))
    x[:, 1] = np.nan
    design = build(x, n_permutations=1)[0].design
    rows = rows_of(design, np.ones((len(design.cell), 1), dtype=int), 1, np.random.default_rng(2))
    w = each_batch(design.group_slots, given_draws(np.arange(10)[None]), lambda w, _: w)[0]
    (_, own), *_ = GroupQuantiles(design, rows, MEDIAN).own(w)
    assert np.isnan(own[0, 1, 0])
    assert not np.isnan(own[0, [0, 2], 0]).any()
