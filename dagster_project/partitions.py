"""One partition a study file; a sensor offers a file that is written while the UI is up."""

from collections.abc import Sequence
from typing import Final

import dagster as dg

from python_assets.warehouse.paths import study_names

SECONDS_BETWEEN_LOOKS: Final = 10

studies = dg.DynamicPartitionsDefinition(name="studies")


def offer_studies(instance: dg.DagsterInstance, names: Sequence[str]) -> None:
    """Make studies partitions that can be chosen, those that are not yet."""
    instance.add_dynamic_partitions(str(studies.name), list(names))


@dg.sensor(
    minimum_interval_seconds=SECONDS_BETWEEN_LOOKS,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Offers every file of the studies folder as a partition, and no other.",
)
def study_files(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Compare the studies folder with the partitions."""
    there, offered = study_names(), context.instance.get_dynamic_partitions(str(studies.name))
    new = [name for name in there if name not in offered]
    gone = [name for name in offered if name not in there]
    if not new and not gone:
        return dg.SkipReason("Every study file is a partition already.")
    changes = [
        request(names)
        for request, names in ((studies.build_add_request, new), (studies.build_delete_request, gone))
        if names
    ]
    return dg.SensorResult(dynamic_partitions_requests=changes)
