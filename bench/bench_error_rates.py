"""False findings and power on data whose truth is known, for docs/statistics.md.

    python -m bench.bench_error_rates [--scale 1.0] [part ...]

tests/python_assets/infer/test_error_rates.py bounds the same numbers on fewer data sets. Intervals are
bench_coverage.py.
"""

import numpy as np

from bench.error_rates import measured
from bench.error_rates.simulated import FAIR_SEA, REPEATED, SAGED, Layout, Model
from bench.error_tables import SHARES, Row, Scaled, picked, run_parts, table
from python_assets.infer.options import Reference
from python_assets.study.base import Against


def means(sizes: Scaled) -> None:
    """False-positive rates of means."""
    names = ("mean_difference", "mean_difference, any maxT", "range", "standard_deviation", "max_abs_z")
    designs = [
        (layout, Model(rho, 0.1 if rho < 0.9 else 0.05, noise))
        for layout, rho in ((SAGED, 0.6), (SAGED, 0.9), (FAIR_SEA, 0.6), (REPEATED, 0.6), (Layout(30, 21), 0.8))
        for noise in ("normal", "t3", "exponential")
    ]
    rows = (
        (
            f"{layout}, prompt correlation {model.rho}, {model.noise}",
            picked(measured.false_positives(measured.compared_means(layout, model, sizes(5_000))), names),
        )
        for layout, model in designs
    )
    table("p of means, no difference", names, rows)


def rates(sizes: Scaled) -> None:
    """False-positive rates of rates."""
    names = ("risk_difference", "risk_difference, any maxT", "range", "standard_deviation", "impact_ratio")
    rows = (
        (
            f"{layout}, rate {p}, prompt correlation {rho}",
            picked(measured.false_positives(measured.compared_rates(layout, Model(rho), sizes(3_000), p)), names),
        )
        for layout in (SAGED, FAIR_SEA, REPEATED)
        for p, rho in ((0.1, 0.6), (0.3, 0.6), (0.3, 0.8))
    )
    table("p of rates, no difference", names, rows)


def references(sizes: Scaled) -> None:
    """False-positive rates against other references."""
    layout = Layout(30, 5)
    references = (Reference(), Reference(Against.GRAND_MEAN), Reference(Against.LEVEL, 0), Reference(Against.ALL_PAIRS))

    def row(reference: Reference) -> Row:
        x = measured.compared_means(layout, Model(noise="t3"), sizes(5_000), reference)
        y = measured.compared_rates(layout, Model(), sizes(5_000), 0.3, reference)
        found = measured.false_positives(x) | measured.false_positives(y)
        names = ("mean_difference", "mean_difference, any maxT", "risk_difference", "risk_difference, any maxT")
        return str(reference.against), picked(found, names)

    columns = ("mean difference", "any maxT", "risk difference", "any maxT")
    table(f"p against other references, {layout}, no difference", columns, map(row, references))


def categories(sizes: Scaled) -> None:
    """False-positive rates of categorical measures."""
    names = (
        "risk_difference, any maxT",
        "risk_difference, question",
        "fdi_group",
        "fdi",
        "cramers_v",
        "jsd_between_groups",
        "jsd",
    )
    rows = (
        (str(layout), picked(measured.profile_false_positives(layout, Model(), sizes(2_000), SHARES), names))
        for layout in (FAIR_SEA, REPEATED)
    )
    table("p of categories, no difference", names, rows)


def statistics(sizes: Scaled) -> None:
    """False-positive rates of statistics that are no means."""

    def row(name: str) -> Row:
        found = measured.nonlinear_false_positives(Layout(30, 5), Model(), sizes(3_000), name)
        difference = f"{name}_difference"
        return name, picked(found, (difference, f"{difference}, any maxT", "range", "max_abs_z"))

    names = ("variance", "correlation", "kl_divergence", "median", "skewness", "kurtosis")
    columns = ("difference", "any maxT", "range", "max_abs_z")
    table("p of other statistics, 30 x 5, no difference", columns, map(row, names))


def nested(sizes: Scaled) -> None:
    """False-positive rates of groups nested in units, and of replicates of one prompt."""
    names = ("mean_difference", "mean_difference, any maxT", "range", "prompts as units")

    def row(n: int, noise: str) -> Row:
        found = measured.nested_false_positives(Layout(20, 4), n, noise, sizes(5_000))
        return f"{n} names a group, {noise}", picked(found, names)

    rows = (row(n, noise) for n in (4, 10, 25) for noise in ("normal", "exponential"))
    table("p of groups nested in names, 20 prompts, 4 groups, no difference", names, rows)
    found = measured.replicate_false_positives(Layout(1, 4, 10), sizes(5_000))
    title = "p of one prompt with 10 replicates, no difference on that prompt"
    table(title, names[:3], [("1 x 4 x 10", picked(found, names[:3]))])


def spread(sizes: Scaled) -> None:
    """One group with three times the spread."""
    names = ("mean_difference", "mean_difference, any maxT", "range", "standard_deviation", "max_abs_z")

    def row(layout: Layout) -> Row:
        model = Model(spread=[3.0] + [1.0] * (layout.n_groups - 1))
        found = measured.false_positives(measured.compared_means(layout, model, sizes(5_000)))
        return str(layout), [measured.raw_false_positives(layout, model, sizes(2_000)), *picked(found, names)]

    layouts = (Layout(30, 5), Layout(30, 21), SAGED)
    table("One group with three times the spread, no difference", ("raw", *names), map(row, layouts))


def power(sizes: Scaled) -> None:
    """Power against Welch's t on rows."""

    def row(n: int, size: float, rho: float) -> Row:
        model = Model(rho, 0.05, shift=[size] + [0.0] * 20)
        found = measured.power(Layout(n, 21), model, sizes(2_000))
        return f"{n} x 21, difference {size}, prompt correlation {rho}", list(found.values())

    cases = ((10, 0.45), (30, 0.25), (75, 0.15))
    rows = (row(n, size, rho) for n, size in cases for rho in (0.6, 0.8))
    table("Power, one response a cell", ("permuted t within prompts", "Welch on rows"), rows)


def multiplicity(sizes: Scaled) -> None:
    """Benjamini-Hochberg over large families."""
    names = ("unadjusted false findings", "data sets with a false finding", "false discovery rate", "power")

    def row(title: str, model: Model, n_sets: int) -> Row:
        return title, picked(measured.discoveries(Layout(10, 500), model, sizes(n_sets, 9_999)), names)

    shift = np.resize([0.9, -0.9], 500) * (np.arange(500) < 50)
    rows = (
        row("500 null groups, normal", Model(), 600),
        row("500 null groups, exponential", Model(noise="exponential"), 200),
        row("50 of 500 differ by 0.9, normal", Model(shift=shift), 40),
    )
    table("Findings after Benjamini-Hochberg, 10 root prompts", names, rows)


if __name__ == "__main__":
    run_parts((means, rates, references, categories, statistics, nested, spread, power, multiplicity))
