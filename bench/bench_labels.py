"""How often corrected values are called wrongly, what they find, and how often their intervals hold the truth.

python -m bench.bench_labels [--sets 300] [--permutations 499] [--pairs | --looks]

Belongs here: made-up marks or scores of a model, what an instrument reads of them, and people's labels of some root
prompts. The first group of a design differs or is read otherwise; peeling and intervals after selection are on. With
--pairs two generations of equal truth, or not, that the instrument reads unequally. With --looks the root prompts come
in three looks, of which people label the same share, and what a look calls stays called; B is 4,999.
tests/python_assets/infer/contrasts/test_labelled_error_rates.py bounds some of these numbers on fewer sets.
"""

import argparse
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.infer.changes.labelled_changes import LabelledChanges
from python_assets.infer.changes.measure_changes import Exchanges, MeasureChanges
from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.contrasts.labelled import compare_labelled, labelled_intervals
from python_assets.infer.design.cells import CellLabels, Cells, Labelled
from python_assets.infer.design.design import Design, Frame, Unit, shared
from python_assets.infer.draws.exchange import Floats, Ints, Shuffles
from python_assets.infer.draws.flips import Flips
from python_assets.infer.formulas.looks import levels
from python_assets.infer.formulas.verdict import is_off
from python_assets.infer.groups.peeling import peel
from python_assets.infer.options import FIRST_DRAWS, Options
from python_assets.infer.result import Bools, Result
from python_assets.infer.schemes.choose import Blocks
from python_assets.infer.schemes.corrected_values import corrected_values
from python_assets.infer.schemes.labelled_contrast import LabelledContrast

ALPHA: Final = 0.05
SPREAD_OF_PROMPTS: Final = 1.0  # on the logit, or in sd of a cell


class Made(NamedTuple):
    """Root prompts, groups, labelled root prompts, rate (None of a score), and what is true of the first group.

    shift: of its truth, points or sd. specificity: of the instrument in it, .95 elsewhere; a score is read .5 too high
    where it is below.
    """

    n: int
    k: int
    r: int
    rate: float | None
    shift: float = 0.0
    specificity: float = 0.95

    def __str__(self) -> str:
        kind = "score" if self.rate is None else f"rate {self.rate:g}"
        what = f", true {self.shift:+g}" if self.shift else ", read otherwise" if self.specificity < 0.95 else ""
        return f"{kind}, {self.n}x{self.k}, {self.r} labelled{what}"


SIZES: Final = ((40, 5, 10), (40, 5, 20), (75, 21, 10), (75, 21, 20), (75, 21, 40))
GRID: Final = [
    Made(n, k, r, rate, **what)
    for rate in (0.05, 0.2, None)
    for n, k, r in SIZES
    for what in ({}, {"specificity": 0.8}, {"shift": 0.6 if rate is None else 0.15})
]


class Found(NamedTuple):
    """Shares of sets: raw and corrected values called; the first group stands, another does; intervals.

    covered, covered_other: of the first group, and of the second. missed_after: of called rows, intervals after
    selection that lack the truth. width: mean width of intervals.
    """

    raw: float
    corrected: float
    differs_on_its_own: float
    other_stands: float
    covered: float
    covered_other: float
    missed_after: float
    width: float


