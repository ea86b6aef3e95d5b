"""Prompts put to names of a gender and race, each with every nationality, where no group differs.

Belongs here: how such data are made and laid out by each of their groupings; shared by tests and by bench/.
A data set is a column. Of the variance 1 a name makes .2, a prompt .3, interactions what the caller says.
"""

from typing import Literal, NamedTuple, NoReturn

import numpy as np
import pandas as pd

from python_assets.infer.design.cells import PARTLY_NESTED, Cells
from python_assets.infer.design.design import Frame
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.groups.compare_groups import GroupResponses, compare_groups
from python_assets.infer.options import Options

GROUPS = 4  # of gender and race, with as many names each
Grouping = Literal["gender x race", "nationality", "gender x race x nationality"]


class Names(NamedTuple):
    """Names of each gender and race, prompts that all of them are put to, and nationalities."""

    n_names: int = 10
    n_prompts: int = 8
    n_lands: int = 3

    @property
    def n_units(self) -> int:
        """Names in all."""
        return GROUPS * self.n_names


class Shares(NamedTuple):
    """What interactions take of the variance: groups differ from prompt to prompt, or name to name."""

    group_by_prompt: float = 0.05
    land_by_prompt: float = 0.0
    land_by_name: float = 0.05


def responses(rng: np.random.Generator, names: Names, shares: Shares, n_sets: int) -> Floats:
    """Scores without any difference, shape (names, nationalities, prompts, data sets)."""
    n_units, n_lands, n_prompts = names.n_units, names.n_lands, names.n_prompts

    def effect(variance: float, *shape: int) -> Floats:
        return np.sqrt(variance) * rng.standard_normal((*shape, n_sets))

    of_group = effect(shares.group_by_prompt, GROUPS, 1, n_prompts).repeat(names.n_names, axis=0)
    left = 1 - 0.2 - 0.3 - sum(shares)
    x = effect(left, n_units, n_lands, n_prompts)
    x += effect(0.2, n_units, 1, 1) + effect(0.3, 1, 1, n_prompts) + of_group
    x += effect(shares.land_by_prompt, 1, n_lands, n_prompts)
    x += effect(shares.land_by_name, n_units, n_lands, 1)
    return x


def cells_of(names: Names, x: Floats, grouping: Grouping) -> Cells:
    """The cells of one grouping as int_prompt_groups lays them out."""
    n_units, n_lands, n_prompts, n_sets = x.shape
    group = np.repeat(np.arange(GROUPS), names.n_names)
    if grouping == "gender x race":
        unit, prompt = (part.ravel() for part in np.indices((n_units, n_prompts)))
        frame = Frame(np.arange(len(unit)), group[unit], unit, GROUPS, has_own_prompts=False)
        x = x.mean(axis=1)
    elif grouping == "nationality":
        unit, prompt, land = (part.ravel() for part in np.indices((n_units, n_prompts, n_lands)))
        block = np.repeat(np.arange(n_units * n_prompts), n_lands)
        frame = Frame(block, land, unit[::n_lands], n_lands, has_own_prompts=False)
        x = x.transpose(0, 2, 1, 3)
    else:
        unit, land, prompt = (part.ravel() for part in np.indices((n_units, n_lands, n_prompts)))
        frame = Frame(np.arange(len(unit)), group[unit] * n_lands + land, unit, GROUPS * n_lands, has_own_prompts=False)
    is_blocked = grouping == "nationality"
    columns = pd.DataFrame(
        {
            "system_id": [f"set {n:05d}" for n in range(n_sets)],
            "measure_id": "score",
            "calibration": "raw",
            "category": "",
            "statistic": "mean",
            "parameters": "",
            "kind": "continuous",
            "direction": "none",
        }
    )
    return Cells(
        slice_id="all",
        grouping_id=grouping,
        columns=columns,
        group_ids=[f"g{n:02d}" for n in range(frame.n_groups)],
        frame=frame,
        x=x.reshape(-1, n_sets),
        n_responses=np.ones((len(unit), n_sets)),
        has_several_prompts=False,
        scheme="blocked" if is_blocked else PARTLY_NESTED if frame.n_groups > GROUPS else "nested",
        stratum_of_cell=None if is_blocked else np.zeros(len(unit), dtype=np.intp),
        root_prompt_of_cell=np.empty(0, dtype=np.intp) if is_blocked else prompt,
    )


def tables_of(cells: Cells, n_permutations: int, seed: int = 1) -> dict[str, pd.DataFrame]:
    """The rows of the inference tables of some cells, by table."""
    options = Options(
        seed=seed, n_permutations=n_permutations, n_bootstrap=0, alpha=0.05, margins={}, references={}, contrasts=()
    )

    def nothing() -> NoReturn:
        raise ValueError("means need no single responses here")

    found: dict[str, list[pd.DataFrame]] = {}
    for name, rows in compare_groups(cells, GroupResponses(nothing, nothing), options):
        found.setdefault(name, []).append(pd.DataFrame(dict(rows)))
    return {name: pd.concat(parts, ignore_index=True) for name, parts in found.items()}
