"""How often groups differ that do not, where words move scores: by permutation, and beside negative controls.

python -m bench.bench_negative_controls FILE [--sets 300] [--cell "normal, tau 0.3"]

Belongs here: studies of made-up scores through plumbline.check, every one a model of its own in a table of 20, which
share nothing but the names of prompts; p is that of the hypothesis. FILE is a csv of every p: what stands there is not
computed again, so that a bench that was stopped goes on.

A score is a root prompt + what the words of a group or a control do to all root prompts + normal noise of sd 1. Words
move by normal amounts of sd tau; or one wording in ten does, by tau x sqrt(10) up or down. Ten controls of ten types.

Source: inference.md 14.
"""

import argparse
import csv
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

import plumbline
from python_assets.infer.draws.exchange import Floats

ALPHA: Final = 0.05
N_MODELS: Final = 20  # a table: checks of one model take five times as long for each
MOVING: Final = 0.1  # of wordings, in the mixture
MOST_WRONG: Final = 0.075
NEAR_MIXTURE, NEAR_POWER = 0.05, 0.07
P_VALUES: Final = """
    select system_id, p_permuted, p_value from hypotheses
    where grouping_id = 'words' and measure_id = 'score' and statistic = 'mean' and calibration = 'raw'
        and reference_system_id = ''
    order by system_id
"""


class Cell(NamedTuple):
    """A design, what is true in it, and what was found by formulas apart from the code: by permutation, with controls.

    effect: of the first group, in sd of a cell.
    """

    tau: float
    is_mixture: bool = False
    effect: float = 0.0
    permuted: float = ALPHA
    expected: float = ALPHA
    n_groups: int = 6
    n_controls: int = 10
    n_root_prompts: int = 17

    @property
    def name(self) -> str:
        """As the tables have it."""
        words = "one wording in ten moves" if self.is_mixture else "normal"
        return f"{words}, tau {self.tau:g}" + (f", one group +{self.effect:g}" if self.effect else "")

    def is_met(self, share: float) -> bool:
        """Whether a share of significant studies is what is promised."""
        if self.effect:
            return abs(share - self.expected) <= NEAR_POWER
        return abs(share - self.expected) <= NEAR_MIXTURE if self.is_mixture else share <= MOST_WRONG


CELLS: Final = (
    Cell(0.0, permuted=0.043, expected=0.018),
    Cell(0.3, permuted=0.41, expected=0.045),
    Cell(0.6, permuted=0.86, expected=0.050),
    Cell(0.3, is_mixture=True, permuted=0.40, expected=0.12),
    Cell(0.6, is_mixture=True, permuted=0.48, expected=0.18),
    Cell(0.0, effect=1.0, permuted=0.72, expected=0.48),
)


def scores(cell: Cell, rng: np.random.Generator) -> Floats:
    """Scores of one study: root prompts x groups and then controls."""
    n_words = cell.n_groups + cell.n_controls
    words = cell.tau * rng.normal(size=n_words)
    if cell.is_mixture:
        words = cell.tau / np.sqrt(MOVING) * np.sign(words) * (rng.random(n_words) < MOVING)
    words[0] += cell.effect
    return rng.normal(size=(cell.n_root_prompts, n_words)) + rng.normal(size=(cell.n_root_prompts, 1)) + words


def p_values(cell: Cell, seed: int, n_models: int = N_MODELS) -> pd.DataFrame:
    """One row a study, of which there are n_models: p_permuted, and p_value with controls."""
    rng = np.random.default_rng((seed, round(10 * cell.tau), cell.is_mixture, round(10 * cell.effect)))
    groups = [f"group {i}" for i in range(cell.n_groups)]
    controls = [f"control {i}" for i in range(cell.n_controls)]
    models = {f"model {i:03}": scores(cell, rng) for i in range(n_models)}
    wide = pd.concat({name: pd.DataFrame(x, columns=groups + controls) for name, x in models.items()}, names=["model"])
    frame = wide.rename_axis(index=["model", "prompt"], columns="words").stack().rename("score").reset_index()
    results = plumbline.check(
        frame,
        group="words",
        prompt="prompt",
        value="score",
        model="model",
        negative_controls={name: name for name in controls},
        quiet=True,
    )
    return results.sql(P_VALUES)


def known(file: Path) -> pd.DataFrame:
    """What the file holds: cell, seed and both p of every study."""
    if not file.exists():
        file.write_text("cell,seed,p_permuted,p_value\n", encoding="utf-8")
    return pd.read_csv(file).groupby(["cell", "seed"], sort=False).head(N_MODELS)  # of two benches at once the first


def fill(file: Path, cell: Cell, n_sets: int) -> None:
    """Add to the file until it holds n_sets studies of a cell; print how far it is and what one takes."""
    rows = known(file)
    there = set(rows[rows.cell == cell.name].seed)
    for seed in (seed for seed in range(-(-n_sets // N_MODELS)) if seed not in there):
        begun = time.process_time()
        found = p_values(cell, seed)
        with file.open("a", encoding="utf-8", newline="") as opened:
            csv.writer(opened).writerows((cell.name, seed, row.p_permuted, row.p_value) for row in found.itertuples())
        n_done, seconds = (seed + 1) * N_MODELS, (time.process_time() - begun) / N_MODELS
        print(f"{cell.name}: {n_done} of {n_sets} studies, {seconds:.2f} s of CPU each", flush=True)


def table(file: Path, n_sets: int) -> Iterator[str]:
    """One line a cell: how many of its studies are significant."""
    yield "| words | studies | permuted | expected | with controls | expected | |"
    yield "|---|---|---|---|---|---|---|"
    rows = known(file)
    for cell in CELLS:
        of_cell = rows[rows.cell == cell.name].head(n_sets)
        if of_cell.empty:
            continue
        permuted, share = ((of_cell[name] <= ALPHA).mean() for name in ("p_permuted", "p_value"))
        met = "met" if cell.is_met(share) else "NOT MET"
        expected = f"{cell.permuted:.3f} | {share:.3f} | {cell.expected:.3f}"
        yield f"| {cell.name} | {len(of_cell)} | {permuted:.3f} | {expected} | {met} |"


def main() -> None:
    """Fill the file, and print its table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="csv of every p, which is added to")
    parser.add_argument("--sets", type=int, default=300, help="studies a cell (default: 300)")
    parser.add_argument("--cell", choices=[cell.name for cell in CELLS], help="one cell (default: all)")
    given = parser.parse_args()
    for cell in CELLS:
        if given.cell in (None, cell.name):
            fill(given.file, cell, given.sets)
    print("\n".join(table(given.file, given.sets)))


if __name__ == "__main__":
    main()
