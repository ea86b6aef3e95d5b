import numpy as np
import pytest

from python_assets.infer.statistics.row_statistics import binned_mode


@pytest.mark.parametrize(
    ("x", "width", "expected"),
    [
        ([1.0, 1.5, 0.5], 1.0, 1.5),  # an edge is of the bin above it
        ([0.3, 0.35, 0.25], 0.1, 0.35),  # .3 / .1 is 2.9999999999999996
        ([-0.5, -1.0, 0.5], 1.0, -0.5),
        ([0.5, np.nan, np.nan], 1.0, 0.5),
        ([2.5, 0.5], 1.0, 0.5),  # the lowest of several
        ([np.nan, np.nan], 1.0, np.nan),
    ],
)
def test_the_mode_is_the_middle_of_the_fullest_bin(x, width, expected):
    assert binned_mode(np.array([x, x]), width) == pytest.approx([expected, expected], nan_ok=True)
