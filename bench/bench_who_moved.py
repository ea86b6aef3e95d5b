"""How often a group that did not move is told to have moved, where another did.

python -m bench.bench_who_moved [--sets 1000]

Belongs here: made-up changes of cells with known movers, one hypothesis a family. The rounds are
infer/changes/who_moved.py, the words those of the gate. bench_who_is_named.py has the groups of one system.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from bench.error_tables import print_tables
from python_assets.infer.changes.measure_changes import Exchanges, MeasureChanges
from python_assets.infer.changes.swapped import mean_changes
from python_assets.infer.changes.who_moved import FEWEST_GROUPS
from python_assets.infer.design.cells import Cells
from python_assets.infer.design.design import Frame
from python_assets.infer.draws.exchange import Floats, Ints, Shuffles
from python_assets.infer.draws.flips import Flips
from python_assets.infer.formulas.verdict import RowNumbers, Verdict, row_verdicts
from python_assets.infer.options import Options
from python_assets.infer.result import Bools

ALPHA: Final = 0.05
N_DRAWS: Final = 199
MARGIN: Final = 0.2
ZERO_INFLATED_SHARE: Final = 0.3


class Design(NamedTuple):
    """Two systems: root prompts, and how far each group moved, in sd of the change of one cell where noise is normal.

    noise: of NOISES. Where scores are mostly zeros, a shift is of the share of a group's scores that are not; where
    they are multiplied, of the factor.
    """

    n_roots: int
    shifts: tuple[float, ...]
    noise: str = "normal"

    def __str__(self) -> str:
        movers = ", ".join(f"{shift:g}" for shift in self.shifts if shift) or "none"
        return f"{self.n_roots}x{len(self.shifts)}, {movers}{'' if self.noise == 'normal' else f', {self.noise}'}"


def _moved(n_roots: int, n_groups: int, *movers: float) -> Design:
    return Design(n_roots, (*movers, *[0.0] * (n_groups - len(movers))))


def _less_normal(rng: np.random.Generator, shifts: Floats) -> Floats:
    """The first system's scores have a long tail, the second's have none."""
    return rng.lognormal(0, 0.9, shifts.shape) - np.exp(0.405) - rng.normal(size=shifts.shape) + shifts


def _multiplied(rng: np.random.Generator, shifts: Floats) -> Floats:
    """Scores of both systems with a long tail and mean 1; those of a group that moved are larger and spread more."""
    first, second = (rng.lognormal(-0.405, 0.9, shifts.shape) for _ in range(2))
    return np.asarray(first * (1 + shifts) - second)


def _zeros(rng: np.random.Generator, shifts: Floats) -> Floats:
    """Scores of both systems, .3 of them not zero and then of mean 1."""
    sides = (rng.random(shifts.shape) < ZERO_INFLATED_SHARE + shift for shift in (shifts, 0 * shifts))
    first, second = (side * rng.gamma(2, 0.5, shifts.shape) for side in sides)
    return np.asarray(first - second)


NOISES: Final[dict[str, Callable[[np.random.Generator, Floats], Floats]]] = {
    "normal": lambda rng, shifts: rng.normal(size=shifts.shape) + shifts,
    "exponential": lambda rng, shifts: rng.exponential(size=shifts.shape) - 1 + shifts,
    "lognormal less normal": _less_normal,
    "lognormal, multiplied": _multiplied,
    "zero-inflated": _zeros,
}
# every number of root prompts and groups with every pattern of movers; then spread that is not normal
SIZES: Final = ((12, 4), (30, 3), (40, 5), (75, 5), (60, 8))
PATTERNS: Final = ((), (0.4,), (0.8,), (1.2,), (0.8, -0.8), (0.8, 0.8), (0.5, 0.5, 0.5))
GRID: Final = (
    *(_moved(*size, *movers) for size in SIZES for movers in PATTERNS if len(movers) < size[1] / 2),
    *(_moved(12, 4, 1.5), _moved(20, 5, 1.2, 1.2), _moved(30, 5, 1.2)),
    *(_moved(*size, *movers)._replace(noise="exponential") for size in SIZES for movers in ((), (0.8,))),
)
SKEWED_SIZES: Final[dict[str, tuple[tuple[int, int, float], ...]]] = {
    "lognormal less normal": (
        *((12, 4, 1.5), (12, 5, 0.0), (12, 5, 1.2), (12, 21, 0.0), (12, 21, 1.2), (20, 5, 0.0), (20, 5, 1.2)),
        *((30, 3, 0.8), (30, 5, 0.8), (60, 8, 0.8)),
    ),
    "lognormal, multiplied": ((12, 5, 1.0), (12, 21, 1.0), (20, 5, 1.0), (30, 3, 1.0)),
    "exponential": ((12, 5, 1.2), (20, 5, 0.8), (30, 3, 0.8)),
    "zero-inflated": ((12, 5, 0.5), (20, 5, 0.5), (30, 5, 0.3), (60, 8, 0.3)),
}
SKEWED: Final = (
    *(_moved(n, k, shift)._replace(noise=noise) for noise, sizes in SKEWED_SIZES.items() for n, k, shift in sizes),
    _moved(30, 5, 0.8, -0.8)._replace(noise="exponential"),
)
# some unmoved group is named too often: it lies farther from the others than those that moved do
NOT_SOLVED: Final = (
    _moved(60, 8, 0.5, 0.5, 0.5),
    _moved(30, 3, 0.8, 0.8),
    _moved(20, 5, 1.2, 1.2)._replace(noise="lognormal less normal"),
)


class Found(NamedTuple):
    """Shares of pairs, or of moved groups.

    significant: some unmoved group is, against all others. differs_on_its_own: some unmoved group does. accused: some
    unmoved group is told by name to be beyond its margin. apart: two camps are told. moved_significant, moved_stand,
    moved_beyond: of the groups that moved. covered: intervals of value_alone of these that hold how far they moved.
    """

    significant: float
    differs_on_its_own: float
    accused: float
    apart: float
    moved_significant: float
    moved_stand: float
    moved_beyond: float
    covered: float


def made(design: Design, n_sets: int, seed: int) -> Floats:
    """Changes of the cells of all sets, shape (sets, root prompts, groups)."""
    shifts = np.broadcast_to(np.array(design.shifts), (n_sets, design.n_roots, len(design.shifts)))
    return NOISES[design.noise](np.random.default_rng(seed), shifts)


def changes_of(c: Floats, *, n_draws: int = N_DRAWS, seed: int = 1, margin: float = MARGIN) -> MeasureChanges:
    """Two generations whose complete cells differ by c, shape (root prompts, groups)."""
    n, k = c.shape
    frame = Frame(np.repeat(np.arange(n), k), np.tile(np.arange(k), n), np.arange(n), k)
    x = np.column_stack([c.ravel(), np.zeros(n * k)])
    columns, names = pd.DataFrame({"is_unscored": [False, False]}), [f"g{group}" for group in range(k)]
    cells = Cells(
        slice_id="all",
        grouping_id="made",
        columns=columns,
        group_ids=names,
        frame=frame,
        x=x,
        n_responses=np.ones(x.shape),
        has_several_prompts=False,
    )
    options = Options(
        seed=seed, n_permutations=n_draws, n_bootstrap=0, alpha=ALPHA, margins={}, references={}, contrasts=()
    )

    def swaps(units: Ints) -> Flips:
        return Flips(seed, n_draws, n, units)

    exchanges = Exchanges.of(frame, swaps, Shuffles(seed, n_draws, frame.block).of)
    return MeasureChanges(cells, {"": (0, 1)}, "continuous", {}, exchanges, options, margin=margin)


def found(design: Design, n_sets: int, seed: int) -> Found:
    """Make pairs up and tell who moved.

    Args:
        design: what they are.
        n_sets: pairs.
        seed: of everything random.
    """
    is_mover = np.array(design.shifts) != 0
    told = [_told(c, seed + at) for at, c in enumerate(made(design, n_sets, seed))]
    significant, differs_on_its_own, accused, apart, beyond = (
        np.array([one[name] for one in told])
        for name in ("significant", "differs_on_its_own", "accused", "apart", "beyond")
    )
    shifts = np.array(design.shifts)
    covered = [(one["low"] <= shifts) & (one["high"] >= shifts) for one in told if not one["apart"]]
    return Found(
        significant=(significant & ~is_mover).any(axis=1).mean(),
        differs_on_its_own=(differs_on_its_own & ~is_mover).any(axis=1).mean(),
        accused=(accused & ~is_mover).any(axis=1).mean(),
        apart=apart.mean(),
        moved_significant=_mean(significant[:, is_mover]),
        moved_stand=_mean(differs_on_its_own[:, is_mover]),
        moved_beyond=_mean(beyond[:, is_mover]),
        covered=_mean(np.array(covered).reshape(-1, len(shifts))[:, is_mover]),
    )


def _mean(shares: Bools) -> float:
    return float(shares.mean()) if shares.size else np.nan


def _told(c: Floats, seed: int) -> dict[str, Bools]:
    """What is said of the groups of one pair, its one question alone in its set."""
    changes = changes_of(c, seed=seed)
    d = changes.changes_without([])
    first = changes.also_shuffled(mean_changes(np.stack([d, 0 * d]), changes.signs, ALPHA, margin=MARGIN).result)
    q = np.maximum(first.p_maxt, first.p_hypothesis)
    significant, low, high = q <= ALPHA, first.ci_low, first.ci_high
    shown, is_apart = significant, len(significant) < FEWEST_GROUPS
    if first.p_hypothesis[0] <= ALPHA and not is_apart:
        _, moved = changes.who_moved(lambda p: p <= ALPHA)
        is_apart = moved.alone is None
        if moved.alone is not None:
            shown, low, high = moved.differs_on_its_own, moved.alone.ci_low, moved.alone.ci_high
    past = np.where((low > MARGIN) | (high < -MARGIN), 0.0, 1.0)
    judged = row_verdicts(RowNumbers(np.where(shown, 0.0, q), low, high, past, 0 * past + 1, is_settled=shown), ALPHA)
    shown, beyond = judged.is_significant, judged.verdict == Verdict.BEYOND_MARGIN
    named = np.zeros(len(q), dtype=bool) if is_apart else shown
    return {
        "significant": significant,
        "differs_on_its_own": named,
        "accused": beyond & named,
        "beyond": beyond,
        "apart": np.array(is_apart and bool(shown.any())),
        "low": low,
        "high": high,
    }


def tables(n_sets: int) -> Iterator[str]:
    """One line a design."""
    yield (
        "| root prompts x groups, moved by | unmoved: called | stands | accused by the gate | camps | moved: called "
        + ("| stand | beyond | covered |")
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for at, design in enumerate(chain(GRID, SKEWED, NOT_SOLVED[1:])):
        shares = found(design, n_sets, seed=1_000_000 * at)
        yield " | ".join(chain([f"| {design}"], (f"{share:.3f}" for share in shares))) + " |"


if __name__ == "__main__":
    print_tables(__doc__, tables, n_sets=1_000)
