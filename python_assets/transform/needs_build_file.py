"""dbt on a build file that is absent or in use: one line that says what to do, where DuckDB would make an empty one."""

from pathlib import Path
from typing import Any

import duckdb
from dbt.adapters.duckdb.plugins import BasePlugin
from dbt_common.exceptions import DbtRuntimeError

from python_assets.errors import NOTHING, TransformError

OTHERS = "name another in PLUMBLINE_BUILD, or none: PLUMBLINE_BUILD=:memory:"
MAKE = f"make it with: plumbline run STUDY, {OTHERS}"
WAIT = f"wait until the run has ended, or {OTHERS}"


class Plugin(BasePlugin):
    """What dbt-duckdb calls before it connects."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Look for the file.

        Raises:
            DbtRuntimeError: it is not there, or cannot be opened, as where another process has it open.
        """
        path = Path(self.creds.path) if self.creds else None
        if path and str(path) != ":memory:" and (problem := _problem(path.resolve())):
            raise DbtRuntimeError(str(problem))


def _problem(path: Path) -> TransformError | None:
    if not path.exists():
        return TransformError(path, NOTHING, "the build file of a study", MAKE)
    try:
        duckdb.connect(str(path)).close()
    except duckdb.IOException as error:  # it names the process that has it open
        return TransformError(path, error, "a build file that no other process has open", WAIT)
    return None
