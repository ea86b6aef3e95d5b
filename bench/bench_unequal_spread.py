"""Size of the p of a question where one group spreads more than others: shuffled alone, and held against sign flips.

    python -m bench.bench_unequal_spread [--sets 500] [--permutations 499]

A row a design: root prompts x groups, how many groups spread more and how much. Nothing differs but spread, so each
number is the share of false calls.
"""

import argparse
from typing import Final, NamedTuple

import numpy as np

from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.design.design import Design, Frame, Unit
from python_assets.infer.draws.exchange import Floats, Shuffles
from python_assets.infer.schemes.choose import Blocks

ALPHA: Final = 0.05
SETS_AT_ONCE: Final = 250
STRICT: Final = 0.006
NOISES: Final = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1,
    "lognormal": lambda rng, shape: rng.lognormal(size=shape) - np.exp(0.5),
}


class Spread(NamedTuple):
    """Root prompts, groups, how many of these have a spread so many times that of the others, and noise of both."""

    n_root_prompts: int
    n_groups: int
    n_wide: int
    factor: float
    noise: str = "normal"
    of_wide: str = "normal"


GRID: Final = {
    "12x6 half sd x4": Spread(12, 6, 3, 4),
    "12x6 one sd x6": Spread(12, 6, 1, 6),
    "12x6 one exponential with sd x4": Spread(12, 6, 1, 4, of_wide="exponential"),
    "30x6 one sd x6": Spread(30, 6, 1, 6),
    "75x6 one sd x6": Spread(75, 6, 1, 6),
    "200x5 lognormal one sd x4": Spread(200, 5, 1, 4, "lognormal", "lognormal"),
    "40x21 one sd x3": Spread(40, 21, 1, 3),
    "30x21 one exponential with sd x4": Spread(30, 21, 1, 4, of_wide="exponential"),
    "30x40 one sd x6": Spread(30, 40, 1, 6),
    "6x6 half sd x4": Spread(6, 6, 3, 4),
    "5x6 half sd x4": Spread(5, 6, 3, 4),
    "4x6 half sd x4": Spread(4, 6, 3, 4),
    "12x6 lognormal": Spread(12, 6, 0, 1, "lognormal"),
    "40x21 lognormal": Spread(40, 21, 0, 1, "lognormal"),
    "10x21 exponential": Spread(10, 21, 0, 1, "exponential"),
}


def p_of_sets(design: Spread, *, n_sets: int, n_permutations: int, seed: int = 1) -> tuple[Floats, Floats]:
    """P of the question of each set: shuffled alone, and by the rule."""
    n, k = design.n_root_prompts, design.n_groups
    frame = Frame(np.repeat(np.arange(n), k), np.tile(np.arange(k), n), np.arange(n), k)
    draws = Shuffles(seed, n_permutations, frame.block).of(np.arange(n * k))
    scheme = Blocks(Design(frame, np.arange(n * k), Unit.ROOT_PROMPT), k, draws, ALPHA, flip_seed=seed)
    rng = np.random.default_rng(seed)
    found = []
    for start in range(0, n_sets, SETS_AT_ONCE):
        n_columns = min(SETS_AT_ONCE, n_sets - start)
        wide = design.factor * NOISES[design.of_wide](rng, (n, design.n_wide, n_columns))
        others = NOISES[design.noise](rng, (n, k - design.n_wide, n_columns))
        x = np.concatenate([wide, others], axis=1).reshape(n * k, -1)
        none = {"mean_difference": np.full(x.shape[1], np.nan)}
        found.append(
            [
                compare_values(scheme, x, none, is_rate=False, with_indices=False, with_flips=also)
                .contrasts["mean_difference"]
                .p_hypothesis[:, 0]
                for also in (False, True)
            ]
        )
    shuffled, ruled = np.concatenate(found, axis=1)
    return shuffled, ruled


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--permutations", type=int, default=499)
    options = parser.parse_args()
    print(
        f"| size at {ALPHA}, {options.sets} sets | shuffled | rule | shuffled / rule at {STRICT} |\n|---|---|---|---|"
    )
    for name, design in GRID.items():
        p = p_of_sets(design, n_sets=options.sets, n_permutations=options.permutations)
        at, strict = ([float((one <= level).mean()) for one in p] for level in (ALPHA, STRICT))
        print(f"| {name} | {at[0]:.3f} | {at[1]:.3f} | {strict[0]:.3f} / {strict[1]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
