"""How much of a table may be unexpected."""

import pytest

from expectations.rules import is_kept


@pytest.mark.parametrize(
    ("n_unexpected", "n_evaluated", "at_most", "expected"),
    [
        (0, 0, 0.0, True),  # nothing to look at
        (0, 5, 0.0, True),
        (1, 1, 1.0, True),
        (1, 1, 0.99, False),
        (1, 20, 0.05, True),
        (2, 20, 0.05, False),
        (1, 0, 1.0, False),  # more than was looked at
    ],
)
def test_a_share_up_to_the_bound_is_kept(n_unexpected, n_evaluated, at_most, expected):
    assert is_kept(n_unexpected, n_evaluated, at_most) is expected
