"""Seconds and memory from the raw tables to the published database at the size of SAGED's own study.

    python -m bench.paper_scale

31,500 responses x 44 measures by seed; then what the assets run: the gate, the SQL in two halves with inference
between, publish.
"""

import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.bench_gate import bench_study
from bench.inference_stages import infer_all, make_after_inference, make_before_inference
from bench.make_raw import Scale, make_raw
from expectations import CHECKED_TABLES, JUDGED, SCRAPED
from expectations.runner import run_suites
from python_assets.published.publish import FinishedRun, publish
from python_assets.report.write_report import write_report
from python_assets.transform.compile import compiled_project
from python_assets.warehouse.build import Home, open_build
from python_assets.warehouse.quality import refresh_quality_marts


def timed(name: str, function: Callable[[], Any]) -> None:
    """Run one stage and print its row of the table."""
    started = perf_counter()
    function()
    seconds = perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"| {name} | {seconds:.1f} | {peak / 1024**2:.2f} |", flush=True)


def main() -> None:
    """Print the table."""
    study = bench_study()
    compiled_project()
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        path = home.build(study.study_id)
        path.parent.mkdir(parents=True)
        n_rows = make_raw(path, Scale(), seed=1)
        print(f"{n_rows['measurements']:,} measurements\n\n| stage | seconds | peak GB so far |\n|---|---|---|")

        def gate() -> None:
            with open_build(path) as connection:
                run_suites(
                    connection, study, [t for t in CHECKED_TABLES if t not in {*SCRAPED, JUDGED}], run_id="bench"
                )

        def publish_study() -> None:
            with open_build(path) as connection:
                refresh_quality_marts(connection)
            publish(home, FinishedRun(study.study_id, path, Path(__file__), keep=1), write_report)

        timed("gate, with the import of Great Expectations", gate)
        timed("gate again, without it", gate)
        timed("SQL, first half", lambda: make_before_inference(path))
        timed("inference", lambda: infer_all(study, path))
        timed("SQL, second half", lambda: make_after_inference(path))
        timed("publish, with report and archive", publish_study)


if __name__ == "__main__":
    main()
