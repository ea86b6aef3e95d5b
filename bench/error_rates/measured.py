"""How often inference errs on simulated data: what the tests bound and bench/bench_error_rates.py prints.

Belongs here: one function a question, from a layout and a model to rates. The data are simulated.py's.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from bench.error_rates import simulated
from bench.error_rates.simulated import NOISES, REST, Layout, Model
from python_assets.infer.contrasts.compare import Compared, compare_labels, compare_values
from python_assets.infer.design.design import Frame
from python_assets.infer.draws.exchange import Floats, Shuffles
from python_assets.infer.formulas.multiplicity import benjamini_hochberg
from python_assets.infer.options import Reference
from python_assets.infer.result import Result
from python_assets.infer.schemes.choose import InUnits, replicates
from python_assets.infer.schemes.units import Units
from python_assets.infer.statistics.compare_statistics import compare_statistic

ALPHA = 0.05
LEVEL = 10.0  # added to means, so that the ratio of smallest and largest is defined


class Sizes(NamedTuple):
    """Data sets, permutations and seed of one measurement."""

    n_sets: int
    n_permutations: int = 199
    seed: int = 1

    @property
    def rng(self) -> np.random.Generator:
        """A generator of its own for each measurement."""
        return np.random.default_rng(self.seed)


def rejected(p: Floats) -> float:
    """Share of p values at most alpha; NaN counts as no rejection."""
    return float((p <= ALPHA).mean())


def compared_means(
    layout: Layout, model: Model, sizes: Sizes, reference: Reference = REST, *, intervals: bool = False
) -> Compared:
    """Every test of means on simulated data sets."""
    x = LEVEL + simulated.means(sizes.rng, layout, model, sizes.n_sets)
    scheme = simulated.scheme_of(layout, sizes.n_permutations, reference, intervals=intervals)
    return compare_values(scheme, x, simulated.no_margins(sizes.n_sets), is_rate=False)


def compared_rates(
    layout: Layout,
    model: Model,
    sizes: Sizes,
    p: Sequence[float] | float,
    reference: Reference = REST,
    *,
    intervals: bool = False,
    **margins: float,
) -> Compared:
    """Every test of rates on simulated data sets; p: true rate of each group. margins: by name."""
    y = simulated.rates(sizes.rng, layout, model, sizes.n_sets, p=p)
    scheme = simulated.scheme_of(layout, sizes.n_permutations, reference, intervals=intervals)
    return compare_values(scheme, y, simulated.no_margins(sizes.n_sets, **margins), is_rate=True, with_log=True)


def false_positives(compared: Compared) -> dict[str, float]:
    """Rejection rates on data without any difference: a group, any group, the question, each index."""
    found = {}
    for name, one in compared.contrasts.items():
        found[name] = rejected(one.p_value[:, 0])
        if not np.isnan(one.p_hypothesis).all():
            found[f"{name}, any maxT"] = any_maxt(one)
            found[f"{name}, question"] = rejected(one.p_hypothesis[:, 0])
    tested = {name: one for name, one in compared.indices.items() if not np.isnan(one.p_value).all()}
    return found | {name: rejected(one.p_value) for name, one in tested.items()}


def profile_false_positives(layout: Layout, model: Model, sizes: Sizes, shares: Sequence[float]) -> dict[str, float]:
    """As false_positives, of categorical measures."""
    y = simulated.categories(sizes.rng, layout, model, sizes.n_sets, shares=shares)
    scheme = simulated.scheme_of(layout, sizes.n_permutations)
    return false_positives(compare_labels(scheme, y, simulated.no_margins(sizes.n_sets)))


def nonlinear_false_positives(layout: Layout, model: Model, sizes: Sizes, statistic: str) -> dict[str, float]:
    """As false_positives, of a statistic that is no mean; the baseline has the same prompts."""
    rows = simulated.responses(sizes.rng, layout, model, 2 * sizes.n_sets)
    values = simulated.values_of(rows[..., : sizes.n_sets], rows[..., : sizes.n_sets] + rows[..., sizes.n_sets :])
    scheme = simulated.scheme_of(layout, sizes.n_permutations)
    columns = np.arange(sizes.n_sets)
    return false_positives(compare_statistic(scheme, values, columns, simulated.asked(statistic)))


def replicate_false_positives(layout: Layout, sizes: Sizes) -> dict[str, float]:
    """As false_positives, for what one root prompt and its replicates can say: nothing beyond that prompt."""
    x = LEVEL + simulated.responses(sizes.rng, layout, Model(rho=0, interaction=0), sizes.n_sets)
    scheme = replicated(layout.n_groups, layout.n_replicates, sizes.n_permutations)
    margins = simulated.no_margins(sizes.n_sets)
    return false_positives(compare_values(scheme, x.reshape(-1, sizes.n_sets), margins, is_rate=False))


def replicated(n_groups: int, n_replicates: int, n_permutations: int) -> InUnits:
    """The comparison of all groups by their responses to one prompt."""
    group = np.repeat(np.arange(n_groups), n_replicates)
    block = np.zeros_like(group)
    frame = Frame(block, group, np.zeros(1, dtype=np.intp), n_groups)
    units = replicates(frame, np.ones(len(group), dtype=bool))
    if units is None:
        raise ValueError("replicates need two responses of each group")
    return InUnits(units, Shuffles(1, n_permutations, block).of(np.arange(len(group))), ALPHA)


def nested_false_positives(layout: Layout, n_units: int, noise: str, sizes: Sizes) -> dict[str, float]:
    """Units such as names inside groups, each with an effect of its own, all asked the same prompts.

    The last entry is the p of prompts as units, which takes the names for the whole of their group.
    """
    rng, shape = sizes.rng, (layout.n_prompts, layout.n_groups, n_units, sizes.n_sets)
    x = LEVEL + 0.5 * NOISES[noise](rng, shape) + np.sqrt(0.05) * NOISES[noise](rng, shape[1:])
    group = np.repeat(np.arange(layout.n_groups), n_units)
    stratum, n = np.zeros_like(group), len(group)
    units = Units(
        name=np.arange(n),
        cell=np.arange(layout.n_prompts) * n + np.arange(n)[:, None],
        stratum=stratum,
        group=group,
        root_of_stratum=np.zeros(1, dtype=np.intp),
        n_groups=layout.n_groups,
        n_present=layout.n_groups,
    )
    scheme = InUnits(units, Shuffles(1, sizes.n_permutations, stratum).of(np.arange(n)), ALPHA)
    margins = simulated.no_margins(sizes.n_sets)
    found = false_positives(compare_values(scheme, x.reshape(-1, sizes.n_sets), margins, is_rate=False))
    by_prompt = x.mean(axis=2).reshape(-1, sizes.n_sets)
    wrong = compare_values(simulated.scheme_of(layout, sizes.n_permutations), by_prompt, margins, is_rate=False)
    return found | {"prompts as units": rejected(wrong.contrasts["mean_difference"].p_value[:, 0])}


def any_maxt(contrasts: Result) -> float:
    """Share of data sets in which the maxT p of any group is at most alpha."""
    return float((contrasts.p_maxt <= ALPHA).any(axis=1).mean())


def raw_false_positives(layout: Layout, model: Model, sizes: Sizes) -> float:
    """Rejection rate of the first group if its mean difference were permuted as it is, not studentised."""
    x = simulated.means(sizes.rng, layout, model, sizes.n_sets)
    own = x.reshape(layout.n_prompts, layout.n_groups, -1)
    own = own - own.mean(axis=1, keepdims=True)
    observed = np.abs(own[:, 0].mean(axis=0))
    places = sizes.rng.integers(layout.n_groups, size=(sizes.n_permutations, layout.n_prompts))
    prompt = np.arange(layout.n_prompts)
    null = (np.abs(own[prompt, place].mean(axis=0)) for place in places)
    n_as_extreme = sum(one >= observed - 1e-9 for one in null)
    return rejected((n_as_extreme + 1) / (sizes.n_permutations + 1))


def welch_rows(rows: Floats, group: int) -> Floats:
    """P of Welch's t between the rows of a group and all others, whatever their prompt; one a data set."""
    rest = np.delete(rows, group, axis=1)
    own, other = (part.reshape(-1, rows.shape[3]) for part in (rows[:, [group]], rest))
    return stats.ttest_ind(own, other, axis=0, equal_var=False).pvalue


