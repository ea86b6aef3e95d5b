"""How often a whole study without bias has a finding, and how many of the true ones a study finds.

    python -m bench.bench_studies [--studies 1000] [--permutations 9999] [--grid]

Studies are simulated cell by cell: prompt effect, prompt x group interaction and noise, correlation of two
groups on a prompt .45. All studies of a design share its draws, which come in stages as in a study: a tenth, then all;
p is the larger of that of the draws and that of sign flips.
tests/python_assets/infer/test_studies.py bounds the same numbers on fewer studies; docs/statistics.md keeps
the table.
"""

import argparse
import time
from functools import partial
from typing import NamedTuple

import numpy as np

from bench.grid import Design as GridDesign
from bench.grid import designs
from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.design.design import Design, Frame, Unit, presence_patterns, shared
from python_assets.infer.draws.exchange import Floats, Shuffles
from python_assets.infer.formulas.multiplicity import hypothesis_levels
from python_assets.infer.options import FIRST_DRAWS
from python_assets.infer.schemes.choose import Blocks

ALPHA = 0.05
STUDIES_AT_ONCE = 20
N_HYPOTHESES = 20  # of a study on a design of the grid


class Studies(NamedTuple):
    """What is simulated: studies of n_hypotheses on R root prompts and K groups.

    missing: share of cells without a value. wide: times as far as others the first group spreads. effects:
    of the first groups, in standard errors of a group minus the rest, in the first n_true questions.
    """

    n_hypotheses: int
    n_roots: int = 40
    n_groups: int = 21
    missing: float = 0.0
    wide: float = 1.0
    effects: tuple[float, ...] = ()
    n_true: int = 0


class Found(NamedTuple):
    """Of each study: is anything false called, share of called questions with a false group, power."""

    any_false: np.ndarray
    false_share: np.ndarray
    power: np.ndarray


def simulate(studies: Studies, n: int, seed: int) -> Floats:
    """Cells of n studies, shape (roots, groups, n, questions); NaN where missing."""
    rng = np.random.default_rng(seed)
    shape = (studies.n_roots, studies.n_groups, n, studies.n_hypotheses)
    prompt = rng.normal(0, np.sqrt(0.45), (studies.n_roots, 1, n, studies.n_hypotheses))
    noise = rng.normal(0, np.sqrt(0.55), shape)
    noise[:, 0] *= studies.wide
    x = prompt + noise
    std_error = np.sqrt(0.55 * studies.n_groups / (studies.n_groups - 1) / studies.n_roots)
    for group, effect in enumerate(studies.effects):
        x[:, group, :, : studies.n_true] += effect * std_error
    if studies.missing:
        x[rng.random(shape) < studies.missing] = np.nan
    return x


def simulated_studies(studies: Studies, n: int, *, n_permutations: int, seed: int) -> Found:
    """Simulate studies and ask all their questions."""
    x = simulate(studies, n, seed).reshape(studies.n_roots * studies.n_groups, -1)
    frame = frame_of(studies.n_roots, studies.n_groups)
    n_first = (n_permutations + 1) // 10 - 1
    p, p_group, *_ = asked(frame, x, Shuffles(seed, n_permutations, frame.block), n_first=n_first, flip_seed=seed)
    return _found(studies, p.reshape(n, -1), p_group.reshape(n, -1, studies.n_groups))


def unbiased(design: GridDesign, n: int, *, n_permutations: int, seed: int) -> float:
    """Share of n studies of N_HYPOTHESES questions in which anything is called, where groups are alike.

    Args:
        design: of every question.
        n: studies.
        n_permutations: B.
        seed: of everything random.
    """
    x = design.cells(np.random.default_rng(seed), n * N_HYPOTHESES)
    frame = frame_of(*x.shape[:2])
    shuffles, n_first = Shuffles(seed, n_permutations, frame.block), (n_permutations + 1) // 10 - 1
    p, p_group, *_ = asked(frame, x.reshape(len(frame.block), -1), shuffles, n_first=n_first, flip_seed=seed)
    studies = Studies(N_HYPOTHESES, design.root_prompts, design.groups)
    found = _found(studies, p.reshape(n, -1), p_group.reshape(n, -1, design.groups))
    return float(found.any_false.mean())


def p_values_of(x: Floats, *, n_permutations: int, seed: int, flip_seed: int) -> Floats:
    """P of the questions of values (roots, groups, questions), drawn in the stages of a study."""
    frame, shuffles = frame_of(*x.shape[:2]), partial(Shuffles, seed, n_permutations)
    values = x.reshape(len(frame.block), -1)
    return asked(frame, values, shuffles(frame.block), n_first=FIRST_DRAWS, flip_seed=flip_seed)[0]


def frame_of(n_roots: int, n_groups: int) -> Frame:
    """Every group on every root prompt."""
    block, group = np.divmod(np.arange(n_roots * n_groups), n_groups)
    return Frame(block, group, np.arange(n_roots), n_groups)


