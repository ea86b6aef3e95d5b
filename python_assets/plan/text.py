"""What planning a study gives, and how a terminal shows it.

Belongs here: the records and their words. Counting is plan.py.
"""

import textwrap
from collections.abc import Sequence
from typing import Final, NamedTuple

from python_assets.errors import PlumblineError
from python_assets.infer.formulas.verdict import N_NEEDED_CAP
from python_assets.infer.result import InferenceReason
from python_assets.study.base import ALL_PROMPTS

UNKNOWN: Final = "unknown"
GROUPING_HEADER: Final = (
    "grouping",
    "slice",
    "groups",
    "units",
    "blocks or strata",
    "cells",
    "held fixed",
    "what is exchanged, what it speaks of",
)
FACTOR_HEADER: Final = ("factor", "type", "levels", "reference", "share with a level", "rule")
MOST_OF_A_RULE: Final = 60
COVERAGE_HEADER: Final = ("factors", "cells", "impossible", "covered", "share covered", "Gini index")
ALIASING_HEADER: Final = ("factor", "relation", "factor", "Cramer's V")
CANNOT_BE_TOLD_APART: Final = ("aliased", "nested")
REGRESSION_HEADER: Final = (
    "regression",
    "measure",
    "slice",
    "factors (reference)",
    "interactions",
    "coefficients",
    "fitted to",
)
WHOLE_UP_TO: Final = 1e15  # a double tells whole numbers apart that far
METRIC_HEADER: Final = ("metric of the log", "scorer or filter", "published", "imported as", "computed again")
COMPARISON_HEADER: Final = ("generation", "compared with", "units asked of both", "of one alone")
POWER_HEADER: Final = (
    "power: grouping",
    "measure",
    "contrast",
    "spread from",
    "root prompts",
    "sd or rate",
    "detects",
    "effect",
    "needs root prompts",
    "calls",
)


class PlannedGeneration(NamedTuple):
    """A generation, how many responses it will have, and how many calls at most: none for imports.

    None where prompts are not known yet. An engine has what asks it beside its name; a judge is counted at
    most, what earlier stages ask as their logs hold it.
    """

    generation_id: str
    provider: str
    model: str
    n_responses: int | None
    n_calls: int | None


