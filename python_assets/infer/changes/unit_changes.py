"""Whether groups of units of one group each moved against each other: names in a gender, prompts in a topic.

Belongs here: what changed in each unit, put to the test that such groups have in one generation
(inference.md 2.7): units change places between groups, in their strata, and keep their change. Swapping both
generations is no test of it: no unit has another group beside it. Groups that meet are swapped.py's.

Source: inference.md 2.7 and 8.
"""

from typing import Final

import numpy as np

from python_assets.infer.changes.change_rows import Change
from python_assets.infer.contrasts.interaction import InteractionRequest, of_units
from python_assets.infer.contrasts.means import mean_differences, mean_null
from python_assets.infer.design.cells import Cells
from python_assets.infer.draws.exchange import Floats, goes_on
from python_assets.infer.options import Options
from python_assets.infer.result import InferenceReason, Result
from python_assets.infer.schemes.choose import InUnits, in_units, stages
from python_assets.infer.schemes.residuals import UnitResiduals

_BY_UNITS: Final = "changes of units: "


def _of_units(cells: Cells, x: Floats, options: Options) -> tuple[InUnits | InferenceReason, Floats]:
    """The units that both generations have answered of, and their changes, then both sides, as the scheme has them."""
    values = np.hstack([x[0] - x[1], *x])
    values[np.isnan(values).any(axis=1)] = np.nan
    (chosen,) = in_units(cells._replace(x=values), options)
    if isinstance(chosen.scheme, InferenceReason):
        return chosen.scheme, values[:0]
    if not isinstance(chosen.scheme, InUnits):
        raise TypeError("units that lie in one group each are compared in no blocks")
    return chosen.scheme, chosen.take(np.arange(values.shape[1]))


def units_interaction(cells: Cells, x: Floats, asked: InteractionRequest, options: Options) -> Change:
    """What changed in the cells of a crossing beyond its parts, of units of one cell each.

    Args:
        cells: of a crossing that is nested in units.
        x: values of both generations, shape (2, cells, labels), NaN where absent.
        asked: the question.
        options: of the study.

    Returns:
        Shape (labels, groups).
    """
    n_labels = x.shape[2]
    scheme, values = _of_units(cells, x, options)
    if isinstance(scheme, InferenceReason):
        nothing = Result.of((n_labels, len(cells.group_ids)), reason=scheme)
        return Change(nothing, nothing.value, nothing.value)
    cell_results = of_units(scheme.units, values[:, :n_labels], asked)
    method = np.array([word and _BY_UNITS + word for word in cell_results.method.ravel()], dtype=object)
    side_values = UnitResiduals(scheme.units, parts=asked.parts).differences(values[:, n_labels:]).value.T
    sides = np.where(np.isnan(cell_results.value), np.nan, side_values.reshape(2, *cell_results.value.shape))
    return Change(cell_results._replace(method=method.reshape(cell_results.value.shape)), *sides)


def unit_changes(cells: Cells, x: Floats, options: Options, margin: float = np.nan) -> Change | InferenceReason:
    """Compare what changed in the units of each group.

    Args:
        cells: of a grouping that is nested in units.
        x: values of both generations, shape (2, cells, labels), NaN where absent.
        options: seed, B and alpha.
        margin: of a change, NaN without one.

    Returns:
        The change of a group minus the others, label by label, each of all groups; n_root_prompts: units of both
        sides. Or why nothing is compared: units of one group alone were answered by both.
    """
    n_labels = x.shape[2]
    scheme, values = _of_units(cells, x, options)
    if isinstance(scheme, InferenceReason):
        return scheme
    contrast = scheme.contrast
    change_values = values[:, :n_labels]
    margins = np.full(n_labels, margin)
    for draws in stages(scheme):
        null = mean_null(contrast, change_values, draws, n_together=n_labels)
        contrasts = mean_differences(
            contrast, change_values, null.tested, alpha=options.alpha, margin=margins, n_together=n_labels
        )
        contrasts = contrasts._replace(n_draws=np.full(contrasts.value.shape, draws.n))
        if not goes_on(contrasts.p_hypothesis, options.alpha).any():
            break
    n_units = np.broadcast_to(contrast.weights.is_unit.sum(axis=1), contrasts.value.shape)
    words = [word and _BY_UNITS + word for word in contrasts.method.ravel()]
    fields = {name: field.ravel() for name, field in (contrasts._asdict() | {"n_root_prompts": n_units}).items()}
    group_results = Result.of(n_units.ravel().shape, **fields | {"method": words})
    side_values = contrast.differences(values[:, n_labels:]).value.T.reshape(2, -1)
    return Change(group_results, *np.where(np.isnan(group_results.value), np.nan, side_values))
