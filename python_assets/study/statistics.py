"""The statistics that a study file asks for: names, or names with one or several sets of options.

Belongs here: which statistics there are. Their options are statistic_options.py and selection_rate.py,
statistics in the study's own SQL expressions.py.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import AfterValidator, Discriminator, SerializerFunctionWrapHandler, Tag, model_serializer

from python_assets.study.base import Part, Unfit
from python_assets.study.selection_rate import SelectionRate
from python_assets.study.statistic_options import (
    Correlation,
    Divergence,
    Mode,
    Percentile,
    PercentileRange,
    Precision,
    Quantile,
    QuantileRange,
    StatisticOptions,
    StatisticRow,
)


def _form(value: Any) -> str:
    """Which form a value has, so that a mistake is told of that form alone."""
    if isinstance(value, list):
        return "several"
    return "name" if isinstance(value, str) else "one"


_T = TypeVar("_T")
OneOrMore = Annotated[Annotated[_T, Tag("one")] | Annotated[list[_T], Tag("several")], Discriminator(_form)]


class Statistics(Part):
    """Statistics by name, each with its options, or with several sets of them."""

    mean: OneOrMore[StatisticOptions] | None = None
    median: OneOrMore[StatisticOptions] | None = None
    mode: OneOrMore[Mode] | None = None
    variance: OneOrMore[StatisticOptions] | None = None
    standard_deviation: OneOrMore[StatisticOptions] | None = None
    skewness: OneOrMore[StatisticOptions] | None = None
    kurtosis: OneOrMore[StatisticOptions] | None = None
    range: OneOrMore[StatisticOptions] | None = None
    quantile: OneOrMore[Quantile] | None = None
    percentile: OneOrMore[Percentile] | None = None
    quantile_range: OneOrMore[QuantileRange] | None = None
    percentile_range: OneOrMore[PercentileRange] | None = None
    correlation: OneOrMore[Correlation] | None = None
    kl_divergence: OneOrMore[Divergence] | None = None
    precision: OneOrMore[Precision] | None = None
    selection_rate: OneOrMore[SelectionRate] | None = None

    @model_serializer(mode="wrap")
    def _stated_only(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in write(self).items() if value is not None}

    @property
    def rows(self) -> list[StatisticRow]:
        """The rows of raw.statistics."""
        stated = [(name, getattr(self, name)) for name in STATISTICS if name in self.model_fields_set]
        each = [(name, one if isinstance(one, list) else [one]) for name, one in stated]
        return [options.row(name) for name, all_options in each for options in all_options if options]


STATISTICS: Final = tuple(Statistics.model_fields)
"""Every statistic by name."""


def _with_options(name: str) -> str:
    if name in _NEEDED:
        option, example = _NEEDED[name]
        raise Unfit(f"{name} with its option {option}", f"write {{{name}: {{{option}: {example}}}}}")
    return name


_NEEDED: Final = {"quantile": ("q", "0.25"), "percentile": ("p", "25")}
StatisticName = Annotated[Literal[STATISTICS], AfterValidator(_with_options)]  # type: ignore[valid-type]
StatisticEntry = Annotated[
    Annotated[StatisticName, Tag("name")] | Annotated[Statistics, Tag("one")], Discriminator(_form)
]


def statistic_rows(entries: Iterable[str | Statistics]) -> list[StatisticRow]:
    """Rows of raw.statistics of entries of a study file, in their order."""
    each = [Statistics.model_validate({one: {}}) if isinstance(one, str) else one for one in entries]
    return [row for one in each for row in one.rows]
