"""tests/dagster_project/test_chunks.py - mirrors dagster_project/chunks.py."""

from types import SimpleNamespace

import duckdb
import pytest

from dagster_project import chunks
from python_assets.cluster.cluster import ClusterError
from python_assets.errors import StudyError
from python_assets.infer.chunks.chunks import Here
from python_assets.warehouse.build import Home
from python_assets.warehouse.workers import THIS_PROCESS


def run_with(**tags):
    """What an asset is given of its run."""
    return SimpleNamespace(run=SimpleNamespace(tags=tags), log=SimpleNamespace(info=print))


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """The parts of a run with some tags, and what is told of them."""
    monkeypatch.delenv("PLUMBLINE_RAY", raising=False)
    warehouse = SimpleNamespace(home=Home(tmp_path))
    with duckdb.connect() as connection:
        connection.execute(
            "create schema intermediate; create table intermediate.int_cells as select 'm' as measure_id"
        )

        def ask(**tags):
            with chunks.chunks_of(
                run_with(**tags), SimpleNamespace(study_id="s"), warehouse, connection, 0.05
            ) as found:
                return found

        yield ask


def test_a_small_study_has_one_chunk_in_the_process_of_the_run(asked):
    found, told = asked()
    assert isinstance(found, Here) and told == {"n_chunks": 1, "seconds_of_chunks": [0.0]}
    with chunks.workers_of() as (workers, told):
        assert workers is THIS_PROCESS and told == {}


def test_a_tag_that_is_no_number_of_chunks_is_told(asked, snapshot):
    told = []
    for tag in ("0", "-1", "many", "1.5", ""):
        with pytest.raises(StudyError) as raised:
            asked(**{chunks.CHUNKS_TAG: tag})
        told.append(str(raised.value))
    assert told == snapshot


def test_more_chunks_than_measures_are_told(asked):
    with pytest.raises(StudyError, match="--chunks: got 3; expected at most 1"):
        asked(**{chunks.CHUNKS_TAG: "3"})


def test_a_cluster_that_does_not_answer_is_told_before_anything_is_scored(asked, monkeypatch):
    monkeypatch.setattr("python_assets.cluster.cluster.find_spec", lambda name: name)
    monkeypatch.setenv("PLUMBLINE_RAY", "127.0.0.1:9")
    with pytest.raises(ClusterError, match="a cluster that answers"):
        asked()
    with pytest.raises(ClusterError, match="a cluster that answers"), chunks.workers_of():
        pass
