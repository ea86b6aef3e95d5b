"""What planning a study gives, and how a terminal shows it.

Belongs here: the records and their words. Counting is plan.py.
"""

import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from python_assets.errors import PlumblineError, StudyError
from python_assets.infer.formulas.verdict import N_NEEDED_CAP
from python_assets.infer.result import InferenceReason
from python_assets.infer.tables import INTERACTION
from python_assets.plan.labels import LABELLED_SIZES, PlannedLabels
from python_assets.study.base import ALL_PROMPTS, NEGATIVE_CONTROL

_UNKNOWN: Final = "unknown"
GROUPING_HEADER: Final = (
    "grouping",
    "slice",
    "groups",
    "units",
    "blocks or strata",
    "cells",
    "stratified by",
    "what is exchanged, what it speaks of",
)
COST_HEADER: Final = (
    "still to ask",
    "answered",
    "calls",
    "tokens in",
    "tokens out",
    "at most",
    "usd",
    "usd at most",
    "minutes",
)
NO_PRICE_WORDS: Final = "no price"
STEP_HEADER: Final = ("step", "left", "went, by reason")
BLOCKS_HEADER: Final = ("blocks a group: grouping", "slice", "fewest", "most", "groups")
MOST_GROUPS_NAMED: Final = 6
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
HYPOTHESES_HEADER: Final = ("family", "hypotheses")
METRIC_HEADER: Final = ("metric of the log", "scorer or filter", "published", "imported as", "computed again")
COMPARISON_HEADER: Final = ("system", "compared with", "units asked of both", "of one alone")
POWER_HEADER: Final = (
    "power: grouping",
    "measure",
    "contrast",
    "spread from",
    "root prompts",
    "sd or rate",
    "prompt by group",
    "detectable",
    "effect",
    "needs root prompts",
    "best answers a group",
    "needs answers a group",
    "calls",
    "why not",
)
LABELS_HEADER: Final = (
    "labels: grouping",
    "measure",
    "how rightly it is read",
    "effect",
    *(f"+- by {n} labelled" for n in LABELLED_SIZES),
    *(f"+- without reading by {n}" for n in LABELLED_SIZES),
    "root prompts to label",
    "without reading",
)
CONTROL_HEADER: Final = ("negative controls", "types", "prompts", "calls")
_NO_POWER: Final = "\nDeclare analysis.power to see which difference the design finds beside these controls."
ASSUMED_WORDING: Final = 0.3
"""Standard deviation of what any words do to all prompts, in sd of a cell, which a plan assumes next to 0."""
CONTROLLED_HEADER: Final = (
    "beside controls: grouping",
    "measure",
    "contrast",
    "spread from",
    "detectable without controls",
    "with, words move nothing",
    "wording sd",
    "with, words move the score so",
)
LOOK_HEADER: Final = ("look", "root prompts", "share", "level", "what it can call")
SIGNIFICANT_HEADER: Final = ("chance to have called: grouping", "measure", "contrast", "spread from", "effect")


class PlannedSystem(NamedTuple):
    """A generation, how many responses it will have, and how many calls at most: none for imports.

    None where prompts are not known yet. asked_for: what an engine does; "" for a generation. A judge is counted
    at most, what earlier stages ask as their logs hold it.
    """

    system_id: str
    provider: str
    model: str
    n_responses: int | None
    n_calls: int | None
    asked_for: str = ""

    def cells(self) -> tuple[object, ...]:
        """A row of the plan's table; an engine has what it does beside its name."""
        name = f"{self.system_id} ({self.asked_for})" if self.asked_for else self.system_id
        return name, self.provider, self.model, self.n_responses, self.n_calls


