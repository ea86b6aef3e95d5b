"""How often what a plan calls shown with .8 is found, where root prompt and group interact.

python -m bench.bench_power [--sets 400]

Belongs here: made-up answers to as many root prompts as the plan names, of one group that differs. The tests are a
cluster t of scores and the score z of rates (inference.md 2.2), at alpha shared as the plan shares it; beyond a margin
the engine's own p.
"""

from collections.abc import Iterator
from itertools import product
from typing import Final, NamedTuple

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from bench.bench_skewed import NOISES, estimated
from bench.error_tables import print_tables, text
from python_assets.infer.contrasts.means import mean_levels
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.formulas.multiplicity import holm
from python_assets.infer.formulas.verdict import POWER, n_needed
from python_assets.plan.expected_effects import (
    DEFAULT_SHARE,
    Spread,
    pilot_of_cells,
    sd_of_difference,
    spread_of_pilot,
    spread_of_rate,
)
from python_assets.study.base import Against

ALPHA: Final = 0.05
CORRELATION: Final = 0.5
MOST_CELLS: Final = 4_000_000  # at a time
MOST_ROOT_PROMPTS: Final = 2_000
CROSSINGS: Final = ((2, 2, 1, 0.3), (2, 3, 5, 0.3), (2, 4, 10, 0.5), (3, 7, 5, 0.5), (3, 7, 20, 0.3))
GROUPS, INTERACTIONS, RESPONSES, EFFECTS = (2, 5, 8, 21), (0.0, 0.05, 0.1, 0.2), (1, 5, 10, 20), (0.15, 0.3, 0.5)
MARGIN, N_BESIDE_MARGIN = 0.2, 5
BESIDE_MARGIN: Final = {
    "normal": ("normal", 1),
    "exponential, tail away from 0": ("exponential", 1),
    "tail towards 0": ("exponential", -1),
    "lognormal, tail away from 0": ("lognormal", 1),
    "lognormal, tail towards 0": ("lognormal", -1),
}
BEYOND: Final = (1.95, 1.65, 1.15, 0.86, 0.7)  # differences that need 10, 12, 20, 35 and 56 root prompts
WITHIN: Final = (1.6, 1.2, 0.9, 0.7)  # margins that need 13, 18, 26 and 39 root prompts


class Design(NamedTuple):
    """A plan of scores of sd 1."""

    n_groups: int
    interaction: float
    n_responses: int
    effect: float
    n_hypotheses: int = 1

    @property
    def spread(self) -> Spread:
        """What values are truly like."""
        return Spread(1.0, CORRELATION, self.n_groups, self.n_responses, prompt_by_group_share=self.interaction)

    @property
    def n_tests(self) -> int:
        """Distinct comparisons x questions."""
        return (1 if self.n_groups == 2 else self.n_groups) * self.n_hypotheses


def planned(spread: Spread, effect: float, n_tests: int) -> int:
    """Root prompts that a plan names."""
    sd = np.array(sd_of_difference(spread, Against.REST))
    return int(n_needed(np.array(effect), sd, np.array(np.nan), alpha=ALPHA, n_tests=n_tests))


