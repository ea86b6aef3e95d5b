"""How often the p of a ground truth falls to .05 or less where the truth holds, for docs/statistics.md.

    python -m bench.bench_ground_truth [--scale 1.0]

Responses of a unit resemble each other: a unit draws its categories from a Dirichlet distribution around the
truth's, the more concentrated the nearer rho is to 1. `multinomial` is the p of that noise alone, `larger of
both` with Rao and Scott's, `used` what the product prints; `responses independent` takes no unit.
"""

import argparse
from typing import Final, NamedTuple

import numpy as np

from python_assets.infer.truth import ground_truth
from python_assets.infer.truth.ground_truth import Answers, against_truth, shares_against_truth

N_SETS: Final = 2_000
N_DRAWS: Final = 199
ALPHA: Final = 0.05
# Singapore 2024, thousands: eight occupations and others, women and men
OCCUPATIONS: Final = np.array(
    [
        [162.2, 242.6], [308.4, 311.5], [241.7, 241.5], [161.6, 48.0], [139.7, 102.1], [8.3, 46.5],
        [11.6, 116.8], [92.6, 73.1], [1.6, 55.8],
    ]
)  # fmt: skip


class Design(NamedTuple):
    """Units of one group each, or of all where these meet in a unit; responses of a unit and group.

    n_prompts: that units of one group are crossed with, where more than one; rho is then shared by both.
    """

    name: str
    n_units: int
    n_responses: int
    rho: float
    is_crossed: bool
    shares: np.ndarray
    n_prompts: int = 1


EVEN: Final = np.array([[30.0, 30.0], [20.0, 10.0], [10.0, 20.0]])
DESIGNS: Final = (
    Design("60 names, 5 repeats, all alike", 60, 5, 1.0, False, OCCUPATIONS),
    Design("60 names, 5 repeats", 60, 5, 0.5, False, OCCUPATIONS),
    Design("20 names, 5 repeats", 20, 5, 0.5, False, EVEN),
    Design("10 names, 10 repeats", 10, 10, 0.8, False, EVEN),
    Design("20 names x 10 root prompts", 20, 1, 0.6, False, EVEN, n_prompts=10),
    Design("60 names x 10 root prompts", 60, 1, 0.6, False, OCCUPATIONS, n_prompts=10),
    Design("10 root prompts x 2 groups, 5 repeats", 10, 5, 0.5, True, EVEN),
    Design("30 root prompts x 2 groups, 5 repeats", 30, 5, 0.5, True, OCCUPATIONS),
    Design("75 root prompts x 2 groups, one response", 75, 1, 0.0, True, OCCUPATIONS),
)


def drawn(design: Design, rng: np.random.Generator) -> Answers:
    """Responses by unit, category and group; groups as many as the truth has of each."""
    n_categories, n_groups = design.shares.shape
    of_group = design.shares / design.shares.sum(axis=0)
    if design.n_prompts > 1:
        return _crossed(design, of_group, rng)
    n = np.zeros((design.n_units, n_categories, n_groups))
    every = [list(range(n_groups))] * design.n_units
    for unit, own in enumerate(every if design.is_crossed else [[one] for one in _groups(design)]):
        for group in own:
            share = _share_of_unit(of_group[:, group], design.rho, rng)
            n[unit, :, group] = rng.multinomial(design.n_responses, share)
    return Answers(n, [np.arange(design.n_units)])


def _groups(design: Design) -> list[int]:
    """Of each unit, as many of each as the truth has."""
    counts = np.rint(np.cumsum(design.shares.sum(axis=0)) / design.shares.sum() * design.n_units)
    return [int(np.searchsorted(counts, unit, side="right")) for unit in range(design.n_units)]


