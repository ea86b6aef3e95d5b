"""How often a study without bias is called at any of several looks, and what looks cost a true difference.

    python -m bench.bench_looks [--studies 400] [--permutations 9999]

Studies of bench_studies.py, or of rates, whose root prompts are there look by look: at each look all p are computed
anew by the engine, q is held against the level of the look, and what was called stays called. Of called rows the
intervals after selection are held against the truth. tests/python_assets/infer/test_looks.py bounds the first numbers
on fewer studies; docs/statistics.md keeps the table.
"""

import argparse
import time
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from bench.bench_studies import ALPHA, Studies, asked, frame_of, simulate
from python_assets.infer.draws.exchange import Floats, Shuffles
from python_assets.infer.formulas.looks import Look, levels
from python_assets.infer.formulas.selected import SELECTED_LEVEL, with_selected_sizes, with_weights
from python_assets.infer.formulas.skewed import Mean, limits, mean_skewness, skewness
from python_assets.infer.formulas.verdict import is_off
from python_assets.infer.hypotheses import with_levels
from python_assets.infer.options import FIRST_DRAWS
from python_assets.infer.result import INTERVAL
from python_assets.infer.tables import ROW_KEYS

AT_ONCE: Final = 20
NO_PAIRS: Final = pd.DataFrame(
    columns=[
        *ROW_KEYS,
        *("family_id", "is_significant", *Mean._fields, *INTERVAL, "p_value", "p_maxt", "mirror_of"),
        *("control_error", "control_df"),
    ],
    dtype=object,
)


class Significant(NamedTuple):
    """Of each study: whether anything false was called by any look, and by any at alpha each; its true questions.

    found: share of true questions called by the last look. n_used: share of root prompts asked until all true ones
    were called. missed: share of called rows whose interval after selection lacks the truth, 0 where none is called.
    n_rows: called rows. n_held: those whose interval after selection holds 0.
    """

    any_false: np.ndarray
    any_false_each: np.ndarray
    found: np.ndarray
    n_used: np.ndarray
    missed: np.ndarray
    n_rows: np.ndarray
    n_held: np.ndarray


def looked_at(
    studies: Studies, x: Floats, n_looks: int, *, n_permutations: int, seed: int, is_rate: bool = False
) -> Significant:
    """Look at studies as their root prompts come.

    Args:
        studies: what was simulated.
        x: its cells, shape (roots, groups, studies, questions).
        n_looks: in equal steps.
        n_permutations: B.
        seed: of the draws.
        is_rate: whether cells are rates.
    """
    n_roots, n_groups, n, n_hypotheses = x.shape
    shares = [k / n_looks for k in range(1, n_looks + 1)]
    alphas = levels(shares, ALPHA)
    rows = [_rows(studies, n_hypotheses) for _ in range(n)]
    before: list[dict[str, pd.DataFrame]] = [{} for _ in range(n)]
    any_false_each, n_used = np.zeros(n, dtype=bool), np.full(n, np.nan)
    for k, (share, alpha) in enumerate(zip(shares, alphas, strict=True), start=1):
        part = x[: round(share * n_roots)]
        frame = frame_of(len(part), n_groups)
        shuffles = Shuffles(seed, n_permutations, frame.block)
        values = part.reshape(len(frame.block), -1)
        answers = asked(frame, values, shuffles, n_first=FIRST_DRAWS, flip_seed=seed, alpha=alpha, is_rate=is_rate)
        p, p_group, low, high = (numbers.reshape(n, -1) for numbers in answers)
        for study, (hypotheses, contrasts) in enumerate(rows):
            look = Look(alpha, alphas[-1], k, n_looks, earlier=before[study])
            hypotheses, contrasts = with_levels(
                hypotheses.assign(p_value=p[study]),
                contrasts.assign(p_value_maxt=p_group[study], ci_low=low[study], ci_high=high[study]),
                look,
            )
            # by q and by the interval of the look that calls
            off = is_off(low[study], high[study])
            hypotheses, contrasts = (
                rows_of.assign(significant_at_look=significant_at, is_significant=~np.isnan(significant_at))
                for name, rows_of, may in (("hypotheses", hypotheses, True), ("contrasts", contrasts, off))
                for significant_at in (
                    look.significant_at(name, rows_of, rows_of.q_value.to_numpy(dtype=float), may=may),
                )
            )
            any_false_each[study] |= _is_false(studies, hypotheses.q_value <= ALPHA)
            significant = hypotheses.is_significant.to_numpy()[: studies.n_true]
            if len(significant) and significant.all() and np.isnan(n_used[study]):
                n_used[study] = share
            before[study] = {
                "hypotheses": hypotheses[hypotheses.is_significant],
                "contrasts": contrasts[contrasts.is_significant],
            }
            rows[study] = hypotheses, contrasts
    any_false = np.array([_is_false(studies, hypotheses.is_significant) for hypotheses, _ in rows])
    found = np.array([hypotheses.is_significant[: studies.n_true].mean() for hypotheses, _ in rows])
    selected = [_selected(studies, x[:, :, at], contrasts, alphas[-1]) for at, (_, contrasts) in enumerate(rows)]
    missed, n_rows, n_held = np.array(selected).T
    return Significant(
        any_false=any_false,
        any_false_each=any_false_each,
        found=found,
        n_used=np.where(np.isnan(n_used), 1.0, n_used),
        missed=missed,
        n_rows=n_rows,
        n_held=n_held,
    )


