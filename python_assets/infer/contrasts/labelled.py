"""Values that people's labels put right, and what an instrument gets wrong, group by group.

Belongs here: what of a comparison such values have, and why not the rest. Their error is schemes/labelled_contrast.py,
the values are schemes/corrected_values.py.

Source: inference.md 9.2 and 9.3.
"""

import numpy as np

from python_assets.infer.contrasts.compare import Compared, Tried, in_stages
from python_assets.infer.contrasts.contrast import Estimate, assemble
from python_assets.infer.contrasts.index import INDICES, spread_of
from python_assets.infer.contrasts.means import mean_estimate, mean_levels, mean_null
from python_assets.infer.design.cells import Labelled
from python_assets.infer.draws.exchange import Draws, Floats, Ints
from python_assets.infer.formulas import skewed
from python_assets.infer.formulas.interval import Interval
from python_assets.infer.result import EVERY_P, INTERVAL, InferenceReason, Result
from python_assets.infer.schemes.choose import Blocks
from python_assets.infer.schemes.labelled_contrast import LabelledContrast

AS_VALUES = ("range", "standard_deviation")  # indices of corrected values: what they are, and nothing of chance
_OF_VALUES = {"value", "n_root_prompts", "n_units"}


def name_of(labelled: Labelled) -> str:
    """The contrast that values are compared by."""
    return "risk_difference" if labelled.is_rate else "mean_difference"


def compare_labelled(scheme: Blocks, x: Floats, margin: Floats) -> Compared:
    """Contrasts of values that labels make, and the indices that are told of them.

    Args:
        scheme: cells and draws, with labelled.
        x: values, shape (cells, columns).
        margin: of each column, NaN where none is declared.

    Returns:
        Values alone, with a reason, where too few root prompts are labelled or groups are compared with one level.
    """
    contrast, labelled = scheme.contrast, scheme.labelled
    if labelled is None:
        raise ValueError("no label made these columns")
    if not isinstance(contrast, LabelledContrast):  # a reference level and pairs were not simulated
        value = mean_estimate(contrast, x, scheme.alpha).value
        nothing = Result.of(value.shape, value=value, reason=InferenceReason.SCHEME_NOT_AVAILABLE)
        return Compared({name_of(labelled): nothing}, _as_values(scheme, x))

    def try_columns(columns: Ints, draws: Draws) -> Tried:
        null = mean_null(contrast, x[:, columns], draws)
        estimate = labelled_estimate(contrast, x[:, columns], scheme.alpha)
        levels = mean_levels(_with_unseen(contrast, estimate), margin[columns])
        rows = contrast.rows
        tested = assemble(rows, estimate, null.tested, levels, alpha=scheme.alpha, names=rows.names)
        p_hypothesis = tested.p_hypothesis[:, 0] if tested.p_hypothesis.shape[1] else np.full(len(columns), np.nan)
        return Tried(p_hypothesis, lambda at: Compared({name_of(labelled): tested.taken(at)}, {}))

    compared = in_stages(scheme, x.shape[1], 2 * len(contrast.rows.n_units), try_columns)
    labelled_contrasts = {name: _told(result, labelled) for name, result in compared.contrasts.items()}
    return Compared(labelled_contrasts, _as_values(scheme, x))


def labelled_intervals(contrast: LabelledContrast, x: Floats, alpha: float) -> Interval:
    """The intervals of compare_labelled at another level."""
    return labelled_estimate(contrast, x, alpha).limits


def labelled_estimate(contrast: LabelledContrast, x: Floats, alpha: float) -> Estimate:
    """Differences with t intervals of the labelled root prompts."""
    estimate = mean_estimate(contrast, x, alpha)
    return estimate._replace(limits=skewed.limits(_with_unseen(contrast, estimate).mean, alpha))


def _with_unseen(contrast: LabelledContrast, estimate: Estimate) -> Estimate:
    """With the error that interval and margin have: that which no label showed is in it."""
    return estimate._replace(std_error=np.sqrt(estimate.std_error**2 + contrast.labelled.unseen(contrast.rows.n_units)))


def _told(found: Result, labelled: Labelled) -> Result:
    """What is told of rows (columns, groups), by how many root prompts are labelled and how many events they have."""
    everything = np.ones(1, dtype=bool)
    if labelled.why_no_interval is not None:
        found = found.refused(everything, labelled.why_no_interval, INTERVAL)
    is_open = np.array([reason is None for reason in found.reason.ravel()]).reshape(found.reason.shape)
    found = found.refused(labelled.is_few & is_open, InferenceReason.APPROXIMATE, ())
    if labelled.reason is None:
        return found
    kept = _OF_VALUES if labelled.is_told else _OF_VALUES - {"value"}
    return found.refused(everything, labelled.reason, set(Result._fields) - kept)


def without_p(compared: Compared) -> Compared:
    """Of a crossing, which asks raw values what it adds to its parts: values and intervals."""
    reason = InferenceReason.SCHEME_NOT_AVAILABLE
    return compared.each(lambda one: one.refused(~np.isnan(one.p_value), reason, EVERY_P), lambda one: one)


def _as_values(scheme: Blocks, x: Floats) -> dict[str, Result]:
    means = scheme.means
    if means.missing is not None:
        return dict.fromkeys(AS_VALUES, Result.of((x.shape[1],), reason=means.missing))
    seen = means.observed(x)
    spread = spread_of(seen.deviation, seen.level, seen.scale, 0)
    reason = InferenceReason.CORRECTED_NOT_BOUNDED
    return {name: Result.of((x.shape[1],), value=INDICES[name].of(spread), reason=reason) for name in AS_VALUES}
