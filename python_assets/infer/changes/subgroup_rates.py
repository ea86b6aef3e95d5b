"""Two generations by the rates of their subgroups: the distance of both distributions, and the deviation metric.

Belongs here: the two-sample test of Kolmogorov and Smirnov, as the document does it, and the change of the
deviation metric. The two p of the document are naive: subgroups share prompts, and both generations answer the
same ones; beside them stands a p by swapping whole units between the generations.

Source: inference.md 8; multi-factor document, section 3.3.1, equation 4.
"""

import warnings
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import combinations
from typing import Any, Final, NamedTuple, cast

import duckdb
import numpy as np
import pandas as pd
from scipy import stats

from python_assets.infer.changes.change_rows import Change, change_rows, without_value
from python_assets.infer.changes.pairs_of_systems import MOST_UNPAIRED, OF_MEASURES, in_sql
from python_assets.infer.changes.swapped import t_test
from python_assets.infer.design.design import MIN_UNITS
from python_assets.infer.draws.exchange import TIE, Floats, p_values, stable_seed
from python_assets.infer.draws.flips import Flips
from python_assets.infer.options import Options
from python_assets.infer.result import InferenceReason, Result
from python_assets.infer.tables import Table
from python_assets.study.base import BASELINE

DEVIATION_METRIC_CHANGE: Final = "deviation_metric_change"
KOLMOGOROV_SMIRNOV: Final = "kolmogorov_smirnov"
LINEARISED: Final = "linearised over root prompts, cluster t and its interval"
NAIVE: Final = "two-sample Kolmogorov-Smirnov over subgroup rates, p naive: subgroups as independent draws"
MOST_EXACT: Final = 10_000  # subgroups of a generation, past which scipy calls its exact p unfeasible
_KEYS: Final = ["slice_id", "measure_id", "grouping_id"]
_UNITS: Final = f"""
    select slice_id, measure_id, grouping_id, system_id, group_id, unit_id, n, k
    from intermediate.int_subgroup_units
    join intermediate.int_outcomes using (outcome_position)
    where grouping_id in (select grouping_id from raw.groupings) and {OF_MEASURES}
    order by all
"""
_SUMS: Final = f"from intermediate.int_subgroup_sums where {OF_MEASURES} order by all"
_IDEAL: Final = "select ideal from raw.subgroup_ideals where statistic = 'deviation_rate'"


class DeviationCounts(NamedTuple):
    """Responses of a generation, and those of them that deviate, shape (units, subgroups)."""

    n: Floats
    k: Floats

    @property
    def rates(self) -> Floats:
        """Pooled rate of each subgroup with a response."""
        total = self.n.sum(axis=0)
        return cast(Floats, self.k.sum(axis=0)[total > 0] / total[total > 0])


class Distance(NamedTuple):
    """D of two samples, both shares where it is reached, and the two p; NaN where there is none."""

    value: float
    value_a: float
    value_b: float
    p_value_exact: float
    p_value_asymptotic: float


def subgroup_changes(
    connection: duckdb.DuckDBPyConnection,
    pairs: Sequence[tuple[str, str]],
    options: Options,
    measures: Collection[str] | None,
) -> Iterator[Table]:
    """Yield the rows of every slice, measure and set of factors.

    Args:
        connection: to a build file.
        pairs: whose deviation metrics are compared, in groupings; distances are of every two generations.
        options: seed, B and alpha.
        measures: those that are wanted; all of them where None.
    """
    ideals = connection.execute(_IDEAL).fetchone()
    ideal = float(ideals[0]) if ideals else 0.0
    seed = stable_seed(options.seed, "generations swapped", "subgroups")
    units, sums = (
        dict(iter(connection.execute(query, in_sql(measures)).df().groupby(_KEYS))) for query in (_UNITS, _SUMS)
    )

    @lru_cache(maxsize=1)  # sets with the same units follow each other
    def signs(n_units: int) -> Flips:
        return Flips(seed, options.n_draws_nonlinear, n_units)

    for key in sorted({*units, *sums}):
        keys = {**dict(zip(_KEYS, key, strict=True)), "calibration": "raw", "group_id": "", "category": ""}
        counts = unit_counts(units[key]) if key in units else None
        if counts is not None:
            for this_system, other in pairs:
                pair_keys = keys | {"system_id": this_system, "reference_system_id": other}
                yield _deviation_metric_row(counts[this_system], counts[other], pair_keys, ideal, options.alpha)
        if key in sums:
            yield from distance_rows(sums[key], counts, signs, keys)


