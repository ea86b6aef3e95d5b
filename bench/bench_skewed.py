"""How often intervals of differences miss the truth where scores are skewed or mostly zero; false words at a margin.

python -m bench.bench_skewed [--sets 2000]

Belongs here: made-up cells with known means, complete blocks. Intervals and p are those of infer/contrasts.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from bench.error_rates.simulated import Layout, no_margins, scheme_of
from bench.error_tables import print_tables
from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.contrasts.contrast import Estimate
from python_assets.infer.contrasts.means import mean_estimate, mean_levels
from python_assets.infer.design.design import Design, Frame, Unit
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.formulas.multiplicity import holm, hypothesis_levels
from python_assets.infer.result import Bools
from python_assets.infer.schemes.block_contrast import BlockContrast

ALPHA: Final = 0.05
N_DRAWS: Final = 999
Noise = Callable[[np.random.Generator, tuple[int, ...]], Floats]


class Made(NamedTuple):
    """Cells of many sets, shape (root prompts, groups, sets), and the true mean of each group."""

    x: Floats
    means: Floats


def _centred(noise: Noise, mean: float) -> Noise:
    return lambda rng, shape: noise(rng, shape) - mean


NOISES: Final[dict[str, Noise]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "t3": lambda rng, shape: rng.standard_t(3, size=shape),
    "exponential": _centred(lambda rng, shape: rng.exponential(size=shape), 1.0),
    "gamma .5": _centred(lambda rng, shape: rng.gamma(0.5, 1 / np.sqrt(0.5), shape), 0.5 / np.sqrt(0.5)),
    "lognormal": _centred(lambda rng, shape: rng.lognormal(0, 0.9, shape), float(np.exp(0.405))),
    "Pareto 4": _centred(lambda rng, shape: rng.pareto(4, shape), 1 / 3),
}
# noise of the odd group and of the others, and how many times as large the odd one's is
SKEWED: Final = {
    "normal": ("normal", "normal", 1.0),
    "normal, odd sd x4": ("normal", "normal", 4.0),
    "t3": ("t3", "t3", 1.0),
    "exponential": ("exponential", "exponential", 1.0),
    "gamma .5, odd x2": ("gamma .5", "gamma .5", 2.0),
    "lognormal, odd x2": ("lognormal", "lognormal", 2.0),
    "Pareto 4, odd x3": ("Pareto 4", "Pareto 4", 3.0),
    "odd exponential x3, others normal": ("exponential", "normal", 3.0),
}
# share of cells that are not 0, of the odd group and of the others
ZERO_INFLATED: Final = {"zeros .15 / .3": (0.15, 0.3), "zeros .3 / .1": (0.3, 0.1)}
SIZES: Final = ((6, 3), (6, 5), (10, 5), (20, 5), (30, 5), (75, 5))


def made(name: str, n_roots: int, n_groups: int, n_sets: int, seed: int) -> Made:
    """Cells of a design of SKEWED or ZERO_INFLATED."""
    rng, shape = np.random.default_rng(seed), (n_roots, n_groups, n_sets)
    if name in ZERO_INFLATED:
        odd, others = ZERO_INFLATED[name]
        shares = np.full(n_groups, others)
        shares[0] = odd
        return Made((rng.random(shape) < shares[:, None]) * rng.gamma(2, 0.5, shape), shares)
    odd_noise, noise, size = SKEWED[name]
    x = NOISES[noise](rng, shape)
    x[:, 0] = size * NOISES[odd_noise](rng, (n_roots, n_sets))
    return Made(x + 0.5 * rng.normal(size=(n_roots, 1, n_sets)), np.zeros(n_groups))


def estimated(x: Floats) -> tuple[BlockContrast, Floats, Estimate]:
    """The contrasts of cells, their cells, and differences with intervals, shape (sets, groups)."""
    n_roots, n_groups, n_sets = x.shape
    blocks, groups = np.repeat(np.arange(n_roots), n_groups), np.tile(np.arange(n_groups), n_roots)
    frame = Frame(blocks, groups, np.arange(n_roots), n_groups)
    contrast = BlockContrast(Design(frame, np.arange(n_roots * n_groups), Unit.ROOT_PROMPT))
    cells = x.reshape(-1, n_sets)
    return contrast, cells, mean_estimate(contrast, cells, ALPHA)


def misses(name: str, n_roots: int, n_groups: int, n_sets: int, seed: int) -> tuple[Bools, Bools]:
    """Which intervals of the odd group miss its true difference, and which are not marked; shape (sets,)."""
    cells = made(name, n_roots, n_groups, n_sets, seed)
    contrast, values, estimate = estimated(cells.x)
    truth = cells.means[0] - cells.means[1:].mean()
    limits = estimate.limits
    return (limits.low[:, 0] > truth) | (limits.high[:, 0] < truth), ~contrast.is_rarely_apart(values)[:, 0]


def false_at_margin(noise: str, n_roots: int, n_groups: int, n_sets: int, seed: int) -> tuple[float, float]:
    """Share of studies in which any of the groups, all of them exactly at the margin, is told beyond it, or inside."""
    rng, delta = np.random.default_rng(seed), 0.3
    shift = np.resize([1.0, -1.0], n_groups) * delta * (n_groups - 1) / n_groups
    x = NOISES[noise](rng, (n_roots, n_groups, n_sets)) + shift[:, None]
    _, _, estimate = estimated(x)
    told = []
    for p in map(holm, mean_levels(estimate, np.full(n_sets, delta))):
        q = [hypothesis_levels(one.min(keepdims=True), one, np.zeros(len(one), dtype=np.intp)).of_group for one in p]
        told.append(float((np.array(q) <= ALPHA).any(axis=1).mean()))
    return told[0], told[1]


class Price(NamedTuple):
    """Shares of sets of two groups: p of their difference at most ALPHA, and of these the interval holds 0."""

    small_p: float
    holds_zero: float


def price(tail: float, n_roots: int, shift: float, n_sets: int, seed: int) -> Price:
    """What is not significant because its interval holds 0.

    Args:
        tail: 1 for differences with a long tail away from 0, -1 for one towards it, 0 for normal ones.
        n_roots: root prompts.
        shift: the true difference, in standard deviations.
        n_sets: pairs of groups.
        seed: of everything random.
    """
    rng = np.random.default_rng(seed)
    noise = tail * NOISES["exponential"](rng, (n_roots, n_sets)) if tail else rng.normal(size=(n_roots, n_sets))
    x = np.stack([noise + shift, np.zeros_like(noise)], axis=1).reshape(-1, n_sets)
    scheme = scheme_of(Layout(n_roots, 2), N_DRAWS)
    contrasts = compare_values(scheme, x, no_margins(n_sets), is_rate=False, with_indices=False).contrasts
    found = contrasts["mean_difference"]
    small_p = found.p_value[:, 0] <= ALPHA
    holds_zero = (found.ci_low[:, 0] <= 0) & (found.ci_high[:, 0] >= 0)
    return Price(float(small_p.mean()), float(holds_zero[small_p].mean()))


def tables(n_sets: int) -> Iterator[str]:
    """One line a design."""
    yield "| intervals that miss; of unmarked rows | " + " | ".join(f"{r} x {k}" for r, k in SIZES) + " |"
    yield "|---" * (len(SIZES) + 1) + "|"
    for name in chain(SKEWED, ZERO_INFLATED):
        found = [misses(name, *size, n_sets, seed) for seed, size in enumerate(SIZES)]
        cells = [f"{missed.mean():.3f}; {missed[plain].mean():.3f}" for missed, plain in found]
        yield f"| {name} | " + " | ".join(cells) + " |"
    yield ""
    yield "| 20 groups at the margin | any beyond | any inside |"
    yield "|---|---|---|"
    for noise in ("normal", "exponential"):
        for n_roots in (10, 30, 75):
            beyond, inside = false_at_margin(noise, n_roots, 20, n_sets, n_roots)
            yield f"| {n_roots}, {noise} | {beyond:.3f} | {inside:.3f} |"
    yield ""
    yield "| two groups: root prompts, true difference | normal | tail away from 0 | tail towards 0 |"
    yield "|---|---|---|---|"
    for n_roots in (10, 20):
        for shift in (0.0, 0.4, 0.8, 1.2):
            told = [price(tail, n_roots, shift, n_sets, seed=n_roots) for tail in (0, 1, -1)]
            cells = [f"{one.small_p:.2f}; {one.holds_zero:.2f}" for one in told]
            yield f"| {n_roots}, {shift:g} sd | {' | '.join(cells)} |"


if __name__ == "__main__":
    print_tables(__doc__, tables, n_sets=2_000)
