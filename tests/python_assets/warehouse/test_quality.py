import duckdb
import pytest

from python_assets.warehouse.build import open_build
from python_assets.warehouse.quality import record_dbt_tests, refresh_quality_marts

MANIFEST = {
    "nodes": {
        "model.p.contrasts": {"resource_type": "model", "schema": "marts", "name": "contrasts"},
        "test.p.a": {
            "resource_type": "test",
            "name": "unique_key_contrasts",
            "attached_node": "model.p.contrasts",
            "config": {"severity": "ERROR"},
        },
        "test.p.b": {"resource_type": "test", "name": "singular", "config": {"severity": "warn"}},
    }
}


def results(failures):
    return [
        {"unique_id": "model.p.contrasts", "status": "success", "failures": None},
        {"unique_id": "test.p.a", "status": "pass", "failures": 0},
        {"unique_id": "test.p.b", "status": "warn" if failures else "pass", "failures": failures},
    ]


@pytest.fixture
def connection(tmp_path):
    with open_build(tmp_path / "s.duckdb") as opened:
        yield opened


def test_each_dbt_test_is_one_row_and_a_later_run_replaces_it(connection):
    assert record_dbt_tests(connection, "s", "run 1", results(3), MANIFEST) == 2
    assert record_dbt_tests(connection, "s", "run 2", results(0), MANIFEST) == 2
    rows = connection.execute(
        """
        select run_id, table_name, expectation, severity, success, n_unexpected
        from raw.data_quality order by all
        """
    ).fetchall()
    assert rows == [
        ("run 2", "", "dbt: singular", "warning", True, 0),
        ("run 2", "marts.contrasts", "dbt: unique_key_contrasts", "critical", True, 0),
    ]


def test_a_build_without_tests_writes_nothing(connection):
    assert record_dbt_tests(connection, "s", "run 1", [], MANIFEST) == 0


def test_the_marts_hold_what_came_after_dbt_had_built_them(connection):
    connection.execute("create table marts.data_quality as from raw.data_quality")
    connection.execute("create table marts.quarantined_records as from raw.quarantine")
    record_dbt_tests(connection, "s", "run 1", results(3), MANIFEST)
    assert refresh_quality_marts(connection) == {"data_quality": 2, "quarantined_records": 0}


def test_a_refresh_that_fails_leaves_the_marts_as_they_were(connection):
    connection.execute("create table marts.data_quality as from raw.data_quality")
    record_dbt_tests(connection, "s", "run 1", results(3), MANIFEST)
    with pytest.raises(duckdb.CatalogException):
        refresh_quality_marts(connection)
    assert connection.execute("select count(*) from marts.data_quality").fetchone() == (0,)
