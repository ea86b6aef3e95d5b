"""The statistics that a study asks for beyond means, with their options.

Belongs here: reading them, and which of them are tested by shuffling rows. What each one is stands in
statistics.py, quantiles.py and row_statistics.py.
"""

from typing import Final, NamedTuple

import duckdb

ADDITIVE: Final = (
    "variance",
    "standard_deviation",
    "skewness",
    "kurtosis",
    "kl_divergence",
)
OF_QUANTILES: Final = ("median", "quantile", "percentile", "quantile_range", "percentile_range", "range")
NONLINEAR: Final = (*ADDITIVE, *OF_QUANTILES, "mode", "correlation")
_QUERY: Final = """
    select statistic, parameters, normalise, normalise_over, is_paired, coalesce(cast(method as varchar), ''),
        coalesce(cast(level_low as double), 'nan'), coalesce(cast(level_high as double), 'nan'),
        coalesce(cast(bin_width as double), 'nan'), coalesce(cast(n_bins as integer), 0),
        coalesce(cast(smoothing as double), 'nan')
    from raw.statistics
    where normalise <> 'after'
    order by statistic, parameters
"""


class Asked(NamedTuple):
    """A statistic with its options, those that it does not have at their defaults.

    parameters: as the tables spell the options. normalise: '' or before, which puts x and baseline on the
    scale of 0 to 1 of normalise_over. method: of a correlation. level_low, level_high: quantiles, 0 to 1.
    """

    statistic: str
    parameters: str = ""
    normalise: str = ""
    normalise_over: str = ""
    is_paired: bool = False
    method: str = ""
    level_low: float = float("nan")
    level_high: float = float("nan")
    bin_width: float = float("nan")
    n_bins: int = 0
    smoothing: float = float("nan")

    @property
    def levels(self) -> tuple[tuple[float, int], ...]:
        """The quantiles that a statistic of quantiles adds up, each with its sign."""
        if self.statistic == "range":
            return (1.0, 1), (0.0, -1)
        if self.statistic.endswith("_range"):
            return (self.level_high, 1), (self.level_low, -1)
        return ((0.5 if self.statistic == "median" else self.level_low, 1),)

    @property
    def is_extreme(self) -> bool:
        """Whether the smallest or the largest value is a part of it."""
        return self.statistic in OF_QUANTILES and any(level in (0, 1) for level, _ in self.levels)


def asked_statistics(connection: duckdb.DuckDBPyConnection) -> list[Asked]:
    """The statistics whose rows are shuffled, in order: none of means, rates and custom expressions.

    A mean of normalised values is one of them, for normalising clips.
    """
    found = [Asked(*row) for row in connection.execute(_QUERY).fetchall()]
    return [
        asked
        for asked in found
        if asked.statistic in NONLINEAR or (asked.statistic == "mean" and asked.normalise)
    ]
