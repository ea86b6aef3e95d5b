"""Seconds and memory of inference at the size of SAGED's own study, on made-up numbers.

Belongs here: the numeric part alone, then the whole of infer_study on a build file in memory.

    python -m bench.bench_inference [--columns 1760] [--root-prompts 75] [--groups 21] [--permutations 9999]
"""

import argparse
import resource
import time
from collections.abc import Callable
from types import SimpleNamespace

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.comparison import compare_means, compare_rates
from python_assets.infer.design import Design, Frame, Unit
from python_assets.infer.held_factors import FACTORS
from python_assets.infer.inversion import resamples_of
from python_assets.infer.permutation import Shuffles
from python_assets.infer.run import infer_study
from python_assets.infer.scheme import Blocks
from python_assets.infer.truth_rows import ANSWERS, TRUTHS
from python_assets.study.statistics import statistic_rows

MISSING_SHARE = 0.005
CONTRASTS = ("mean_difference", "risk_difference", "log_disparity")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("columns", 1_760), ("root-prompts", 75), ("groups", 21), ("permutations", 9_999)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    print(f"{'step':44}{'columns':>9}{'seconds':>9}{'cpu s':>9}{'cpu ms a column':>17}{'peak MB':>9}")
    numeric(options, rng)
    stored(options, rng)


def numeric(options: argparse.Namespace, rng: np.random.Generator) -> None:
    n_blocks, n_groups, n = options.root_prompts, options.groups, options.columns
    frame = Frame(
        np.repeat(np.arange(n_blocks), n_groups),
        np.tile(np.arange(n_groups), n_blocks),
        np.arange(n_blocks),
        n_groups,
    )
    x = rng.normal(size=(n_blocks * n_groups, n))
    y = (x < -1).astype(float)
    scheme = scheme_of(frame, np.arange(len(x)), options)
    no_margin = {name: np.full(n, np.nan) for name in CONTRASTS}
    report("contrasts and indices of means", n, lambda: compare_means(scheme, x, no_margin))
    n_rates = n // 8
    report(
        "contrasts and indices of rates", n_rates, lambda: compare_rates(scheme, y[:, :n_rates], no_margin)
    )
    kept = np.flatnonzero(rng.random(len(x)) > MISSING_SHARE)
    gaps = scheme_of(frame, kept, options)
    few = n // 20
    report(
        "contrasts and indices of means, with gaps",
        few,
        lambda: compare_means(gaps, x[kept, :few], no_margin),
    )


def scheme_of(frame: Frame, cell: np.ndarray, options: argparse.Namespace) -> Blocks:
    design = Design(frame, cell, Unit.ROOT_PROMPT)
    draws = Shuffles(1, options.permutations, frame.block).of(cell)
    resamples = resamples_of(1, options.permutations, design.n_units)
    return Blocks(design, frame.n_groups, draws, 0.05, resamples)


def stored(options: argparse.Namespace, rng: np.random.Generator) -> None:
    """The whole of infer_study: continuous measures raw and calibrated, in twenty generations."""
    n_measures = max(options.columns // 40, 1)
    connection = duckdb.connect()
    connection.execute("create schema raw; create schema intermediate")
    cells = pd.concat(
        cells_of(options, rng, f"model_{g:02d}", f"score_{m:02d}", calibration)
        for g in range(20)
        for m in range(n_measures)
        for calibration in ("raw", "calibrated")
    )
    prompts = pd.DataFrame({"group_position": range(options.groups), "scheme": "blocked"})
    prompts = prompts.assign(group_id=[f"g{g}" for g in prompts.group_position])
    prompts = prompts.assign(root_position=0, stratum_position=0, root_prompt_position=0, unit_factor=None)
    tables = {
        "raw.statistics": pd.DataFrame(statistic_rows(["mean"])),
        "raw.measure_slices": pd.DataFrame(
            {"measure_id": pd.Series(dtype=str), "slice_id": pd.Series(dtype=str)}
        ),
        "raw.ground_truths": pd.DataFrame(columns=TRUTHS),
        "intermediate.int_truth_answers": pd.DataFrame(columns=ANSWERS),
        "raw.groupings": pd.DataFrame({"grouping_id": ["concept"], "factor": "concept"}),
        "intermediate.int_prompt_groups": prompts.assign(slice_id="all", grouping_id="concept"),
        "intermediate.int_blocking_factors": pd.DataFrame(columns=FACTORS.split(", ")),
        "raw.measures": cells[["study_id", "measure_id"]]
        .drop_duplicates()
        .assign(kind="continuous", direction="none", unit="1", extractor=""),
        "intermediate.int_cells": cells.assign(statistic="mean", parameters=""),
    }
    for name, frame in tables.items():
        connection.register("frame", frame)
        connection.execute(f"create table {name} as select * from frame")
        connection.unregister("frame")
    analysis = SimpleNamespace(
        seed=1,
        n_permutations=options.permutations,
        n_bootstrap=2_000,
        alpha=0.05,
        margins={},
        unit=None,
        references={},
        requested_contrasts=(),
        compared_with=None,
        primary=None,
        question_sets={},
    )
    del cells, tables, frame
    report("infer_study, means only", 40 * n_measures, lambda: infer_study(connection, analysis))


def cells_of(
    options: argparse.Namespace,
    rng: np.random.Generator,
    generation_id: str,
    measure_id: str,
    calibration: str,
) -> pd.DataFrame:
    n_blocks, n_groups = options.root_prompts, options.groups
    block = np.repeat(np.arange(n_blocks), n_groups)
    return pd.DataFrame(
        {
            "study_id": "bench",
            "slice_id": "all",
            "grouping_id": "concept",
            "generation_id": generation_id,
            "measure_id": measure_id,
            "calibration": calibration,
            "category": "",
            "group_position": np.tile(np.arange(n_groups), n_blocks),
            "block_position": block,
            "root_position": block,
            "cell_mean": rng.normal(size=n_blocks * n_groups),
            "n_responses": 1,
            "n_prompts": 1,
        }
    )


def report(step: str, n_columns: int, work: Callable[[], object]) -> None:
    start, start_cpu = time.perf_counter(), time.process_time()
    work()
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{step:44}{n_columns:>9,}{seconds:>9.1f}{cpu:>9.1f}{1_000 * cpu / n_columns:>17.1f}{peak:>9,.0f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