def _rows(studies: Studies, n_hypotheses: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Questions of one set, and their groups."""
    hypotheses = pd.DataFrame(
        {
            **dict.fromkeys(("slice_id", "system_id", "grouping_id", "parameters"), ""),
            "measure_id": np.arange(n_hypotheses).astype(str),
            "calibration": "raw",
            "statistic": "mean",
            "family_id": "primary",
            "n_hypotheses": n_hypotheses,
        }
    )
    groups = hypotheses.loc[hypotheses.index.repeat(studies.n_groups)].drop(columns=["family_id", "n_hypotheses"])
    names = np.tile(np.arange(studies.n_groups).astype(str), n_hypotheses)
    return hypotheses, groups.assign(
        group_id=names, contrast="mean_difference", category="", reference="rest"
    ).reset_index(drop=True)


def _is_false(studies: Studies, is_significant: "pd.Series[bool]") -> bool:
    return bool(is_significant[studies.n_true :].any())


def _selected(studies: Studies, x: Floats, contrasts: pd.DataFrame, alpha: float) -> tuple[float, int, int]:
    """Share of called rows whose interval after selection lacks the true difference; these rows, and those with 0."""
    n_roots, n_groups, n_hypotheses = x.shape
    d = (x - x.mean(axis=1, keepdims=True)) * n_groups / (n_groups - 1)
    value, std_error = d.mean(axis=0).T.ravel(), (d.std(axis=0, ddof=1) / np.sqrt(n_roots)).T.ravel()
    effects = np.zeros((n_hypotheses, n_groups))
    effects[: studies.n_true, : len(studies.effects)] = studies.effects
    effects *= np.sqrt(0.55 * n_groups / (n_groups - 1) / n_roots)
    truth = ((effects - effects.mean(axis=1, keepdims=True)) * n_groups / (n_groups - 1)).ravel()
    t = np.divide(value, std_error, out=np.zeros_like(value), where=std_error > 0)
    row_skewness = skewness(d, np.ones(d.shape, dtype=bool), 0).T
    of_hypothesis = mean_skewness(row_skewness, np.ones(n_groups, dtype=bool))
    mean = Mean(value, std_error, np.full(len(value), n_roots - 1.0), row_skewness.ravel(), of_hypothesis.ravel())
    sized = contrasts.assign(**mean._asdict(), studentised=t, mirror_of=None)
    found, _ = with_selected_sizes(*with_weights(sized, NO_PAIRS), alpha)
    low, high = limits(mean, found[SELECTED_LEVEL].to_numpy())
    is_significant = contrasts.is_significant.to_numpy()
    missed = float(((truth < low) | (truth > high))[is_significant].mean()) if is_significant.any() else 0.0
    return missed, int(is_significant.sum()), int((is_significant & ~is_off(low, high)).sum())


def normal(studies: Studies, n: int, seed: int) -> Floats:
    """Cells of bench_studies."""
    return simulate(studies, n, seed)


def skewed(studies: Studies, n: int, seed: int) -> Floats:
    """Cells of a t distribution with 3 degrees of freedom."""
    rng = np.random.default_rng(seed)
    return rng.standard_t(3, (studies.n_roots, studies.n_groups, n, studies.n_hypotheses))


def exponential(studies: Studies, n: int, seed: int) -> Floats:
    """Cells of bench_studies without what root prompts share, whose noise has a long tail."""
    rng = np.random.default_rng(seed)
    shape = (studies.n_roots, studies.n_groups, n, studies.n_hypotheses)
    x = np.sqrt(0.55) * rng.exponential(size=shape)
    std_error = np.sqrt(0.55 * studies.n_groups / (studies.n_groups - 1) / studies.n_roots)
    for group, effect in enumerate(studies.effects):
        x[:, group, :, : studies.n_true] += effect * std_error
    return np.asarray(x)


def rates(studies: Studies, n: int, seed: int) -> Floats:
    """One answer a cell, 1 in .3 of them, prompts of .1 to .5."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.1, 0.5, (studies.n_roots, 1, n, studies.n_hypotheses))
    return (rng.random((studies.n_roots, studies.n_groups, n, studies.n_hypotheses)) < p).astype(float)


DESIGNS: Final[dict[str, tuple[Studies, Callable[[Studies, int, int], Floats]]]] = {
    "6 unbiased questions, 3 groups": (Studies(6, n_roots=100, n_groups=3), normal),
    "the same, t3": (Studies(6, n_roots=100, n_groups=3), skewed),
    "the same, rates": (Studies(6, n_roots=100, n_groups=3), rates),
    "40 unbiased questions, 3 groups": (Studies(40, n_roots=100, n_groups=3), normal),
    "1 true of 6, 3.6 standard errors": (Studies(6, n_roots=60, n_groups=3, effects=(3.6,), n_true=1), normal),
    "4 true of 12, 6 groups, 3.5 standard errors": (
        Studies(12, n_roots=60, n_groups=6, effects=(3.5,), n_true=4),
        normal,
    ),
    "9 true of 30, 6 groups, 3.5 standard errors": (
        Studies(30, n_roots=30, n_groups=6, effects=(3.5,), n_true=9),
        normal,
    ),
    "the same, exponential": (Studies(30, n_roots=30, n_groups=6, effects=(3.5,), n_true=9), exponential),
    "the same, exponential, 12 root prompts": (
        Studies(30, n_roots=12, n_groups=6, effects=(3.5,), n_true=9),
        exponential,
    ),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--permutations", type=int, default=9_999)
    parser.add_argument("--looks", type=int, nargs="*", default=[1, 2, 3, 5])
    parser.add_argument("--only", type=int, nargs="*", help="numbers of designs, from 0")
    options = parser.parse_args()
    print("| design | looks | any false call | at alpha each look | power | root prompts used | FCR | hold 0 | s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for number, (name, (studies, made)) in enumerate(DESIGNS.items()):
        if options.only and number not in options.only:
            continue
        for n_looks in options.looks:
            started = time.perf_counter()
            parts = []
            for at in range(0, options.studies, AT_ONCE):
                x = made(studies, min(AT_ONCE, options.studies - at), at + 1)
                parts.append(
                    looked_at(
                        studies, x, n_looks, n_permutations=options.permutations, seed=at + 1, is_rate=made is rates
                    )
                )
            of = Significant(*(np.concatenate(one) for one in zip(*parts, strict=True)))
            has_true = studies.n_true > 0
            power = (
                f"{of.found.mean():.3f} | {of.n_used.mean():.2f} | {of.missed.mean():.3f} | "
                f"{of.n_held.sum() / max(of.n_rows.sum(), 1):.3f}"
                if has_true
                else "- | - | - | -"
            )
            seconds = time.perf_counter() - started
            print(
                f"| {name} | {n_looks} | {of.any_false.mean():.3f} | {of.any_false_each.mean():.3f} | {power} | "
                f"{seconds:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
