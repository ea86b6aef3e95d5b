"""The options of the statistics of a study file, and how they are written in parameters and columns.

Belongs here: one class a statistic, with its defaults. Selection rates are selection_rate.py.
"""

from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from python_assets.study.base import Part, Unfit

Share = Annotated[float, Field(ge=0, le=1)]
Percent = Annotated[float, Field(ge=0, le=100)]


class StatisticRow(NamedTuple):
    """A row of raw.statistics without study_id; level_low and level_high are shares, 0 to 1."""

    statistic: str
    parameters: str
    normalise: str = ""
    normalise_over: str = ""
    is_paired: bool = False
    method: str | None = None
    level_low: float | None = None
    level_high: float | None = None
    bin_width: float | None = None
    n_bins: int | None = None
    smoothing: float | None = None
    threshold: float | None = None
    standard: str | None = None
    standard_value: float | None = None
    expression: str | None = None
    function_path: str | None = None


class StatisticOptions(Part):
    """The options that every statistic has.

    normalise: put values (before) or statistics of groups (after) on a scale of 0 to 1,
    clip(0.5 + 0.25 z). over: what mean and standard deviation of z are taken of, one generation or all.
    """

    is_paired: ClassVar[bool] = False

    normalise: Literal["before", "after"] | None = None
    over: Literal["system", "all"] | None = None

    @model_validator(mode="after")
    def _over_what(self) -> Self:
        if self.over and not self.normalise:
            raise Unfit("normalise beside over", "add normalise: before or after")
        return self

    @property
    def own(self) -> dict[str, Any]:
        """The options of this statistic alone, in the order of parameters."""
        return {}

    @property
    def columns(self) -> dict[str, Any]:
        """The options as columns of raw.statistics."""
        return {}

    @property
    def parameters(self) -> str:
        """Every option as name=value;name=value."""
        normal = {"normalise": self.normalise, "over": self.over or "system"} if self.normalise else {}
        return ";".join(f"{name}={written(value)}" for name, value in (self.own | normal).items())

    def row(self, statistic: str) -> StatisticRow:
        """The statistic of this name as a row of raw.statistics."""
        over = (self.over or "system") if self.normalise else ""
        return StatisticRow(
            statistic=statistic,
            parameters=self.parameters,
            normalise=self.normalise or "",
            normalise_over=over,
            is_paired=self.is_paired,
            **self.columns,
        )


class Mode(StatisticOptions):
    """Mid-point of the fullest bin; bins are anchored at 0."""

    bin_width: float = Field(0.1, gt=0)

    @property
    def own(self) -> dict[str, Any]:
        """The width of the bins."""
        return {"bin_width": self.bin_width}

    @property
    def columns(self) -> dict[str, Any]:
        """The width of the bins."""
        return self.own


class Quantile(StatisticOptions):
    """The quantile of a share of the values."""

    q: Share

    @property
    def own(self) -> dict[str, Any]:
        """The share."""
        return {"q": self.q}

    @property
    def columns(self) -> dict[str, Any]:
        """The share."""
        return {"level_low": self.q}


class Percentile(StatisticOptions):
    """The quantile of a share of the values in percent."""

    p: Percent

    @property
    def own(self) -> dict[str, Any]:
        """The percentage."""
        return {"p": self.p}

    @property
    def columns(self) -> dict[str, Any]:
        """The share."""
        return {"level_low": self.p / 100}


class _Range(StatisticOptions):
    """The difference of two quantiles."""

    scale: ClassVar[int] = 1

    low: float
    high: float

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.low >= self.high:
            raise Unfit("low below high", "exchange the two or correct one")
        return self

    @property
    def own(self) -> dict[str, Any]:
        """Both ends."""
        return {"low": self.low, "high": self.high}

    @property
    def columns(self) -> dict[str, Any]:
        """Both ends as shares."""
        return {"level_low": self.low / self.scale, "level_high": self.high / self.scale}


class QuantileRange(_Range):
    """The difference of two quantiles, shares of the values."""

    low: Share = 0.25
    high: Share = 0.75


class PercentileRange(_Range):
    """The difference of two quantiles in percent."""

    scale: ClassVar[int] = 100

    low: Percent = 25.0
    high: Percent = 75.0


class Correlation(StatisticOptions):
    """Correlation of values with their baselines."""

    is_paired: ClassVar[bool] = True

    method: Literal["pearson", "spearman", "kendall"] = "pearson"

    @property
    def own(self) -> dict[str, Any]:
        """Whose correlation."""
        return {"method": self.method}

    @property
    def columns(self) -> dict[str, Any]:
        """Whose correlation."""
        return self.own


class Divergence(StatisticOptions):
    """KL divergence of values from their baselines, over bins of the slice, in nats."""

    is_paired: ClassVar[bool] = True

    bins: int = Field(10, ge=2, le=1000)
    smoothing: float = Field(0.5, gt=0)

    @property
    def own(self) -> dict[str, Any]:
        """Bins, and what is added to the count of each."""
        return {"bins": self.bins, "smoothing": self.smoothing}

    @property
    def columns(self) -> dict[str, Any]:
        """Bins, and what is added to the count of each."""
        return {"n_bins": self.bins, "smoothing": self.smoothing}


class Precision(StatisticOptions):
    """Share of values that are within a threshold of their baseline."""

    is_paired: ClassVar[bool] = True

    threshold: float = Field(0.1, ge=0)

    @property
    def own(self) -> dict[str, Any]:
        """The largest distance that counts as near."""
        return {"threshold": self.threshold}

    @property
    def columns(self) -> dict[str, Any]:
        """The largest distance that counts as near."""
        return self.own


def written(value: object) -> str:
    """A value as it stands in parameters."""
    return format(value, ".12g") if isinstance(value, float) else str(value)
