"""How often a changed log disparity is found where none changed, and how often its interval holds the truth.

python -m bench.bench_log_disparity_changes [--sets 1000]

Belongs here: made-up yes and no of two generations on the same root prompts, of known rates. The test is
infer/changes/log_disparities.py.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from scipy import stats

from bench.error_tables import print_tables
from python_assets.infer.changes.log_disparities import log_disparity_changes
from python_assets.infer.changes.swapped import paired
from python_assets.infer.design.design import Frame
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.draws.flips import Flips

ALPHA: Final = 0.05
N_DRAWS: Final = 199
ROOTS: Final = (6, 10, 30, 75)
CORRELATION: Final = 0.4  # of the answers to one root prompt, on the normal scale
RATES: Final = {
    "all .2": ((0.2, 0.2, 0.2), (0.2, 0.2, 0.2)),
    "all .5": ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
    "groups differ alike": ((0.5, 0.2, 0.3), (0.5, 0.2, 0.3)),
    "odds of all times 3": ((0.5, 0.25, 0.25), (0.25, 0.1, 0.1)),
    "one group moved": ((0.5, 0.2, 0.2), (0.2, 0.2, 0.2)),
}


class Found(NamedTuple):
    """Shares of the first group's changes: of p <= .05, of intervals that hold the truth, without a value."""

    significant: float
    covered: float
    without: float


def answers(rng: np.random.Generator, rates: Floats, n_roots: int) -> Floats:
    """Yes and no of every group on every root prompt, shape (root prompts, groups), with these rates."""
    z = np.sqrt(CORRELATION) * rng.normal(size=(n_roots, 1))
    z = z + np.sqrt(1 - CORRELATION) * rng.normal(size=(n_roots, len(rates)))
    return (z < stats.norm.ppf(rates)).astype(float)


def log_disparity(rates: Floats) -> float:
    """Of the first group against the mean rate of the others."""
    own, rest = rates[0], rates[1:].mean()
    return float(np.log(own / (1 - own)) - np.log(rest / (1 - rest)))


def found(own: Floats, other: Floats, n_roots: int, n_sets: int, seed: int) -> Found:
    """Make sets up and test them.

    Args:
        own: rates of the groups in one generation.
        other: in the other.
        n_roots: root prompts.
        n_sets: sets.
        seed: of everything random.
    """
    rng = np.random.default_rng(seed)
    n_groups = len(own)
    frame = Frame(
        np.repeat(np.arange(n_roots), n_groups), np.tile(np.arange(n_groups), n_roots), np.arange(n_roots), n_groups
    )
    truth = log_disparity(own) - log_disparity(other)
    tested = []
    for _ in range(n_sets):
        x = np.stack([answers(rng, rates, n_roots) for rates in (own, other)])
        pair = paired(frame, x.reshape(2, -1, 1))
        signs = Flips(int(rng.integers(2**32)), N_DRAWS, n_roots)
        change = log_disparity_changes(pair, signs, ALPHA).result
        p, low, high = change.p_value[0], change.ci_low[0], change.ci_high[0]
        if not np.isnan(p):
            tested.append((p <= ALPHA, low - 1e-9 <= truth <= high + 1e-9))
    return Found(*np.mean(tested, axis=0), 1 - len(tested) / n_sets)


def tables(n_sets: int) -> Iterator[str]:
    """One line a setting and number of root prompts."""
    yield "| rates | root prompts | p <= .05 | interval holds the truth | without a value |"
    yield "|---|---|---|---|---|"
    for name, (own, other) in RATES.items():
        for n_roots in ROOTS:
            shares = found(np.array(own), np.array(other), n_roots, n_sets, seed=n_roots)
            yield f"| {name} | {n_roots} | " + " | ".join(f"{share:.3f}" for share in shares) + " |"


if __name__ == "__main__":
    print_tables(__doc__, tables, n_sets=1_000)
