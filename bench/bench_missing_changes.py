"""How often changes are told wrongly where one generation does not answer what would have scored lowest.

python -m bench.bench_missing_changes [--sets 600]

Belongs here: made-up answers of two generations of which the first refuses, in its first group, its own lowest. The
bounds are infer/changes/missing_changes.py, the rounds infer/changes/who_moved.py.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from bench.error_tables import print_tables
from python_assets.infer.changes.measure_changes import Exchanges, MeasureChanges
from python_assets.infer.changes.missing_changes import FilledChanges
from python_assets.infer.changes.swapped import mean_changes
from python_assets.infer.design.cells import Cells, Missing
from python_assets.infer.design.design import Frame
from python_assets.infer.draws.exchange import Floats, Ints, Shuffles
from python_assets.infer.draws.flips import Flips
from python_assets.infer.formulas.missing import Ends, interval_with_missing, p_with_missing
from python_assets.infer.options import Options
from python_assets.infer.result import Bools

ALPHA: Final = 0.05
N_DRAWS: Final = 999


class Design(NamedTuple):
    """Root prompts, groups, the share of its answers to them that the first group is not given, and who moved.

    shift: of the last group, in sd of a cell, whose variance is half its root prompt's.
    """

    n_roots: int
    n_groups: int
    refused: float
    shift: float = 0.0

    def __str__(self) -> str:
        moved = f", one moved by {self.shift:g}" if self.shift else ""
        return f"{self.n_roots}x{self.n_groups}, {self.refused:.0%} refused{moved}"


GRID: Final = (
    *(Design(n, k, refused) for n, k in ((40, 5), (75, 5), (12, 4)) for refused in (0.05, 0.15, 0.3)),
    *(Design(n, k, 0.15, shift=1.2) for n, k in ((40, 5), (75, 5))),
)


class Found(NamedTuple):
    """Shares of pairs, in which the groups that refuse or stay did not move.

    covered, covered_missing: intervals of the group that refuses which hold 0, plain and with what is missing. called,
    significant_missing: that it is called at .01, by Bonferroni. stands, stands_missing: that any unmoved group stands,
    and is still told to with what is missing. moved, moved_missing: the same of the group that moved; NaN without one.
    width, width_missing: mean widths of the intervals.
    """

    covered: float
    covered_missing: float
    significant: float
    significant_missing: float
    differs_on_its_own: float
    stands_missing: float
    moved: float
    moved_missing: float
    width: float
    width_missing: float


def made(design: Design, rng: np.random.Generator) -> Floats:
    """Answers of both generations, shape (2, root prompts, groups), NaN where they are refused."""
    shape = (2, design.n_roots, design.n_groups)
    x = np.sqrt(0.5) * (rng.normal(size=(1, design.n_roots, 1)) + rng.normal(size=shape))
    x[0, :, -1] += design.shift
    lowest = np.argsort(x[0, :, 0])[: round(design.refused * design.n_roots)]
    x[0, lowest, 0] = np.nan
    return x


def changes_of(x: Floats, seed: int) -> tuple[MeasureChanges, FilledChanges]:
    """What changed between two generations, and the same with what is missing."""
    _, n, k = x.shape
    frame = Frame(np.repeat(np.arange(n), k), np.tile(np.arange(k), n), np.arange(n), k)
    flat = x.reshape(2, -1).T
    cells = Cells(
        slice_id="all",
        grouping_id="made",
        columns=pd.DataFrame({"measure_id": ["made", "made"]}),
        group_ids=[f"g{group}" for group in range(k)],
        frame=frame,
        x=flat,
        n_responses=(~np.isnan(flat)).astype(float),
        has_several_prompts=False,
    )
    options = Options(
        seed=seed, n_permutations=N_DRAWS, n_bootstrap=0, alpha=ALPHA, margins={}, references={}, contrasts=()
    )

    def swaps(units: Ints) -> Flips:
        return Flips(seed, N_DRAWS, n, units)

    columns, nothing = {"": (0, 1)}, np.full(2, np.nan)
    answers = Missing(np.isnan(flat).astype(float), nothing, nothing)
    changes = MeasureChanges(
        cells,
        columns,
        "continuous",
        {},
        exchanges=Exchanges.of(frame, swaps, Shuffles(seed, N_DRAWS, frame.block).of),
        options=options,
    )
    return changes, FilledChanges.of(cells, answers, columns, is_rate=False, fills_scale=False)


def found(design: Design, n_sets: int, seed: int) -> Found:
    """Make pairs up and tell what changed, plain and with what is missing.

    Args:
        design: what they are.
        n_sets: pairs.
        seed: of everything random.
    """
    rng = np.random.default_rng(seed)
    told = [_told(design, made(design, rng), seed + at) for at in range(n_sets)]
    return Found(*(float(np.mean([one[name] for one in told])) for name in Found._fields))


def _told(design: Design, x: Floats, seed: int) -> dict[str, float]:
    """What is said of one pair, its one question alone in its set."""
    changes, filled = changes_of(x, seed)
    d = changes.changes_without([])
    first = mean_changes(np.stack([d, 0 * d]), changes.signs, ALPHA).result
    differs_on_its_own, alone, standing = np.zeros(design.n_groups, dtype=bool), first, frozenset[int]()
    if first.p_hypothesis[0] <= ALPHA:
        _, moved = changes.who_moved(lambda p: p <= ALPHA)
        if moved.alone is not None:
            differs_on_its_own, alone, standing = moved.differs_on_its_own, moved.alone, frozenset(moved.groups)
    low, high, p = (np.full(design.n_groups, np.nan) for _ in range(3))
    for group in range(design.n_groups):
        numbers = filled.numbers(standing - {group}, ALPHA, is_of_groups=True)
        ends, df = Ends(*(numbers[name] for name in Ends._fields)), numbers["df"]
        limits = interval_with_missing(ends, df, ALPHA)
        low[group] = min(limits.low[group], alone.ci_low[group])
        high[group] = max(limits.high[group], alone.ci_high[group])
        p[group] = p_with_missing(ends, df, design.n_groups)[group]
    is_moved = np.zeros(design.n_groups, dtype=bool)
    is_moved[-1] = design.shift != 0
    p_plain = np.minimum(1, design.n_groups * first.p_value[0])
    still = differs_on_its_own & (p <= ALPHA)
    return {
        "covered": alone.ci_low[0] <= 0 <= alone.ci_high[0],
        "covered_missing": low[0] <= 0 <= high[0],
        "significant": p_plain <= 0.01,
        "significant_missing": p_plain <= 0.01 and p[0] <= 0.01,
        "differs_on_its_own": _any(differs_on_its_own, ~is_moved),
        "stands_missing": _any(still, ~is_moved),
        "moved": differs_on_its_own[-1] if design.shift else np.nan,
        "moved_missing": still[-1] if design.shift else np.nan,
        "width": alone.ci_high[0] - alone.ci_low[0],
        "width_missing": high[0] - low[0],
    }


def _any(shown: Bools, chosen: Bools) -> bool:
    return bool((shown & chosen).any())


def tables(n_sets: int) -> Iterator[str]:
    """One line a design: plain and with what is missing, side by side."""
    yield "| design | covered | called at .01 | an unmoved one stands | the moved one stands | width |"
    yield "|---|---|---|---|---|---|"
    for at, design in enumerate(GRID):
        shares = found(design, n_sets, seed=1_000_000 * at)
        pairs = (f"{plain:.3f} -> {missing:.3f}" for plain, missing in zip(shares[::2], shares[1::2], strict=True))
        yield " | ".join(chain([f"| {design}"], pairs)) + " |"


if __name__ == "__main__":
    print_tables(__doc__, tables, n_sets=600)
