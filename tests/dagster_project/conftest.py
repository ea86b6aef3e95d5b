import dagster as dg
import pytest

from dagster_project.definitions import definitions
from dagster_project.partitions import offer_studies
from dagster_project.resources import StudyResource, WarehouseResource

RESOURCES = {"study": StudyResource(), "warehouse": WarehouseResource()}


@pytest.fixture(autouse=True)
def no_dagster_home(monkeypatch):
    """No history of a user's is written to."""
    monkeypatch.delenv("DAGSTER_HOME", raising=False)


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as opened:
        yield opened


@pytest.fixture
def materialise_study(instance):
    """Materialise assets of a study as the UI does: on an instance that offers it."""

    def run(asked, study_id, **options):
        """Materialise the tables of stages, each by the name of its function, or single ones by their keys."""
        offer_studies(instance, [study_id])
        of_name = {asset.node_def.name.split("__")[-1]: asset for asset in definitions().assets[1:]}
        return dg.materialize(
            definitions().assets,
            selection=dg.AssetSelection.assets(*(of_name.get(name, name) for name in asked)),
            partition_key=study_id,
            instance=instance,
            resources=RESOURCES,
            **options,
        )

    return run
