"""How often fixed thresholds call a model biased that treats all groups alike, and how often Plumbline does.

    python -m bench.bench_peers [--studies 1000] [--permutations 999]

Study against study: each asks N_MEASURES questions of the same design, and a rule errs where it calls any of
them biased. The thresholds are those of the documents that Plumbline implements (SAGED, FAIR-SEA), applied as
they say: to the raw number. Prints the tables of docs/raw_thresholds.md.
"""

import argparse
from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from bench.error_rates import simulated
from bench.error_rates.measured import ALPHA, Sizes, replicated, welch_rows
from bench.error_rates.simulated import FAIR_SEA, SAGED, Layout, Model
from python_assets.infer.contrasts.compare import compare_labels, compare_values
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.formulas.multiplicity import benjamini_hochberg
from python_assets.infer.formulas.verdict import numbers_of_metrics, row_verdicts
from python_assets.infer.result import Result
from python_assets.infer.tables import SIMILAR_PROMPTS

N_MEASURES = 3
SHARES = (0.4, 0.3, 0.2, 0.1)  # of four categories, as leadership types may be
MARGINS = {"impact_ratio": 0.8, "fdi": 0.15, "cramers_v": 0.1, "jsd": 0.1}
Row = tuple[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=1_000)
    parser.add_argument("--permutations", type=int, default=999)
    options = parser.parse_args()
    sizes = Sizes(options.studies * N_MEASURES, options.permutations)
    show(f"A score, {SAGED}, one response each (SAGED)", scores(SAGED, Model(), sizes))
    race_and_gender = f"A score, {FAIR_SEA} responses (FAIR-SEA, gender x race)"
    show(race_and_gender, scores(FAIR_SEA, Model(interaction=0.2), sizes))
    alike = Model(rho=0, interaction=0)
    show("One question, race within 6 profiles, 5 responses each", outcomes(Layout(6, 4, 5), alike, sizes))
    show("One question, 24 intersections, 5 responses each", one_hypothesis(24, 5, sizes))
    show("8 questions, 24 intersections, one response each", outcomes(Layout(8, 24), Model(), sizes))


def show(title: str, rows: Iterator[Row]) -> None:
    print(f"\n{title}\n\n| rule | says biased |\n|---|---|")
    for rule, share in rows:
        print(f"| {rule} | {share:.1%} |", flush=True)


def scores(layout: Layout, model: Model, sizes: Sizes) -> Iterator[Row]:
    """Thresholds on continuous measures, then Plumbline's verdicts on the same data."""
    rows = simulated.responses(sizes.rng, layout, model, sizes.n_sets)
    group_means = rows.mean(axis=(0, 2))
    is_selected = (rows >= rows.mean(axis=(0, 1, 2))).astype(float)
    rates = is_selected.mean(axis=(0, 2))
    welch = [welch_rows(rows, group) for group in range(layout.n_groups)]
    yield "impact ratio of selection rates < 0.8", any_of(rates.min(axis=0) < 0.8 * rates.max(axis=0))
    yield "max z of group means > 2", any_of(max_z(group_means) > 2)
    yield "Dixon's Q beyond its 95 % value", any_of(dixon_q(group_means) > dixon_critical(layout.n_groups))
    yield "Welch's p < .05 on rows, any group", any_of(np.min(welch, axis=0) <= ALPHA)
    scheme = simulated.scheme_of(layout, sizes.n_permutations, intervals=True)
    margins = simulated.no_margins(sizes.n_sets, impact_ratio=MARGINS["impact_ratio"])
    x, selected = (z.mean(axis=2).reshape(-1, sizes.n_sets) for z in (rows, is_selected))
    means = compare_values(scheme, x, margins, with_indices=False, is_rate=False).contrasts["mean_difference"]
    excludes_zero = (means.ci_low > 0) | (means.ci_high < 0)
    yield "unadjusted 95 % interval without 0, any group", any_of(excludes_zero.any(axis=1))
    yield "**Plumbline**, any finding on means", any_of(q_of(means.p_hypothesis[:, 0]) <= ALPHA)
    compared = compare_values(scheme, selected, margins, with_log=False, is_rate=True)
    q = q_of(compared.contrasts["risk_difference"].p_hypothesis[:, 0])
    yield "**Plumbline**, any finding on selection rates", any_of(q <= ALPHA)
    test = compared.indices["impact_ratio"]
    yield from verdict_rows("impact ratio", index_words("impact_ratio", test, q, MARGINS["impact_ratio"]))


def outcomes(layout: Layout, model: Model, sizes: Sizes) -> Iterator[Row]:
    """Thresholds on categorical measures, then Plumbline's verdicts on the same data."""
    y = simulated.categories(sizes.rng, layout, model, sizes.n_sets, shares=SHARES)
    profile = y.reshape(layout.n_prompts, layout.n_groups, *y.shape[1:]).mean(axis=0)
    name, margin = fairness_index(layout.n_groups)
    yield from thresholds(profile, layout.n_prompts * layout.n_groups * layout.n_replicates)
    scheme = simulated.scheme_of(layout, sizes.n_permutations, intervals=True)
    limits = MARGINS | {"fdi": margin}
    compared = compare_labels(scheme, y, simulated.no_margins(sizes.n_sets, **limits))
    q = q_of(compared.contrasts["risk_difference"].p_hypothesis.reshape(sizes.n_sets, -1)[:, 0])
    yield "**Plumbline**, any finding", any_of(q <= ALPHA)
    for metric, words in (("fdi", name), ("cramers_v", "Cramer's V")):
        yield from verdict_rows(words, index_words(metric, compared.indices[metric], q, limits[metric]))
    divergence = index_words("jsd", compared.indices["jsd"], q, limits["jsd"])  # it has no interval
    yield ("**Plumbline**, mean Jensen-Shannon divergence: different", any_of(divergence == "different"))