class PlannedCost(NamedTuple):
    """What a generation or an engine would still be asked; None where it is not known.

    n_calls, n_tokens_in: at most, by estimate. n_tokens_out, usd: by the mean of the answers in the log;
    n_tokens_out_most, usd_most: by the longest answers that decoding.max_tokens allows; nothing is taken from a
    cache. minutes: by the log's seconds a call and the calls at a time, not faster than the declared rates. n_requests:
    answers that are asked for. address: of those at one address, one is asked after the other.
    has_price: whether what its tokens cost is known.
    """

    system_id: str
    n_answered: int
    n_calls: int | None
    n_tokens_in: int | None
    n_tokens_out: int | None
    n_tokens_out_most: int | None
    usd: float | None
    usd_most: float | None
    minutes: float | None
    n_requests: int | None
    address: str
    has_price: bool

    def cells(self) -> tuple[object, ...]:
        """As a row of a table; what has no price says so."""
        usd = (self.usd, self.usd_most) if self.has_price else (NO_PRICE_WORDS, NO_PRICE_WORDS)
        return *self[:6], *usd, self.minutes

    def amount(self, unit: str) -> float | None:
        """What is expected in a unit of a budget: by the log's answers, else at most."""
        if unit == "calls":
            return self.n_calls
        if unit == "usd":
            return self.usd if self.usd is not None else self.usd_most
        n_out = self.n_tokens_out if self.n_tokens_out is not None else self.n_tokens_out_most
        return None if self.n_tokens_in is None or n_out is None else self.n_tokens_in + n_out


def total_cost(costs: Sequence[PlannedCost]) -> tuple[Any, ...]:
    """The last row of the table: sums, and the minutes of the address that takes longest."""
    minutes: defaultdict[str, float] = defaultdict(float)
    for row in costs:
        minutes[row.address] += row.minutes or 0
    longest = None if any(row.minutes is None for row in costs) else max(minutes.values(), default=0.0)
    columns = list(zip(*(row[1:8] for row in costs), strict=True))
    return "all", *(None if None in column else sum(column) for column in columns), longest


