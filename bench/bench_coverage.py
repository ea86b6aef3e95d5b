"""Coverage of intervals, and false words at the margin, on data whose truth is known, for docs/statistics.md.

    python -m bench.bench_coverage [--scale 1.0] [part ...]

tests/python_assets/infer/test_error_rates.py bounds the same numbers on fewer data sets.
"""

import numpy as np

from bench.error_rates import at_margin, covered
from bench.error_rates.simulated import Layout, Model
from bench.error_tables import SHARES, Row, Scaled, picked, run_parts, table

WORDS = ("beyond_margin", "equivalent")
INDEX_NOISE = 1_999  # permutations where indices get an interval: all of them are used


def coverage(sizes: Scaled) -> None:
    """Intervals of contrasts."""
    pairs = ((0.02, 0.02), (0.1, 0.1), (0.25, 0.1), (0.7, 0.5))
    model = Model(rho=0.4)

    def row(n: int) -> Row:
        layout = Layout(n, 21)
        of_rates = [
            covered.of_rate_differences(layout, model, sizes(4_000, 1), [own] + [rest] * 20) for own, rest in pairs
        ]
        return str(layout), [
            covered.of_difference(layout, model, sizes(5_000, 1)),
            covered.of_difference(layout, model._replace(noise="exponential"), sizes(5_000, 1)),
            *(found["risk_difference"] for found in of_rates),
            *(found["log_disparity"] for found in of_rates),
        ]

    rate_names = [f"{own} v {rest}" for own, rest in pairs]
    columns = ["mean", "mean, exponential", *rate_names, *(f"log {name}" for name in rate_names)]
    table("Coverage of the intervals of contrasts", columns, map(row, (5, 10, 30, 75)))


def mean_indices(sizes: Scaled) -> None:
    """Intervals of indices of means."""

    def row(n: int, size: float, one_outlier: bool) -> Row:
        layout, model = Layout(n, 21), Model(rho=0.4)
        model = model._replace(shift=covered.spread_shift(layout, model, size, one_outlier=one_outlier))
        found = covered.of_mean_indices(layout, model, sizes(200, INDEX_NOISE))
        percentile = covered.of_percentile_standard_deviation(layout, model, sizes(200))
        return f"{layout}, {size} errors, {shape(one_outlier)}", [*found.values(), percentile]

    cases = ((0, False), (0.5, False), (1, False), (3, False), (1, True), (3, True))
    rows = (row(n, *case) for n in (10, 30, 75) for case in cases)
    columns = ("standard deviation", "range", "percentile, sd")
    table("Coverage of the intervals of indices of means", columns, rows)


def shape(one_outlier: bool) -> str:
    return "one outlier" if one_outlier else "evenly spread"


def rate_indices(sizes: Scaled) -> None:
    """Intervals of indices of rates."""

    def row(n: int, width: float) -> Row:
        p = np.linspace(0.5 - width, 0.5 + width, 21)
        found = covered.of_rate_indices(Layout(n, 21), Model(rho=0.4), sizes(200, INDEX_NOISE), p)
        return f"{n} x 21, rates {p[0]:g} to {p[-1]:g}", list(found.values())

    rows = (row(n, width) for n in (10, 30) for width in (0, 0.1, 0.3))
    table("Coverage of the intervals of indices of rates", ("impact ratio", "range"), rows)


def profiles(sizes: Scaled) -> None:
    """Intervals of indices of categories."""

    def row(n: int, width: float) -> Row:
        model = Model(rho=0.4, shift=np.linspace(-width, width, 4))
        found = covered.of_profile_indices(Layout(n, 4), model, sizes(150, INDEX_NOISE), SHARES)
        return f"{n} x 4, shifts to {width:g}", list(found.values())

    rows = (row(n, width) for n in (10, 30) for width in (0, 0.25, 0.75))
    table("Coverage of the intervals of profiles", ("FDI", "Cramer's V", "divergence"), rows)


def differences_at_the_margin(sizes: Scaled) -> None:
    """False words of contrasts."""

    def row(n: int, noise: str) -> Row:
        found = at_margin.of_differences(Layout(n, 20), Model(noise=noise), sizes(5_000))
        return f"{n} x 20, {noise}", list(found.values())

    rows = (row(n, noise) for n in (10, 30, 75) for noise in ("normal", "exponential"))
    columns = ("any beyond_margin", "any equivalent", "any unadjusted interval past it")
    table("All 20 differences at the margin", columns, rows)
    rows = (
        (f"{n} x 21", list(at_margin.of_rate(Layout(n, 21), Model(), sizes(2_000), 0.2, 0.1).values()))
        for n in (10, 30, 75)
    )
    table("A rate of .3 where the others have .2, margin .1", WORDS, rows)


def indices_at_the_margin(sizes: Scaled) -> None:
    """False words of indices."""

    def of_means(n_groups: int, name: str, one_outlier: bool) -> Row:
        layout, model = Layout(30, n_groups), Model(rho=0.4)
        model = model._replace(shift=covered.spread_shift(layout, model, 2, one_outlier=one_outlier))
        found = at_margin.of_mean_index(layout, model, sizes(400, INDEX_NOISE), name)
        return f"{name}, {layout}, {shape(one_outlier)}", picked(found, WORDS)

    def of_rates() -> Row:
        p = np.linspace(0.4, 0.5, 8)
        found = at_margin.of_impact_ratio(Layout(30, 8), Model(rho=0.4), sizes(400, INDEX_NOISE), p)
        return "impact ratio .8, 30 x 8", picked(found, WORDS)

    def of_profile(name: str, margin: float) -> Row:
        model = Model(rho=0.4, shift=np.linspace(-1, 1, 4))
        found = at_margin.of_profile(Layout(30, 4), model, sizes(150, INDEX_NOISE), SHARES, name, margin)
        return f"{name} {margin}, 30 x 4", picked(found, WORDS)

    names = ("standard_deviation", "range")
    rows = [of_means(k, name, one) for k in (8, 21) for name in names for one in (False, True)]
    rows += [of_rates(), of_profile("fdi", 0.15), of_profile("cramers_v", 0.1)]
    table("One index at its margin", WORDS, rows)


def statistics(sizes: Scaled) -> None:
    """Bootstrap intervals of summary statistics."""
    names = (*covered.TRUE_STATISTICS["normal"], "correlation")
    rows = (
        (f"{n} root prompts, {noise}", picked(covered.of_statistics(n, noise, sizes(1_000)), names))
        for n in (10, 30, 75)
        for noise in ("normal", "exponential")
    )
    table("Coverage of the intervals of summary statistics", names, rows)


if __name__ == "__main__":
    run_parts(
        (coverage, statistics, mean_indices, rate_indices, profiles, differences_at_the_margin, indices_at_the_margin)
    )
