"""Seconds and memory of inference at the size of SAGED's own study, on made-up numbers.

Belongs here: the numeric part alone, then the whole of infer_study on a build file of made-up raw tables.

    python -m bench.bench_inference [--columns 1760] [--root-prompts 75] [--groups 21] [--permutations 9999]
        [--effect 0] [--at-once] [--numeric]
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from bench.inference_stages import make_before_inference
from bench.make_raw import Scale, make_raw
from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.design.design import Design, Frame, Unit
from python_assets.infer.draws.exchange import Shuffles, permuted_means, pieces
from python_assets.infer.options import FIRST_DRAWS
from python_assets.infer.run import infer_study
from python_assets.infer.schemes.choose import Blocks
from python_assets.infer.schemes.inversion import resamples_of
from python_assets.warehouse.build import open_build

COLUMNS_AT_ONCE = 64
MISSING_SHARE = 0.005
CONTRASTS = ("mean_difference", "risk_difference", "log_disparity")
_COLUMNS = """
    select count(distinct (system_id, measure_id, calibration)) from intermediate.int_cells
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("columns", 1_760), ("root-prompts", 75), ("groups", 21), ("permutations", 9_999)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--effect", type=float, default=0.0, help="sd of the groups' shifts, in sd of cells")
    parser.add_argument("--at-once", action="store_true", help="the numeric part without stages of draws")
    parser.add_argument("--numeric", action="store_true", help="the numeric part alone")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    print(f"{'step':44}{'columns':>9}{'seconds':>9}{'cpu s':>9}{'cpu ms a column':>17}{'peak MB':>9}")
    numeric(options, rng)
    if not options.numeric:
        stored(options)


def numeric(options: argparse.Namespace, rng: np.random.Generator) -> None:
    n_blocks, n_groups, n = options.root_prompts, options.groups, options.columns
    frame = Frame(
        np.repeat(np.arange(n_blocks), n_groups), np.tile(np.arange(n_groups), n_blocks), np.arange(n_blocks), n_groups
    )
    x = rng.normal(size=(n_blocks * n_groups, n)) + options.effect * rng.normal(size=n_groups)[frame.group][:, None]
    y = (x < -1).astype(float)
    scheme = scheme_of(frame, np.arange(len(x)), options)
    no_margin = {name: np.full(n, np.nan) for name in CONTRASTS}
    means = partial(compare_values, is_rate=False, with_flips=True)
    report("bound: one product of all draws and cells", n, partial(products, scheme, x))
    report("contrasts and indices of means", n, partial(means, scheme, x, no_margin))
    n_rates, rates = n // 8, partial(compare_values, is_rate=True, with_log=True)
    report("contrasts and indices of rates", n_rates, lambda: rates(scheme, y[:, :n_rates], no_margin))
    kept = np.flatnonzero(rng.random(len(x)) > MISSING_SHARE)
    gaps = scheme_of(frame, kept, options)
    few = n // 20
    report("contrasts and indices of means, with gaps", few, lambda: means(gaps, x[kept, :few], no_margin))


def products(scheme: Blocks, x: np.ndarray) -> None:
    """Means of all groups under every draw, which no test of these means can do without."""
    for part in pieces(x.shape[1], COLUMNS_AT_ONCE):
        permuted_means(scheme.design.group_slots, scheme.draws, x[:, part] / scheme.design.n_units)


def scheme_of(frame: Frame, cell: np.ndarray, options: argparse.Namespace) -> Blocks:
    design = Design(frame, cell, Unit.ROOT_PROMPT)
    draws = Shuffles(1, options.permutations, frame.block).of(cell)
    resamples = resamples_of(1, options.permutations, design.n_units)
    return Blocks(design, frame.n_groups, draws, 0.05, resamples, n_first=None if options.at_once else FIRST_DRAWS)


def stored(options: argparse.Namespace) -> None:
    """The whole of infer_study on a build file of dbt: means of twenty generations, raw and calibrated."""
    n_measures = max(options.columns // 40, 1)
    scale = Scale(options.root_prompts, options.groups, n_continuous=n_measures, n_categorical=0)
    analysis = SimpleNamespace(
        seed=1,
        n_permutations=options.permutations,
        n_bootstrap=2_000,
        alpha=0.05,
        margins={},
        declared_margins={},
        unit=None,
        references={},
        requested_contrasts=(),
        compared_with=None,
        primary=None,
        families={},
        unscored_allowed={},
        human_labels=[],
        power={},
        fills_scale=False,
        prompts=SimpleNamespace(wordings={}),
        has_wordings=lambda grouping: False,
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "build.duckdb"
        make_raw(path, scale, seed=options.seed, statistics=["mean"])
        make_before_inference(path)
        with open_build(path) as connection:
            ((n_columns,),) = connection.execute(_COLUMNS).fetchall()
            report("infer_study, means only", n_columns, lambda: infer_study(connection, analysis))


def report(step: str, n_columns: int, work: Callable[[], object]) -> None:
    start, start_cpu = time.perf_counter(), time.process_time()
    work()
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{step:44}{n_columns:>9,}{seconds:>9.1f}{cpu:>9.1f}{1_000 * cpu / n_columns:>17.1f}{peak:>9,.0f}", flush=True
    )


if __name__ == "__main__":
    main()
