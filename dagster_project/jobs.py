"""The one job: everything of one study."""

import dagster as dg

from dagster_project.partitions import studies

run_study = dg.define_asset_job(
    "run_study",
    selection=dg.AssetSelection.all(),
    config=dg.PartitionedConfig(
        studies,
        run_config_for_partition_key_fn=lambda study_id: {},
        tags_for_partition_key_fn=lambda study_id: {"study": study_id},
    ),
    description="One study, from its file to the published tables and the report. A partition is a study.",
)