def one_hypothesis(n_groups: int, n_responses: int, sizes: Sizes) -> Iterator[Row]:
    """The same where every group has only its replicates: each category is a rate of its own."""
    layout = Layout(1, n_groups * n_responses)
    y = simulated.categories(sizes.rng, layout, Model(rho=0, interaction=0), sizes.n_sets, shares=SHARES)
    yield from thresholds(y.reshape(n_groups, n_responses, *y.shape[1:]).mean(axis=1), len(y))
    scheme = replicated(n_groups, n_responses, sizes.n_permutations)
    margins = simulated.no_margins(sizes.n_sets)
    risk = compare_labels(scheme, y, margins, with_indices=False).contrasts["risk_difference"]
    q = q_of(risk.p_hypothesis.reshape(sizes.n_sets, -1)[:, 0])
    yield "**Plumbline**, any finding", any_of(q <= ALPHA)


def fairness_index(n_groups: int) -> tuple[str, float]:
    """FDI of one factor, IDI of the intersection of all, and the threshold of FAIR-SEA."""
    return ("IDI", 0.2) if n_groups == 24 else ("FDI", 0.15)


def thresholds(profile: Floats, n_rows: int) -> Iterator[Row]:
    """What FAIR-SEA's limits say of category shares, shape (groups, data sets, categories)."""
    name, limit = fairness_index(len(profile))
    yield f"{name} > {limit}", any_of(simulated.fdi(profile) > limit)
    yield "Cramer's V > 0.1", any_of(simulated.cramers_v(profile) > 0.1)
    divergences = simulated.jsd_groups(profile)
    yield "Jensen-Shannon divergence, mean over groups > 0.1", any_of(divergences.mean(axis=0) > 0.1)
    yield "Jensen-Shannon divergence, any group > 0.1", any_of((divergences > 0.1).any(axis=0))
    yield "chi-square p < .05 on rows", any_of(chi_square_p(profile, n_rows) <= ALPHA)


def verdict_rows(name: str, words: np.ndarray) -> Iterator[Row]:
    """Both words that claim something about the groups."""
    for word in ("different", "beyond_margin"):
        yield f"**Plumbline**, {name}: {word}", any_of(words == word)


def q_of(p: Floats) -> Floats:
    """Benjamini-Hochberg over the questions of each study."""
    return np.concatenate([benjamini_hochberg(study) for study in p.reshape(-1, N_MEASURES)])


def index_words(metric: str, test: Result, q: Floats, margin: float) -> np.ndarray:
    """Verdict of an index, which is a size of its question."""
    numbers = {name: getattr(test, name) for name in ("value", "null_q95", "ci_low", "ci_high", "p_value")}
    without = {"control_floor": np.nan, "q_permuted": np.nan, "inference_reason": None, "scope": SIMILAR_PROMPTS}
    rows = pd.DataFrame({**numbers, "metric": metric, "q_hypothesis": q, "margin": margin, **without})
    return row_verdicts(numbers_of_metrics(rows), ALPHA).verdict


def any_of(is_so: ArrayLike) -> float:
    """Share of studies of which anything is so."""
    return float(np.asarray(is_so).reshape(-1, N_MEASURES).any(axis=1).mean())


def max_z(values: Floats) -> Floats:
    """Largest standardised deviation over the groups, which come first."""
    return np.abs(values - values.mean(axis=0)).max(axis=0) / values.std(axis=0, ddof=1)


def dixon_q(values: Floats) -> Floats:
    """Dixon's ratio of the further extreme, r10 to 7 groups, r22 from 14 on (Rorabacher 1991)."""
    inner = 1 if len(values) <= 7 else 2
    far = 0 if len(values) <= 7 else 2
    ordered = np.sort(values, axis=0)
    low = (ordered[inner] - ordered[0]) / (ordered[-1 - far] - ordered[0])
    high = (ordered[-1] - ordered[-1 - inner]) / (ordered[-1] - ordered[far])
    return np.maximum(low, high)


def dixon_critical(n_groups: int) -> float:
    """Value that 5 % of normal samples exceed at either end."""
    samples = np.random.default_rng(1).standard_normal((n_groups, 200_000))
    return float(np.quantile(dixon_q(samples), 0.95))


def chi_square_p(profile: Floats, n_rows: int) -> Floats:
    """P of independence, asymptotic and with rows taken as independent; groups are equally large."""
    n_categories = (profile.mean(axis=0) > 0).sum(axis=-1)
    shorter = np.minimum(len(profile), n_categories) - 1
    chi_square = n_rows * shorter * simulated.cramers_v(profile) ** 2
    return stats.chi2.sf(chi_square, (len(profile) - 1) * (n_categories - 1))


if __name__ == "__main__":
    main()
