"""Where the report of a study lies, of its latest run or of one that is kept, and printing it."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from python_assets.errors import WarehouseError
from python_assets.published.archive import REPORT
from python_assets.published.archived import archived_run, archived_runs
from python_assets.study.problems import listed, suggestion
from python_assets.warehouse.build import Home

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PRINT_SECONDS: Final = 120


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


def browser() -> str | None:
    """A browser of Chromium's family that can print without a window; None where there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def print_pdf(report: Path, out: Path) -> None:
    """Print a report as a PDF file; parts that are folded stay so.

    Args:
        report: the page.
        out: the file; an earlier one is replaced.

    Raises:
        WarehouseError: there is no browser for it, or it did not print; the text has what it said.
    """
    program = browser()
    if program is None:
        expected, remedy = f"one of {', '.join(BROWSERS)}", "install one, or print the page from any browser"
        raise WarehouseError("printing", "no browser that prints without a window", expected, remedy)
    with tempfile.TemporaryDirectory() as folder:
        printed = Path(folder) / "report.pdf"
        options = ["--headless", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={folder}/profile"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # Chromium does not start for root with it
        command = [program, *options, f"--print-to-pdf={printed}", report.absolute().as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PRINT_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise WarehouseError("printing", f"nothing within {PRINT_SECONDS} s from {program}") from error
        if not printed.is_file():
            raise WarehouseError("printing", f"no page from {program}: {done.stderr.strip()}")
        try:
            shutil.copyfile(printed, out)
        except OSError as error:
            raise WarehouseError(out, error.strerror, "a file that can be written", "name another one") from error
