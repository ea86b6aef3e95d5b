"""Verdicts, and how often they are wrong where the truth lies exactly at the declared margin.

Belongs here: one function a kind of number, from a layout and a model to rates of false words. The data are
simulated.py's.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy import optimize

from bench.error_rates import simulated
from bench.error_rates.measured import ALPHA, Sizes, rejected
from bench.error_rates.simulated import Layout, Model
from python_assets.infer.contrasts.compare import compare_labels, compare_values
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.formulas.multiplicity import holm, hypothesis_levels
from python_assets.infer.formulas.verdict import RowNumbers, row_verdicts
from python_assets.infer.result import Result


def words_of(contrasts: Result) -> np.ndarray:
    """Verdicts, a data set being a study of one question; shape (data sets, groups)."""
    q, q_margin, q_equivalence = (
        np.array([of_one_hypothesis(p_hypothesis, p) for p_hypothesis, p in zip(firsts, rows, strict=True)])
        for firsts, rows in (
            (contrasts.p_hypothesis[:, 0], contrasts.p_maxt),
            *((adjusted.min(axis=1), adjusted) for adjusted in map(holm, _margins(contrasts))),
        )
    )
    return row_verdicts(RowNumbers(q, contrasts.ci_low, contrasts.ci_high, q_margin, q_equivalence), ALPHA).verdict


def _margins(contrasts: Result) -> tuple[Floats, Floats]:
    return contrasts.p_margin, contrasts.p_equivalence


def of_one_hypothesis(p_hypothesis: float, p_group: Floats) -> Floats:
    """Level of each group where its question is the only one of the set."""
    hypothesis = np.zeros(len(p_group), dtype=np.intp)
    return hypothesis_levels(np.array([p_hypothesis]), p_group, hypothesis).of_group


def index_words(test: Result, margin: float, *, is_ratio: bool = False) -> np.ndarray:
    """Verdict of an index that is a question of its own, shape (data sets,); the interval has to agree.

    is_ratio: whether small values are the large differences.
    """
    above, below = test.ci_low > margin, test.ci_high < margin
    beyond, inside = (below, above) if is_ratio else (above, below)
    q_margin, q_equivalence = (
        np.where(agrees, p, np.nan) for agrees, p in ((beyond, test.p_margin), (inside, test.p_equivalence))
    )
    no_effect = 1.0 if is_ratio else 0.0
    numbers = RowNumbers(test.p_value, test.ci_low, test.ci_high, q_margin, q_equivalence, no_effect=no_effect)
    return row_verdicts(numbers, ALPHA).verdict


def of_differences(layout: Layout, model: Model, sizes: Sizes, delta: float = 0.3) -> dict[str, float]:
    """Every group at the margin, half of them above, of an even number: how often any gets a false word."""
    k = layout.n_groups
    shift = np.resize([1.0, -1.0], k) * delta * (k - 1) / k
    x = simulated.means(sizes.rng, layout, model._replace(shift=shift), sizes.n_sets)
    margins = simulated.no_margins(sizes.n_sets, mean_difference=delta)
    scheme = simulated.scheme_of(layout, sizes.n_permutations)
    one = compare_values(scheme, x, margins, is_rate=False).contrasts["mean_difference"]
    words = words_of(one)
    return {
        "beyond_margin": _any(words == "beyond_margin"),
        "equivalent": _any(words == "equivalent"),
        "unadjusted interval past the margin": _any(one.p_margin <= ALPHA / 2),
    }


def _any(found: np.ndarray) -> float:
    return float(found.any(axis=1).mean())


def of_rate(layout: Layout, model: Model, sizes: Sizes, p: float, delta: float) -> dict[str, float]:
    """One group at the margin, with the rate p + delta where all others have p."""
    of_groups = [p + delta] + [p] * (layout.n_groups - 1)
    y = simulated.rates(sizes.rng, layout, model, sizes.n_sets, p=of_groups)
    margins = simulated.no_margins(sizes.n_sets, risk_difference=delta)
    compared = compare_values(
        simulated.scheme_of(layout, sizes.n_permutations), y, margins, is_rate=True, with_log=True
    )
    one = compared.contrasts["risk_difference"]
    return {"beyond_margin": rejected(one.p_margin[:, 0]), "equivalent": rejected(one.p_equivalence[:, 0])}


def of_mean_index(layout: Layout, model: Model, sizes: Sizes, name: str) -> dict[str, float]:
    """The standard deviation or the range of group means."""
    margin = float(np.ptp(model.shift) if name == "range" else np.std(model.shift, ddof=1))
    x = simulated.means(sizes.rng, layout, model, sizes.n_sets)
    scheme = simulated.scheme_of(layout, sizes.n_permutations, intervals=True)
    margins = simulated.no_margins(sizes.n_sets, **{name: margin})
    return _false(index_words(compare_values(scheme, x, margins, is_rate=False).indices[name], margin))


def of_impact_ratio(layout: Layout, model: Model, sizes: Sizes, p: Sequence[float]) -> dict[str, float]:
    """The impact ratio of groups with these rates."""
    y = simulated.rates(sizes.rng, layout, model, sizes.n_sets, p=p)
    scheme = simulated.scheme_of(layout, sizes.n_permutations, intervals=True)
    margin = float(min(p) / max(p))
    margins = simulated.no_margins(sizes.n_sets, impact_ratio=margin)
    indices = compare_values(scheme, y, margins, with_log=False, is_rate=True).indices
    return _false(index_words(indices["impact_ratio"], margin, is_ratio=True))


def of_profile(
    layout: Layout, model: Model, sizes: Sizes, shares: Sequence[float], name: str, margin: float
) -> dict[str, float]:
    """FDI, Cramer's V or divergence of groups whose shift, of the model's shape, gives just the margin."""
    of: Callable[[Floats], Floats] = getattr(simulated, name)
    shape = np.asarray(model.shift)

    def beyond(size: float) -> float:
        moved = model._replace(shift=size * shape)
        return float(of(simulated.true_shares(layout, moved, shares))) - margin

    model = model._replace(shift=optimize.brentq(beyond, 0, 4) * shape)
    y = simulated.categories(sizes.rng, layout, model, sizes.n_sets, shares=shares)
    scheme = simulated.scheme_of(layout, sizes.n_permutations, intervals=True)
    indices = compare_labels(scheme, y, simulated.no_margins(sizes.n_sets, **{name: margin})).indices
    return _false(index_words(indices[name], margin))


def _false(words: np.ndarray) -> dict[str, float]:
    return {word: float((words == word).mean()) for word in ("beyond_margin", "equivalent")}
