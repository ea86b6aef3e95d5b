"""tests/python_assets/cluster/test_cluster.py - mirrors python_assets/cluster/cluster.py."""

import socket

import pytest

from python_assets.cluster.cluster import Cluster, ClusterError, Versions, cluster_problem, versions


@pytest.fixture
def has_ray(monkeypatch):
    """Whether it is installed or not is no matter of what is told of addresses."""
    monkeypatch.setattr("python_assets.cluster.cluster.find_spec", lambda name: name)


def test_without_ray_the_extra_is_named(monkeypatch, snapshot):
    monkeypatch.setattr("python_assets.cluster.cluster.find_spec", lambda name: None)
    assert str(cluster_problem("local")) == snapshot


def test_an_address_is_a_host_and_a_port(has_ray, snapshot):
    addresses = ("somewhere", "ray://host", "host:", ":6379")
    assert [str(cluster_problem(address)) for address in addresses] == snapshot


def test_an_address_that_does_not_answer_is_told_at_once(has_ray):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told = str(cluster_problem(f"127.0.0.1:{port}"))
    assert told.startswith(f"--on ray 127.0.0.1:{port}: got ") and "ray start --head" in told


def test_an_address_that_answers_is_no_problem(has_ray):
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert cluster_problem(f"127.0.0.1:{server.getsockname()[1]}") is None
    assert cluster_problem("local") is None


def test_a_worker_of_another_version_is_refused(snapshot):
    versions().require()
    with pytest.raises(ClusterError) as told:
        Versions("0.0.9", "f" * 64).require()
    assert [told.value.expected, told.value.remedy] == snapshot


def test_whom_nobody_asked_has_lost_no_worker():
    with Cluster("127.0.0.1:6379") as cluster:
        assert cluster.n_lost == 0
