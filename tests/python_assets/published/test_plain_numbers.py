"""Numbers as docs/plain_words has them."""

import pytest

from python_assets.published.plain_numbers import effect, limits, named_p, signed_limits, size


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.00093, "p < .001"),
        (0.003, "p = .003"),
        (0.095, "p = .095"),
        (0.48, "p = .48"),
        (0.996, "p = .996"),
        (0.9995, "p > .999"),
        (0.05, "p = .050"),
        (0.0504, "p = .0504"),
        (0.04999, "p = .04999"),
        (0.0055, "p = .006"),
        (11 * 0.0005, "p = .006"),
        (0.005499999999999999, "p = .006"),
        (0.0035, "p = .004"),
        (0.145, "p = .15"),
    ],
)
def test_p_values(value: float, written: str):
    assert named_p("p", value) == written


@pytest.mark.parametrize(
    ("value", "written"), [(-0.326, "-0.33"), (12.44, "+12.4"), (-0.0294, "-0.029"), (123.4, "+123"), (0, "0")]
)
def test_effects_have_their_sign(value: float, written: str):
    assert effect(value) == written


def test_rates_are_in_points():
    assert effect(0.139, is_rate=True) == "+13.9 points"
    assert size(0.051, is_rate=True) == "5.1 points"


def test_intervals_without_a_limit_say_so():
    assert limits(0.0, 0.12) == "0 to 0.12"
    assert limits(0.0, 0.123, is_rate=True) == "0.0 to 12.3 points"
    assert limits(None, 0.12) == "up to 0.12"
    assert limits(0.12, None) == "from 0.12"
    assert limits(None, None) == ""


@pytest.mark.parametrize(
    ("low", "high", "of", "written"),
    [
        (-0.473, -0.219, -0.326, "-0.47 to -0.22"),
        (-0.05, 0.0012, -0.029, "-0.050 to +0.001"),
        (0.0001, 12.0, 10.44, "0.0 to +12.0"),
        (None, 0.5, 0.3, "up to +0.50"),
        (None, None, 0.3, ""),
    ],
)
def test_limits_of_an_effect_keep_their_signs_and_its_decimals(low, high, of, written):
    assert signed_limits(low, high, of=of) == written


def test_limits_of_rates_and_of_values_without_a_sign():
    assert signed_limits(0.047, 0.415, of=0.139, is_rate=True) == "+4.7 to +41.5"
    assert signed_limits(0.159, 0.484, of=0.25, with_sign=False) == "0.16 to 0.48"
