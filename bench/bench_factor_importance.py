"""How often factor importance finds a factor that has no effect, for docs/multi_factor.md.

    python -m bench.bench_factor_importance [--scale 1.0] [part ...]

Responses of clusters that share a logit (sd 1), twenty or so each, in clusters of unequal size. Belongs here:
made-up responses. The tests are infer/regressions/factor_importance.py.
"""

from collections.abc import Iterator
from itertools import count, islice
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit

from bench.error_tables import Row, Scaled, run_parts, table
from python_assets.infer.draws.exchange import stable_seed
from python_assets.infer.options import Options
from python_assets.infer.regressions.clusters import cluster_errors, t_p
from python_assets.infer.regressions.coding import RegressionDesign, coded
from python_assets.infer.regressions.factor_importance import ClusterResponses, Importance, factor_importance
from python_assets.infer.regressions.logistic import Counts, fit_firth, fit_logistic, infinite_columns, left_out

ALPHA = 0.05
OPTIONS = Options(seed=1, n_permutations=199, n_bootstrap=200, alpha=ALPHA, margins={}, references={}, contrasts=())
SPREAD = 1.0  # of clusters, on the logit
TERMS = ["factor", "coefficient", "std_error_model", "ci_low", "ci_high", "p_value", "p_holm"]


class Setting(NamedTuple):
    """Clusters at each level of a factor between them, levels of a factor inside them, the chance of a 1.

    cases: levels of a third factor, each of which holds all levels of the inner one. unequal: whether
    clusters have 4 to 36 responses instead of 20. wobble: spread, on the logit, of the effect of the inner
    factor over clusters; it has none on average.
    """

    between: tuple[int, ...]
    inside: int = 0
    cases: int = 1
    rate: float = 0.3
    unequal: bool = True
    wobble: float = 0.0
    interacts: bool = False

    @property
    def name(self) -> str:
        """In the table."""
        words = [f"clusters {' / '.join(map(str, self.between))}"]
        words += [f"{self.inside} levels inside"] if self.inside else []
        words += [f"in {self.cases} cases each"] if self.cases > 1 else []
        words += [f"rate {self.rate:g}"] if self.rate != 0.3 else []
        words += [f"effects spread by {self.wobble:g}"] if self.wobble else []
        return ", ".join(words + (["interaction"] if self.interacts else []))


