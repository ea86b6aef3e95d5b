"""One row about the study file itself."""

from importlib.metadata import version

import duckdb
import pandas as pd

from python_assets.study.study import Study
from python_assets.warehouse.build import Home, utc_now, write_stage
from python_assets.warehouse.preregistration import analysis_sha256, preregistered_at


def record_study(study: Study, connection: duckdb.DuckDBPyConnection, home: Home, *, run_id: str) -> None:
    """Write raw.studies: the validated file, its hash, by what it is run, when its analysis was frozen."""
    row = {
        "title": study.title,
        "domain": study.domain,
        "config_json": study.config_json,
        "config_sha256": study.config_sha256,
        "plumbline_version": version("plumbline"),
        "run_id": run_id,
        "started_at": utc_now(),
        "alpha": study.analysis.alpha,
        "analysis_sha256": analysis_sha256(study),
        "preregistered_at": preregistered_at(study, home),
        "has_stand_in": study.has_stand_in,
    }
    write_stage(connection, study.study_id, "study", {"studies": pd.DataFrame([row])})
