"""Two rings of subgroups as inline SVG: the levels of one factor, and outside each those of a second.

Belongs here: geometry and colour. Which subgroups are drawn is subgroups.py.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from markupsafe import Markup, escape

RADII: Final = (58.0, 132.0, 206.0)
FULL_COLOUR: Final = 1.5  # log disparity at which a colour is at its strongest: odds 4.5 to 1
LEAST_LABEL: Final = 11.0  # width of an arc in its middle, under which a label of this height is no longer read
LABEL_CHARACTERS: Final = 13


class Sector(NamedTuple):
    """One subgroup of a ring; value: its log disparity, None where it has none.

    covers_zero: whether its interval holds 0, or there is no interval: no difference can be told.
    says: what is shown where the pointer rests on it.
    """

    label: str
    value: float | None
    covers_zero: bool
    says: str


class RingBranch(NamedTuple):
    """A sector of the inner ring with those outside it."""

    inner: Sector
    outer: list[Sector]


def sunburst(branches: Sequence[RingBranch], title: str) -> Markup:
    """Both rings; every outer sector is equally wide, so that a small subgroup is seen too.

    Args:
        branches: the sectors in order, clockwise from the top; each with at least one outer one.
        title: what the picture shows, for readers that do not see it.
    """
    n_outer = sum(len(branch.outer) for branch in branches)
    step, start = 2 * math.pi / n_outer, 0
    shapes = []
    for branch in branches:
        end = start + len(branch.outer)
        shapes.append(_sector(branch.inner, RADII[0], RADII[1], (start * step, end * step)))
        for position, sector in enumerate(branch.outer, start=start):
            shapes.append(_sector(sector, RADII[1], RADII[2], (position * step, (position + 1) * step)))
        start = end
    size = RADII[2] + 4
    box = f'viewBox="{-size:g} {-size:g} {2 * size:g} {2 * size:g}"'
    return Markup(f'<svg class="sunburst" {box} role="img" aria-label="{escape(title)}">{"".join(shapes)}</svg>')


def _sector(sector: Sector, inside: float, outside: float, angles: tuple[float, float]) -> str:
    name, style = _colour(sector)
    shape = f'<path class="{name}"{style} d="{_outline(inside, outside, *angles)}"/>'
    return f"<g><title>{escape(sector.says)}</title>{shape}{_label(sector, inside, outside, angles)}</g>"


def _colour(sector: Sector) -> tuple[str, str]:
    """Class and strength of the colour."""
    if sector.value is None:
        return "untold", ""
    if sector.covers_zero:
        return "grey", ""
    share = round(25 + 75 * min(abs(sector.value) / FULL_COLOUR, 1))
    return "less" if sector.value < 0 else "more", f' style="--share:{share}%"'


def _outline(inside: float, outside: float, start: float, end: float) -> str:
    if end - start > 2 * math.pi - 1e-9:  # an arc from a point to itself is no arc
        middle = (start + end) / 2
        return _outline(inside, outside, start, middle) + _outline(inside, outside, middle, end)
    large, out, back = int(end - start > math.pi), f"{outside:g} {outside:g}", f"{inside:g} {inside:g}"
    return (
        f"M{_point(inside, start)}L{_point(outside, start)}A{out} 0 {large} 1 {_point(outside, end)}"
        f"L{_point(inside, end)}A{back} 0 {large} 0 {_point(inside, start)}Z"
    )


def _point(radius: float, angle: float) -> str:
    return f"{radius * math.sin(angle):.2f} {-radius * math.cos(angle):.2f}"


def _label(sector: Sector, inside: float, outside: float, angles: tuple[float, float]) -> str:
    """The level along the radius, upright on both halves; nothing where it has no room."""
    radius, angle = (inside + outside) / 2, sum(angles) / 2
    if radius * (angles[1] - angles[0]) < LEAST_LABEL:
        return ""
    turn = math.degrees(angle) - 90
    if angle > math.pi:
        turn += 180
    x, y = _point(radius, angle).split()
    label = sector.label
    short = label if len(label) <= LABEL_CHARACTERS else f"{label[: LABEL_CHARACTERS - 1].rstrip()}…"
    return f'<text x="{x}" y="{y}" transform="rotate({turn:.1f} {x} {y})">{escape(short)}</text>'
