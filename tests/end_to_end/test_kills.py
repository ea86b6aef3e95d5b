"""kill -9 at three points of a run, one in each third of its time: the same command ends as if there had been none."""

import pytest

from bench.bench_kills import faults, points_of, run, write_study

N_POINTS = 3
SEED = 29


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A run that nobody disturbs, the folder of its study, and its warehouse."""
    folder = tmp_path_factory.mktemp("killed")
    write_study(folder)
    whole = run(folder / "whole", folder)
    assert whole.code == 0, whole.told
    return whole, folder


@pytest.mark.parametrize("number", range(N_POINTS))
def test_a_run_that_is_killed_ends_as_one_that_is_not(undisturbed, tmp_path, number):
    whole, studies = undisturbed
    point = [*points_of(whole, N_POINTS, SEED)][number]
    run(tmp_path / "home", studies, point)
    ended = run(tmp_path / "home", studies)
    assert ended.code == 0, ended.told
    assert faults(tmp_path / "home", studies / "whole", studies) == []
