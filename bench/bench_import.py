"""Seconds and memory of a large import, from its file to the marts: DecodingTrust's 691,200 codes.

    PLUMBLINE_DATA=... python -m bench.bench_import

The stages are those that the assets run, each with its seconds of wall clock and of CPU, threads included.
"""

import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from bench.inference_stages import infer_all, make_after_inference, make_before_inference
from expectations import CHECKED_TABLES, JUDGED, SCRAPED
from expectations.runner import run_suites
from python_assets.assemble.assemble_study import assemble
from python_assets.extract.extract_study import extract
from python_assets.generate.generate_study import generate_study
from python_assets.plan.design_tables import design_tables
from python_assets.study.study import Study
from python_assets.study_file.load import load_study
from python_assets.transform.compile import compiled_project
from python_assets.warehouse.build import Home, open_build, write_stage
from python_assets.warehouse.paths import PROJECT
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.study_row import record_study

STUDY = PROJECT / "studies" / "decodingtrust_stereotype.yml"


def timed(name: str, function: Callable[[], Any]) -> Any:
    """Run one stage and print its row of the table."""
    wall, cpu = perf_counter(), process_time()
    result = function()
    wall, cpu = perf_counter() - wall, process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"| {name} | {wall:.1f} | {cpu:.1f} | {peak / 1024**2:.2f} |", flush=True)
    return result


def main() -> None:
    """Print the table."""
    compiled_project()
    study = load_study(STUDY)
    print("| stage | seconds | of CPU | peak GB so far |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        path = home.build(study.study_id)
        import_study(study, home, path)
        timed("SQL, first half", lambda: make_before_inference(path))
        timed("inference", lambda: infer_all(study, path))
        timed("SQL, second half", lambda: make_after_inference(path))


def import_study(study: Study, home: Home, path: Path) -> None:
    """The stages that write raw tables, and their gate."""
    with open_build(path) as connection:
        record_study(study, connection, home, run_id="bench")
        timed("prompts", lambda: assemble(study, connection))
        write_stage(connection, study.study_id, "design", design_tables(study, connection))
        counts = timed("responses", lambda: generate_study(study, connection, home, SILENT))
        timed("measurements", lambda: extract(study, connection, home.cache))
        print(f"| {counts.n_responses:,} responses, {counts.n_quarantined} in quarantine | | | |")
        tables = [table for table in CHECKED_TABLES if table not in {*SCRAPED, JUDGED}]
        timed("gate", lambda: run_suites(connection, study, tables, run_id="bench"))


if __name__ == "__main__":
    main()
