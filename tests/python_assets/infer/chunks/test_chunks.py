"""tests/python_assets/infer/chunks/test_chunks.py - mirrors python_assets/infer/chunks/chunks.py."""

from concurrent.futures import ThreadPoolExecutor
from time import sleep

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from python_assets.errors import StudyError
from python_assets.infer.chunks.chunks import Here, measures_of_chunks
from tests.python_assets.infer.test_run import analysis


@pytest.fixture
def connection(study):
    """A build file of four measures: one of 40 cells, and three of 20, 16 and 4."""
    for name, n in (("large", 10), ("middle", 5), ("small", 4), ("least", 1)):
        x = np.full((10, 4), np.nan)
        x[:n] = np.random.default_rng(1).normal(size=(n, 4))
        study.add(name, x)
    return study.write()


def test_chunks_hold_about_as_many_cells_each(connection):
    assert measures_of_chunks(connection, 2) == [["large"], ["middle", "small", "least"]]
    assert measures_of_chunks(connection, 3) == [["large"], ["middle"], ["small", "least"]]


def test_where_nobody_asks_there_are_no_more_chunks_than_measures(connection):
    assert len(measures_of_chunks(connection, None, at_most=2)) == 2
    assert len(measures_of_chunks(connection, None, at_most=64)) == 4


def test_more_chunks_than_measures_are_refused(connection, refused):
    with refused(StudyError, "--chunks"):
        Here(connection, analysis(), n=5)


def test_of_several_chunks_one_alone_is_stratum(connection):
    alive = []

    def asked(chunk, _):
        alive.append(chunk)
        return chunk._measures

    one, several = Here(connection, analysis()), Here(connection, analysis(), n=2)
    assert one.each(asked) == one.each(asked) == [None]
    assert alive[0] is alive[1]
    assert several.each(asked) == several.each(asked) == [["large"], ["middle", "small", "least"]]
    assert len(set(map(id, alive[2:]))) == 4


def threads_of_products(*_):
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_products_take_one_thread_each_while_a_chunk_is_computed(connection):
    with threadpool_limits(limits=2, user_api="blas"):
        assert Here(connection, analysis()).each(threads_of_products) == [{1}]
        assert threads_of_products() == {2}


def test_threads_compute_chunks_one_after_another(connection, monkeypatch):
    monkeypatch.setattr(Here, "_chunk", lambda *_: None)
    inside, found = [], []

    def asked(*_):
        inside.append(None)
        found.append(len(inside))
        sleep(0.05)
        inside.pop()

    with ThreadPoolExecutor(4) as threads:
        for _ in range(4):
            threads.submit(Here(connection, analysis()).each, asked)
    assert found == [1, 1, 1, 1]
