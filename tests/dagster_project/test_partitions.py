import dagster as dg
import pytest

from dagster_project.definitions import defs
from dagster_project.partitions import offer_studies, studies, study_files


@pytest.fixture
def looked(tmp_path, monkeypatch):
    """Let the sensor look at a folder of studies, do what it asks for and list the partitions."""
    monkeypatch.setenv("PLUMBLINE_STUDIES", str(tmp_path))
    with dg.DagsterInstance.ephemeral() as instance:

        def look():
            with dg.build_sensor_context(instance=instance) as context:
                found = study_files(context)
            for request in getattr(found, "dynamic_partitions_requests", None) or []:
                if isinstance(request, dg.AddDynamicPartitionsRequest):
                    instance.add_dynamic_partitions(studies.name, request.partition_keys)
                else:
                    for key in request.partition_keys:
                        instance.delete_dynamic_partition(studies.name, key)
            return sorted(studies.get_partition_keys(dynamic_partitions_store=instance))

        yield look


def test_a_study_written_while_the_ui_is_up_is_a_partition_and_a_deleted_one_is_not(looked, tmp_path):
    assert looked() == []
    (tmp_path / "first.yml").write_text("not even read")
    (tmp_path / "second.yml").write_text("")
    assert looked() == ["first", "second"]
    (tmp_path / "first.yml").unlink()
    assert looked() == ["second"]
    assert looked() == ["second"]


def test_a_study_can_be_offered_twice():
    with dg.DagsterInstance.ephemeral() as instance:
        offer_studies(instance, ["a"])
        offer_studies(instance, ["a", "b"])
        assert sorted(instance.get_dynamic_partitions(studies.name)) == ["a", "b"]


def test_the_sensor_runs_unless_it_is_stopped():
    sensor = defs.resolve_sensor_def("study_files")
    assert sensor.default_status == dg.DefaultSensorStatus.RUNNING
