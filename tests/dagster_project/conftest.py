import dagster as dg
import pytest

from dagster_project.partitions import offer_studies


@pytest.fixture
def materialise_study():
    """Materialise assets of a study as the UI does: on an instance that offers it."""
    with dg.DagsterInstance.ephemeral() as instance:

        def run(assets, study_id, **options):
            offer_studies(instance, [study_id])
            return dg.materialize(assets, partition_key=study_id, instance=instance, **options)

        yield run
