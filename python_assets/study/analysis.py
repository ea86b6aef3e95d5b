"""The analysis section of a study file: what is computed, against what, and how sure it must be.

Belongs here: the shape of the section and its defaults. Checking it against the rest of the file is
study_file/checks/comparisons.py and study_file/checks/analysis.py.
"""

import math
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StrictStr, model_validator

from python_assets.study.base import ALL_PROMPTS, ALL_SYSTEMS, ID_PATTERN, FactorName, Level, Part, Unfit
from python_assets.study.expressions import OF_DISPARITIES, aggregate_expression, custom_rows, custom_statistic
from python_assets.study.sizes import MOST_DRAWS
from python_assets.study.statistic_options import StatisticRow
from python_assets.study.statistics import STATISTICS, StatisticEntry, statistic_rows

DEFAULT_STATISTICS: Final[tuple[StatisticEntry, ...]] = (
    "mean",
    "variance",
    "correlation",
    "kl_divergence",
    "precision",
    "selection_rate",
)
Names = Annotated[list[StrictStr], Field(min_length=1)]


def _check_id(name: str) -> str:
    if not ID_PATTERN.match(name):
        raise Unfit("a name of lower-case letters, digits and _, a letter first", "rename it")
    return name


def _check_name(name: str) -> str:
    _check_id(name)
    if name in STATISTICS:
        raise Unfit(f"a name of its own, for {name} is a statistic already", "rename it")
    return name


def _check_cells(cells: dict[str, str | list[str]]) -> dict[str, str | list[str]]:
    if len(cells) < 2:
        raise Unfit("levels of two factors or more that cannot stand together", "name the other factor")
    if empty := [factor for factor, levels in cells.items() if not levels]:
        raise Unfit(f"a level of {empty[0]}", "name it, or remove the factor")
    return cells


ImpossibleCells = Annotated[dict[FactorName, Level | list[Level]], AfterValidator(_check_cells)]
RegressionName = Annotated[StrictStr, AfterValidator(_check_id)]
CustomName = Annotated[StrictStr, AfterValidator(_check_name)]
CustomStatistic = Annotated[StrictStr, AfterValidator(custom_statistic)]
DisparitySql = Annotated[StrictStr, AfterValidator(lambda text: aggregate_expression(text, OF_DISPARITIES))]


OUTSIDE_TAXONOMY: Final = 0.05
WITHOUT_LABEL: Final = 0.5


class Quality(Part):
    """Bounds that the gate holds the data to.

    max_unscored_share: of the answers of a generation that a measure finds no label in, past which it is asked
    nothing; where it is not declared, .05 of a measure with a taxonomy (FAIR-SEA) and half of any other.
    max_bad_pairs: of the labelled branches that are no minimal pair with their root prompt, and of those of a group
    where there are two or more; nothing is held to it where it is not declared.
    """

    min_responses_per_cell: int = Field(1, ge=1)
    max_removed_share: float = Field(0.05, ge=0, le=1)
    max_error_share: float = Field(0.05, ge=0, le=1)
    max_unscored_share: float | None = Field(None, ge=0, le=1)
    max_bad_pairs: float | None = Field(None, ge=0, le=1)

    def unscored_allowed(self, *, is_taxonomy: bool) -> float:
        """The share of answers without a label that a measure may have."""
        if self.max_unscored_share is not None:
            return self.max_unscored_share
        return OUTSIDE_TAXONOMY if is_taxonomy else WITHOUT_LABEL


_ROUNDED: Final = 0.01  # declared shares may be rounded: .33, .33, .33


def _check_shares(shares: dict[str, float]) -> dict[str, float]:
    total = math.fsum(shares.values())
    if abs(total - 1) > _ROUNDED:
        raise Unfit(
            f"shares of all levels, which add up to 1 (within {_ROUNDED:g}), not {total:g}",
            "correct them, or name the missing level",
        )
    return shares


Shares = Annotated[dict[Level, Annotated[float, Field(ge=0, le=1)]], AfterValidator(_check_shares)]


class Coverage(Part):
    """Which combinations of factors coverage is counted for: all of up to depth factors, and all together.

    impossible: cells that no prompt can have, by levels of two factors or more; they are no gaps. targets:
    the share of prompts that each level of a factor is meant to have, shown beside the actual one.
    """

    factors: list[FactorName] | None = None
    depth: int = Field(2, ge=1)
    impossible: list[ImpossibleCells] = []
    targets: dict[FactorName, Shares] = {}

    @property
    def conditions(self) -> list[dict[str, list[str]]]:
        """What is impossible: of every factor each level once."""
        return [
            {
                factor: [levels] if isinstance(levels, str) else list(dict.fromkeys(levels))
                for factor, levels in cells.items()
            }
            for cells in self.impossible
        ]


