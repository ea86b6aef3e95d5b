import math
from pathlib import Path

import numpy as np
import pytest

from python_assets.errors import StudyError
from python_assets.infer.design.custom_functions import CustomFunction

FOLDER = Path(__file__).parents[1] / "statistics"


def own(name):
    return CustomFunction(f"own_statistics:{name}", FOLDER)


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("picky", [1.0, 3.0], "function_failed"),
        ("wordy", [1.0, 3.0], "function_failed"),
        ("undefined", [-1.0, 3.0], "custom_undefined"),
        ("undefined", [1.0, 3.0], "custom_undefined"),
    ],
)
def test_what_is_no_finite_number_is_none_with_its_reason(name, values, reason):
    found = own(name).value(np.array(values))
    assert math.isnan(found.value)
    assert found.reason == reason


def test_a_number_of_any_kind_is_one():
    assert own("whole").value(np.array([4.0, 5.0])) == (2.0, None)
    assert own("average").value(np.array([4.0, 5.0])) == (4.5, None)


def test_values_come_ascending_and_are_a_copy():
    values = np.array([3.0, 1.0, 2.0])
    assert own("smallest_first").value(values) == (1.0, None)
    assert own("spoiling").value(values) == (2.0, None)
    assert values.tolist() == [3, 1, 2]


def test_rows_are_the_values_that_are_there():
    rows = np.array([[[3.0, np.nan, 1.0], [np.nan, np.nan, 5.0]], [[np.nan] * 3, [1.0, 1.0, 4.0]]])
    found = own("average").of_rows(rows)
    np.testing.assert_array_equal(found, [[2.0, 5.0], [np.nan, 2.0]])
    assert own("whole").of_rows(rows).tolist()[0] == [2, 1]
    before = rows.copy()
    own("spoiling").of_rows(rows)
    np.testing.assert_array_equal(rows, before)


def test_the_first_failure_alone_is_kept(snapshot):
    function = own("picky")
    assert function.value(np.array([1.0])) == (1.0, None)
    assert function.first_failure is None
    function.value(np.array([1.0, 3.0]))
    function.value(np.array([5.0]))
    wordy = own("wordy")
    wordy.value(np.array([1.0]))
    assert [function.first_failure, wordy.first_failure] == snapshot


def test_a_function_of_other_arguments_is_a_mistake():
    with pytest.raises(StudyError) as error:
        own("of_two")
    assert "of_two(x, b)" in str(error.value)
    assert "called with 1 argument" in str(error.value)
