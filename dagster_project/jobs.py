"""The one job: everything of one study."""

import dagster as dg

run_study = dg.define_asset_job(
    "run_study",
    selection=dg.AssetSelection.all(),
    description="One study, from its file to the published tables and the report.",
)