class PlannedGrouping(NamedTuple):
    """What is compared in a grouping, in all prompts or in a slice of them.

    n_groups: groups that have prompts. n_blocks: blocks of two groups or more; strata, where a unit has one
    group. n_units: with such a block, root prompts unless the study declares a unit; n_cells: pairs of such a
    block and a group. is_complete: whether all blocks hold all groups. held: the factors that blocks or
    strata hold fixed; left_out: those that are redundant, and why. scheme: what is exchanged, its unit, its
    scope; reason: why there is no inference. notes: what is left out.
    """

    grouping_id: str
    slice_id: str
    n_groups: int
    n_units: int
    n_blocks: int
    n_cells: int
    is_complete: bool
    scheme: str
    reason: InferenceReason | None
    notes: list[str]
    held: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The grouping, and the slice where it is not all prompts."""
        return self.grouping_id if self.slice_id == ALL_PROMPTS else f"{self.grouping_id}, slice {self.slice_id}"


class PlannedFactor(NamedTuple):
    """A factor and how many prompts have a level of it, or generations where it is one of models.

    rule: how levels are decided, None where they come with the prompts; decided_share: 0 to 1.
    """

    factor: str
    type: str
    n_levels: int
    reference_level: str | None
    decided_share: float | None
    rule: str | None


class PlannedCoverage(NamedTuple):
    """How evenly prompts cover the combinations of factors (metrics.md 3); percentages are shares, 0 to 1.

    n_cells, n_impossible: products of levels, which no whole number type holds. gini_index: None where no
    prompt has a level of every factor.
    """

    factors: str
    n_cells: float
    n_impossible: float
    n_covered: int
    coverage_percentage: float | None
    gini_index: float | None


class PlannedAliasing(NamedTuple):
    """How two factors stand to each other in the prompts: crossed, nested (a in b), aliased or partial.

    relation, cramers_v: None where no prompt has both; cramers_v also where one of them has one level.
    """

    factor_a: str
    factor_b: str
    relation: str | None
    cramers_v: float | None


class PlannedRegression(NamedTuple):
    """A regression: its factors with their references, and what it is fitted to.

    n_coefficients: the intercept, levels and products of levels, some of which may turn out to be aliased.
    """

    regression_id: str
    measure_id: str
    slice_id: str
    factors: str
    interactions: str
    n_coefficients: int
    fitted_to: str


class PlannedComparison(NamedTuple):
    """A generation, the one that it is compared with, and how many units both are asked, or one alone.

    Units are root prompts unless the study declares others; None where prompts are not known yet.
    """

    generation_id: str
    compared_with: str
    n_both: int | None
    n_alone: int | None


class PlannedMetric(NamedTuple):
    """A metric that imported logs publish: how often, and the measure that its samples become.

    computed: whether it is computed again: yes, or in a few words why not.
    """

    metric: str
    scorer: str
    n_published: int
    measure_id: str
    computed: str


class PowerRow(NamedTuple):
    """What the design can show of one contrast or change; sd: of the difference over root prompts.

    n_needed: capped as in infer/formulas/verdict.py. n_needed_low, n_needed_high: of a pilot, by the 10th and 90th
    percentile of the sd.
    """

    grouping_id: str
    measure_id: str
    contrast: str
    source: str
    n_root_prompts: int
    baseline_rate_or_sd: float | None
    minimum_detectable_effect: float | None
    effect: float | None
    n_needed: int | None
    n_calls: int | None
    reason: str | None
    n_needed_low: int | None = None
    n_needed_high: int | None = None


class Plan(NamedTuple):
    """The size of a study before anything is generated; None where it depends on what is unknown.

    engines: what is asked of them beside the generations. would_fail: why a run would fail on this machine.
    not_checked: what only the network could tell of that.
    n_checked, n_portable: root prompts that were checked for branching, and those that carry over.
    unknown: what was not fetched or asked yet, and how to; None where nothing is missing.
    """

    study_id: str
    n_documents: int | None
    n_sentences: int | None
    n_root_prompts: int | None
    n_prompts: int | None
    n_calls: int | None
    n_measures: int
    generations: list[PlannedGeneration]
    factors: list[PlannedFactor]
    groupings: list[PlannedGrouping]
    coverage: list[PlannedCoverage]
    aliasing: list[PlannedAliasing]
    power: list[PowerRow]
    warnings: list[str]
    regressions: list[PlannedRegression] = []
    comparisons: list[PlannedComparison] = []
    engines: list[PlannedGeneration] = []
    would_fail: list[PlumblineError] = []
    not_checked: list[str] = []
    n_checked: int = 0
    n_portable: int = 0
    unknown: str | None = None
    metrics: list[PlannedMetric] = []

    def text(self) -> str:
        """The plan as tables for a terminal."""
        counts = [
            ("documents", self.n_documents),
            ("sentences with a keyword", self.n_sentences),
            *self._portable(),
            ("root prompts", self.n_root_prompts),
            ("prompts", self.n_prompts),
            ("measures", self.n_measures),
            ("calls", self.n_calls),
        ]
        parts = [
            f"Study {self.study_id}: valid. Nothing was generated.",
            _aligned(("what", "number"), counts),
            _aligned(("generation", "provider", "model", "responses", "calls"), [*self.generations, *self.engines]),
        ]
        if self.would_fail:
            parts.insert(1, _listed("A run would fail:", list(map(str, self.would_fail))))
        if self.unknown is not None:
            parts.insert(1, f"A plan fetches nothing and asks nobody, so some numbers are unknown: {self.unknown}")
        apart = [row for row in self.aliasing if row.relation in CANNOT_BE_TOLD_APART]
        tables = (
            (FACTOR_HEADER, [_factor_cells(row) for row in self.factors]),
            (GROUPING_HEADER, [_grouping_cells(row) for row in self.groupings]),
            (COVERAGE_HEADER, [_coverage_cells(row) for row in self.coverage]),
            (ALIASING_HEADER, [_aliasing_cells(row) for row in apart]),
            (METRIC_HEADER, list(self.metrics)),
            (COMPARISON_HEADER, list(self.comparisons)),
            (REGRESSION_HEADER, list(self.regressions)),
            (POWER_HEADER, [_power_cells(row) for row in self.power]),
        )
        parts += [_aligned(header, rows) for header, rows in tables if rows]
        if self.not_checked:
            parts.append(_listed("Not checked, for a plan asks nobody:", self.not_checked))
        if self.warnings:
            parts.append(_listed("Warnings:", self.warnings))
        return "\n\n".join(parts)

    def _portable(self) -> list[tuple[str, int]]:
        if not self.n_checked:
            return []
        return [("root prompts checked for branching", self.n_checked), ("of them portable", self.n_portable)]


def _factor_cells(row: PlannedFactor) -> tuple[object, ...]:
    rule = textwrap.shorten(row.rule or "-", MOST_OF_A_RULE, placeholder=" ...")
    return row.factor, row.type, row.n_levels, row.reference_level or "-", row.decided_share, rule


def _grouping_cells(row: PlannedGrouping) -> tuple[object, ...]:
    return *row[:6], ", ".join(row.held) or "-", row.scheme


def _coverage_cells(row: PlannedCoverage) -> tuple[object, ...]:
    sizes = [int(n) if n < WHOLE_UP_TO else f"{n:.1e}" for n in (row.n_cells, row.n_impossible)]
    return row.factors, *sizes, *row[3:]


def _aliasing_cells(row: PlannedAliasing) -> tuple[object, ...]:
    relation = "nested in" if row.relation == "nested" else "aliased with"
    return row.factor_a, relation, row.factor_b, "-" if row.cramers_v is None else f"{row.cramers_v:.3f}"


def _power_cells(row: PowerRow) -> tuple[object, ...]:
    numbers = row.baseline_rate_or_sd, row.minimum_detectable_effect, row.effect
    shown = ["-" if number is None else f"{number:.3f}" for number in numbers]
    needed = row.reason or _many(row.n_needed)
    if row.n_needed_low is not None:
        needed += f" ({_many(row.n_needed_low)} to {_many(row.n_needed_high)})"
    keys = row.grouping_id, row.measure_id, row.contrast, row.source
    return *keys, row.n_root_prompts, *shown, needed, "-" if row.n_calls is None else f"{row.n_calls:,}"


def _many(n: int | None) -> str:
    return f"over {N_NEEDED_CAP:,}" if n is None or n > N_NEEDED_CAP else f"{n:,}"


def _listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *(f"- {line}" for line in lines)])


def _aligned(header: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> str:
    """Columns as wide as their longest text; numbers to the right."""
    is_number = [all(not isinstance(row[column], str) for row in rows) for column in range(len(header))]
    lines = [header, *(tuple(map(_cell, row)) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, is_number, strict=True)
        ).rstrip()
        for line in lines
    )


def _cell(value: object) -> str:
    if value is None:
        return UNKNOWN
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
