"""Two generations by the rates of their subgroups, with whole units swapped between them.

Belongs here: the change of the deviation metric, and a p for the distance of Kolmogorov and Smirnov. The
distance itself, with the two p that the document prints, is subgroup_distributions.py.

Source: inference.md 8; multi-factor document, section 3.3.1, equation 4.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
from scipy import stats

from python_assets.infer.changes import Signs
from python_assets.infer.design import MIN_UNITS
from python_assets.infer.permutation import TIE, Floats, p_values
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.subgroup_distributions import farthest

DEVIATION_METRIC_CHANGE: Final = "deviation_metric_change"
METHOD: Final = "linearised over root prompts, cluster t and its interval"
PLACE: Final = ["slice_id", "measure_id", "grouping_id"]
Place = tuple[str, str, str]
_SUMS = """
    select slice_id, measure_id, grouping_id, generation_id, group_id, unit_id, n, k
    from intermediate.int_subgroup_units
    join intermediate.int_outcomes using (outcome_position)
    where grouping_id in (select grouping_id from raw.groupings)
    order by all
"""
_IDEAL = "select ideal from raw.subgroup_ideals where statistic = 'deviation_rate'"


class Counts(NamedTuple):
    """Responses of a generation, and those of them that deviate, shape (units, subgroups)."""

    n: Floats
    k: Floats

    @property
    def rates(self) -> Floats:
        """Pooled rate of each subgroup with a response."""
        total = self.n.sum(axis=0)
        return self.k.sum(axis=0)[total > 0] / total[total > 0]


class SubgroupCounts:
    """The counts of every slice, measure and grouping of a build file."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Read them."""
        sums = connection.execute(_SUMS).df()
        self._parts = dict(iter(sums.groupby(PLACE, sort=True)))
        self._known: dict[Place, tuple[list[str], dict[str, Counts]]] = {}
        ideals = connection.execute(_IDEAL).fetchone()
        self.ideal = float(ideals[0]) if ideals else 0.0

    @property
    def places(self) -> list[Place]:
        """Slice, measure and grouping of each."""
        return [(str(slice_id), str(measure), str(grouping)) for slice_id, measure, grouping in self._parts]

    def of(self, place: Place, names: Sequence[str]) -> tuple[list[str], list[Counts]]:
        """The counts of some generations on the same units and subgroups, and these units."""
        if place not in self._known:  # they are asked for place by place, so that one is enough to keep
            self._known = {place: self._read(place)}
        units, counts = self._known[place]
        nothing = np.zeros((len(units), next(iter(counts.values())).n.shape[1]))
        return units, [counts.get(name, Counts(nothing, nothing)) for name in names]

    def _read(self, place: Place) -> tuple[list[str], dict[str, Counts]]:
        """The units of a place, and the counts of each of its generations."""
        part = self._parts[place]
        units, unit = np.unique(part.unit_id, return_inverse=True)
        groups, group = np.unique(part.group_id, return_inverse=True)
        names, generation = np.unique(part.generation_id, return_inverse=True)
        n, k = np.zeros((2, len(names), len(units), len(groups)))
        at = (generation, unit, group)
        n[at], k[at] = part.n, part.k
        return units.tolist(), {str(name): Counts(n[own], k[own]) for own, name in enumerate(names)}


def swapped_distance_p(own: Counts, other: Counts, signs: Signs) -> float:
    """P of the distance of two distributions of subgroup rates, whole units swapped.

    Args:
        own: of one generation.
        other: of the other, on the same units.
        signs: of the units.

    Returns:
        NaN where one has no subgroup with a response.
    """
    if not own.n.any() or not other.n.any():
        return float("nan")
    least = farthest(own.rates[None], other.rates[None])[0] - TIE
    n_as_far = 0
    for batch in signs.batches():
        a, b = _mixed_rates(own, other, batch), _mixed_rates(other, own, batch)
        n_as_far += int((farthest(a, b) >= least).sum())
    return float(p_values(np.array(n_as_far), signs))


def _mixed_rates(own: Counts, other: Counts, signs: Floats) -> Floats:
    """Rates of each subgroup, NaN without a response, where units with sign -1 come from the other."""
    n, k = (
        np.round((a + b).sum(axis=0) / 2 + signs @ ((a - b) / 2)) for a, b in zip(own, other, strict=True)
    )
    return np.divide(k, n, out=np.full_like(n, np.nan), where=n > 0)


def deviation_metric_row(own: Counts, other: Counts, ideal: float, alpha: float) -> dict[str, Any]:
    """The change of the deviation metric: with ideal 0 it is a mean of rates, and then has a t interval.

    Args:
        own: of the generation that is compared.
        other: of the one that it is compared with.
        ideal: C of the rates.
        alpha: the interval is 1 - alpha.

    Returns:
        Columns of inference.generation_comparisons.
    """
    row: dict[str, Any] = {"comparison": DEVIATION_METRIC_CHANGE, "group_id": "", "category": ""}
    if not own.n.any() or not other.n.any():
        return row | {"reason": "no_values", "inference_reason": InferenceReason.NO_VALUES}
    values = [float(np.abs(side.rates - ideal).mean()) for side in (own, other)]
    sides = {"value_a": values[0], "value_b": values[1]}
    answered = (own.n.any(axis=1), other.n.any(axis=1))
    n, n_dropped = int((answered[0] & answered[1]).sum()), int((answered[0] ^ answered[1]).sum())
    row |= sides | {"n_root_prompts": n, "n_dropped": n_dropped}
    if ideal != 0:
        reason = InferenceReason.CHANGE_OF_EXTREMES_NOT_VALIDATED
        return row | {"reason": reason, "inference_reason": reason}
    row |= {"value": values[0] - values[1]}
    if n_dropped > 0.05 * (n + n_dropped):
        return row | {"inference_reason": InferenceReason.UNPAIRED_PROMPTS}
    if n < MIN_UNITS:
        return row | {"inference_reason": InferenceReason.TOO_FEW_ROOT_PROMPTS}
    return row | _t_interval(_influence(own) - _influence(other), row["value"], alpha)


def _influence(counts: Counts) -> Floats:
    """What each unit adds to the mean of the rates, shape (units,)."""
    total = counts.n.sum(axis=0)
    held = total > 0
    n, k = counts.n[:, held], counts.k[:, held]
    residual = (k - n * (k.sum(axis=0) / total[held])) / total[held]
    return np.asarray(residual.mean(axis=1))


def _t_interval(influence: Floats, value: float, alpha: float) -> dict[str, Any]:
    used = influence[np.isfinite(influence)]
    n = len(used)
    std_error = float(np.sqrt(n / (n - 1) * (used**2).sum()))
    half = stats.t.isf(alpha / 2, n - 1) * std_error
    t = abs(value) / std_error if std_error > 0 else (0.0 if abs(value) < TIE else np.inf)
    return {
        "ci_low": value - half,
        "ci_high": value + half,
        "p_value": float(2 * stats.t.sf(t, n - 1)),
        "method": METHOD,
    }


def deviation_metric_rows(
    counts: SubgroupCounts, pairs: Sequence[tuple[str, str]], alpha: float
) -> Iterator[dict[str, Any]]:
    """The change of the deviation metric of every pair in every place."""
    for place in counts.places:
        for pair in pairs:
            _, (own, other) = counts.of(place, pair)
            names = dict(zip(PLACE, place, strict=True))
            names |= {"generation_a_id": pair[0], "generation_b_id": pair[1], "calibration": "raw"}
            yield names | deviation_metric_row(own, other, counts.ideal, alpha)