def unit_counts(part: pd.DataFrame) -> Mapping[str, DeviationCounts]:
    """The counts of each generation in some rows of int_subgroup_units; of others all are 0."""
    units, unit = np.unique(part.unit_id, return_inverse=True)
    groups, group = np.unique(part.group_id, return_inverse=True)
    names, system = np.unique(part.system_id, return_inverse=True)
    n, k = np.zeros((2, len(names), len(units), len(groups)))
    at = (system, unit, group)
    n[at], k[at] = part.n, part.k
    nothing = np.zeros(n.shape[1:])
    known = {str(name): DeviationCounts(n[index], k[index]) for index, name in enumerate(names)}
    return defaultdict(lambda: DeviationCounts(nothing, nothing), known)


def _deviation_metric_row(
    own: DeviationCounts, other: DeviationCounts, keys: Mapping[str, object], ideal: float, alpha: float
) -> Table:
    """The change of the deviation metric of a pair, and how many root prompts it dropped."""
    keys = {**keys, "comparison": DEVIATION_METRIC_CHANGE}
    if not own.n.any() or not other.n.any():
        nothing = without_value(1, InferenceReason.NO_VALUES)
        return change_rows(nothing, missing=InferenceReason.NO_VALUES, n_root_prompts=None, **keys)
    n_dropped = int((own.n.any(axis=1) ^ other.n.any(axis=1)).sum())
    change = deviation_metric_change(own, other, ideal, alpha)
    return change_rows(change, missing=change.result.reason, n_dropped=n_dropped, **keys)


def deviation_metric_change(own: DeviationCounts, other: DeviationCounts, ideal: float, alpha: float) -> Change:
    """The change of the deviation metric: with ideal 0 it is a mean of rates, and then has a t interval.

    Args:
        own: of the generation that is compared; some subgroup has a response.
        other: of the one that it is compared with, on the same units.
        ideal: C of the rates.
        alpha: the interval is 1 - alpha.

    Returns:
        One row; no value where C is not 0, no test of generations that did not answer the same root prompts.
    """
    value_a, value_b = (float(np.abs(one.rates - ideal).mean()) for one in (own, other))
    n_answering = own.n.any(axis=1).astype(int) + other.n.any(axis=1)
    n_both, n_any = int((n_answering == 2).sum()), int((n_answering > 0).sum())
    fields: dict[str, Any] = {"value": value_a - value_b, "n_root_prompts": n_both}
    if ideal != 0:
        fields |= {"value": np.nan, "reason": InferenceReason.CHANGE_OF_EXTREMES_NOT_VALIDATED}
    elif n_any - n_both > MOST_UNPAIRED * n_any:
        fields |= {"reason": InferenceReason.UNPAIRED_PROMPTS}
    elif n_both < MIN_UNITS:
        fields |= {"reason": InferenceReason.TOO_FEW_ROOT_PROMPTS}
    else:
        influence = _influence(own) - _influence(other)
        n = len(influence)
        std_error = float(np.sqrt(n / (n - 1) * (influence**2).sum()))
        fields |= {**t_test(value_a - value_b, std_error, n, alpha), "method": LINEARISED}
    return Change(Result.of((1,), **fields), np.array([value_a]), np.array([value_b]))


def _influence(counts: DeviationCounts) -> Floats:
    """What each unit adds to the mean of the rates, shape (units,)."""
    total = counts.n.sum(axis=0)
    n, k, total = counts.n[:, total > 0], counts.k[:, total > 0], total[total > 0]
    return np.asarray(((k - n * counts.rates) / total).mean(axis=1))


