import dagster as dg
import pytest

from dagster_project.event_log import instance_of_one_run
from python_assets.telemetry import DAGSTER_YAML


@dg.asset(check_specs=[dg.AssetCheckSpec("whole", asset="table")])
def table():
    return dg.MaterializeResult(check_results=[dg.AssetCheckResult(passed=True)])


@pytest.fixture
def dagster_home(tmp_path, monkeypatch):
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    (tmp_path / "dagster.yaml").write_text(DAGSTER_YAML, encoding="utf-8")
    return tmp_path


def stays_open(instance):
    """Whether two transactions on the event log share a connection."""
    shared = []
    for _ in range(2):
        with instance.event_log_storage.index_connection() as connection:
            shared.append(connection.connection.dbapi_connection)
    return shared[0] is shared[1]


def test_a_run_is_seen_by_dagsters_own_instance_as_if_it_had_stored_it(dagster_home):
    with instance_of_one_run() as instance:
        assert stays_open(instance)
        done = dg.materialize([table], instance=instance)
        with dg.DagsterInstance.get() as other:  # the UI, while the files are still open
            assert other.get_run_by_id(done.run_id).is_success
    with dg.DagsterInstance.get() as other:
        stored = [entry.dagster_event for entry in other.all_logs(done.run_id)]
        assert [event for event in stored if event in done.all_events] == done.all_events
        assert other.get_latest_materialization_event(dg.AssetKey("table")).run_id == done.run_id


def test_a_storage_that_the_user_chose_is_left_alone(dagster_home):
    (dagster_home / "dagster.yaml").write_text(
        f"""{DAGSTER_YAML}
event_log_storage:
  module: dagster._core.storage.event_log
  class: ConsolidatedSqliteEventLogStorage
  config: {{base_dir: {dagster_home / "mine"}}}
""",
        encoding="utf-8",
    )
    with instance_of_one_run() as instance:
        assert not stays_open(instance)


def test_a_table_of_the_index_is_looked_for_until_it_is_there(dagster_home):
    with instance_of_one_run() as instance:
        storage = instance.event_log_storage
        assert not storage.has_table("later")
        with storage.index_connection() as connection:
            connection.exec_driver_sql("create table later (a integer)")
        assert storage.has_table("later")
        with storage.index_connection() as connection:
            connection.exec_driver_sql("drop table later")
        assert storage.has_table("later")  # Dagster drops none


def test_a_partition_is_looked_for_until_it_is_there(dagster_home):
    with instance_of_one_run() as instance, dg.DagsterInstance.get() as other:
        assert not instance.has_dynamic_partition("studies", "s")
        other.add_dynamic_partitions("studies", ["s"])
        assert instance.has_dynamic_partition("studies", "s")
        other.delete_dynamic_partition("studies", "s")
        assert instance.has_dynamic_partition("studies", "s")
        assert not instance.has_dynamic_partition("studies", "t")