def made_up(setting: Setting, rng: np.random.Generator) -> tuple[ClusterResponses, RegressionDesign]:
    """Responses without an effect of any factor."""
    shape = (sum(setting.between), max(setting.inside, 1), setting.cases)
    cluster, inner, case = (place.ravel() for place in np.indices(shape))
    levels = np.repeat(np.arange(len(setting.between)), setting.between)
    size = rng.integers(4, 37, shape[0]) if setting.unequal else np.full(shape[0], 20)
    logit = np.log(setting.rate / (1 - setting.rate)) + SPREAD * rng.normal(size=shape[0])[cluster]
    logit = logit + setting.wobble * rng.normal(size=shape[:2])[cluster, inner]
    n = np.maximum(size[cluster] // (shape[1] * shape[2]), 1)
    k = rng.binomial(n, expit(logit))
    factors = {"topic": levels[cluster], "style": inner, "case": case}
    frame = pd.DataFrame({name: codes.astype(str) for name, codes in factors.items()})
    names = [name for name in factors if frame[name].nunique() > 1]
    order = {name: sorted(frame[name].unique()) for name in names}
    design = RegressionDesign(dict.fromkeys(names, "0"), [("topic", "style")] if setting.interacts else [], order)
    return ClusterResponses(frame[names], cluster, n.astype(float), k.astype(float)), design


def measured(setting: Setting, n_sets: int, n_draws: int, *, with_firth: bool = False) -> dict[str, float]:
    """Shares of the effects and levels of a setting with p <= alpha, and of intervals that hold 0.

    Args:
        setting: what is made up.
        n_sets: data sets; one without any 1 is drawn again.
        n_draws: B.
        with_firth: also of the separated sets by leaving out clusters, which is not published.

    Returns:
        By effect and kind of number; what a set has no number of is no error.
    """
    found: dict[str, list[bool]] = {}
    for responses, design, errors in islice(errors_of_sets(setting, n_draws), n_sets):
        for name, value in errors:
            found.setdefault(name, []).append(value)
        if with_firth:
            separated, is_error = _firth(responses, design)
            found.setdefault("separated", []).append(separated)
            found.setdefault("left out", []).append(is_error)
    return {name: float(np.mean(values)) for name, values in found.items()}


def errors_of_sets(
    setting: Setting, n_draws: int
) -> Iterator[tuple[ClusterResponses, RegressionDesign, list[tuple[str, bool]]]]:
    """Data sets of a setting one after another, each with what is in error in it, by effect and kind of number."""
    rng = np.random.default_rng(stable_seed(setting))
    for number in count():
        responses, design = made_up(setting, rng)
        while responses.k.sum() == 0:
            responses, design = made_up(setting, rng)
        options = OPTIONS._replace(seed=number, n_permutations=n_draws)
        yield responses, design, [*_errors(factor_importance(responses, design, options))]


def _firth(responses: ClusterResponses, design: RegressionDesign) -> tuple[bool, bool]:
    """Whether a set is separated, and whether t over clusters left out calls its level different."""
    of = coded(responses.levels, design._replace(interactions=[]))
    counts = Counts(of.x, responses.n, responses.k, responses.cluster)
    separated = bool(infinite_columns(counts).any())
    fit = fit_firth(counts) if separated else fit_logistic(counts)
    errors = cluster_errors(counts, fit, left_out(counts, fit))
    return separated, bool((t_p(fit.coefficients, errors.std_error, errors.df)[1:] <= ALPHA).any())


def _errors(found: Importance) -> Iterator[tuple[str, bool]]:
    """Names of numbers, and whether each is in error (of intervals: whether it is right)."""
    for name in ("p_value", "p_value_permutation"):
        effects = found.models[1:].reindex(columns=["factor", name]).dropna()
        yield from ((f"{factor} {name}", p <= ALPHA) for factor, p in effects.itertuples(index=False))
    terms = found.terms[1:].reindex(columns=TERMS).dropna(subset=["coefficient"])
    for factor, own in terms.groupby("factor"):
        yield from ((f"{factor} model", one) for one in own.coefficient.abs() > 1.96 * own.std_error_model)
        has = own[own.ci_low.notna()]
        yield from ((f"{factor} covered", one) for one in (has.ci_low <= 0) & (has.ci_high >= 0))
        tested = own[own.p_value.notna()]
        yield from ((f"{factor} level", one) for one in tested.p_value <= ALPHA)
        if len(tested):
            yield f"{factor} any", tested.p_holm.min() <= ALPHA


BETWEEN = (
    Setting((10, 10)),
    Setting((15, 5)),
    Setting((5, 5)),
    Setting((5, 15)),
    Setting((16, 4)),
    Setting((4, 4)),
    Setting((10, 10, 10)),
    Setting((10, 5, 5, 5)),
    Setting((25, 25, 25, 25, 25, 25)),
    Setting((15, 5), rate=0.1),
    Setting((10, 10), rate=0.05),
)
INSIDE = (
    Setting((5,), 2),
    Setting((10,), 2),
    Setting((10,), 4),
    Setting((30,), 4),
    Setting((30,), 4, rate=0.05),
    Setting((10,), 4, wobble=0.5),
    Setting((30,), 4, wobble=0.5),
    Setting((10,), 3, cases=3, wobble=0.5),
    Setting((30,), 3, cases=3, wobble=0.5),
)
BOTH = (
    Setting((5, 5), 2, interacts=True),
    Setting((10, 10), 2, interacts=True),
    Setting((10, 5), 3, interacts=True, wobble=0.5),
    Setting((30, 30), 3, interacts=True, wobble=0.5),
)
RARE = (
    Setting((15, 5), rate=0.02),
    Setting((10, 10), rate=0.005),
    Setting((10, 10), rate=0.01),
    Setting((10, 5, 5), rate=0.02),
)
COLUMNS = ("level", "any", "p_value", "p_value_permutation", "covered", "model")


def _table(title: str, factor: str, settings: tuple[Setting, ...], sizes: Scaled, n_sets: int) -> None:
    size = sizes(n_sets)

    def rows() -> Iterator[Row]:
        for setting in settings:
            found = measured(setting, size.n_sets, size.n_permutations)
            yield setting.name, [found.get(f"{factor} {name}", np.nan) for name in COLUMNS]

    table(title, COLUMNS, rows())


def between(sizes: Scaled) -> None:
    """A factor of whole clusters."""
    _table("A factor between clusters", "topic", BETWEEN, sizes, 1_000)


def inside(sizes: Scaled) -> None:
    """A factor that varies inside clusters."""
    _table("A factor inside clusters", "style", INSIDE, sizes, 1_000)


def interactions(sizes: Scaled) -> None:
    """A factor inside clusters that interacts with one between them."""
    _table("An interaction", "topic x style", BOTH, sizes, 1_000)


def rare(sizes: Scaled) -> None:
    """Events so rare that in many data sets some level has none, and Firth's likelihood is fitted."""
    size, columns = sizes(1_000), ("separated", "topic level", "topic p_value", "left out")

    def rows() -> Iterator[Row]:
        for setting in RARE:
            found = measured(setting, size.n_sets, size.n_permutations, with_firth=True)
            yield setting.name, [found.get(name, np.nan) for name in columns]

    table("Rare events", columns, rows())


if __name__ == "__main__":
    run_parts((between, inside, interactions, rare))
