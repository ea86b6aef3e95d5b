"""tests/end_to_end/test_whole_studies.py - a run gives the numbers of the engine on the same values."""

import numpy as np
import pytest

from bench.bench_studies import DESIGNS
from bench.studies_through_run import RUN, compared


@pytest.mark.parametrize("title", RUN)
def test_a_run_publishes_what_the_engine_computes(title, tmp_path):
    engine, run = compared(DESIGNS[title], "scores", 1, tmp_path)
    np.testing.assert_allclose(run, engine, rtol=0, atol=1e-12)