def found_of_scores(design: Design, n_sets: int, seed: int, n_root_prompts: int | None = None) -> float:
    """Share of sets in which the group that differs is called.

    Args:
        design: what is planned, and true.
        n_sets: sets.
        seed: of everything random.
        n_root_prompts: those asked, where the plan is not that of the design.
    """
    rng, spread = np.random.default_rng(seed), design.spread
    n = n_root_prompts or planned(spread, design.effect, design.n_tests)
    n_found, at_a_time = 0, max(MOST_CELLS // (n * design.n_groups), 1)
    for start in range(0, n_sets, at_a_time):
        shape = (min(at_a_time, n_sets - start), n, design.n_groups)
        x = np.sqrt(spread.correlation) * rng.normal(size=(*shape[:2], 1))
        x = x + np.sqrt(spread.prompt_by_group_share) * rng.normal(size=shape)
        x += np.sqrt(spread.rest / design.n_responses) * rng.normal(size=shape)
        x[:, :, 0] += design.effect
        d = x[:, :, 0] - x[:, :, 1:].mean(axis=2)
        t = d.mean(axis=1) / d.std(axis=1, ddof=1) * np.sqrt(n)
        n_found += int((2 * stats.t.sf(np.abs(t), n - 1) <= ALPHA / design.n_tests).sum())
    return n_found / n_sets


def found_beyond_margin(effect: float, noise: str, n_sets: int, seed: int) -> tuple[int, float]:
    """Root prompts at which a group of 5 is shown to lie beyond the margin, and the share of sets in which it is.

    Args:
        effect: of the first group, in sd of scores; negative where it is on the side of the short tail.
        noise: of bench_skewed, of any sd.
        n_sets: sets.
        seed: of everything random.
    """
    spread = Spread(1.0, 0.0, N_BESIDE_MARGIN, 1)
    margin, sd = np.array(MARGIN), np.array(sd_of_difference(spread, Against.REST))
    n = int(n_needed(np.array(effect), sd, margin, alpha=ALPHA, n_tests=N_BESIDE_MARGIN))
    x = NOISES[noise](np.random.default_rng(seed), (n, N_BESIDE_MARGIN, n_sets))
    x /= x.std()
    x[:, 0] += effect
    p_margin, _ = mean_levels(estimated(x)[2], np.full(n_sets, MARGIN))
    return n, float((holm(p_margin)[:, 0] <= ALPHA).mean())


def found_within_margin(margin: float, noise: str, n_sets: int, seed: int) -> tuple[int, float]:
    """Root prompts at which 5 groups without a difference are shown to lie within it, and the share of sets they are.

    Args:
        margin: in sd of scores.
        noise: of bench_skewed, of any sd.
        n_sets: sets.
        seed: of everything random.
    """
    sd = np.array(sd_of_difference(Spread(1.0, 0.0, N_BESIDE_MARGIN, 1), Against.REST))
    # within the margin is past both of its ends
    both = (1 + POWER) / 2
    n = int(n_needed(np.array(0.0), sd, np.array(margin), alpha=ALPHA, n_tests=N_BESIDE_MARGIN, power=both))
    x = NOISES[noise](np.random.default_rng(seed), (n, N_BESIDE_MARGIN, n_sets))
    _, p_equivalence = mean_levels(estimated(x / x.std())[2], np.full(n_sets, margin))
    return n, float((holm(p_equivalence) <= ALPHA).all(axis=1).mean())


def found_of_crossing(n_rows: int, n_columns: int, n_responses: int, effect: float, n_sets: int, seed: int) -> float:
    """Share of sets in which the cell that has the effect beyond its row and column is called; interaction .1.

    Args:
        n_rows: groups of one part.
        n_columns: of the other.
        n_responses: of a cell on a root prompt.
        effect: of the first cell, beyond what the others of its row and column make of it.
        n_sets: sets.
        seed: of everything random.
    """
    rng, k = np.random.default_rng(seed), n_rows * n_columns
    left = (n_rows - 1) * (n_columns - 1) / k
    spread = Spread(1.0, CORRELATION, k, n_responses, prompt_by_group_share=DEFAULT_SHARE, left=left)
    n_tests = {(2, 2): 1}.get((n_rows, n_columns), k // 2 if 2 in (n_rows, n_columns) else k)
    n = planned(spread, effect, n_tests)
    x = np.sqrt(DEFAULT_SHARE + spread.rest / n_responses) * rng.normal(size=(n_sets, n, n_rows, n_columns))
    x[:, :, 0, 0] += effect
    own, row, column, rest = x[..., 0, 0], x[..., 0, 1:], x[..., 1:, 0], x[..., 1:, 1:]
    d = own - row.mean(axis=-1) - column.mean(axis=-1) + rest.mean(axis=(-2, -1))
    t = d.mean(axis=1) / d.std(axis=1, ddof=1) * np.sqrt(n)
    return float((2 * stats.t.sf(np.abs(t), n - 1) <= ALPHA / n_tests).mean())


def found_of_rates(
    rate: float, effect: float, *, n_groups: int, n_responses: int, n_sets: int, seed: int, is_larger_side: bool = True
) -> float:
    """Share of sets in which the rate that differs is called by the score z.

    Args:
        rate: of the others.
        effect: of the group, which is the side with the larger variance where it goes towards .5.
        n_groups: groups.
        n_responses: of a group on a root prompt.
        n_sets: sets.
        seed: of everything random.
        is_larger_side: whether the plan takes the larger variance of both sides of the effect.
    """
    rng, rho, interaction = np.random.default_rng(seed), 0.3, 0.1
    spread = spread_of_rate(rate, effect, Spread(0.0, rho, n_groups, n_responses, prompt_by_group_share=interaction))
    n = planned(spread if is_larger_side else spread._replace(sd_of_group=None), effect, n_groups)
    limits = np.full(n_groups, stats.norm.ppf(rate))
    limits[0] = stats.norm.ppf(rate + effect)
    of_prompt, of_both = (_latent(rate, share) for share in (rho, rho + interaction))
    n_found = 0
    for _ in range(n_sets):
        latent = np.sqrt(of_prompt) * rng.normal(size=(n, 1, 1))
        latent = latent + np.sqrt(of_both - of_prompt) * rng.normal(size=(n, n_groups, 1))
        latent = latent + np.sqrt(1 - of_both) * rng.normal(size=(n, n_groups, n_responses))
        cells = (latent < limits[:, None]).mean(axis=2)
        n_found += 2 * stats.norm.sf(abs(_score_z(cells))) <= ALPHA / n_groups
    return float(n_found / n_sets)


def _latent(rate: float, correlation: float) -> float:
    """The correlation of two normals whose lower shares, both the rate, correlate so much."""
    limit, wanted = stats.norm.ppf(rate), rate**2 + correlation * rate * (1 - rate)

    def excess(latent: float) -> float:
        return float(stats.multivariate_normal.cdf([limit, limit], cov=[[1, latent], [latent, 1]])) - wanted

    return float(brentq(excess, 0, 0.999))


def _score_z(cells: Floats) -> float:
    """The cluster score z of the first group, written out."""
    n, k = cells.shape
    a, c, p = cells[:, 0], cells[:, 1:].mean(axis=1), cells.mean()
    variances = []
    for side, n_others in ((a, 1), (c, k - 1)):
        mean = side.mean()
        own = mean * (1 - mean)
        variances.append((side.var(ddof=1) / n / own if own > 0 else 1 / (n * n_others)) * p * (1 - p))
    rho = np.corrcoef(a, c)[0, 1] if a.std() > 0 and c.std() > 0 else 0.0
    variance = sum(variances) - 2 * rho * np.sqrt(variances[0] * variances[1])
    return float((a.mean() - c.mean()) / np.sqrt(variance)) if variance > 0 else 0.0


def found_of_pilots(n_root_prompts: int, n_responses: int, n_sets: int, seed: int) -> Floats:
    """Power that plans for 10 answers have, each from a pilot of its own; 5 groups, interaction .1, effect .2."""
    rng, truth = np.random.default_rng(seed), Design(5, 0.1, 10, 0.2)
    sd = sd_of_difference(truth.spread, Against.REST)
    found = np.empty(n_sets)
    for at in range(n_sets):
        shape = (n_root_prompts, 5, n_responses)
        x = np.sqrt(CORRELATION) * rng.normal(size=(n_root_prompts, 1, 1))
        x = x + np.sqrt(0.1) * rng.normal(size=(*shape[:2], 1)) + np.sqrt(0.4) * rng.normal(size=shape)
        n = planned(spread_of_pilot(pilot_of_cells(x), 5, 10), truth.effect, 5)
        limit = stats.t.isf(ALPHA / 2 / 5, n - 1)
        found[at] = stats.nct.sf(limit, n - 1, truth.effect / sd * np.sqrt(n))
    return found


def tables(n_sets: int) -> Iterator[str]:
    """One line a number of answers, rate or pilot."""
    yield "| scores, K 2, 5, 8, 21, effect .15, .3, .5: answers, interaction | mean | least | most | today's plan |"
    yield "|---|---|---|---|---|"
    for m, interaction in product(RESPONSES, INTERACTIONS):
        shares, before = [], []
        for at, (k, effect) in enumerate(product(GROUPS, EFFECTS)):
            design = Design(k, interaction, m, effect)
            if planned(design.spread, effect, design.n_tests) > MOST_ROOT_PROMPTS:
                continue
            shares.append(found_of_scores(design, n_sets, seed=at))
            without = planned(design.spread._replace(prompt_by_group_share=0.0), effect, design.n_tests)
            before.append(found_of_scores(design, n_sets, seed=at, n_root_prompts=without))
        numbers = (np.mean(shares), min(shares), max(shares), np.mean(before))
        yield f"| {m}, {interaction:g} | {' | '.join(text(float(one)) for one in numbers)} |"
    yield ""
    yield "| rates, K 5: rate, effect, answers | larger side | p(1-p) |"
    yield "|---|---|---|"
    for rate, effect, m in (
        (0.05, 0.1, 1),
        (0.05, 0.1, 20),
        (0.2, 0.15, 1),
        (0.2, 0.15, 5),
        (0.5, 0.15, 5),
        (0.8, -0.15, 5),
    ):
        own, other = (
            found_of_rates(
                rate, effect, n_groups=5, n_responses=m, n_sets=n_sets, seed=1, is_larger_side=is_larger_side
            )
            for is_larger_side in (True, False)
        )
        yield f"| {rate:g}, {effect:g}, {m} | {text(own)} | {text(other)} |"
    yield ""
    yield "| crossing: cells, answers, effect beyond the parts | found |"
    yield "|---|---|"
    for a, b, m, effect in CROSSINGS:
        yield f"| {a} x {b}, {m}, {effect:g} | {text(found_of_crossing(a, b, m, effect, n_sets, seed=1))} |"
    yield ""
    yield "| pilot: root prompts x answers | mean power | 10th percentile |"
    yield "|---|---|---|"
    for n, m in ((10, 3), (20, 2), (20, 5), (50, 5)):
        powers = found_of_pilots(n, m, n_sets, seed=n)
        yield f"| {n} x {m} | {text(float(powers.mean()))} | {text(float(np.quantile(powers, 0.1)))} |"
    yield ""
    yield from _margin_tables(n_sets)
    design = Design(5, 0.0, 10, 0.3)
    assumed = planned(design.spread._replace(prompt_by_group_share=DEFAULT_SHARE), 0.3, 5)
    yield ""
    yield f"No interaction, and .1 planned for, 10 answers: {text(found_of_scores(design, n_sets, 1, assumed))}"


def _margin_tables(n_sets: int) -> Iterator[str]:
    """One line a number of root prompts."""
    yield f"| beyond a margin of {MARGIN:g} sd, 5 groups: root prompts | {' | '.join(BESIDE_MARGIN)} |"
    yield "|---" * (len(BESIDE_MARGIN) + 1) + "|"
    for effect in BEYOND:
        found = [found_beyond_margin(sign * effect, noise, n_sets, seed=1) for noise, sign in BESIDE_MARGIN.values()]
        yield f"| {found[0][0]} | {' | '.join(text(share) for _, share in found)} |"
    yield ""
    yield "| all of 5 groups within a margin: root prompts | normal | exponential |"
    yield "|---|---|---|"
    for margin in WITHIN:
        found = [found_within_margin(margin, noise, n_sets, seed=1) for noise in ("normal", "exponential")]
        yield f"| {found[0][0]} | {' | '.join(text(share) for _, share in found)} |"


if __name__ == "__main__":
    print_tables(__doc__, tables, n_sets=400)
