"""CPU seconds of means whose cells are missing in patterns of their own, against the same columns complete.

python -m bench.bench_presence_patterns [--patterns 40] [--columns 1] [--missing .02]

75 root prompts x 21 groups where nothing differs, contrasts and indices with both noises and sign flips, draws in
stages; one pattern is what one measure of one generation has where responses lack that measure alone.
"""

import argparse
import time
from functools import partial

import numpy as np

from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.design.design import Design, Frame, Unit
from python_assets.infer.draws.exchange import Shuffles
from python_assets.infer.options import FIRST_DRAWS
from python_assets.infer.schemes.choose import Blocks
from python_assets.infer.schemes.inversion import resamples_of

N_BLOCKS, N_GROUPS, N_PERMUTATIONS = 75, 21, 9_999


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--patterns", type=int, default=40)
    parser.add_argument("--columns", type=int, default=1, help="of each pattern")
    parser.add_argument("--missing", type=float, default=0.02, help="share of cells")
    options = parser.parse_args()
    rng, n_cells = np.random.default_rng(1), N_BLOCKS * N_GROUPS
    block, group = np.divmod(np.arange(n_cells), N_GROUPS)
    frame = Frame(block, group, np.arange(N_BLOCKS), N_GROUPS)
    x = rng.normal(size=(n_cells, options.patterns * options.columns))
    compare = partial(seconds, frame, Shuffles(1, N_PERMUTATIONS, block))
    every = np.arange(n_cells)
    compare(every, x[:, :1])  # the orders, which all patterns share
    complete = compare(every, x)
    patterns = [np.flatnonzero(rng.random(n_cells) >= options.missing) for _ in range(options.patterns)]
    parts = np.split(x, options.patterns, axis=1)
    missing = sum(compare(cell, part[cell]) for cell, part in zip(patterns, parts, strict=True))
    print(f"complete {1_000 * complete / x.shape[1]:.1f} ms a column")
    print(f"in patterns {1_000 * missing / x.shape[1]:.1f} ms a column, {missing / complete:.1f} times")


def seconds(frame: Frame, shuffles: Shuffles, cell: np.ndarray, x: np.ndarray) -> float:
    """CPU seconds of the contrasts and indices of some columns, x of shape (cells, columns)."""
    started = time.process_time()
    design = Design(frame, cell, Unit.ROOT_PROMPT)
    resamples = resamples_of(1, N_PERMUTATIONS, design.n_units)
    scheme = Blocks(design, N_GROUPS, shuffles.of(cell), 0.05, resamples, n_first=FIRST_DRAWS)
    no_margin = {"mean_difference": np.full(x.shape[1], np.nan)}
    compare_values(scheme, x, no_margin, is_rate=False, with_flips=True)
    return time.process_time() - started


if __name__ == "__main__":
    main()
