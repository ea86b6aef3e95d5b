"""A study from its file to its results.

Belongs here: loading, planning and running as the command does. A run is a process of its own: it may start event
loops where a notebook has one, and its libraries' settings and memory end with it.
"""

import os
import signal
import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Final

from python_assets.errors import PlumblineError
from python_assets.library.results import Results

if TYPE_CHECKING:
    from python_assets.plan.text import Plan
    from python_assets.warehouse.build import Home

MOST_LINES_TOLD: Final = 20
_SIMULATED: Final = ("--provider", "simulator")


class Study:
    """A study whose file has been read and checked.

    Attributes:
        path: its file.
        study_id: the stem of the file's name.
        title: what it is about.
    """

    def __init__(self, path: Path, study_id: str, title: str, *, is_simulated: bool) -> None:
        self.path, self.study_id, self.title, self._is_simulated = path, study_id, title, is_simulated

    def __repr__(self) -> str:
        """Its file and title."""
        return f"<Study {self.study_id}: {self.title} ({self.path})>"

    @classmethod
    def load(cls, study: str | Path, *, simulated: bool = False) -> "Study":
        """Read a study file.

        Args:
            study: the file, or the name of one in PLUMBLINE_STUDIES.
            simulated: whether the simulator stands in for every model.

        Raises:
            StudyFileError: the file has mistakes; the text names each with its line.
            StudyError: there is no such file.
        """
        from python_assets.study_file.load import load_study
        from python_assets.warehouse import paths

        loaded = load_study(paths.study_path(str(study)), simulated=simulated)
        return cls(loaded.path, loaded.study_id, loaded.title, is_simulated=simulated)

    def plan(self) -> "Plan":
        """What a run would ask, and which differences its design can show; nobody is asked. Its text() says it all.

        Raises:
            StudyFileError: the file has mistakes by now.
            SourceError: a file that the study names cannot be read.
        """
        from python_assets.importers.formats import forget_import
        from python_assets.plan.plan import plan_study
        from python_assets.study_file.load import load_study

        plan = plan_study(load_study(self.path, simulated=self._is_simulated))
        forget_import()  # a notebook would hold it
        return plan

    def run(self, *, quiet: bool = False) -> Results:
        """Run the study from scraping to its report, or what of it is left, and read its results.

        Args:
            quiet: whether nothing is said of how far it is, on standard error otherwise.

        Raises:
            PlumblineError: the run failed; the text has what it said last.
            KeyboardInterrupt: it was interrupted; what was answered is kept.
        """
        from python_assets.warehouse import paths

        return run_file(self.path, paths.home(), is_simulated=self._is_simulated, quiet=quiet)


def run_file(path: Path, home: "Home", *, is_simulated: bool = False, quiet: bool = False) -> Results:
    """Run a study file into a warehouse, as `plumbline run` does.

    Args:
        path: the study file.
        home: the warehouse.
        is_simulated: whether the simulator stands in for every model.
        quiet: whether nothing is said of how far it is.

    Raises:
        PlumblineError: the run failed; the text has what it said last.
    """
    places = {"PLUMBLINE_HOME": str(home.root), "PLUMBLINE_STUDIES": str(path.parent)}
    command = [sys.executable, "-m", "python_assets.cli", "run", path.stem, *(_SIMULATED if is_simulated else ())]
    last_lines: deque[str] = deque(maxlen=MOST_LINES_TOLD)
    with subprocess.Popen(
        command,
        env={**os.environ, **places},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                last_lines.append(line.rstrip())
                if not quiet:
                    print(line, end="", file=sys.stderr, flush=True)  # a notebook shows its own stream alone
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            process.wait()
            raise
    if process.returncode:
        raise PlumblineError(f"the run of {path.stem}", "\n".join(last_lines))
    return Results(home.root, path.stem)