class Ideals(Part):
    """What subgroups are held against by the deviation metric: the ideal C of each of their statistics."""

    deviation_rate: float = Field(0.0, ge=0, le=1)
    log_disparity: float = 0.0


class Subgroups(Part):
    """Which subgroups are described beyond the groups of the groupings: combinations of up to depth factors.

    factors: those that are combined; of the groupings where only a depth is given. depth: 2 where only
    factors are given. They are described, never tested: a question is asked of groupings alone.
    """

    factors: list[FactorName] | None = Field(None, min_length=1)
    depth: int | None = Field(None, ge=1)
    ideal: Ideals = Ideals()


class HypothesisFamily(Part):
    """Questions that are corrected together: those that every list names.

    A question is whether groups differ (inference.md 6.1). Where a list is absent the rule of the primary
    set stands in its place: measures that the study declares and refusal, every grouping, slice all or the
    measure's own, every generation but the baseline, raw values, and the mean, rate or distribution.
    """

    measures: Names | None = None
    groupings: Names | None = None
    slices: Names | None = None
    systems: Names | None = None
    calibrations: Annotated[list[Literal["raw", "calibrated", "corrected"]], Field(min_length=1)] | None = None
    statistics: Names | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "HypothesisFamily":
        if not self.model_fields_set:
            raise Unfit("at least one list of what the questions are about", "add measures: [...]")
        return self

    @property
    def names_all_models(self) -> bool:
        """Whether it asks of all models together too: it names their generation, and what the groups are of."""
        return self.groupings is not None and ALL_SYSTEMS in (self.systems or [])


class Regression(Part):
    """A logistic regression of a binary measure on factors: which of them matter, and how much.

    factors: with the reference of each; a list takes the references declared under factors, and the first
    level where there is none. interactions: sets of two of them or more. systems: those that are fitted,
    each by itself; every one but the baseline where None. Where a factor is of models, all of them together.
    """

    measure: StrictStr
    factors: Annotated[list[FactorName] | dict[FactorName, Level], Field(min_length=1)]
    interactions: list[Annotated[list[FactorName], Field(min_length=2)]] = []
    slice: StrictStr = ALL_PROMPTS
    systems: Names | None = None

    @property
    def declared_references(self) -> dict[str, str | None]:
        """The factors in their order, with the references that stand here."""
        if isinstance(self.factors, dict):
            return dict(self.factors)
        return dict.fromkeys(self.factors)


class PlannedReading(Part):
    """How rightly a measure is expected to read what people would label, and that a plan is to say what labels show.

    sensitivity, specificity: of marks of 0 and 1. correlation: of numbers, with their labels.
    """

    sensitivity: float | None = Field(None, gt=0, le=1)
    specificity: float | None = Field(None, gt=0, le=1)
    correlation: float | None = Field(None, gt=0, le=1)

    @model_validator(mode="after")
    def _of_one_kind(self) -> "PlannedReading":
        if (self.sensitivity is None) != (self.specificity is None):
            raise Unfit("sensitivity and specificity together", "add the other")
        if self.sensitivity is not None and self.specificity is not None and self.sensitivity + self.specificity <= 1:
            raise Unfit("sensitivity and specificity above 1 together: chance has 1", "correct them")
        if self.correlation is not None and self.sensitivity is not None:
            raise Unfit("sensitivity and specificity of marks, or the correlation of numbers", "keep one kind")
        return self


class Power(Part):
    """What a measure's responses are expected to be like, and the difference that must not be missed.

    sd: of single responses, or rate: their share of ones. correlation: of the values of two groups on the
    same prompt, or of two responses of one unit where each unit has one group. interaction: the share of their
    variance that root prompt and group have together, which no further response averages away; that of the pilot,
    else .1, where None. effect: in the unit of the measure. power: the chance to find it. labels: asks what labels of
    people show; {} of a reading that is as good as most.
    """

    sd: float | None = Field(None, gt=0)
    rate: float | None = Field(None, gt=0, lt=1)
    correlation: float = Field(0.0, ge=0, lt=1)
    prompt_by_group_share: float | None = Field(None, ge=0, lt=1)
    effect: float = Field(gt=0)
    power: float = Field(0.8, ge=0.5, lt=1)
    labels: PlannedReading | None = None

    @model_validator(mode="after")
    def _one_spread(self) -> "Power":
        if (self.sd is None) == (self.rate is None):
            raise Unfit("exactly one of sd and rate", "keep one")
        if self.labels is not None and (self.labels.correlation if self.sd is None else self.labels.sensitivity):
            raise Unfit("labels of sensitivity and specificity beside rate, of correlation beside sd", "correct it")
        return self


