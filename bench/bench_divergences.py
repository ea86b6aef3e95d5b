"""Coverage of the intervals of divergences: jsd_between_groups, jsd and jsd_group of one group.

    python -m bench.bench_divergences [--sets 200] [--root-prompts 10 30 75] [--draws 600]

A row a design of the written grid: the least coverage over effects and spreads of labels. Every answer is a label drawn
from a softmax of base rates, effects of its group, of its root prompt and of both; truth is over infinitely many root
prompts. An interval holds the truth where neither limit passes it: so only the noise around the truth is drawn, not
that of the whole grid of inference.md 2.3.
"""

import argparse
from itertools import product
from typing import Final, NamedTuple

import numpy as np

from python_assets.infer.contrasts.profiles import divergences_hold, profile_numbers
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.schemes.inversion import GRID as STRETCHES

ROOT_PROMPTS: Final = (10, 30, 75)
GROUPS: Final = (2, 4, 12)
LABELS: Final = (3, 8, 17)
REPLICATES: Final = (1, 5)
EFFECTS: Final = {"none": (0.0, 0.0), "small": (0.4, 0.0), "one": (1.2, 0.0), "large": (1.0, 1.0)}  # of one, of others
SPREADS: Final = {"even": (0.0, 1.0), "skew": (1.5, 1.0), "skew, prompts far apart": (1.5, 2.5)}  # power, sd of prompts
SD_OF_BOTH: Final = 0.4  # root prompt x group
PROMPTS_OF_TRUTH: Final = 8_000
SETS_AT_ONCE: Final = 25
NUMBERS: Final = ("jsd_between_groups", "jsd", "jsd_group, shifted", "jsd_group, another")


class Design(NamedTuple):
    """Root prompts, groups, labels, answers of a group to a root prompt, effect and spread by name."""

    n_root_prompts: int
    n_groups: int
    n_labels: int
    n_replicates: int
    effect: str
    spread: str


def grid(root_prompts: tuple[int, ...] = ROOT_PROMPTS) -> list[Design]:
    """Every design that is simulated."""
    return [Design(*one) for one in product(root_prompts, GROUPS, LABELS, REPLICATES, EFFECTS, SPREADS)]


def numbers_of(profile: Floats, n_labels: int) -> Floats:
    """NUMBERS of profiles, shape (groups, labels, draws) to (numbers, draws)."""
    n = len(profile)
    found = profile_numbers(profile, n_labels)
    return found[[2 * n + 3, 2 * n + 4, n, 2 * n - 1]]


def coverage(design: Design, *, n_sets: int, n_draws: int, seed: int) -> Floats:
    """Share of data sets whose interval holds the truth, of each of NUMBERS."""
    rng = np.random.default_rng([seed, *map(int, design[:4])])
    n, k, c, m = design[:4]
    (of_one, of_others), (power, sd) = EFFECTS[design.effect], SPREADS[design.spread]
    base = -power * np.log(np.arange(1, c + 1))
    shift = np.vstack([of_one * rng.normal(size=c), of_others * rng.normal(size=(k - 1, c))])
    noise = sd * rng.normal(size=(PROMPTS_OF_TRUTH, c)) + SD_OF_BOTH * rng.normal(size=(PROMPTS_OF_TRUTH, c))
    truth = numbers_of(np.stack([_softmax(base + of + noise).mean(axis=0) for of in shift])[:, :, None], c)[:, 0]
    order = np.argsort(rng.random((n_draws, n, k)), axis=2)
    resampled = rng.multinomial(n, np.full(n, 1 / n), size=n_draws) / n
    held = np.zeros(len(NUMBERS))
    for start in range(0, n_sets, SETS_AT_ONCE):
        size = (min(SETS_AT_ONCE, n_sets - start), n)
        logits = base + shift + sd * rng.normal(size=(*size, 1, c)) + SD_OF_BOTH * rng.normal(size=(*size, k, c))
        for y in rng.multinomial(m, _softmax(logits)) / m:
            held += _holds(y, truth, order, resampled)
    return held / n_sets


def _softmax(logits: Floats) -> Floats:
    odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True))


def _holds(y: Floats, truth: Floats, order: Floats, resampled: Floats) -> Floats:
    """Whether the interval of each number holds the truth; y: shares, shape (root prompts, groups, labels)."""
    n, _, n_labels = y.shape
    profile = y.mean(axis=0)
    average = profile.mean(axis=0)
    deviation = (profile - average)[:, :, None]
    value = numbers_of(profile[:, :, None], n_labels)[:, 0]
    stretched = numbers_of(average[None, :, None] + deviation * STRETCHES, n_labels)
    stretched[:, 0] = 0
    permuted = np.stack([y[at, order[:, at]] for at in range(n)]).mean(axis=0) - average
    moved = ((resampled @ y.reshape(n, -1)).reshape(-1, *profile.shape) - profile) * np.sqrt(n / (n - 1))
    noises = [noise.transpose(1, 2, 0) for noise in (permuted, moved)]
    held = np.zeros(len(truth))
    for at, true in enumerate(truth):
        is_within, is_above = true <= stretched[at, -1], value[at] >= true - 1e-9
        if not is_within:
            held[at] = is_above
            continue
        s = np.interp(true, stretched[at], STRETCHES)
        drawn = [numbers_of(average[None, :, None] + s * deviation + noise, n_labels)[at] for noise in noises]
        low, high = (np.quantile(drawn, share, axis=1) for share in (0.025, 0.975))
        held[at] = (high >= value[at] - 1e-9).any() and ((low <= value[at] + 1e-9).any() or is_above)
    return held


def main() -> None:
    """Print a row a design, those inside divergences_hold marked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--draws", type=int, default=600)
    parser.add_argument("--root-prompts", type=int, nargs="+", default=ROOT_PROMPTS)
    arguments = parser.parse_args()
    print("root prompts x groups x labels x answers, answers a label | " + " | ".join(NUMBERS))
    of_layout: dict[tuple[int, ...], list[Floats]] = {}
    for design in grid(tuple(arguments.root_prompts)):
        found = coverage(design, n_sets=arguments.sets, n_draws=arguments.draws, seed=1)
        rows = of_layout.setdefault(design[:4], [])
        rows.append(found)
        if len(rows) == len(EFFECTS) * len(SPREADS):
            n, k, c, m = design[:4]
            holds = divergences_hold(
                n_groups=k, n_root_prompts=n, n_labels=np.array([c]), n_responses=np.array([float(n * m)])
            )
            least = " | ".join(f"{worst:.3f}" for worst in np.min(rows, axis=0))
            mark = "*" if holds[0] else ""
            print(f"{n} x {k} x {c} x {m}{mark}, {n * m / c:.1f} | {least}", flush=True)


if __name__ == "__main__":
    main()
