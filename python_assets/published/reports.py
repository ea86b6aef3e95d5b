"""Where the report of a study lies: of its latest run, or of one that is kept."""

from pathlib import Path

from python_assets.errors import WarehouseError
from python_assets.published.archive import REPORT
from python_assets.published.archived import archived_run, archived_runs
from python_assets.study.problems import listed, suggestion
from python_assets.warehouse.build import Home


def report_path(home: Home, study_id: str, run_id: str | None = None) -> Path:
    """The report of a study.

    Args:
        home: the warehouse.
        study_id: the study.
        run_id: a run of it that is kept, or the beginning of one; None: the latest.

    Raises:
        WarehouseError: there is none; the text names the studies, or runs, that have one.
    """
    published = home.report(study_id)
    if published.is_file() and run_id is None:
        return published
    if run_id is not None and (published.is_file() or archived_runs(home, study_id)):
        report = archived_run(home, study_id, run_id).folder / REPORT
        if not report.is_file():
            raise WarehouseError(report, "no file", "the report of a kept run", "plumbline verify tells what is gone")
        return report
    have_one = sorted(path.stem for path in published.parent.glob("*.html"))
    expected = f"a study with a report: {listed(have_one)}"
    remedy = suggestion(study_id, have_one, f"run it with: plumbline run {study_id}")
    raise WarehouseError("the reports", repr(study_id), expected, remedy)
