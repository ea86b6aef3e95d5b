"""How often groups of units of one group each seem to have moved between two generations, where none did.

python -m bench.bench_unit_changes [--sets 400]

Belongs here: made-up units, names say, that two generations were asked about with the same prompts. The test
is infer/changes/unit_changes.py.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from bench.error_tables import print_tables
from python_assets.infer.changes.change_rows import Change
from python_assets.infer.changes.unit_changes import unit_changes
from python_assets.infer.design.cells import Cells
from python_assets.infer.design.design import Frame
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.options import Options

ALPHA: Final = 0.05
N_DRAWS: Final = 199


class Design(NamedTuple):
    """Groups of names, asked with some prompts by both generations.

    n_units: of each group. shift: of every answer of one generation. spread: of the changes of the first
    group over that of the others. interaction: variance that generation, group and prompt share.
    """

    n_units: tuple[int, ...]
    n_prompts: int
    shift: float = 0.0
    spread: float = 1.0
    interaction: float = 0.0
    is_skewed: bool = False


DESIGNS: Final = {
    "3 groups of 10 names, a prompt each": Design((10, 10, 10), 1),
    "the same, all answers moved by 1": Design((10, 10, 10), 1, shift=1),
    "the same, one group of three times the spread": Design((10, 10, 10), 1, spread=3),
    "the same, exponential": Design((10, 10, 10), 1, is_skewed=True),
    "groups of 5 and 20 names, a prompt each": Design((5, 20), 1),
    "3 groups of 10 names, 8 prompts": Design((10, 10, 10), 8),
    "the same, prompts move groups": Design((10, 10, 10), 8, interaction=0.1),
    "3 groups of 4 names, a prompt each": Design((4, 4, 4), 1),
}


def found(design: Design, n_sets: int, seed: int) -> float:
    """Share of sets whose question, whether groups moved, has p <= .05.

    Args:
        design: no group moved.
        n_sets: sets.
        seed: of everything random.
    """
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(len(design.n_units)), design.n_units)
    n_significant = 0
    for at in range(n_sets):
        options = Options(
            seed=at, n_permutations=N_DRAWS, n_bootstrap=N_DRAWS, alpha=ALPHA, margins={}, references={}, contrasts=()
        )
        cells = _cells(design, group, rng)
        change = unit_changes(cells, cells.x.T[:, :, None], options)
        if not isinstance(change, Change):
            raise TypeError("every design has groups of several units")
        n_significant += float(change.result.p_hypothesis[0]) <= ALPHA
    return n_significant / n_sets


def _cells(design: Design, group: Ints, rng: np.random.Generator) -> Cells:
    """A cell a unit and prompt; one prompt is each unit's own."""
    n_units, n_prompts = len(group), design.n_prompts
    unit, prompt = (one.ravel() for one in np.indices((n_units, n_prompts)))
    shape = (n_units, n_prompts)
    answers = np.stack([_answers(design, group, rng, shape) for _ in range(2)], axis=-1)
    answers[..., 0] += design.shift
    answers += rng.normal(size=(n_units, 1, 1)) + rng.normal(size=(1, n_prompts, 1))
    return Cells(
        slice_id="all",
        grouping_id="gender",
        columns=pd.DataFrame(),
        group_ids=[str(one) for one in range(len(design.n_units))],
        frame=Frame(np.arange(unit.size), group[unit], unit, len(design.n_units), n_prompts == 1),
        x=answers.reshape(-1, 2),
        n_responses=np.ones((unit.size, 2)),
        has_several_prompts=False,
        scheme="nested",
        stratum_of_cell=np.zeros(unit.size, dtype=np.intp),
        root_prompt_of_cell=unit if n_prompts == 1 else prompt,
    )


def _answers(design: Design, group: Ints, rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """What one generation adds: noise by unit, by answer, and of group and prompt."""
    of_unit = rng.exponential(size=shape[0]) - 1 if design.is_skewed else rng.normal(size=shape[0])
    of_unit = of_unit * np.where(group == 0, design.spread, 1)
    of_group = np.sqrt(design.interaction) * rng.normal(size=(len(design.n_units), shape[1]))
    return of_unit[:, None] + of_group[group] + 0.5 * rng.normal(size=shape)


def tables(n_sets: int) -> Iterator[str]:
    """One line a design."""
    yield "| design | groups_changed, p <= .05 |"
    yield "|---|---|"
    for at, (name, design) in enumerate(DESIGNS.items()):
        yield f"| {name} | {found(design, n_sets, seed=at):.3f} |"


if __name__ == "__main__":
    print_tables(__doc__, tables, n_sets=400)
