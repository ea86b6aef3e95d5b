"""How often changes between two generations are found where there is none, and missed where there is one.

python -m bench.bench_system_changes [--sets 1000]

Belongs here: made-up cells of two generations that answer the same root prompts. The tests are
infer/changes/swapped.py.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from bench.error_tables import print_tables
from python_assets.infer.changes.swapped import dispersion_change, mean_changes, paired
from python_assets.infer.design.design import Frame
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.draws.flips import Flips
from python_assets.infer.result import Result
from python_assets.plan.expected_effects import Spread, minimum_detectable_effect, sd_of_change

ALPHA = 0.05
N_DRAWS = 199
ROOTS = (6, 10, 30, 75)
GROUPS = (3, 21)
Cells = Callable[[np.random.Generator, int, int], tuple[Floats, Floats]]


class Found(NamedTuple):
    """Shares of sets: of p <= .05, and of intervals that hold the true change of the dispersion, 0."""

    mean_change: float
    groups_changed: float
    dispersion_change: float
    dispersion_covered: float


def _shared(rng: np.random.Generator, n: int, k: int) -> Floats:
    """What the root prompts do to both generations, and to each group of both."""
    return np.sqrt(0.4) * rng.normal(size=(n, 1)) + np.sqrt(0.1) * rng.normal(size=(n, k))


def equal(rng: np.random.Generator, n: int, k: int) -> tuple[Floats, Floats]:
    """Two models alike; groups differ in both."""
    shared = _shared(rng, n, k) + np.linspace(-0.3, 0.3, k)
    own, other = (shared + np.sqrt(0.5) * rng.normal(size=(n, k)) for _ in range(2))
    return own, other


def noisier(rng: np.random.Generator, n: int, k: int) -> tuple[Floats, Floats]:
    """The same, and one has three times the noise."""
    shared = _shared(rng, n, k) + np.linspace(-0.3, 0.3, k)
    own, other = (shared + sd * rng.normal(size=(n, k)) for sd in (2.1, 0.7))
    return own, other


def skewed(rng: np.random.Generator, n: int, k: int) -> tuple[Floats, Floats]:
    """One normal, one exponential, of one mean."""
    shared = _shared(rng, n, k)
    return shared + rng.exponential(size=(n, k)) - 1, shared + rng.normal(size=(n, k))


def rates(rng: np.random.Generator, n: int, k: int) -> tuple[Floats, Floats]:
    """Yes or no, .2 in every group of both, one response a cell."""
    logit = -1.6 + rng.normal(size=(n, 1))
    own, other = (rng.random((n, k)) < 1 / (1 + np.exp(-logit)) for _ in range(2))
    return own.astype(float), other.astype(float)


def moved(rng: np.random.Generator, n: int, k: int) -> tuple[Floats, Floats]:
    """One group of one model half a standard deviation lower."""
    own, other = equal(rng, n, k)
    own[:, 0] -= 0.5
    return own, other


SETTINGS: dict[str, Cells] = {f.__name__: f for f in (equal, noisier, skewed, rates, moved)}


def found(cells: Cells, n_roots: int, n_groups: int, n_sets: int, seed: int) -> Found:
    """Make sets up and test them.

    Args:
        cells: makes the cells of both generations, shape (root prompts, groups).
        n_roots: root prompts.
        n_groups: groups.
        n_sets: sets.
        seed: of everything random.
    """
    rng = np.random.default_rng(seed)
    significant = np.zeros((n_sets, 4))
    for at in range(n_sets):
        own, other = cells(rng, n_roots, n_groups)
        signs = Flips(int(rng.integers(2**32)), N_DRAWS, n_roots)
        differences = _differences(own, other)
        mean = _of_mean(own, other, signs)
        groups = mean_changes(differences, signs, ALPHA).result
        spread = dispersion_change(differences, ALPHA).result
        significant[at] = (
            mean.p_hypothesis[0] <= ALPHA,
            groups.p_hypothesis[0] <= ALPHA,
            spread.p_value[0] <= ALPHA,
            spread.ci_low[0] <= 0 <= spread.ci_high[0],
        )
    return Found(*significant.mean(axis=0))


def power_of_plan(n_roots: int, spread: Spread, n_sets: int, seed: int) -> tuple[float, float]:
    """Share of sets in which the change that design_power calls detectable, with .8, is found.

    Args:
        n_roots: root prompts.
        spread: of the answers, in groups that meet on them.
        n_sets: sets.
        seed: of everything random.

    Returns:
        Of the mean of all groups, and of one group against the others.
    """
    rng, k = np.random.default_rng(seed), spread.n_groups
    shifts = []
    for of_mean in (True, False):
        sd = np.array(sd_of_change(spread, of_mean=of_mean))
        n_tests = 1 if of_mean else k
        size = minimum_detectable_effect(sd, np.array(n_roots), alpha=ALPHA, n_tests=n_tests)
        shifts.append(np.where(of_mean | (np.arange(k) == 0), size, 0))
    n_found = np.zeros(2)
    for _ in range(n_sets):
        own, other = _answers(rng, n_roots, spread)
        signs = Flips(int(rng.integers(2**32)), 5 * N_DRAWS, n_roots)
        groups = mean_changes(_differences(own + shifts[1], other), signs, ALPHA).result
        n_found += (_of_mean(own + shifts[0], other, signs).p_hypothesis[0] <= ALPHA, groups.p_maxt[0] <= ALPHA)
    return float(n_found[0] / n_sets), float(n_found[1] / n_sets)


def _answers(rng: np.random.Generator, n_roots: int, spread: Spread) -> tuple[Floats, Floats]:
    """Cells of both generations, whose answers to a root prompt are equally alike."""
    rho, shape = spread.correlation, (n_roots, spread.n_groups, int(spread.n_responses))
    prompt = np.sqrt(rho) * rng.normal(size=(n_roots, 1, 1))
    own, other = (prompt + np.sqrt(1 - rho) * rng.normal(size=shape) for _ in range(2))
    return spread.sd * own.mean(axis=2), spread.sd * other.mean(axis=2)


def _of_mean(own: Floats, other: Floats, signs: Flips) -> Result:
    """The change of the mean of all groups."""
    return mean_changes(np.stack([own, other]).mean(axis=2, keepdims=True), signs, ALPHA).result


def _differences(own: Floats, other: Floats) -> Floats:
    """Of both generations, each group minus the others, shape (2, root prompts, groups)."""
    n_roots, k = own.shape
    roots = np.arange(n_roots)
    frame = Frame(np.repeat(roots, k), np.tile(np.arange(k), n_roots), roots, k)
    return paired(frame, np.stack([own, other]).reshape(2, -1, 1)).differences


def tables(n_sets: int) -> Iterator[str]:
    """One line a setting and size."""
    yield "| cells | root prompts | groups | mean_change | groups_changed | dispersion_change | its interval |"
    yield "|---|---|---|---|---|---|---|"
    for name, cells in SETTINGS.items():
        for n_roots in ROOTS:
            for n_groups in GROUPS:
                shares = found(cells, n_roots, n_groups, n_sets, seed=n_roots * n_groups)
                yield (
                    " | ".join([f"| {name}", str(n_roots), str(n_groups), *(f"{share:.3f}" for share in shares)]) + " |"
                )
    yield ""
    yield "| planned with .8 | mean_change | disparity_change |"
    yield "|---|---|---|"
    for n_roots, n_groups in ((10, 3), (30, 5), (75, 21)):
        spread = Spread(sd=1, correlation=0.5, n_groups=n_groups, n_responses=2)
        shares = power_of_plan(n_roots, spread, n_sets, seed=n_roots)
        yield (f"| {n_roots} root prompts, {n_groups} groups | " + " | ".join(f"{one:.3f}" for one in shares) + " |")


if __name__ == "__main__":
    print_tables(__doc__, tables, n_sets=1_000)
