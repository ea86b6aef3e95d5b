"""Whether groups of units of one group each moved against each other: names in a gender, prompts in a topic.

Belongs here: what changed in each unit, put to the test that such groups have in one generation
(inference.md 2.7): units change places between groups, in their strata, and keep their change. Swapping both
generations is no test of it: no unit has another group beside it. Groups that meet are change_rows.py's.

Source: inference.md 2.7 and 8.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from python_assets.infer.cells import Cells
from python_assets.infer.contrasts import Contrasts
from python_assets.infer.means import mean_differences, mean_null
from python_assets.infer.permutation import Floats, Ints
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.scheme import InUnits, Options, in_units


class UnitChanges(NamedTuple):
    """Changes of a group minus the others, shape (labels, groups).

    own, other: the same difference in either generation. n_units: of both sides, shape (groups,).
    """

    contrasts: Contrasts
    own: Floats
    other: Floats
    n_units: Ints


def unit_changes(
    cells: Cells, columns: Sequence[tuple[int, int]], options: Options
) -> UnitChanges | InferenceReason:
    """Compare what changed in the units of each group.

    Args:
        cells: of a grouping that is nested in units.
        columns: both generations, a pair a label of the measure.
        options: seed, B and alpha.

    Returns:
        Or why nothing is compared: units of one group alone were answered by both.
    """
    own, other = (cells.x[:, list(side)] for side in zip(*columns, strict=True))
    is_held = ~np.isnan(own + other).any(axis=1, keepdims=True)
    x = np.where(is_held, np.hstack([own - other, own, other]), np.nan)
    (chosen,) = in_units(cells._replace(x=x), options)
    scheme = chosen.scheme
    if isinstance(scheme, InferenceReason):
        return scheme
    if not isinstance(scheme, InUnits):
        raise TypeError("units that lie in one group each are compared in no blocks")
    sides, values, n = scheme.sides, chosen.take(np.arange(x.shape[1])), len(columns)
    null = mean_null(sides, values[:, :n], scheme.draws, n_together=n)
    contrasts = mean_differences(
        sides, values[:, :n], null.tested, alpha=options.alpha, margin=np.full(n, np.nan), n_together=n
    )
    of_either = sides.differences(values[:, n:]).value.T
    n_units = sides.weights.is_unit.sum(axis=1)
    return UnitChanges(contrasts, of_either[:n], of_either[n:], n_units)
