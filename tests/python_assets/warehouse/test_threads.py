import os

import pytest

from python_assets.warehouse.threads import n_threads


@pytest.mark.parametrize(("told", "expected"), [(None, 6), ("", 6), ("3", 3), ("2,1", 2), ("0", 6), ("many", 6)])
def test_threads_are_as_many_as_cores_or_as_the_environment_says(monkeypatch, told, expected):
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if told is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", told)
    assert n_threads() == expected
