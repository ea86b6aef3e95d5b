import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from python_assets.report.charts import CHART_HEIGHT, COURSE_HEIGHT, WIDTH, Mark, Point, bar, course, make_axis, row

numbers = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(numbers, min_size=1))
def test_every_value_lies_on_the_scale_in_the_order_of_its_size(values):
    axis = make_axis(values)
    assert axis.low <= min(values)
    assert max(values) <= axis.high
    positions = [axis.x(value) for value in sorted(values)]
    assert positions == sorted(positions)
    assert positions[0] >= 0
    assert positions[-1] <= WIDTH


@given(st.lists(numbers, min_size=1))
def test_ticks_are_few_and_on_the_scale(values):
    axis = make_axis(values)
    assert 1 <= len(axis.ticks) <= 6
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)


def test_ticks_are_round_and_hold_what_must_be_seen():
    axis = make_axis([0.1, None, 0.42], include=(0.0,))
    assert axis.ticks == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
    assert axis.decimals == 3


@pytest.mark.parametrize("values", [[], [None], [0.3, 0.3]])
def test_a_scale_without_two_values_still_has_a_width(values):
    axis = make_axis(values)
    assert axis.low < axis.high


def classes(drawing: str) -> list[str]:
    return re.findall(r'class="(\w+)"', drawing)


def shape(drawing: str, name: str) -> str:
    found = re.search(rf'class="{name}" d="([^"]*)"', drawing)
    assert found
    return found[1]


def test_dot_and_interval_stand_where_their_values_are():
    axis = make_axis([0.0, 1.0])
    drawn = row(axis, Mark(0.5, 0.25, 0.75), line=0.5)
    middle = CHART_HEIGHT // 2
    assert shape(drawn, "dot") == f"M{axis.x(0.5)} {middle}h0"
    assert shape(drawn, "interval") == f"M{axis.x(0.25)} {middle}H{axis.x(0.75)}"
    assert shape(drawn, "line") == f"M{axis.x(0.5)} 0V{CHART_HEIGHT}"
    assert axis.x(0.5) == WIDTH // 2


def test_an_unbounded_side_runs_to_the_edge():
    axis = make_axis([0.0, 1.0])
    assert shape(row(axis, Mark(0.5, None, 0.75)), "interval").startswith("M0 ")
    assert shape(row(axis, Mark(0.5, 0.25, None)), "interval").endswith(f"H{WIDTH}")
    assert "interval" not in classes(row(axis, Mark(0.5, None, None)))


def test_nothing_is_drawn_of_a_value_that_is_missing():
    assert classes(row(make_axis([0.0, 1.0]), Mark(None, 0.1, 0.2))) == ["tick"]


def test_a_hollow_dot_differs_in_shape_not_in_colour_alone():
    axis = make_axis([0.0, 1.0])
    assert "hole" in classes(row(axis, Mark(0.5, 0.4, 0.6, is_hollow=True)))
    assert "hole" not in classes(row(axis, Mark(0.5, 0.4, 0.6)))


def test_single_values_outside_the_scale_are_left_out():
    drawn = row(make_axis([0.0, 1.0]), Mark(None, None, None), values=[0.1, 0.9, 55.0])
    assert shape(drawn, "value").count("M") == 2


@pytest.mark.parametrize(("fraction", "width"), [(0, 0), (0.25, 250), (1, 1000), (3, 1000)])
def test_a_bar_is_as_long_as_its_fraction(fraction, width):
    assert f'width="{width}"' in bar(fraction)


def test_a_course_stands_higher_where_values_are_larger_and_joins_what_is_alike():
    axis = make_axis([-1.0, 1.0])
    marks = [Mark(value, value - 0.25, value + 0.25) for value in (-1.0, 0.0, 1.0)]
    points = [Point(place, mark, is_joined=place == 1) for place, mark in enumerate(marks)]
    drawn = course(axis, points, 3, {2})
    dots = [tuple(map(int, place)) for place in re.findall(r'class="dot" d="M(\d+) (\d+)h0"', drawn)]
    assert [x for x, _ in dots] == [167, 500, 833]
    assert [y for _, y in dots] == sorted((y for _, y in dots), reverse=True)
    assert drawn.count('class="join"') == 1
    assert f'class="break" d="M667 0V{COURSE_HEIGHT}"' in drawn


def test_a_course_leaves_the_place_of_what_is_missing_empty_and_unbounded_sides_run_to_the_edge():
    axis = make_axis([0.0, 1.0])
    drawn = course(axis, [Point(0, Mark(None, 0.0, 1.0), False), Point(1, Mark(0.5, None, None), True)], 2)
    assert drawn.count('class="dot"') == 1
    assert 'class="interval"' not in drawn and 'class="join"' not in drawn
    drawn = course(axis, [Point(0, Mark(0.5, None, 0.75), False)], 1)
    assert f'd="M500 {COURSE_HEIGHT}V' in drawn
