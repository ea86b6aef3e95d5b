"""How much longer dbt's models take from values to disparities than one query written by hand.

    python -m bench.bench_statistics [--times 1]

31,500 responses, 20 measures: 420 value columns with those of the baseline, 400 calibrated. The models are
all that stand between raw.measurements and the marts summary_statistics and disparities, with these; the
query is statistics_by_hand.sql, on the same file in the same run. Their numbers are compared, too.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import Final

import duckdb

from bench.make_raw import Scale, make_raw
from python_assets.transform.compile import compiled_project
from python_assets.transform.project import relation
from python_assets.transform.run import run_steps
from python_assets.warehouse.build import open_build
from python_assets.warehouse.progress import SILENT

BY_HAND: Final = Path(__file__).with_name("statistics_by_hand.sql")
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
MARTS: Final = ("summary_statistics", "disparities")
VALUES: Final = "source.plumbline.raw.measurements"
_COMPARED: Final = """
    select count(*), count(*) filter (
            where mart.value_responses is null
                or abs(mart.value_responses - hand.value) > 1e-9 * greatest(1, abs(hand.value))
        )
    from {hand} as hand
    left join marts.{mart} as mart using ({keys})
"""
_KEYS: Final = {
    ("by_hand", "summary_statistics"): "system_id, measure_id, calibration, group_id, statistic",
    ("disparities_by_hand", "disparities"): "system_id, measure_id, calibration, statistic, metric",
}


def main() -> None:
    """Print seconds by model and their sum, those of the query, and the peak."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=1, help="so many times the root prompts")
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "build.duckdb"
        scale = Scale(n_root_prompts=75 * times, n_continuous=20, n_categorical=0)
        make_raw(path, scale, seed=1, statistics=STATISTICS)
        seconds = _built(path)
        by_hand = _by_hand(path)
    for name, value in sorted(seconds.items(), key=lambda pair: -pair[1]):
        print(f"| {name} | {value:.2f} |")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    total = sum(seconds.values())
    print(f"| all of them | {total:.1f} |\n| by hand | {by_hand:.1f} |")
    print(f"| times as long | {total / by_hand:.1f} |")
    print(f"peak {peak:.2f} GB")


def _built(path: Path) -> dict[str, float]:
    """Seconds of each table that is made of values, one after another."""
    project = compiled_project()
    tables = project.with_ancestors(project.of_names(MARTS))
    steps = [step for step in project.steps if step in tables]
    with open_build(path) as connection:
        for source in project.sources.values():  # the tables of inference, without a row: the marts join them
            columns = ", ".join(f"{column['name']} {column['data_type']}" for column in source["columns"].values())
            connection.execute(f"create table if not exists {relation(source)} ({columns})")
        seconds = {}
        for step in steps:
            start = time.perf_counter()
            run_steps(connection, project, [step], SILENT)
            seconds[step] = time.perf_counter() - start
    return {step.split(".")[-1]: took for step, took in seconds.items() if VALUES in project.with_ancestors([step])}


def _by_hand(path: Path) -> float:
    """Seconds of the query; its numbers are those of the marts.

    Raises:
        ValueError: a number differs, or is in one of them alone.
    """
    with duckdb.connect(str(path), config={"threads": 2, "memory_limit": "3GB"}) as connection:
        start = time.perf_counter()
        connection.execute(BY_HAND.read_text())
        seconds = time.perf_counter() - start
        for (hand, mart), keys in _KEYS.items():
            query = _COMPARED.format(hand=hand, mart=mart, keys=keys)
            n_rows, n_different = connection.execute(query).fetchall()[0]
            if n_different:
                raise ValueError(f"{n_different} of {n_rows} rows of {mart} that agree with {BY_HAND}")
            print(f"{mart}: {n_rows} rows are those of {BY_HAND.name}")
    return seconds


if __name__ == "__main__":
    main()
