"""Seconds of dbt's models from values to disparities: all statistics of SAGED at the size of its own study.

    python -m bench.bench_statistics [--times 1]

31,500 responses, 20 measures: 420 value columns with those of the baseline, 400 calibrated. Cells, group
statistics, their 14 statistics and all disparities; contrasts and marts are not among them.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from bench.make_raw import Scale, make_raw
from dagster_project.dbt import PROJECT

DBT: Final = (sys.executable, "-m", "dbt.cli.main")
STATISTICS: Final = (
    "mean",
    "median",
    "mode",
    "variance",
    "standard_deviation",
    "skewness",
    "kurtosis",
    "range",
    "quantile_range",
    "percentile_range",
    "correlation",
    "kl_divergence",
    "precision",
    "selection_rate",
)
MODELS: Final = (
    "int_outcomes",
    "int_outcome_values",
    "int_value_ranges",
    "int_normal_scales",
    "int_selection_standards",
    "int_cell_sums",
    "int_designs",
    "int_group_statistics",
    "int_statistic_values",
    "int_statistics",
    "int_statistic_profiles",
)


def main() -> None:
    """Print seconds by model and their sum, and the peak of dbt."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=1, help="so many times the root prompts")
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "build.duckdb"
        scale = Scale(n_root_prompts=75 * times, n_continuous=20, n_categorical=0)
        make_raw(path, scale, seed=1, statistics=STATISTICS)
        seconds = _built(path, Path(folder))
    shown = {name: value for name, value in seconds.items() if name in MODELS or name.startswith("disparity")}
    for name, value in sorted(shown.items(), key=lambda pair: -pair[1]):
        print(f"| {name} | {value:.2f} |")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024**2
    print(f"| all of them | {sum(shown.values()):.1f} |\npeak {peak:.2f} GB")


def _built(path: Path, folder: Path) -> dict[str, float]:
    target = {"DBT_TARGET_PATH": str(folder), "DBT_LOG_PATH": str(folder)}
    selection = ["--exclude", "source:inference+"]
    for command in (["seed"], ["run", "--threads", "1", *selection]):
        options = ["--quiet", "--vars", json.dumps({"build_path": str(path)}), "--profiles-dir", str(PROJECT)]
        subprocess.run([*DBT, *command, *options], cwd=PROJECT, env={**os.environ, **target}, check=True)
    results = json.loads((folder / "run_results.json").read_text())["results"]
    return {result["unique_id"].split(".")[-1]: result["execution_time"] for result in results}


if __name__ == "__main__":
    main()