class PlannedGrouping(NamedTuple):
    """What is compared in a grouping, in all prompts or in a slice of them.

    n_groups: groups that have prompts. n_blocks: blocks of two groups or more; strata, where a unit has one
    group. n_units: with such a block, root prompts unless the study declares a unit; n_cells: pairs of such a
    block and a group. is_complete: whether all blocks hold all groups. held: the factors that blocks or
    strata hold fixed; left_out: those that are redundant, and why. scheme: what is exchanged, its unit, its
    scope; reason: why there is no inference. notes: what is left out. has_one_wording: whether each group stands in one
    wording in all its prompts, and not in units of its own such as names. has_few_wordings: whether its units are
    wordings, too few to speak of similar ones.
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
    has_one_wording: bool = False
    has_few_wordings: bool = False

    @property
    def name(self) -> str:
        """The grouping, and the slice where it is not all prompts."""
        return self.grouping_id if self.slice_id == ALL_PROMPTS else f"{self.grouping_id}, slice {self.slice_id}"


class PlannedControls(NamedTuple):
    """The negative controls of a study, and their prompts and calls, which are among all prompts and calls.

    n_types: None where it declares none.
    """

    n_controls: int
    n_types: int | None
    n_prompts: int
    n_calls: int

    @property
    def df(self) -> int | None:
        """Degrees of freedom of what differs between controls; None where they are too few for a test."""
        # scipy is slow to import, and a plan without power needs none of it
        from python_assets.infer.formulas.negative_controls import FEWEST_CONTROLS, FEWEST_TYPES, degrees_of_freedom

        if self.n_controls < FEWEST_CONTROLS or (self.n_types or self.n_controls) < FEWEST_TYPES:
            return None
        return degrees_of_freedom(self.n_controls, self.n_types)

    def cells(self) -> tuple[object, ...]:
        """As a row of a table."""
        n_types = "not declared" if self.n_types is None else self.n_types
        return self.n_controls, n_types, self.n_prompts, self.n_calls


class ControlledPower(NamedTuple):
    """The smallest difference of one group that is found beside controls; None where none is.

    detects: where words move nothing. wording_sd: in the unit of the measure; detects_moved: where words move the score
    by it.
    """

    detects: float | None
    wording_sd: float
    detects_moved: float | None


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

    system_id: str
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


class PlannedLook(NamedTuple):
    """A look at a study while it grows.

    n_root_prompts: asked by its end; None where they are not known yet. level: what q is held against, where all looks
    are taken. note: what it can call.
    """

    look: int
    n_root_prompts: int | None
    share: float
    level: float
    note: str


class BestSplit(NamedTuple):
    """Root prompts x responses of a group to each that show an effect at the least cost.

    n_responses_planned: of the design as it is. n_same_calls: root prompts that its cost pays for at n_responses;
    detects: what those show, None where they are too few. n_least: root prompts under which no number of responses
    shows the effect, None where those of the design do.
    """

    n_root_prompts: int
    n_responses: int
    n_calls: int
    n_responses_planned: float
    n_same_calls: int
    detects: float | None
    n_least: int | None


class PowerRow(NamedTuple):
    """What the design can show of one contrast or change; sd: of the difference over root prompts.

    prompt_by_group_share: the share of root prompt x group in the variance of a response, None where it is not known,
    and of units. n_tests: distinct comparisons x questions of the set. n_needed: capped as in
    infer/formulas/verdict.py. best_n_responses: responses of a group to a root prompt that show most for the money;
    n_responses_needed: that show the effect on the root prompts there are. n_responses, n_groups: of the design, or as
    observed; with what follows them they are what a later study takes from this one as its pilot. n_needed_low,
    n_needed_high: of a pilot, by the 10th and 90th percentile of its mean square. by_look: the chance to have called
    the effect by each look, where the study declares looks. labels: what labels of people show, where the study has
    some or asks. with_controls: what is detected beside negative controls, where it has some.
    """

    grouping_id: str
    measure_id: str
    contrast: str
    source: str
    n_root_prompts: int
    baseline_rate_or_sd: float | None
    prompt_by_group_share: float | None
    minimum_detectable_effect: float | None
    effect: float | None
    n_tests: int
    n_needed: int | None
    n_calls: int | None
    best_n_responses: int | None
    n_responses_needed: int | None
    n_responses: float | None
    n_groups: int
    n_complete_root_prompts: int | None
    mean_square_of_cells: float | None
    variance_within: float | None
    variance_of_root_prompts: float | None
    reason: str | None
    n_needed_low: int | None = None
    n_needed_high: int | None = None
    best: BestSplit | None = None
    by_look: tuple[float, ...] = ()
    labels: PlannedLabels | None = None
    with_controls: ControlledPower | None = None


class PlannedStep(NamedTuple):
    """A step from sentences to branches: what it leaves, and what went in it by reason."""

    step: str
    n_left: int
    n_dropped: dict[str, int]

    def cells(self) -> tuple[str, int, str]:
        """As a row of a table."""
        return self.step, self.n_left, ", ".join(f"{n:,} {reason}" for reason, n in self.n_dropped.items()) or "-"


class PlannedBlocks(NamedTuple):
    """In how many blocks with another group each group of a grouping stands."""

    grouping_id: str
    slice_id: str
    n_blocks: dict[str, int]

    @property
    def fewest(self) -> int:
        """Of the group that stands in the fewest."""
        return min(self.n_blocks.values())

    @property
    def most(self) -> int:
        """Of the group that stands in the most."""
        return max(self.n_blocks.values())

    @property
    def name(self) -> str:
        """The grouping, and the slice where it is not all prompts."""
        return self.grouping_id if self.slice_id == ALL_PROMPTS else f"{self.grouping_id}, slice {self.slice_id}"

    def cells(self) -> tuple[str, str, int, int, str]:
        """As a row of a table."""
        return self.grouping_id, self.slice_id, self.fewest, self.most, self._groups_by_blocks()

    def _groups_by_blocks(self) -> str:
        sizes = sorted(Counter(self.n_blocks.values()).items())
        if len(self.n_blocks) <= MOST_GROUPS_NAMED:
            return ", ".join(f"{group} {n:,}" for group, n in self.n_blocks.items())
        return ", ".join(f"{n_groups:,} groups in {n:,}" for n, n_groups in sizes)


class Plan(NamedTuple):
    """The size of a study before anything is generated; None where it depends on what is unknown.

    engines: what is asked of them beside the generations. would_fail: why a run would fail on this machine.
    spent: budgets of which nothing is left. gates: those of the run that its prompts cannot pass. not_checked: what
    only the network could tell of that.
    n_checked, n_portable: root prompts that were checked for branching, and those that carry over.
    unknown: what was not fetched or asked yet, and how to; None where nothing is missing. hypotheses: every one that
    the study asks, with its set (declared_hypotheses.py); None where they are not known yet.
    negative_controls: None where it has none.
    """

    study_id: str
    n_documents: int | None
    n_sentences: int | None
    n_root_prompts: int | None
    n_prompts: int | None
    n_calls: int | None
    n_measures: int
    systems: list[PlannedSystem]
    factors: list[PlannedFactor]
    groupings: list[PlannedGrouping]
    coverage: list[PlannedCoverage]
    aliasing: list[PlannedAliasing]
    power: list[PowerRow]
    warnings: list[str]
    regressions: list[PlannedRegression] = []
    comparisons: list[PlannedComparison] = []
    engines: list[PlannedSystem] = []
    would_fail: list[PlumblineError] = []
    not_checked: list[str] = []
    n_checked: int = 0
    n_portable: int = 0
    unknown: str | None = None
    metrics: list[PlannedMetric] = []
    hypotheses: list[dict[str, str]] | None = None
    looks: list[PlannedLook] = []
    steps: list[PlannedStep] = []
    blocks: list[PlannedBlocks] = []
    gates: list[StudyError] = []
    costs: list[PlannedCost] = []
    spent: list[PlumblineError] = []
    negative_controls: PlannedControls | None = None

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
        sections = [
            f"Study {self.study_id}: valid. Nothing was generated.",
            aligned(("what", "number"), counts),
            aligned(
                ("system", "provider", "model", "responses", "calls"),
                [one.cells() for one in (*self.systems, *self.engines)],
            ),
        ]
        if failing := [*self.would_fail, *self.spent, *self.gates]:
            sections.insert(1, _listed("A run would fail:", list(map(str, failing))))
        if self.unknown is not None:
            sections.insert(1, f"A plan fetches nothing and asks nobody, so some numbers are unknown: {self.unknown}")
        apart = [row for row in self.aliasing if row.relation in CANNOT_BE_TOLD_APART]
        costs = [row.cells() for row in self.costs]
        tables = (
            (COST_HEADER, [*costs, total_cost(self.costs)] if len(costs) > 1 else costs),
            (STEP_HEADER, [row.cells() for row in self.steps]),
            (FACTOR_HEADER, [_factor_cells(row) for row in self.factors]),
            (GROUPING_HEADER, [_grouping_cells(row) for row in self.groupings]),
            (BLOCKS_HEADER, [row.cells() for row in self.blocks]),
            (COVERAGE_HEADER, [_coverage_cells(row) for row in self.coverage]),
            (ALIASING_HEADER, [_aliasing_cells(row) for row in apart]),
            (METRIC_HEADER, list(self.metrics)),
            (COMPARISON_HEADER, list(self.comparisons)),
            (REGRESSION_HEADER, list(self.regressions)),
            (HYPOTHESES_HEADER, [*Counter(_family(row["family_id"]) for row in self.hypotheses or []).items()]),
            (CONTROL_HEADER, [] if self.negative_controls is None else [self.negative_controls.cells()]),
            (POWER_HEADER, [_power_cells(row) for row in self.power]),
            (CONTROLLED_HEADER, [*self._with_controls()]),
            (LABELS_HEADER, [_label_cells(row, row.labels) for row in self.power if row.labels is not None]),
            (LOOK_HEADER, [_look_cells(row) for row in self.looks]),
            ((*SIGNIFICANT_HEADER, *(f"by look {row.look}" for row in self.looks)), [*self._significant_by_look()]),
        )
        sections += [
            aligned(header, rows) + (_NO_POWER if header is CONTROL_HEADER and not self.power else "")
            for header, rows in tables
            if rows
        ]
        if advice := [*map(_advice, (row for row in self.power if row.best is not None))]:
            sections.append(_listed("Best use of calls:", advice))
        if self.not_checked:
            sections.append(_listed("Not checked, for a plan asks nobody:", self.not_checked))
        if self.warnings:
            sections.append(_listed("Warnings:", self.warnings))
        return "\n\n".join(sections)

    def _significant_by_look(self) -> Iterator[tuple[object, ...]]:
        for row in self.power:
            if row.by_look:
                yield row.grouping_id, row.measure_id, row.contrast, row.source, row.effect, *row.by_look

    def _with_controls(self) -> Iterator[tuple[object, ...]]:
        for row in self.power:
            if (controlled := row.with_controls) is not None:
                numbers = (row.minimum_detectable_effect, *controlled)
                keys = row.grouping_id, row.measure_id, row.contrast, row.source
                yield *keys, *("-" if number is None else f"{number:.3f}" for number in numbers)

    def _portable(self) -> list[tuple[str, int]]:
        if not self.n_checked:
            return []
        return [("root prompts checked for branching", self.n_checked), ("of them portable", self.n_portable)]


def _family(family_id: str) -> str:
    """The printed name of a family; of one that a study declares its id."""
    return "negative control" if family_id == NEGATIVE_CONTROL else family_id


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
    needed = "-" if row.n_needed is None else _many(row.n_needed)
    if row.n_needed_low is not None:
        needed += f" ({_many(row.n_needed_low)} to {_many(row.n_needed_high)})"
    prompt_by_group_share = "-" if row.prompt_by_group_share is None else f"{row.prompt_by_group_share:.3f}"
    counts = (_dash(row.best_n_responses), _dash(row.n_responses_needed), _dash(row.n_calls), row.reason or "-")
    keys = row.grouping_id, row.measure_id, row.contrast, row.source
    return *keys, row.n_root_prompts, shown[0], prompt_by_group_share, *shown[1:], needed, *counts


def _label_cells(row: PowerRow, labels: PlannedLabels) -> tuple[object, ...]:
    widths = ["-" if width is None else f"{width:.3f}" for width in (*labels.half_widths, *labels.half_widths_alone)]
    needed = [
        f"over {row.n_root_prompts:,}" if n is None else f"{n:,}" for n in (labels.n_needed, labels.n_needed_alone)
    ]
    effect = "-" if row.effect is None else f"{row.effect:.3f}"
    return row.grouping_id, row.measure_id, labels.reading, effect, *widths, *needed


def _dash(n: int | None) -> str:
    return "-" if n is None else f"{n:,}"


def _look_cells(row: PlannedLook) -> tuple[object, ...]:
    return row.look, row.n_root_prompts, row.share, f"{row.level:.6f}", row.note


def _advice(row: PowerRow) -> str:
    """How many root prompts and answers show the effect at the least cost."""
    best = row.best
    if best is None or row.effect is None:
        return ""
    answers = "1 answer" if best.n_responses == 1 else f"{best.n_responses:,} answers"
    planned = f"{best.n_responses_planned:g} answer{'' if best.n_responses_planned == 1 else 's'}"
    is_other = best.n_responses != best.n_responses_planned
    what = "a difference beyond its parts" if row.contrast == INTERACTION else "a difference"
    sentence = (
        f"{row.measure_id} by {row.grouping_id}, {what} of {row.effect:g} (spread {row.source}): cheapest with "
        f"{best.n_root_prompts:,} root prompts x {answers} of each group ({best.n_calls:,} calls"
    )
    if is_other and row.n_calls is not None:
        sentence += f"; with {planned} each, as planned, {_many(row.n_needed)} root prompts and {row.n_calls:,} calls"
    sentence += ")"
    if best.n_responses < best.n_responses_planned:
        sentence += ": more root prompts, not more answers"
    if is_other and best.detects is not None and row.minimum_detectable_effect is not None:
        sentence += (
            f". What this plan costs would pay for {best.n_same_calls:,} root prompts x {answers}, which show "
            f"{best.detects:.3g} instead of {row.minimum_detectable_effect:.3g}"
        )
    if best.n_least is not None:
        sentence += (
            f". On the {row.n_root_prompts:,} root prompts there are no number of answers shows it: it takes "
            f"{_many(best.n_least)} at least"
        )
    return sentence


def _many(n: int | None) -> str:
    return f"over {N_NEEDED_CAP:,}" if n is None or n > N_NEEDED_CAP else f"{n:,}"


def _listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *(f"- {line}" for line in lines)])


def aligned(header: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> str:
    """A table for a terminal: columns as wide as their longest text, numbers to the right."""
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
        return _UNKNOWN
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