MOST_LOOKS: Final = 5


def _check_looks(looks: object) -> object:
    """Their number, or the root prompts that have been asked by each."""
    is_list = isinstance(looks, list)
    counts = looks if isinstance(looks, list) else [looks]
    is_whole = all(isinstance(one, int) and not isinstance(one, bool) and one > 0 for one in counts)
    if not is_whole or (not is_list and counts[0] not in range(2, MOST_LOOKS + 1)):
        raise Unfit(
            f"a whole number of looks from 2 to {MOST_LOOKS}, or a list of root prompts asked by each look",
            "looks: 2 or looks: 3 serve most studies; remove it to look once",
        )
    if is_list and not 2 <= len(counts) <= MOST_LOOKS:
        raise Unfit(f"from 2 to {MOST_LOOKS} looks", "shorten or lengthen the list, or remove it to look once")
    if any(now <= before for before, now in pairwise(counts)):
        raise Unfit("numbers of root prompts that grow from look to look, all that were asked by then", "sort them")
    return looks


Looks = Annotated[int | list[int], BeforeValidator(_check_looks)]


class Compare(Part):
    """What generations are compared with, each by itself.

    reference: a generation; or a role or a wave, and then each generation with the one of that role or wave
    which is like it in all else. The first generation where None.
    """

    reference: StrictStr | None = None


class AnalysisSpec(Part):
    """What is computed, and how sure it must be.

    association_tests: the tests of FAIR-SEA's document as well, which take responses for independent rows.
    default_margins: False leaves out the margins of the documents, so that only those of margins hold.
    prompt_cost: of writing one more root prompt for one group, in calls, for the number of responses that a plan
    advises. missing: what a missing answer can have been, the whole scale of its measure; within what was observed
    where None. looks: how often findings are looked at while root prompts are still to be asked, in equal steps, or
    the root prompts asked by each look; once, at the end, where None.
    """

    permutations: int = Field(9_999, ge=99, le=MOST_DRAWS)
    bootstrap: int = Field(2_000, ge=200, le=MOST_DRAWS)
    alpha: float = Field(0.05, gt=0, lt=0.5)
    seed: int | None = None
    statistics: list[StatisticEntry] = list(DEFAULT_STATISTICS)
    custom_statistics: dict[CustomName, CustomStatistic] = {}
    custom_disparities: dict[CustomName, DisparitySql] = {}
    reference: Literal["rest", "grand_mean", "reference_level", "all_pairs"] = "rest"
    contrasts: list[StrictStr] = []
    association_tests: bool = False
    margins: dict[StrictStr, float | dict[StrictStr, float]] = {}
    default_margins: Literal[False] | None = None
    missing: Literal["scale"] | None = None
    looks: Looks | None = None
    primary: HypothesisFamily | None = None
    families: dict[StrictStr, HypothesisFamily] = {}
    compare: Compare = Compare()
    power: dict[StrictStr, Power] = {}
    pilot: StrictStr | None = None
    prompt_cost: float = Field(0.0, ge=0, allow_inf_nan=False)
    coverage: Coverage = Coverage()
    subgroups: Subgroups = Subgroups()
    regressions: dict[RegressionName, Regression] = {}
    quality: Quality = Quality()

    @cached_property
    def requested_statistics(self) -> list[StatisticRow]:
        """Every statistic with its options, custom ones last: the rows of raw.statistics."""
        return [*statistic_rows(self.statistics), *custom_rows(self.custom_statistics)]

    @property
    def statistic_functions(self) -> dict[str, str]:
        """The custom statistics that are functions beside the study file: `module:function` by name."""
        return {row.statistic: row.function_path for row in self.requested_statistics if row.function_path}

    @property
    def statistic_names(self) -> list[str]:
        """The names of the statistics, each once."""
        return list(dict.fromkeys(row.statistic for row in self.requested_statistics))