def _crossed(design: Design, of_group: np.ndarray, rng: np.random.Generator) -> Answers:
    """Every unit with every prompt: an answer is the unit's, the prompt's, or of its own."""
    group = np.repeat(_groups(design), design.n_prompts)
    unit, prompt = np.divmod(np.arange(len(group)), design.n_prompts)
    sources = rng.random((3, len(group)))
    sources[0], sources[1] = rng.random(design.n_units)[unit], rng.random(design.n_prompts)[prompt]
    own = 1 - design.rho
    chosen = sources[rng.choice(3, len(group), p=[design.rho / 2, design.rho / 2, own]), np.arange(len(group))]
    # one number stands for a category of each group, so that a prompt draws both groups the same way
    category = (chosen > np.cumsum(of_group, axis=0)[:-1, group]).sum(axis=0)
    n = np.zeros((len(group), *design.shares.shape))
    n[np.arange(len(group)), category, group] = 1
    return Answers(n, [unit, prompt])


def _share_of_unit(share: np.ndarray, rho: float, rng: np.random.Generator) -> np.ndarray:
    """Of mean share; rho 0: always that, 1: one category alone."""
    if rho in (0, 1):
        return share if rho == 0 else rng.multinomial(1, share).astype(float)
    return rng.dirichlet(share * (1 - rho) / rho)


def truth_of(design: Design) -> np.ndarray:
    """Shares of the groups in a category among responses, were there endless units."""
    if not design.is_crossed:
        return design.shares / design.shares.sum(axis=1, keepdims=True)
    of_group = design.shares / design.shares.sum(axis=0)  # as many of each group are asked
    return of_group / of_group.sum(axis=1, keepdims=True)


def p_values(design: Design, rng: np.random.Generator) -> list[float]:
    """Of one data set: multinomial, Rao-Scott, used, responses independent, both sizes, marginal."""
    n, clusters = drawn(design, rng)
    is_used = n.sum(axis=(0, 2)) > 0
    answers, share = Answers(n[:, is_used], clusters), truth_of(design)[is_used]
    least = ground_truth.UNITS_FOR_MULTINOMIAL
    ground_truth.UNITS_FOR_MULTINOMIAL = 0
    multinomial = against_truth(answers, share, n_draws=N_DRAWS, rng=rng)
    rows = np.concatenate([np.eye(is_used.sum() * n.shape[2]).reshape(-1, is_used.sum(), n.shape[2])])
    rows = np.repeat(rows, answers.n.sum(axis=0).ravel().astype(int), axis=0)
    independent = against_truth(Answers(rows, [np.arange(len(rows))]), share, n_draws=N_DRAWS, rng=rng)
    ground_truth.UNITS_FOR_MULTINOMIAL = 10**9
    both = against_truth(answers, share, n_draws=N_DRAWS, rng=rng)
    ground_truth.UNITS_FOR_MULTINOMIAL = least
    used = both.p_value if answers.n_clusters < least else multinomial.p_value
    of_category = design.shares.sum(axis=1) / design.shares.sum()
    if design.is_crossed:
        of_category = (design.shares / design.shares.sum(axis=0)).mean(axis=1)
    marginal = shares_against_truth(
        [(Answers(n.sum(axis=2)[:, None], clusters), of_category)], n_draws=N_DRAWS, rng=rng
    )
    sizes = [multinomial.sizes[name].p_value[0] for name in ("jsd_truth_weighted", "jsd_truth_unweighted")]
    return [multinomial.p_value, both.p_value, used, independent.p_value, *sizes, marginal.p_value[0]]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    n_sets = round(N_SETS * parser.parse_args().scale)
    print(
        "| design | multinomial | larger of both | used | responses independent | jsd_truth_weighted |"
        " jsd_truth_unweighted | jsd_truth_marginal |\n|---|---|---|---|---|---|---|---|"
    )
    for design in DESIGNS:
        rng = np.random.default_rng(15)
        p = np.array([p_values(design, rng) for _ in range(n_sets)])
        shown = " | ".join(f"{share:.3f}".removeprefix("0") for share in (p <= ALPHA).mean(axis=0))
        print(f"| {design.name} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
