"""Rows of dots and intervals, and their course over runs, as inline SVG.

Belongs here: geometry. A row is stretched to the width of its table cell and every stroke keeps its width, so
one row serves a phone, a screen and paper without a script. Text is HTML beside it: a figure is a table.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from markupsafe import Markup

WIDTH: Final = 1000
CHART_HEIGHT: Final = 24
MIDDLE: Final = CHART_HEIGHT // 2
COURSE_HEIGHT: Final = 56
MAX_TICKS: Final = 5
STEPS: Final = (1, 2, 2.5, 5, 10)


class Axis(NamedTuple):
    """A scale from low to high with its ticks."""

    low: float
    high: float
    ticks: list[float]

    @property
    def decimals(self) -> int:
        """How many digits after the point tell values apart on this scale."""
        return int(np.clip(2 - np.floor(np.log10(self.high - self.low)), 0, 6))

    def x(self, value: float) -> int:
        """The horizontal place of a value in the coordinates of a row, at the edge where it lies outside."""
        return round(WIDTH * min(max((value - self.low) / (self.high - self.low), 0), 1))

    def per_cent(self, value: float) -> float:
        """The horizontal place of a value in per cent of the width."""
        return self.x(value) / WIDTH * 100


class Mark(NamedTuple):
    """A dot with its interval; hollow where no difference was shown, coloured by its side where it is one."""

    value: float | None
    low: float | None
    high: float | None
    is_hollow: bool = False
    is_difference: bool = False

    @property
    def side(self) -> str:
        """The class of its colour: below no difference, above, or neither."""
        if not self.is_difference or not self.value:
            return ""
        return " below" if self.value < 0 else " above"


class Point(NamedTuple):
    """A dot with its interval at a place of a course, from 0; is_joined: to the point before it."""

    place: int
    mark: Mark
    is_joined: bool


def make_axis(values: Iterable[float | None], *, include: Sequence[float] = ()) -> Axis:
    """A scale that holds all values, with a margin and at most five round ticks.

    Args:
        values: what must be seen; None is left out.
        include: values such as 0 that must be on the scale.
    """
    present = [value for value in values if value is not None] + list(include)
    low, high = (min(present), max(present)) if present else (0.0, 1.0)
    if high - low < 1e-9 * max(abs(low), abs(high), 1):
        low, high = low - 0.5, high + 0.5
    margin = 0.04 * (high - low)
    low, high = low - margin, high + margin
    step = _step(high - low)
    ticks = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    return Axis(low, high, [float(tick) for tick in ticks])


def _step(span: float) -> float:
    power = 10.0 ** np.floor(np.log10(span / MAX_TICKS))
    return float(next(power * step for step in STEPS if span / (power * step) <= MAX_TICKS))


def row(
    axis: Axis,
    mark: Mark,
    *,
    line: float | None = None,
    values: Sequence[float] = (),
    band: tuple[float, float] | None = None,
) -> Markup:
    """One row of a figure.

    Args:
        axis: the scale of the figure.
        mark: the dot and its interval; nothing is drawn of it where the value is None.
        line: where the line of comparison stands: the mean of all, or no difference.
        values: single responses as small dots, jittered; those outside the scale are left out.
        band: what edits that cannot matter lead one to expect: all groups lie in it where their range is no larger.
    """
    paths = [_band(axis, band)] if band else []
    paths += [_path("tick", "".join(f"M{axis.x(tick)} 0V{CHART_HEIGHT}" for tick in axis.ticks))]
    if line is not None:
        paths.append(_path("line", f"M{axis.x(line)} 0V{CHART_HEIGHT}"))
    paths.append(_path("value", _dots(axis, values)))
    paths.extend(_mark(axis, mark))
    return _drawing("".join(paths))


def controls_row(axis: Axis, values: Sequence[float], *, band: tuple[float, float] | None = None) -> Markup:
    """The values of negative controls as grey dots in one row, without those outside the scale.

    Args:
        axis: the scale of the figure.
        values: of the controls.
        band: as in row.
    """
    ticks = _path("tick", "".join(f"M{axis.x(tick)} 0V{CHART_HEIGHT}" for tick in axis.ticks))
    inside = [value for value in values if axis.low <= value <= axis.high]
    dots = _path("control", "".join(f"M{axis.x(value)} {MIDDLE}h0" for value in inside))
    return _drawing(f"{_band(axis, band) if band else ''}{ticks}{dots}")


def _band(axis: Axis, band: tuple[float, float]) -> str:
    left, right = (axis.x(limit) for limit in band)
    return f'<rect class="band" x="{left}" width="{right - left}" y="0" height="{CHART_HEIGHT}"/>'


def bar(fraction: float) -> Markup:
    """A bar of a fraction of the width."""
    filled = round(WIDTH * min(max(fraction, 0), 1))
    return _drawing(f'<rect class="bar" width="{filled}" y="6" height="12"/>')


def stacked(segments: Sequence[Mapping[str, Any]]) -> Markup:
    """A bar of adjacent segments, each with its share of the width and the place of its colour."""
    shapes, left = [], 0.0
    for segment in segments:
        width = WIDTH * segment["share"]
        extent = f'x="{left:.1f}" width="{width:.1f}" y="4" height="16"'
        shapes.append(f'<rect class="part part-{segment["place"]}" {extent}/>')
        left += width
    return _drawing("".join(shapes))


def course(axis: Axis, points: Sequence[Point], n_places: int, breaks: Collection[int] = ()) -> Markup:
    """Dots with their intervals side by side, one a place, the scale from below to above.

    Args:
        axis: the scale of the figure.
        points: in order; a place without one stays empty.
        n_places: how many there are.
        breaks: places before which a line says that what stands on its two sides is not alike.
    """

    def across(position: float) -> int:
        return round(WIDTH * (position + 0.5) / n_places)

    def up(value: float) -> int:
        return COURSE_HEIGHT - round(axis.x(value) * COURSE_HEIGHT / WIDTH)

    paths = [_path("line", f"M0 {up(0.0)}H{WIDTH}" if axis.low <= 0 <= axis.high else "")]
    paths += [_path("break", f"M{across(position - 0.5)} 0V{COURSE_HEIGHT}") for position in sorted(breaks)]
    drawn = [(point, point.mark.value) for point in points if point.mark.value is not None]
    for (before, left), (point, right) in pairwise(drawn):
        if point.is_joined:
            paths.append(_path("join", f"M{across(before.place)} {up(left)}L{across(point.place)} {up(right)}"))
    for point, value in drawn:
        mark, x = point.mark, across(point.place)
        if mark.low is not None or mark.high is not None:
            bottom = COURSE_HEIGHT if mark.low is None else up(mark.low)
            top = 0 if mark.high is None else up(mark.high)
            paths.append(_path(f"interval{mark.side}", f"M{x} {bottom}V{top}"))
        dot = f"M{x} {up(value)}h0"
        paths += [_path(f"dot{mark.side}", dot), *([_path("hole", dot)] if mark.is_hollow else [])]
    return _drawing("".join(paths), COURSE_HEIGHT)


def _drawing(shapes: str, height: int = CHART_HEIGHT) -> Markup:
    box = f'viewBox="0 0 {WIDTH} {height}" preserveAspectRatio="none"'
    return Markup(f'<svg {box} aria-hidden="true">{shapes}</svg>')


def _dots(axis: Axis, values: Sequence[float]) -> str:
    inside = [value for value in values if axis.low <= value <= axis.high]
    # a fixed jitter: the same page every time, and equal values beside one another
    return "".join(f"M{axis.x(value)} {5 + 7 * i % 15}h0" for i, value in enumerate(inside))


def _mark(axis: Axis, mark: Mark) -> list[str]:
    if mark.value is None:
        return []
    paths = []
    if mark.low is not None or mark.high is not None:
        left = 0 if mark.low is None else axis.x(mark.low)
        right = WIDTH if mark.high is None else axis.x(mark.high)
        paths.append(_path(f"interval{mark.side}", f"M{left} {MIDDLE}H{right}"))
    dot = f"M{axis.x(mark.value)} {MIDDLE}h0"
    paths.append(_path(f"dot{mark.side}", dot))
    return [*paths, _path("hole", dot)] if mark.is_hollow else paths


def _path(name: str, shape: str) -> str:
    return f'<path class="{name}" d="{shape}"/>' if shape else ""
