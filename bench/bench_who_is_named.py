"""How often a group that is like all others is named to differ, where one group is odd.

python -m bench.bench_who_is_named [--sets 1000]

Belongs here: made-up scores of one system, 20 root prompts x 5 groups, one hypothesis a family. Every data set is a
measure of one made-up study, which infer_study tests; so data sets share their draws. bench_who_moved.py has changes
between two systems.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from bench.error_tables import print_tables
from python_assets.importers.formats import read_import
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.run import infer_study
from python_assets.library.in_memory import fill_raw_tables
from python_assets.study_file.load import load_study
from python_assets.transform.compile import compiled_project
from python_assets.transform.run import run_steps
from python_assets.warehouse.build import open_memory
from python_assets.warehouse.progress import SILENT

N_ROOTS: Final = 20
N_GROUPS: Final = 5
N_DRAWS: Final = 199
SETS_AT_ONCE: Final = 250
ODD_GROUP: Final = "group 00"
STUDY: Final = """\
title: Made-up scores of one odd group
domain: none
prompts:
  import:
    path: scores.csv
    columns: {{prompt: [root, group], root_prompt: root, prompt_text: root, system: system}}
    factors: {{group: group}}
systems: [{{name: "*", provider: replay}}]
measures:
{measures}
groupings: [group]
analysis:
  permutations: {n_draws}
  bootstrap: 200
  statistics: [mean]
  families:
{families}
"""
_NAMED: Final = """
    select
        measure_id, group_id, contrasts.q_value <= significance_level as is_significant,
        contrasts.verdict in ('different', 'beyond_margin') as is_named
    from inference.contrasts as contrasts
    join inference.hypotheses as hypotheses using (measure_id, system_id, statistic)
    where contrast = 'mean_difference' and measure_id like 'score_%'
"""
Cells = Callable[[np.random.Generator, tuple[int, int, int]], Floats]


def _first(values: float, shape: tuple[int, int, int], others: float = 0.0) -> Floats:
    """One number a group: of the odd group, which is the first, and of the others."""
    numbers = np.full(shape[1], others)
    numbers[0] = values
    return numbers[:, None]


def _lognormal(factor: float) -> Cells:
    return lambda rng, shape: rng.lognormal(0, 0.9, shape) * _first(factor, shape, 1.0)


def _zeros(rng: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
    return np.asarray((rng.random(shape) < _first(0.15, shape, 0.3)) * rng.gamma(2, 0.5, shape))


def _normal(rng: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
    return np.asarray(rng.normal(size=(shape[0], 1, shape[2])) + rng.normal(size=shape) + _first(0.9, shape))


# of one root prompt and group, shape (root prompts, groups, sets)
DESIGNS: Final[dict[str, Cells]] = {
    "lognormal, odd group twice as large": _lognormal(2.0),
    "lognormal, odd group four times as large": _lognormal(4.0),
    "zeros, scores in .15 of the odd group's cells and .3 of the others'": _zeros,
    "normal, odd group .9 sd higher": _normal,
}


class Found(NamedTuple):
    """Shares of studies.

    significant: q of some innocent group is at most alpha. innocent: some innocent group differs on its own, by q and
    interval. guilty: the odd group does.
    """

    significant: float
    innocent: float
    guilty: float


def found(design: str, n_sets: int, seed: int) -> Found:
    """Make studies up and tell who is named.

    Args:
        design: of DESIGNS.
        n_sets: studies.
        seed: of everything random.
    """
    rng = np.random.default_rng(seed)
    parts = []
    for start in range(0, n_sets, SETS_AT_ONCE):
        x = DESIGNS[design](rng, (N_ROOTS, N_GROUPS, min(SETS_AT_ONCE, n_sets - start)))
        parts.append(named(x).assign(part=start))
    rows = pd.concat(parts)
    rows = rows.assign(is_odd=rows.group_id == ODD_GROUP)
    told = rows.groupby(["part", "measure_id", "is_odd"])[["is_significant", "is_named"]].any().unstack()
    return Found(
        *(told[column].mean() for column in (("is_significant", False), ("is_named", False), ("is_named", True)))
    )


def named(x: Floats) -> pd.DataFrame:
    """What infer_study says of each group of sets of cells, shape (root prompts, groups, sets)."""
    connection, project = open_memory(), compiled_project()
    with tempfile.TemporaryDirectory() as folder:
        study = load_study(write_study(Path(folder), x[None], N_DRAWS))
        list(fill_raw_tables(connection, study, read_import(study)))
    run_steps(connection, project, project.before_inference, SILENT)
    infer_study(connection, study)
    return connection.sql(_NAMED).df()


def write_study(folder: Path, x: Floats, n_draws: int) -> Path:
    """Write scores, shape (systems, root prompts, groups, sets), and the study file that asks about them.

    Each set is a measure, and of the groups of one system a family of its own; changes are one family.
    """
    n_sets = x.shape[3]
    names = [f"score_{at:04d}" for at in range(n_sets)]
    system, root, group = (axis.ravel() for axis in np.indices(x.shape[:3]))
    keys = {
        "root": [f"prompt {at:03d}" for at in root],
        "group": [f"group {at:02d}" for at in group],
        "system": [f"system {at}" for at in system],
    }
    table = pd.DataFrame(keys).join(pd.DataFrame(x.reshape(-1, n_sets), columns=names))
    table.to_csv(folder / "scores.csv", index=False)
    text = STUDY.format(
        n_draws=n_draws,
        measures="\n".join(f"  - {{name: {name}, kind: continuous, column: {name}}}" for name in names),
        families="\n".join(f"    set_{name}: {{measures: [{name}], statistics: [mean]}}" for name in names),
    )
    path = folder / "who_is_named.yml"
    path.write_text(text, encoding="utf-8")
    return path


def tables(n_sets: int) -> Iterator[str]:
    """One line a design."""
    yield f"| {N_ROOTS} root prompts x {N_GROUPS} groups | innocent significant | innocent named | guilty named |"
    yield "|---|---|---|---|"
    for seed, design in enumerate(DESIGNS):
        shares = found(design, n_sets, seed)
        yield f"| {design} | " + " | ".join(f"{share:.3f}" for share in shares) + " |"


if __name__ == "__main__":
    print_tables(__doc__, tables, n_sets=1_000)
