"""Seconds the gate takes on raw tables made by seed, one connection, import of Great Expectations apart.

python -m bench.bench_gate [--million]
"""

import argparse
import json
import tempfile
from pathlib import Path
from time import perf_counter

from bench.make_raw import STUDY, Scale, make_raw
from expectations import CHECKED_TABLES, JUDGED, SCRAPED
from expectations.runner import run_suites
from python_assets.study.study import AnalysisSpec, Import, ImportColumns, Prompts, Study
from python_assets.warehouse.build import open_build

MILLION = Scale(n_systems=14)  # about 1 million measurements
THREADS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--million", action="store_true", help="1 million measurements instead of paper scale")
    scale = MILLION if parser.parse_args().million else Scale()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.duckdb"
        n_rows = make_raw(path, scale, seed=1)
        with open_build(path) as connection:
            connection.execute(f"set threads = {THREADS}")
            started = perf_counter()
            run_suites(connection, bench_study(), [], run_id="import")
            print(f"import and context     {perf_counter() - started:6.2f} s")
            total = sum(
                _measure(connection, table, n_rows.get(table, 0))
                for table in CHECKED_TABLES
                if table not in {*SCRAPED, JUDGED}
            )
    print(f"gate                   {total:6.2f} s")


def bench_study() -> Study:
    """The study that make_raw writes the tables of, as an import, which needs no text beside it."""
    columns = ImportColumns(prompt="prompt", prompt_text="text", response="response", system="system")
    return Study(
        study_id=STUDY,
        path=Path("paper_scale.yml"),
        title="Paper scale",
        domain="countries",
        factors={},
        prompts=Prompts(import_=Import(path="unused.csv", columns=columns, factors={"concept": "concept"})),
        systems=[],
        measures=[],
        slices={},
        each=None,
        groupings=[("concept",)],
        analysis=AnalysisSpec(),
        config_json=json.dumps({}),
        config_sha256="0" * 64,
    )


def _measure(connection, table: str, n_rows: int) -> float:
    started = perf_counter()
    results = run_suites(connection, bench_study(), [table], run_id="bench")
    seconds = perf_counter() - started
    print(f"{table:15}{n_rows:>10,} rows {len(results):>3} expectations {seconds:6.2f} s")
    for result in results:
        if not result.success:
            print(f"{'':15}{result.severity}: {result.expectation} {result.n_unexpected:,}")
    return seconds


if __name__ == "__main__":
    main()
