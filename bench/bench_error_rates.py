"""False findings and power on data whose truth is known, for docs/statistics.md.

    python -m bench.bench_error_rates [--scale 1.0] [part ...]

tests/python_assets/infer/test_error_rates.py bounds the same numbers on fewer data sets. Intervals are
bench_coverage.py.
"""

import numpy as np

from bench.bench_studies import calls
from bench.error_rates import measured
from bench.error_rates.simulated import FAIR_SEA, REPEATED, SAGED, Layout, Model
from bench.error_tables import SHARES, Row, Scaled, picked, run_parts, table
from bench.grid import Design, designs
from python_assets.infer.options import Reference
from python_assets.study.base import Against


def means(sizes: Scaled) -> None:
    """False calls of means in every design of the grid."""

    def row(design: Design, n_sets: int) -> Row:
        x = design.cells(np.random.default_rng(1), n_sets)
        return f"{design.layout}, {design.condition}", calls(x, n_permutations=499, seed=1)

    # each data set that lacks other cells has draws of its own
    rows = (row(design, sizes(200 if design.missing else 2_000).n_sets) for design in designs())
    table("Means, no difference: called at .05", ("hypothesis", "any group"), rows)


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
    """False-positive rates of groups nested in units, in every design of the grid, and of replicates of one prompt."""
    names = ("mean_difference", "mean_difference, any maxT", "range", "prompts as units")

    def row(design: Design) -> Row:
        found = measured.nested_false_positives(design.layout, design.names, design.noise, sizes(5_000))
        return f"{design.layout}, {design.condition}", picked(found, names)

    table("p of groups nested in names, no difference", names, map(row, designs(of_names=True)))
    found = measured.replicate_false_positives(Layout(1, 4, 10), sizes(5_000))
    title = "p of one prompt with 10 replicates, no difference on that prompt"
    table(title, names[:3], [("1 x 4 x 10", picked(found, names[:3]))])


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
    run_parts((means, rates, references, categories, statistics, nested, power, multiplicity))
