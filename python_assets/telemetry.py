"""No usage reports: dbt, Dagster, Great Expectations and the model hub are told so before their import."""

import os
from typing import Final

NO_TELEMETRY: Final = {
    "DAGSTER_DISABLE_TELEMETRY": "yes",
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    "DO_NOT_TRACK": "1",
    "GX_ANALYTICS_ENABLED": "false",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}

DAGSTER_YAML: Final = """# Written by Plumbline when it is absent; change it as you like.
telemetry:
  enabled: false
nux:  # asks for an e-mail address at the first visit
  enabled: false
concurrency:
  runs:
    max_concurrent_runs: 2
code_servers:  # Ctrl-C leaves nothing behind
  wait_for_local_processes_on_shutdown: true
"""


def disable_telemetry() -> None:
    """Turn the usage reports of every package off, for this process and those it starts."""
    os.environ.update(NO_TELEMETRY)
