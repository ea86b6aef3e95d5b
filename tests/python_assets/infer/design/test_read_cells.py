"""Reading of cells, rows and values from a build file."""

import numpy as np
import pytest

from bench.error_rates.simulated import asked
from python_assets.infer.design.cells import of_statistic
from python_assets.infer.design.read_cells import read_cells, read_values


def read(connection):
    cells = read_cells(connection, "all", "gender", has_unit=False)
    return cells, read_values(connection, cells)


def numbers(n_replicates=1):
    return np.random.default_rng(1).normal(size=(4, 3, n_replicates))


def test_rows_lie_in_their_cells(study):
    x = numbers(2)
    x[1, 2] = np.nan
    study.add("score", x, baseline=x + 1).add("rate", x > 0, kind="binary")
    cells, values = read(study.write())
    assert values.columns.measure_id.tolist() == ["rate", "score"]
    for cell, (block, group) in enumerate(zip(cells.frame.block, cells.frame.group, strict=True)):
        chosen = (values.cell == cell) & (values.column == 1)
        expected = np.sort(x[block, group][~np.isnan(x[block, group])])
        assert values.x[chosen].tolist() == expected.tolist()
        assert values.baseline[chosen].tolist() == (expected + 1).tolist()
    assert values.low[1] == np.nanmin(x)
    assert values.high[1] == np.nanmax(x) + 1


def test_categories_and_selections_have_no_rows(study):
    study.add("label", numbers() > 0, kind="categorical", category="yes").add("score", numbers()).select("score")
    _, values = read(study.write())
    assert values.columns[["measure_id", "statistic"]].to_numpy().tolist() == [["score", "mean"]]


def test_order_of_the_tables_changes_nothing(study):
    connection = study.add("score", numbers(3), baseline=numbers(3) ** 2).write(shuffle=1)
    cells, values = read(connection)
    name = "intermediate.int_values"
    connection.execute(f"create or replace table {name} as select * from {name} order by hash(x)")
    _, again = read(connection)
    for one, other in zip(values[2:], again[2:], strict=True):
        assert one.tolist() == other.tolist()
    assert len(values.x) == 36 == len(cells.frame.block) * 3


def test_pairs_leave_out_what_has_no_baseline(study):
    x = numbers()
    b = np.where(x > 0, x, np.nan)
    study.add("score", x, baseline=b).add("score", x, calibration="calibrated", baseline=b)
    study.add("other", x).add("rate", x > 0, kind="binary", baseline=b)
    cells, values = read(study.write())
    paired, rows = of_statistic(cells, values, asked("correlation"))
    assert paired.columns[["measure_id", "calibration", "statistic", "parameters"]].to_numpy().tolist() == [
        ["score", "raw", "correlation", "method=pearson"]
    ]
    has_pair = numbers()[..., 0].ravel() > 0
    assert (~np.isnan(paired.x[:, 0])).tolist() == has_pair.tolist()
    assert paired.n_responses[:, 0].tolist() == has_pair.astype(float).tolist()
    assert rows.cell.tolist() == np.flatnonzero(has_pair).tolist()


def test_statistic_without_pairs_has_every_column(study):
    study.add("score", numbers(2)).add("score", numbers(), calibration="calibrated")
    cells, values = read(study.write())
    one, rows = of_statistic(cells, values, asked("median"))
    assert one.columns.calibration.tolist() == ["calibrated", "raw"]
    assert one.columns.statistic.tolist() == ["median"] * 2
    assert one.n_responses.mean(axis=0).tolist() == [1, 2]
    assert np.isnan(rows.low).all()
    assert len(rows.x) == 36


def test_no_pair_at_all_leaves_no_column(study):
    cells, values = read(study.add("score", numbers()).write())
    paired, rows = of_statistic(cells, values, asked("correlation"))
    assert paired.x.shape == (12, 0)
    assert len(rows.columns) == len(rows.x) == 0


def test_row_without_a_cell_is_an_error(study):
    connection = study.add("score", numbers()).write()
    cells = read_cells(connection, "all", "gender", has_unit=False)
    connection.execute("update intermediate.int_prompt_groups set block_position = 9 where group_position = 2")
    with pytest.raises(ValueError, match="int_values of all, gender"):
        read_values(connection, cells)
