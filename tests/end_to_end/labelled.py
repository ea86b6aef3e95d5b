"""A study that is labelled between two runs of the command line."""

import subprocess
import sys

import duckdb

from tests.end_to_end.conftest import environment_of


class Labelled:
    """A study beside its warehouse, which the command line works on."""

    def __init__(self, folder, home, study):
        self.folder, self.home, self._study = folder, home, study
        self.write()

    def write(self, *more):
        (self.folder / "labelled.yml").write_text("\n".join([self._study, *more]), encoding="utf-8")

    def plumbline(self, *arguments):
        return subprocess.run(
            [sys.executable, "-m", "python_assets.cli", *arguments],
            cwd=self.folder,
            env=environment_of(self.home, PLUMBLINE_STUDIES=str(self.folder)),
            capture_output=True,
            text=True,
            check=False,
        )

    def frame(self, query):
        with duckdb.connect(str(self.home / "plumbline.duckdb"), read_only=True) as connection:
            return connection.execute(query).df()

    def rows(self, query):
        with duckdb.connect(str(self.home / "plumbline.duckdb"), read_only=True) as connection:
            return connection.execute(query).fetchall()
