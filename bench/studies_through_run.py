"""Whole studies without bias through `plumbline run`: are their numbers those of the engine alone?

    python -m bench.studies_through_run [--studies 10]

Two designs of bench_studies.py are written as tables of scores with a study file, run in a warehouse of their
own, and read from the published findings. tests/end_to_end/test_whole_studies.py does one of each.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from bench.bench_studies import ALPHA, DESIGNS, Studies, p_values_of, simulate
from python_assets.infer.design.design import Unit
from python_assets.infer.draws.exchange import Floats, stable_seed
from python_assets.infer.formulas.multiplicity import benjamini_hochberg
from python_assets.study_file.load import load_study

RUN = ("1 generation x 3 measures, 21 groups", "the same, 2 % of cells missing")
STUDY = """\
title: Scores without bias
domain: none
prompts:
  import:
    path: {name}.csv
    columns: {{prompt: [root, group], root_prompt: root, prompt_text: root}}
    factors: {{group: group}}
systems:
  - {{name: "model", provider: replay}}
measures:
{measures}
groupings: [group]
"""
HYPOTHESES = """
    select measure_id, p_value, q_value from findings
    where study_id = ? and family_id = 'primary' order by measure_id
"""


def write_study(folder: Path, name: str, x: Floats) -> Path:
    """Write scores (roots, groups, questions) and the study file that asks about them."""
    n_roots, n_groups, n_hypotheses = x.shape
    measures = [f"score_{number}" for number in range(n_hypotheses)]
    table = pd.DataFrame(x.reshape(-1, n_hypotheses), columns=measures)
    table["root"] = [f"prompt {root:03d}" for root in np.repeat(np.arange(n_roots), n_groups)]
    table["group"] = [f"group {group:03d}" for group in np.tile(np.arange(n_groups), n_roots)]
    table.to_csv(folder / f"{name}.csv", index=False)
    lines = [f"  - {{name: {one}, kind: continuous, column: {one}}}" for one in measures]
    path = folder / f"{name}.yml"
    path.write_text(STUDY.format(name=name, measures="\n".join(lines)), encoding="utf-8")
    return path


def of_engine(path: Path, x: Floats) -> tuple[Floats, Floats]:
    """P and q of the questions by the engine alone, with the seed that the study has."""
    study = load_study(path)
    seed = stable_seed(study.seed, "all", "group", Unit.ROOT_PROMPT)
    flip_seed = stable_seed(study.seed, "all", "group", "root prompts turned round")
    p = p_values_of(x, n_permutations=study.n_permutations, seed=seed, flip_seed=flip_seed)
    return p, benjamini_hochberg(p)


def of_run(path: Path, home: Path) -> tuple[Floats, Floats]:
    """P and q of the questions as they are published."""
    places = {"PLUMBLINE_HOME": str(home), "DAGSTER_HOME": str(home / "dagster")}
    command = [sys.executable, "-m", "python_assets.cli", "run", path.stem]
    environment = {**os.environ, **places, "PLUMBLINE_STUDIES": str(path.parent)}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    with duckdb.connect(str(home / "plumbline.duckdb"), read_only=True) as connection:
        rows = connection.execute(HYPOTHESES, [path.stem]).fetchnumpy()
    return rows["p_value"], rows["q_value"]


def compared(studies: Studies, name: str, seed: int, folder: Path) -> tuple[Floats, Floats]:
    """P and q of one study, by the engine and as published, each of shape (2, questions)."""
    x = simulate(studies, 1, seed)[:, :, 0]
    path = write_study(folder, name, x)
    return np.stack(of_engine(path, x)), np.stack(of_run(path, folder / "home"))


def main() -> None:
    """Print a row a study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=10)
    n = parser.parse_args().studies
    with tempfile.TemporaryDirectory() as folder:
        for design, title in enumerate(RUN):
            for seed in range(1, n + 1):
                name = f"design_{design}_{seed}"
                engine, run = compared(DESIGNS[title], name, seed, Path(folder))
                gap, found = np.abs(engine - run).max(), (run[1] <= ALPHA).any()
                print(f"{title}, {seed}: {'a finding' if found else 'none'}, largest gap {gap:.1g}", flush=True)


if __name__ == "__main__":
    main()