def power(layout: Layout, model: Model, sizes: Sizes) -> dict[str, float]:
    """How often the first group is found to differ: by the blocked test, and by Welch on rows."""
    p = compared_means(layout, model, sizes).contrasts["mean_difference"].p_value[:, 0]
    rows = simulated.responses(sizes.rng, layout, model, sizes.n_sets)
    return {"permuted t within prompts": rejected(p), "Welch on rows": rejected(welch_rows(rows, 0))}


def discoveries(layout: Layout, model: Model, sizes: Sizes) -> dict[str, float]:
    """What Benjamini-Hochberg lets through in the family of all groups; true are those with a shift."""
    shift = np.broadcast_to(model.shift, layout.n_groups)
    p = compared_means(layout, model, sizes).contrasts["mean_difference"].p_value
    found = np.array([benjamini_hochberg(row) for row in p]) <= ALPHA
    is_false = np.broadcast_to(np.isclose(shift, np.median(shift)), found.shape)
    false_share = (found & is_false).sum(axis=1) / np.maximum(found.sum(axis=1), 1)
    return {
        "unadjusted false findings": float(((p <= ALPHA) & is_false).sum(axis=1).mean()),
        "data sets with a false finding": float((found & is_false).any(axis=1).mean()),
        "false discovery rate": float(false_share.mean()),
        "error of that rate": float(false_share.std() / np.sqrt(sizes.n_sets)),
        "power": float(found[~is_false].mean()) if (~is_false).any() else np.nan,
    }
