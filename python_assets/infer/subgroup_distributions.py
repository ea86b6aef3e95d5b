"""Two generations compared by the distributions of their subgroup rates, as the document does.

Belongs here: the two-sample test of Kolmogorov and Smirnov and its two p. Both are naive: subgroups share
prompts, and both generations answer the same ones. What decides is a test over root prompts, not this.
"""

import warnings
from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from python_assets.infer.permutation import Floats
from python_assets.infer.reasons import InferenceReason
from python_assets.study.base import BASELINE

COMPARISON: Final = "kolmogorov_smirnov"
MOST_EXACT: Final = 10_000  # subgroups of a generation, past which scipy calls its exact p unfeasible
PLACE: Final = ["slice_id", "measure_id", "grouping_id"]
METHOD: Final = "two-sample Kolmogorov-Smirnov over subgroup rates, p naive: subgroups as independent draws"


class Distance(NamedTuple):
    """D of two samples, both shares where it is reached, and the two p; NaN where there is none."""

    value: float
    value_a: float
    value_b: float
    p_value_exact: float
    p_value_asymptotic: float


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
    share_a, share_b = _farthest(a, b)
    value = abs(share_a - share_b)
    return Distance(
        value=value,
        value_a=share_a,
        value_b=share_b,
        p_value_exact=_exact_p(a, b),
        p_value_asymptotic=_asymptotic_p(value, len(a), len(b)),
    )


def _farthest(a: Floats, b: Floats) -> tuple[float, float]:
    """Both shares where the distribution functions of two sorted samples lie farthest apart."""
    rates = np.concatenate([a, b])
    share_a, share_b = (np.searchsorted(sample, rates, side="right") / len(sample) for sample in (a, b))
    place = np.argmax(np.abs(share_a - share_b))
    return float(share_a[place]), float(share_b[place])


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
    is_of_a, is_there = order < a.shape[1], ~np.isnan(rates)
    n_a, n_b = (np.cumsum(is_of & is_there, axis=1) for is_of in (is_of_a, ~is_of_a))
    with np.errstate(invalid="ignore"):
        distance = np.abs(n_a / n_a[:, -1:] - n_b / n_b[:, -1:])
    # within a tie neither function has its value yet
    distance[:, :-1][rates[:, 1:] == rates[:, :-1]] = 0
    return np.asarray(distance.max(axis=1))


def _asymptotic_p(value: float, n_a: int, n_b: int) -> float:
    """That of one sample of the harmonic size, as scipy's; NaN where that rounds to nothing."""
    size = round(n_a * n_b / (n_a + n_b))
    return float(stats.kstwo.sf(value, size)) if size else float("nan")


def _exact_p(a: Floats, b: Floats) -> float:
    if max(len(a), len(b)) > MOST_EXACT:
        return float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # so scipy says that it fell back on the other p
        try:
            return float(stats.ks_2samp(a, b, method="exact").pvalue)
        except RuntimeWarning:
            return float("nan")


def distribution_rows(sums: pd.DataFrame) -> list[dict[str, Any]]:
    """Every pair of generations compared by their subgroup rates, set of factors by set of factors.

    Args:
        sums: the rows of int_subgroup_sums. The baseline, which is no model's answer, is left out.

    Returns:
        Rows of inference.generation_comparisons, without study_id.
    """
    answered = sums[sums.generation_id != BASELINE]
    return [row for place, part in answered.groupby(PLACE) for row in _pairs(place, part)]


def _pairs(place: Any, part: pd.DataFrame) -> Iterator[dict[str, Any]]:
    rates = {generation: _rates(rows) for generation, rows in part.groupby("generation_id")}
    for first, second in combinations(rates, 2):
        distance = kolmogorov_smirnov(rates[first], rates[second])
        yield {
            **dict(zip(PLACE, place, strict=True)),
            "calibration": "raw",
            "generation_a_id": first,
            "generation_b_id": second,
            "comparison": COMPARISON,
            "group_id": "",
            "category": "",
            **distance._asdict(),
            "n_groups_a": len(rates[first]),
            "n_groups_b": len(rates[second]),
            "method": METHOD,
            "reason": "no_values" if np.isnan(distance.value) else None,
            "inference_reason": InferenceReason.DESCRIPTIVE,
        }


def _rates(rows: pd.DataFrame) -> Floats:
    present = rows[rows.n_responses > 0]
    return np.sort((present.n_deviating / present.n_responses).to_numpy(dtype=float))