def calls(x: Floats, *, n_permutations: int, seed: int) -> tuple[float, float]:
    """Shares of data sets whose question is called, and some group of it too, alone in their sets.

    Args:
        x: cells of shape (roots, groups, sets), NaN where missing.
        n_permutations: B.
        seed: of the draws.
    """
    frame = frame_of(*x.shape[:2])
    shuffles = Shuffles(seed, n_permutations, frame.block)
    p, p_group, *_ = asked(frame, x.reshape(len(frame.block), -1), shuffles, n_first=n_permutations, flip_seed=seed)
    of_group = np.maximum(np.fmin.reduce(p_group, axis=1), p)
    return float((p <= ALPHA).mean()), float((of_group <= ALPHA).mean())


class Asked(NamedTuple):
    """P of each question, shape (questions,), and of its groups, with their intervals, shape (questions, groups)."""

    p: Floats
    p_group: Floats
    low: Floats
    high: Floats


def asked(
    frame: Frame,
    x: Floats,
    shuffles: Shuffles,
    *,
    n_first: int,
    flip_seed: int,
    alpha: float = ALPHA,
    is_rate: bool = False,
) -> Asked:
    """What the engine says of each question, sign flips included; alpha: of the look that is taken."""
    p, (p_group, low, high) = np.empty(x.shape[1]), np.empty((3, x.shape[1], frame.n_groups))
    for present, columns in presence_patterns(x):
        cell = shared(frame, present)
        design = Design(frame, cell, Unit.ROOT_PROMPT)
        scheme = Blocks(
            design, frame.n_groups, shuffles.of(cell), alpha, n_first=n_first, flip_seed=flip_seed, alpha_of_draws=ALPHA
        )
        name, values = "risk_difference" if is_rate else "mean_difference", x[np.ix_(cell, columns)]
        margin = {name: np.full(len(columns), np.nan)}
        compared = compare_values(scheme, values, margin, with_indices=False, is_rate=is_rate, with_flips=True)
        contrast = compared.contrasts[name]
        p[columns], p_group[columns] = contrast.p_hypothesis[:, 0], contrast.p_maxt
        low[columns], high[columns] = contrast.ci_low, contrast.ci_high
    return Asked(p, p_group, low, high)


def _found(studies: Studies, p: Floats, p_group: Floats) -> Found:
    n_true, n_effects = studies.n_true, len(studies.effects)
    hypothesis = np.repeat(np.arange(p.shape[1]), studies.n_groups)
    any_false, false_share, power = (np.zeros(len(p)) for _ in range(3))
    for study in range(len(p)):
        levels = hypothesis_levels(p[study], p_group[study].ravel(), hypothesis)
        significant = levels.of_hypothesis <= ALPHA
        groups = (levels.of_group <= ALPHA).reshape(-1, studies.n_groups)
        is_false = groups[:, n_effects:].any(axis=1) | (np.arange(len(significant)) >= n_true) & significant
        any_false[study] = (significant[n_true:] | is_false[n_true:]).any()
        false_share[study] = (is_false & significant).sum() / max(significant.sum(), 1)
        power[study] = significant[:n_true].mean() if n_true else np.nan
    return Found(any_false, false_share, power)


DESIGNS = {
    "1 generation x 3 measures, 21 groups": Studies(3),
    "the same, 3 groups": Studies(3, n_groups=3),
    "the same, 2 % of cells missing": Studies(3, missing=0.02),
    "the same, one group of three times the spread": Studies(3, wide=3.0),
    "40 generations x 2 measures": Studies(80),
    "40 x 2, 3 groups": Studies(80, n_groups=3),
    "40 x 2, one group of three times the spread": Studies(80, wide=3.0),
    "20 generations x 22 measures": Studies(440),
    "20 true questions of 440 (-5, -4, +3.5 standard errors)": Studies(440, effects=(-5, -4, 3.5), n_true=20),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1_000)
    parser.add_argument("--permutations", type=int, default=9_999)
    parser.add_argument("--only", type=int, nargs="*", help="numbers of designs, from 0")
    parser.add_argument(
        "--grid", action="store_true", help="unbiased studies of 20 questions on every design of grid.csv"
    )
    options = parser.parse_args()
    if options.grid:
        _print_grid(options.studies, options.permutations)
        return
    print("| design | studies | any false finding | FDR over called questions | power over true ones | s |")
    print("|---|---|---|---|---|---|")
    for number, (name, studies) in enumerate(DESIGNS.items()):
        if options.only and number not in options.only:
            continue
        started = time.perf_counter()
        n = options.studies
        parts = [
            simulated_studies(studies, min(STUDIES_AT_ONCE, n - at), n_permutations=options.permutations, seed=at + 1)
            for at in range(0, n, STUDIES_AT_ONCE)
        ]
        any_false, false_share, power = (np.concatenate(part) for part in zip(*parts, strict=True))
        cells = (f"{any_false.mean():.3f}", f"{false_share.mean():.3f}", f"{power.mean():.2f}")
        print(f"| {name} | {n} | {' | '.join(cells)} | {time.perf_counter() - started:.0f} |", flush=True)


def _print_grid(n: int, n_permutations: int) -> None:
    print(f"| unbiased studies of {N_HYPOTHESES} questions | any false finding |")
    print("|---|---|")
    for design in designs():
        shares = [
            unbiased(design, min(STUDIES_AT_ONCE, n - at), n_permutations=n_permutations, seed=at + 1)
            for at in range(0, n, STUDIES_AT_ONCE)
        ]
        print(f"| {design.layout}, {design.condition} | {np.mean(shares):.3f} |", flush=True)


if __name__ == "__main__":
    main()