def distance_rows(
    sums: pd.DataFrame,
    counts: Mapping[str, DeviationCounts] | None,
    signs: Callable[[int], Flips],
    keys: Mapping[str, object],
) -> Iterator[Table]:
    """Yield the distance of the subgroup rates of every two generations, of one slice, measure and set of factors.

    Args:
        sums: the rows of int_subgroup_sums. The baseline, which is no model's answer, is left out.
        counts: of units, for a p by swapping them; None where there are none.
        signs: of so many units.
        keys: what stands in all rows.
    """
    answered = sums[(sums.system_id != BASELINE) & (sums.n_responses > 0)]
    rates = {name: np.empty(0) for name in sorted(set(sums.system_id) - {BASELINE})}
    for name, rows in answered.groupby("system_id"):
        rates[name] = np.sort((rows.n_deviating / rows.n_responses).to_numpy(dtype=float))
    for first, second in combinations(rates, 2):
        distance = kolmogorov_smirnov(rates[first], rates[second])
        p, n_units, n_draws = np.nan, None, 0
        if counts is not None and not np.isnan(distance.value):
            these_counts, other = counts[first], counts[second]
            n_units = len(these_counts.n)
            swaps = signs(n_units)
            p, n_draws = swapped_distance_p(these_counts, other, swaps), swaps.n
        result = Result.of(
            (1,),
            value=distance.value,
            p_value=p,
            n_draws=n_draws,
            is_permuted=True,
            method=NAIVE,
            reason=InferenceReason.DESCRIPTIVE,
        )
        yield change_rows(
            Change(result, np.array([distance.value_a]), np.array([distance.value_b])),
            missing="no_values",
            comparison=KOLMOGOROV_SMIRNOV,
            system_id=first,
            reference_system_id=second,
            p_value_exact=distance.p_value_exact,
            p_value_asymptotic=distance.p_value_asymptotic,
            n_groups_a=len(rates[first]),
            n_groups_b=len(rates[second]),
            n_root_prompts=n_units,
            **keys,
        )


def kolmogorov_smirnov(a: Floats, b: Floats) -> Distance:
    """The largest distance between two empirical distribution functions.

    Args:
        a: rates of the subgroups of one generation, sorted.
        b: those of another, sorted.

    Returns:
        All NaN where a sample is empty; p_value_exact NaN where a sample is larger than MOST_EXACT or the
        exact distribution cannot be computed, p_value_asymptotic where the samples are too small for one.

    Source: multi-factor document, section 3.3.1; Hodges 1958 for both p.
    """
    if not len(a) or not len(b):
        return Distance(*[float("nan")] * len(Distance._fields))
    rates = np.concatenate([a, b])
    share_a, share_b = (np.searchsorted(sample, rates, side="right") / len(sample) for sample in (a, b))
    at = np.argmax(np.abs(share_a - share_b))
    value = float(abs(share_a[at] - share_b[at]))
    # the asymptotic p is that of one sample of the harmonic size, as scipy's; none where that rounds to 0
    size = round(len(a) * len(b) / (len(a) + len(b)))
    asymptotic = float(stats.kstwo.sf(value, size)) if size else float("nan")
    exact = float("nan")
    if max(len(a), len(b)) <= MOST_EXACT:
        with warnings.catch_warnings(), suppress(RuntimeWarning):
            warnings.simplefilter("error", RuntimeWarning)  # so scipy says that it fell back on the other p
            exact = float(stats.ks_2samp(a, b, method="exact").pvalue)
    return Distance(value, float(share_a[at]), float(share_b[at]), exact, asymptotic)


def swapped_distance_p(own: DeviationCounts, other: DeviationCounts, signs: Flips) -> float:
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

    def mixed_rates(own: DeviationCounts, other: DeviationCounts, batch: Floats) -> Floats:
        # of each subgroup, NaN without a response, where units with sign -1 come from the other
        n, k = (np.round((a + b).sum(axis=0) / 2 + batch @ ((a - b) / 2)) for a, b in zip(own, other, strict=True))
        return cast(Floats, np.divide(k, n, out=np.full_like(n, np.nan), where=n > 0))

    least = farthest(own.rates[None], other.rates[None])[0] - TIE
    n_as_far = 0
    for batch in signs.batches():
        distances = farthest(mixed_rates(own, other, batch), mixed_rates(other, own, batch))
        n_as_far += int((distances >= least).sum())
    return float(p_values(np.array(n_as_far), signs))


def farthest(a: Floats, b: Floats) -> Floats:
    """The largest distance alone, of many pairs of samples.

    Args:
        a: one sample a row, in any order, shape (m, k); NaN where a row has fewer.
        b: likewise, shape (m, l).

    Returns:
        Shape (m,); NaN where a sample is empty.
    """
    rates = np.concatenate([a, b], axis=1)
    order = np.argsort(rates, axis=1, kind="stable")
    rates = np.take_along_axis(rates, order, axis=1)
    is_of_a, is_present = order < a.shape[1], ~np.isnan(rates)
    n_a, n_b = (np.cumsum(is_of & is_present, axis=1) for is_of in (is_of_a, ~is_of_a))
    with np.errstate(invalid="ignore"):
        distance = np.abs(n_a / n_a[:, -1:] - n_b / n_b[:, -1:])
    # within a tie neither function has its value yet
    distance[:, :-1][rates[:, 1:] == rates[:, :-1]] = 0
    return np.asarray(distance.max(axis=1))
