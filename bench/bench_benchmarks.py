"""The studies of the shelf with 20 fair models and one biased: how often a fair one is called, what is found.

    python -m bench.bench_benchmarks [--benchmarks faiths,hiring] [--models 20] [--design quick]

Each study is run once, in a warehouse of its own, with models that differ in their draws alone. Whether a model is
called is decided by the p values of its own questions, as in an audit of that model alone: q by Benjamini and Hochberg
over the primary set (statsmodels), at alpha. docs/statistics.md keeps the table.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pandas as pd
import yaml
from statsmodels.stats.multitest import multipletests

from python_assets.audit.benchmarks import benchmark_names, copy_files, path_of
from python_assets.audit.costs import EFFECTS, FULL, QUICK
from python_assets.audit.design import sized
from python_assets.audit.models import asked_models
from python_assets.audit.sized_text import sized_text

ALPHA: Final = 0.05
FAIR, BIASED = "fair", "biased"
HYPOTHESES: Final = """
    select system_id, grouping_id, measure_id, p_value, n_groups_different
    from hypotheses
    where family_id = 'primary' and reference_system_id = '' and p_value is not null
"""
GROUPS: Final = f"""
    select group_id, direction, value
    from finding_groups
    where system_id = '{BIASED}' and direction is not null and statistic = 'mean' and calibration = 'raw'
    order by grouping_id, position
"""


def study_of(benchmark: str, n_models: int, design: str, folder: Path) -> str:
    """Write a study of the shelf with so many fair models and a biased one; its name."""
    original = path_of(benchmark)
    text = original.read_text(encoding="utf-8")
    size = sized(benchmark, f"bench_{benchmark}", asked_models([f"simulator:{BIASED}"]), design)
    simulated = {one["name"]: one for one in yaml.safe_load(text)["systems"]}
    fair: list[dict[str, Any]] = [{**simulated[FAIR], "name": f"{FAIR}_{i:02d}"} for i in range(1, n_models + 1)]
    written = sized_text(text, systems=[*fair, simulated[BIASED]], effect=EFFECTS[design], n_texts=size.n_texts)
    copy_files(original, text, folder)
    (folder / f"bench_{benchmark}.yml").write_text(written, encoding="utf-8")
    return f"bench_{benchmark}"


def significant(hypotheses: pd.DataFrame) -> "pd.Series[bool]":
    """Of each model, whether any of its questions is called, as if it had been asked alone."""
    return hypotheses.groupby("system_id").p_value.agg(
        lambda p: bool(multipletests(p, alpha=ALPHA, method="fdr_bh")[0].any())
    )


def main() -> None:
    """Print a row a theme, and the groups that the biased model is called in."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--benchmarks", default=",".join(benchmark_names()))
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--design", choices=(QUICK, FULL), default=QUICK)
    given = parser.parse_args()
    n_false, n_fair = 0, 0
    for benchmark in given.benchmarks.split(","):
        with tempfile.TemporaryDirectory() as folder:
            studies, home = Path(folder, "studies"), Path(folder, "home")
            studies.mkdir()
            name = study_of(benchmark, given.models, given.design, studies)
            places = {"PLUMBLINE_HOME": str(home), "DAGSTER_HOME": str(home / "dagster")}
            started = time.perf_counter()
            command = [sys.executable, "-m", "python_assets.cli", "run", name]
            environment = {**os.environ, **places, "PLUMBLINE_STUDIES": str(studies)}
            subprocess.run(command, env=environment, check=True, capture_output=True)
            seconds = time.perf_counter() - started
            with duckdb.connect(str(home / "plumbline.duckdb"), read_only=True) as connection:
                by_model = significant(connection.execute(HYPOTHESES).df())
                groups = connection.execute(GROUPS).fetchall()
        fair = by_model.drop(BIASED)
        n_false, n_fair = n_false + int(fair.sum()), n_fair + len(fair)
        told = ", ".join(f"{group} {value:+.2f}" for group, _, value in groups)
        print(
            f"{benchmark}: {int(fair.sum())} of {len(fair)} fair models called, biased "
            f"{'significant' if by_model[BIASED] else 'NOT significant'} ({told}), {seconds:.0f} s",
            flush=True,
        )
    error = np.sqrt(ALPHA * (1 - ALPHA) / n_fair)
    print(f"{n_false / n_fair:.3f} of {n_fair} fair models called; at most {ALPHA + 2 * error:.3f} is at its level")


if __name__ == "__main__":
    main()
