"""One partition a study file."""

import dagster as dg

from python_assets.warehouse.paths import study_names

studies = dg.StaticPartitionsDefinition(study_names())
