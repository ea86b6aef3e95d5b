"""Crossings asked what they add to their parts: size with main effects, power, which cells stand, coverage.

    python -m bench.bench_crossings [--sets 300] [--permutations 499]

A row a design: two factors of rows x columns levels, root prompts, what one cell has beyond its parts, and how cells
spread. Main effects of both factors are there everywhere, so each number of a design without an effect is the share of
false calls. Another table: names that lie in one cell each.
"""

import argparse
from collections.abc import Callable, Collection
from typing import Final, NamedTuple

import numpy as np

from python_assets.infer.contrasts.interaction import interaction
from python_assets.infer.contrasts.standing import standing_cells
from python_assets.infer.design.design import Design, Frame, Unit, shared
from python_assets.infer.draws.exchange import Floats, Ints, Shuffles
from python_assets.infer.formulas.multiplicity import group_levels
from python_assets.infer.result import Bools, Result
from python_assets.infer.schemes.choose import Blocks, InUnits
from python_assets.infer.schemes.units import Units

ALPHA: Final = 0.05
NOISES: Final = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1,
    "lognormal": lambda rng, shape: rng.lognormal(size=shape) - np.exp(0.5),
}


class Crossing(NamedTuple):
    """Levels of two factors, root prompts, effect and spread of the last cell in sd, noise, share missing."""

    rows: int
    columns: int
    n: int
    effect: float = 0.0
    spread: float = 1.0
    noise: str = "normal"
    missing: float = 0.0

    @property
    def n_cells(self) -> int:
        """Cells of a root prompt."""
        return self.rows * self.columns

    @property
    def parts(self) -> Ints:
        """Both factors, as Cells.asks_of_parts has them."""
        return np.stack([np.arange(self.n_cells) // self.columns, np.arange(self.n_cells) % self.columns])


# a grid: levels x root prompts, then what spreads or is missing, then one cell that differs
SIZES: Final = [(2, 3), (2, 4), (3, 7)]
GRID: Final = [
    *(Crossing(*size, n) for size in SIZES for n in (6, 10, 30)),
    *(Crossing(*size, 10, spread=spread) for size in SIZES for spread in (3.0, 6.0)),
    *(Crossing(*size, 10, noise=noise) for size in SIZES for noise in ("exponential", "lognormal")),
    *(Crossing(*size, 30, missing=missing) for size in SIZES for missing in (0.02, 0.1, 0.3)),
    *(Crossing(*size, n, effect=0.8) for size in SIZES for n in (10, 30)),
    *(Crossing(3, 3, 10, effect=effect, spread=spread) for effect, spread in ((3.0, 2.0), (1.5, 1.0))),
]
NAMES: Final = [(2, 3, 4), (2, 3, 8), (3, 7, 8)]  # rows, columns, names a cell


class Found(NamedTuple):
    """Shares of sets: called, the cell stands, another is called at first, another stands; and covered intervals."""

    significant: float
    differs_on_its_own: float
    other_significant: float
    other_stands: float
    covered: float


def drawn(design: Crossing, rng: np.random.Generator) -> Floats:
    """Cells of one set, shape (root prompts, cells), NaN where missing."""
    x = NOISES[design.noise](rng, (design.n, design.n_cells))
    x[:, -1] = design.effect + design.spread * x[:, -1]
    x += rng.normal(size=(design.n, 1)) + 0.8 * design.parts[0] - 0.5 * design.parts[1]
    x[rng.uniform(size=x.shape) < design.missing] = np.nan
    return x


def asked(design: Crossing, x: Floats, without: Collection[int], n_permutations: int) -> Result:
    """What the cells of one set have beyond their parts."""
    left = x.copy()
    left[:, list(without)] = np.nan
    frame = Frame(
        np.repeat(np.arange(design.n), design.n_cells),
        np.tile(np.arange(design.n_cells), design.n),
        np.arange(design.n),
        design.n_cells,
    )
    cell = shared(frame, ~np.isnan(left.ravel()))
    draws = Shuffles(1, n_permutations, frame.block).of(cell)
    scheme = Blocks(Design(frame, cell, Unit.ROOT_PROMPT), design.n_cells, draws, ALPHA, flip_seed=1)
    return interaction(scheme, left.reshape(-1, 1)[cell], design.parts, margin=np.full(1, np.nan))


def is_significant_by(p_hypothesis: float) -> Callable[[Floats], Bools]:
    """Whether cells of a question that is alone in its set are called."""
    return lambda p: np.asarray(group_levels(p, p_hypothesis, np.array([p_hypothesis])) <= ALPHA)


def found_in(design: Crossing, n_sets: int, n_permutations: int) -> Found:
    """Simulate a design."""
    rng = np.random.default_rng([design.rows, design.columns, design.n, int(10 * design.effect), int(design.spread)])
    truth = np.zeros(design.n_cells)
    is_innocent = np.ones(design.n_cells, dtype=bool)
    if design.effect:
        truth = beyond_of_effect(design)
        # cells of a factor with two levels mirror the one that differs
        is_innocent = np.abs(np.abs(truth) - np.abs(truth[-1])) > 1e-9
    rows = []
    for _ in range(n_sets):
        x = drawn(design, rng)
        first = asked(design, x, (), n_permutations)
        is_significant = is_significant_by(float(first.p_hypothesis[0, 0]))
        standing = standing_cells(lambda without, x=x: asked(design, x, without, n_permutations), is_significant)
        others = is_innocent[standing.cells] if standing.cells else np.zeros(0, dtype=bool)
        significant = is_significant(first.p_maxt)[0]
        inside = (first.ci_low[0] <= truth) & (truth <= first.ci_high[0])
        rows.append(
            (
                first.p_hypothesis[0, 0] <= ALPHA,
                bool(len(others) and not others.all()),
                bool((significant & is_innocent).any()),
                bool(others.any()),
                inside[~np.isnan(first.ci_low[0])].mean(),
            )
        )
    return Found(*np.mean(rows, axis=0))


def beyond_of_effect(design: Crossing) -> Floats:
    """What the cells truly have beyond their parts where the last one has the effect, in complete blocks."""
    x = np.zeros((design.n, design.n_cells))
    x[:, -1] = design.effect
    found: Floats = asked(design, x, (), 1).value[0]
    return found


def size_of_names(rows: int, columns: int, n_names: int, n_sets: int) -> float:
    """Share of sets of names, each in one cell and asked ten prompts, in which the crossing is called."""
    rng, n_cells, n_prompts = np.random.default_rng([rows, columns, n_names]), rows * columns, 10
    group = np.repeat(np.arange(n_cells), n_names)
    parts = np.stack([np.arange(n_cells) // columns, np.arange(n_cells) % columns])
    units = Units(
        name=np.arange(len(group)),
        cell=np.arange(len(group) * n_prompts).reshape(len(group), n_prompts),
        stratum=np.zeros(len(group), dtype=np.intp),
        group=group,
        root_of_stratum=np.zeros(1, dtype=np.intp),
        n_groups=n_cells,
        n_present=n_cells,
    )
    shape = (len(group), n_prompts, n_sets)
    wide = np.where(group == 0, 4.0, 1.0)[:, None, None]  # names of one cell differ more from each other
    x = rng.normal(size=shape) + wide * rng.normal(size=(len(group), 1, n_sets)) + rng.normal(size=(1, *shape[1:]))
    x += 0.8 * parts[0][group][:, None, None]
    draws = Shuffles(1, 1, units.stratum).of(np.arange(len(group)))
    found = interaction(InUnits(units, draws, ALPHA), x.reshape(-1, n_sets), parts, margin=np.full(n_sets, np.nan))
    return float((found.p_hypothesis[:, 0] <= ALPHA).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--permutations", type=int, default=499)
    options = parser.parse_args()
    print("| levels, root prompts, design | called | cell stands | another called | another stands | covered |")
    print("|---|---|---|---|---|---|")
    for design in GRID:
        found = found_in(design, options.sets, options.permutations)
        numbers = " | ".join(f"{value:.3f}" for value in found)
        words = [
            f"{design.rows}x{design.columns}",
            str(design.n),
            f"effect {design.effect:g}, spread x{design.spread:g}",
        ]
        print(f"| {', '.join(words)}, {design.noise}, missing {design.missing:g} | {numbers} |", flush=True)
    print("\n| names: levels, names a cell, one cell spreads x4 | called |\n|---|---|")
    for rows, columns, n_names in NAMES:
        print(f"| {rows}x{columns}, {n_names} | {size_of_names(rows, columns, n_names, 4 * options.sets):.3f} |")


if __name__ == "__main__":
    main()