def drawn(design: Made, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Truth and reading of one set, shape (root prompts, groups), and the true mean of each group."""
    shape, first = (design.n, design.k), np.arange(design.k) == 0
    of_prompt = SPREAD_OF_PROMPTS * rng.normal(size=(design.n, 1))
    if design.rate is None:
        y = of_prompt + design.shift * first + rng.normal(size=shape)
        m = 0.7 * y + 0.5 * rng.normal(size=shape) + np.where(first & (design.specificity < 0.95), 0.5, 0.0)
        return y, m, design.shift * first
    p = of_prompts(design.rate, of_prompt)
    p = np.clip(p + design.shift * first, 0, 1)
    y = (rng.uniform(size=shape) < p).astype(float)
    wrong = np.where(first, 1 - design.specificity, 0.05)
    m = np.where(y == 1, rng.uniform(size=shape) < 0.9, rng.uniform(size=shape) < wrong).astype(float)
    return y, m, design.rate + design.shift * first


def of_prompts(rate: float, spread: Floats) -> Floats:
    """Rates of prompts that lie apart on the logit and have the mean rate."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    low, high = -15.0, 15.0
    for _ in range(60):
        middle = (low + high) / 2
        mean = (weights / (1 + np.exp(-middle - SPREAD_OF_PROMPTS * nodes))).sum() / weights.sum()
        low, high = (middle, high) if mean < rate else (low, middle)
    found: Floats = 1 / (1 + np.exp(-low - spread))
    return found


def labels_of(y: Floats, r: int, every: int | None = None) -> CellLabels:
    """Labels of the first r root prompts, whose order says nothing; with every of the first r of each so many."""
    given = np.where((np.arange(len(y)) % (every or len(y)))[:, None] < r, y, np.nan).ravel()
    nothing = np.full(given.shape, np.nan)
    none = np.zeros(given.shape, dtype=np.intp)
    return CellLabels(
        y=given,
        is_drawn=~np.isnan(given),
        missed=nothing,
        false_alarm=nothing,
        error=nothing,
        n_events=none,
        n_others=none,
    )


def frame_of(n: int, k: int) -> Frame:
    """Complete blocks, one a root prompt."""
    return Frame(np.repeat(np.arange(n), k), np.tile(np.arange(k), n), np.arange(n), k)


def scheme_of(frame: Frame, x: Floats, seed: int, n_permutations: int, labelled: Labelled | None) -> Blocks:
    """The scheme of cells, NaN where a group is out."""
    cell = shared(frame, ~np.isnan(x))
    draws = Shuffles(seed, n_permutations, frame.block).of(cell)
    return Blocks(
        Design(frame, cell, Unit.ROOT_PROMPT), frame.n_groups, draws, ALPHA, labelled=labelled, flip_seed=seed
    )


def found_in(design: Made, n_sets: int, n_permutations: int, seed: int) -> Found:
    """Simulate a design."""
    rng, frame = np.random.default_rng(seed), frame_of(design.n, design.k)
    is_rate, nothing = design.rate is not None, np.array([np.nan])
    rows = []
    for number in range(n_sets):
        y, m, truth = drawn(design, rng)
        labels = labels_of(y, design.r)
        v = corrected_values(frame, m.ravel(), labels).v
        labelled = Labelled("corrected", design.r, None, np.zeros(design.k, dtype=bool), is_rate)

        def asked(without: Collection[int], v: Floats = v, labelled: Labelled = labelled, at: int = number) -> Result:
            left = np.where(np.isin(frame.group, list(without)), np.nan, v)
            scheme = scheme_of(frame, left, at, n_permutations, labelled)
            (one,) = compare_labelled(scheme, left[scheme.design.cell, None], nothing).contrasts.values()
            return one

        scheme = scheme_of(frame, m.ravel(), number, n_permutations, None)
        name = "risk_difference" if is_rate else "mean_difference"
        raw = compare_values(
            scheme,
            m.reshape(-1, 1),
            {name: nothing, "log_disparity": nothing},
            is_rate=is_rate,
            with_indices=False,
            with_flips=True,
        ).contrasts[name]
        first = asked(())
        rows.append(
            [raw.p_hypothesis[0, 0] <= ALPHA, *_told(first, asked, truth, scheme_of(frame, v, 1, 1, labelled), v)]
        )
    with np.errstate(invalid="ignore"):
        return Found(*np.nanmean(np.array(rows, dtype=float), axis=0))


def _told(first: Result, asked, truth: Floats, scheme: Blocks, v: Floats) -> Iterator[float]:  # type: ignore[no-untyped-def]
    """Whether corrected values are called, who stands, and which intervals hold the truth."""
    k = len(truth)
    difference = (truth - truth.mean()) * k / (k - 1)
    is_significant = first.p_hypothesis[0, 0] <= ALPHA
    significant = is_significant & (first.p_maxt[0] <= ALPHA) & is_off(first.ci_low[0], first.ci_high[0])
    stand: list[int] = []
    if is_significant and k > 2:

        def again(groups: Collection[int]) -> Result:
            left: Result = asked([group for group in range(k) if group not in groups])
            return left

        def has_small_q(one: Result) -> Bools:
            return (one.p_maxt <= ALPHA) & is_off(one.ci_low, one.ci_high)

        stand = peel(first, significant[None], again, has_small_q, names=[f"g{group:02}" for group in range(k)]).stand
    inside = (first.ci_low[0] <= difference) & (difference <= first.ci_high[0])
    covered = np.where(np.isnan(first.ci_low[0]), np.nan, inside)
    n_significant, missed = int(significant.sum()), 0.0
    if n_significant and isinstance(scheme.contrast, LabelledContrast) and not np.isnan(first.ci_low).all():
        wide = labelled_intervals(scheme.contrast, v[scheme.design.cell, None], ALPHA * n_significant / k)
        outside = (difference < wide.low[0]) | (difference > wide.high[0])
        missed = float(outside[significant].mean())
    yield from (is_significant, 0 in stand, any(group != 0 for group in stand), covered[0], covered[1], missed)
    yield float(np.nanmean(first.ci_high - first.ci_low)) if not np.isnan(first.ci_low).all() else np.nan


LOOKS: Final = [
    Made(75, k, r, rate, specificity=0.8) for k, rate, r in ((5, 0.2, 10), (5, 0.05, 10), (5, None, 10), (21, 0.2, 10))
]
PERMUTATIONS_OF_LOOKS: Final = 4_999  # of three looks the first has .0007


class LookedAt(NamedTuple):
    """Shares of sets in which some look calls any group, by raw and by corrected values.

    each_at_alpha: corrected, were each look held against alpha. at_once: corrected, looked at once in the end.
    """

    raw: float
    corrected: float
    each_at_alpha: float
    at_once: float


def of_looks(design: Made, n_sets: int, n_permutations: int, seed: int, n_looks: int = 3) -> LookedAt:
    """Simulate a design whose root prompts come in looks, r of each look labelled."""
    rng, n_of_look = np.random.default_rng(seed), design.n // n_looks
    alphas = levels([(k + 1) / n_looks for k in range(n_looks)], ALPHA)
    p = np.ones((n_sets, 2, n_looks))
    for number, look in np.ndindex(n_sets, n_looks):
        if look == 0:
            y, m, _ = drawn(design, rng)
        n = n_of_look * (look + 1)
        p[number, :, look] = p_of_hypothesis(
            design._replace(n=n, r=design.r * (look + 1)),
            m[:n],
            labels_of(y[:n], design.r, every=n_of_look),
            number,
            n_permutations=n_permutations,
            alpha=alphas[look],
        )
    raw, corrected = np.moveaxis(p <= alphas, 1, 0)
    each = (p[:, 1] <= ALPHA).any(axis=1)
    shares = (raw.any(axis=1), corrected.any(axis=1), each, p[:, 1, -1] <= ALPHA)
    return LookedAt(*(float(share.mean()) for share in shares))


def p_of_hypothesis(
    design: Made, m: Floats, labels: CellLabels, seed: int, *, n_permutations: int, alpha: float = ALPHA
) -> tuple[float, float]:
    """The p of the question whether groups differ, of raw and of corrected values.

    Args:
        design: how many root prompts there are and are labelled.
        m: readings, shape (root prompts, groups).
        labels: of the same cells.
        seed: of the draws.
        n_permutations: B; those of a first stage where more would tell nothing.
        alpha: level of the look.
    """
    frame, nothing, is_rate = frame_of(*m.shape), np.array([np.nan]), design.rate is not None
    v = corrected_values(frame, m.ravel(), labels).v
    labelled = Labelled("corrected", design.r, None, np.zeros(design.k, dtype=bool), is_rate)
    schemes = (scheme_of(frame, x, seed, n_permutations, of) for x, of in ((m.ravel(), None), (v, labelled)))
    plain, right = (one._replace(alpha=alpha, n_first=FIRST_DRAWS) for one in schemes)
    name = "risk_difference" if is_rate else "mean_difference"
    of_raw = {name: nothing, "log_disparity": nothing}
    raw = compare_values(plain, m.reshape(-1, 1), of_raw, is_rate=is_rate, with_indices=False, with_flips=True)
    (corrected,) = compare_labelled(right, v[:, None], nothing).contrasts.values()
    return float(raw.contrasts[name].p_hypothesis[0, 0]), float(corrected.p_hypothesis[0, 0])


class Pair(NamedTuple):
    """Two generations: rates of truth and recall of the instrument in each, root prompts, groups, labelled ones.

    fell: specificity of the instrument in the first group of the second one, .95 elsewhere.
    """

    n: int
    k: int
    r: int
    rates: tuple[float, float]
    recall: tuple[float, float]
    fell: float = 0.95

    def __str__(self) -> str:
        fell = f", one group's specificity {self.fell:g}" if self.fell < 0.95 else ""
        rates, recall = (" and ".join(f"{one:g}" for one in both) for both in (self.rates, self.recall))
        return f"{self.n}x{self.k}, {self.r} labelled, truth {rates}, recall {recall}{fell}"


PAIRS: Final = [
    *(Pair(75, 5, r, (0.2, 0.2), (0.95, 0.55)) for r in (10, 20, 40)),
    *(Pair(75, 5, r, (0.2, 0.35), (0.95, 0.95)) for r in (10, 20, 40)),
    *(Pair(75, 5, r, (0.05, 0.05), (0.9, 0.9), fell=0.8) for r in (10, 20, 40)),
]


class PairFound(NamedTuple):
    """Shares of pairs: the mean change called, raw and corrected, and covered; groups moved, the same; any stands."""

    raw_mean: float
    mean: float
    covered: float
    raw_moved: float
    moved: float
    differs_on_its_own: float


def of_pair(design: Pair, n_sets: int, n_permutations: int, seed: int) -> PairFound:
    """Simulate two generations."""
    rng, rows = np.random.default_rng(seed), []
    for number in range(n_sets):
        spread = SPREAD_OF_PROMPTS * rng.normal(size=(design.n, 1))
        sides = []
        for at, (rate, recall) in enumerate(zip(design.rates, design.recall, strict=True)):
            y = (rng.uniform(size=(design.n, design.k)) < of_prompts(rate, spread)).astype(float)
            wrong = np.where((np.arange(design.k) == 0) & (at == 1), 1 - design.fell, 0.05)
            m = np.where(y == 1, rng.uniform(size=y.shape) < recall, rng.uniform(size=y.shape) < wrong).astype(float)
            sides.append((y, m))
        raw_mean, raw_moved = (
            next(_raw_changes(sides, number, n_permutations, is_mean=is_mean)) for is_mean in (True, False)
        )
        mean = _labelled_changes(sides, design.r, number, n_permutations, is_mean=True).of_mean()
        changes = _labelled_changes(sides, design.r, number, n_permutations, is_mean=False)
        moved = _p_moved(changes)
        true = design.rates[0] - design.rates[1]
        differs_on_its_own = 0.0
        if moved <= ALPHA:
            differs_on_its_own = float(changes.who_moved(lambda p: p <= ALPHA)[1].differs_on_its_own.any())
        low, high = float(mean["ci_low"][0]), float(mean["ci_high"][0])
        rows.append(
            (
                raw_mean <= ALPHA,
                mean["p_value"][0] <= ALPHA,
                low <= true <= high,
                raw_moved <= ALPHA,
                moved <= ALPHA,
                differs_on_its_own,
            )
        )
    return PairFound(*np.mean(np.array(rows, dtype=float), axis=0))


def _cells(sides: list[tuple[Floats, Floats]], *, is_mean: bool) -> Cells:
    n, k = sides[0][0].shape
    x = np.stack([m.ravel() for _, m in sides], axis=1)
    frame = frame_of(n, k)
    if is_mean:
        frame = Frame(np.arange(n * k), np.zeros(n * k, dtype=np.intp), np.repeat(np.arange(n), k), 1)
    return Cells(
        slice_id="all",
        grouping_id="" if is_mean else "made",
        columns=pd.DataFrame({"measure_id": ["made", "made"], "calibration": "raw", "system_id": ["a", "b"]}),
        group_ids=[""] if is_mean else [f"g{group}" for group in range(k)],
        frame=frame,
        x=x,
        n_responses=np.ones_like(x),
        has_several_prompts=False,
    )


def _options(seed: int, n_permutations: int) -> Options:
    return Options(
        seed=seed, n_permutations=n_permutations, n_bootstrap=0, alpha=ALPHA, margins={}, references={}, contrasts=()
    )


def _changes(sides: list[tuple[Floats, Floats]], seed: int, n_permutations: int, *, is_mean: bool) -> MeasureChanges:
    cells = _cells(sides, is_mean=is_mean)

    def swaps(units: Ints) -> Flips:
        return Flips(seed, n_permutations, len(sides[0][0]), units)

    exchanges = Exchanges.of(cells.frame, swaps, Shuffles(seed, n_permutations, cells.frame.block).of)
    return MeasureChanges(cells, {"": (0, 1)}, "binary", {}, exchanges, _options(seed, n_permutations))


def _labelled_changes(
    sides: list[tuple[Floats, Floats]], r: int, seed: int, n_permutations: int, *, is_mean: bool
) -> LabelledChanges:
    plain = _changes(sides, seed, n_permutations, is_mean=is_mean)
    own, other = (labels_of(y, r) for y, _ in sides)
    return LabelledChanges(
        plain.cells,
        plain.columns,
        plain.kind,
        {},
        exchanges=plain.exchanges,
        options=plain.options,
        labels=(own, other),
    )


def _raw_changes(sides, seed: int, n_permutations: int, *, is_mean: bool) -> Iterator[float]:  # type: ignore[no-untyped-def]
    changes = _changes(sides, seed, n_permutations, is_mean=is_mean)
    yield float(changes.of_mean()["p_value"][0]) if is_mean else _p_moved(changes)


def _p_moved(changes: MeasureChanges) -> float:
    for table in changes.tables():
        if table["comparison"][0] == "groups_changed":
            return float(table["p_value"][0])
    raise ValueError("nothing was asked")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--permutations", type=int)
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--looks", action="store_true")
    options = parser.parse_args()
    if options.pairs:
        names, designs, find, n = PairFound._fields, PAIRS, of_pair, 499
    elif options.looks:
        names, designs, find, n = LookedAt._fields, LOOKS, of_looks, PERMUTATIONS_OF_LOOKS
    else:
        names, designs, find, n = Found._fields, GRID, found_in, 499
    print(f"| design | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}", flush=True)
    for seed, design in enumerate(designs):
        numbers = find(design, options.sets, options.permutations or n, seed)  # type: ignore[operator]
        print(f"| {design} | {' | '.join(f'{number:.3f}' for number in numbers)} |", flush=True)


if __name__ == "__main__":
    main()
