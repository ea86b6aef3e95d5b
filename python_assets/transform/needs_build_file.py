"""dbt on a build file that does not exist: one line that says what to do, where DuckDB would make an empty one."""

from pathlib import Path
from typing import Any

from dbt.adapters.duckdb.plugins import BasePlugin
from dbt_common.exceptions import DbtRuntimeError

from python_assets.errors import NOTHING, TransformError

REMEDY = "make it with: plumbline run STUDY, name another in PLUMBLINE_BUILD, or none: PLUMBLINE_BUILD=:memory:"


class Plugin(BasePlugin):
    """What dbt-duckdb calls before it connects."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Look for the file.

        Raises:
            DbtRuntimeError: it is not there.
        """
        path = Path(self.creds.path) if self.creds else None
        if path and str(path) != ":memory:" and not path.exists():
            raise DbtRuntimeError(str(TransformError(path.resolve(), NOTHING, "the build file of a study", REMEDY)))
