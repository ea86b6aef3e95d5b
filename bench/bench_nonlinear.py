"""Seconds and memory of statistics that are no means, at the size of SAGED's own study, on made-up numbers.

Belongs here: reading rows, tests of indices and, where asked, of contrasts, intervals of groups.

    python -m bench.bench_nonlinear [--columns 880] [--root-prompts 75] [--groups 21] [--replicates 1]
"""

import argparse
import time
from functools import partial
from types import SimpleNamespace

import duckdb
import numpy as np
from threadpoolctl import threadpool_limits

from bench.bench_inference import report
from bench.error_rates.simulated import asked
from python_assets.infer.design.cells import Cells, Values, of_statistic
from python_assets.infer.design.design import Design, Unit
from python_assets.infer.design.read_cells import read_cells, read_values
from python_assets.infer.draws.exchange import Shuffles
from python_assets.infer.options import Options
from python_assets.infer.schemes.choose import Blocks
from python_assets.infer.statistics.bootstrap import bootstrap_intervals
from python_assets.infer.statistics.compare_statistics import compare_statistic

PAIRED = ("correlation", "kl_divergence")
OTHERS = ("median", "skewness", "kurtosis")
N_BOOTSTRAP = 2_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    sizes = {
        "columns": 880,
        "root-prompts": 75,
        "groups": 21,
        "replicates": 1,
        "draws": Options._field_defaults["n_nonlinear"],
    }
    for name, default in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--default-set", action="store_true", help="leave out what no study does by default")
    options = parser.parse_args()
    print(f"{'step':44}{'columns':>9}{'seconds':>9}{'cpu s':>9}{'cpu ms a column':>17}{'peak MB':>9}")
    connection = build(options)
    n = 2 * options.columns
    found = SimpleNamespace()
    report("read cells", n, lambda: setattr(found, "cells", read_cells(connection, "all", "group", has_unit=False)))
    report("read rows", n, lambda: setattr(found, "values", read_values(connection, found.cells)))
    started = time.perf_counter()
    tests(found.cells, found.values, ("variance", *PAIRED), options)
    print(f"tests of the default set took {time.perf_counter() - started:.1f} s")
    intervals(found.cells, found.values, ("variance", *PAIRED))
    if not options.default_set:
        tests(found.cells, found.values, OTHERS, options)
        intervals(found.cells, found.values, OTHERS)


def build(options: argparse.Namespace) -> duckdb.DuckDBPyConnection:
    """A build file in memory: columns with a baseline, and as many calibrated ones."""
    connection = duckdb.connect()
    connection.execute("create schema raw; create schema intermediate")
    n_blocks, n_groups = options.root_prompts, options.groups
    connection.execute(f"""
        create table raw.measures as
        select format('score_{{:03d}}', m) as measure_id, 'continuous' as kind, 'none' as direction
        from range({-(-options.columns // 20)}) as t(m);
        create table raw.groupings as select 'group' as grouping_id, 'group' as factor;
        create table intermediate.int_prompt_groups as
        select 'all' as slice_id, 'group' as grouping_id, format('p{{:03d}}_{{:02d}}', r, g) as prompt_id,
               format('g{{:02d}}', g) as group_id, g::integer as group_position,
               r::integer as block_position, r::integer as root_position, 'blocked' as scheme,
               null::integer as stratum_position, r::integer as root_prompt_position,
               null::varchar as unit_factor
        from range({n_blocks}) as t(r), range({n_groups}) as u(g);
        create table intermediate.int_blocking_factors as
        select '' as slice_id, '' as grouping_id, '' as factor, true as is_stratum, '' as left_out_because
        limit 0;
        select setseed(0.5);
        create table intermediate.int_values as
        select format('model_{{:02d}}', c % 20) as system_id,
               format('score_{{:03d}}', c // 20) as measure_id, calibration, '' as category, prompt_id,
               replicate, random() + random() + random() as x,
               case when calibration = 'raw' then random() + random() + random() end as baseline
        from range({options.columns}) as t(c), (values ('raw'), ('calibrated')) as u(calibration),
             intermediate.int_prompt_groups, range({options.replicates}) as v(replicate);
        create table intermediate.int_cells as
        select slice_id, grouping_id, system_id, measure_id, calibration, category, 'mean' as statistic,
               '' as parameters, group_position, block_position, root_position, avg(x) as cell_mean,
               count(*) as n_responses, 1 as n_prompts
        from intermediate.int_values join intermediate.int_prompt_groups using (prompt_id)
        group by all;
        create table intermediate.int_value_ranges as
        select 'all' as slice_id, system_id, measure_id, calibration,
               least(min(x), min(baseline)) as value_low, greatest(max(x), max(baseline)) as value_high
        from intermediate.int_values
        group by all
    """)
    return connection


def tests(cells: Cells, values: Values, names: tuple[str, ...], options: argparse.Namespace) -> None:
    for name in names:
        chosen, rows = of_statistic(cells, values, asked(name))
        design = Design(chosen.frame, np.arange(len(chosen.frame.block)), Unit.ROOT_PROMPT)
        draws = Shuffles(1, options.draws, chosen.frame.block).of(design.cell)
        scheme = Blocks(design, chosen.frame.n_groups, draws, 0.05)
        columns = np.arange(len(chosen.columns))
        work = partial(compare_statistic, scheme, rows, columns, asked(name))
        report(f"indices and contrasts of {name}", len(columns), work)


def intervals(cells: Cells, values: Values, names: tuple[str, ...]) -> None:
    for name in names:
        chosen, rows = of_statistic(cells, values, asked(name))
        options = {"alpha": 0.05, "n_bootstrap": N_BOOTSTRAP, "seed": 1}
        work = partial(bootstrap_intervals, chosen.frame, rows, asked(name), **options)
        with threadpool_limits(limits=1):  # as in a part
            report(f"bootstrap of {name}", len(chosen.columns), work)


if __name__ == "__main__":
    main()
