"""Cumulative distributions as inline SVG: one staircase a generation, and the ideal as a line.

Belongs here: geometry. The scale stands below it as HTML, as in every figure.
"""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from python_assets.report.charts import WIDTH, Axis

STAIRCASE_HEIGHT: Final = 240
N_STYLES: Final = 6  # staircases that colour and dashes tell apart: .stairs-0 and up in page.css


def staircases(axis: Axis, samples: Sequence[Sequence[float]], ideal: float) -> Markup:
    """The share of values that are not larger, from 0 below to 1 at the top.

    Args:
        axis: the horizontal scale.
        samples: at most N_STYLES, none of them empty.
        ideal: where all values should be.
    """
    ticks = "".join(f"M{axis.x(tick)} 0V{STAIRCASE_HEIGHT}" for tick in axis.ticks)
    ticks += "".join(f"M0 {STAIRCASE_HEIGHT * quarter / 4:g}H{WIDTH}" for quarter in range(5))
    lines = "".join(
        f'<path class="stairs stairs-{style}" d="{_stairs(axis, values)}"/>' for style, values in enumerate(samples)
    )
    shapes = f'<path class="tick" d="{ticks}"/><path class="ideal" d="M{axis.x(ideal)} 0V{STAIRCASE_HEIGHT}"/>{lines}'
    box = f'viewBox="0 0 {WIDTH} {STAIRCASE_HEIGHT}" preserveAspectRatio="none"'
    return Markup(f'<svg class="ecdf" {box} aria-hidden="true">{shapes}</svg>')


def _stairs(axis: Axis, values: Sequence[float]) -> str:
    path, n = [f"M0 {STAIRCASE_HEIGHT}"], len(values)
    for rank, value in enumerate(sorted(values), start=1):
        path.append(f"H{axis.x(value)}V{STAIRCASE_HEIGHT * (1 - rank / n):.1f}")
    return "".join(path) + f"H{WIDTH}"
