"""The selection rate of a study file: what values are held against, and how.

Belongs here: standards and methods with their numbers. Other statistics are statistic_options.py.
"""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from python_assets.study.base import Part, Unfit
from python_assets.study.statistic_options import Percent, Share, StatisticOptions, written

SelectionMethod = Literal["larger", "smaller", "inside"]


def _given(part: Part) -> list[str]:
    """The fields that have a value."""
    return [name for name in type(part).model_fields if getattr(part, name) is not None]


class Standard(Part):
    """What values are held against, where it has a number; exactly one of the fields."""

    mode: float | None = Field(None, gt=0)
    quantile: Share | None = None
    percentile: Percent | None = None
    fixed: float | None = None
    quantile_range: tuple[Share, Share] | None = Field(None, strict=False)
    percentile_range: tuple[Percent, Percent] | None = Field(None, strict=False)

    @model_validator(mode="after")
    def _one(self) -> Self:
        if len(_given(self)) != 1:
            names = ", ".join(type(self).model_fields)
            raise Unfit(f"exactly one of {names}", "keep one")
        for bounds in (self.quantile_range, self.percentile_range):
            if bounds and bounds[0] >= bounds[1]:
                raise Unfit("the lower end before the upper one", "exchange the two or correct one")
        return self

    @property
    def name(self) -> str:
        """The field that is set."""
        return _given(self)[0]


class Tolerance(Part):
    """How far from the standard a value may be, in its unit, or as a share of the standard."""

    within_range: float | None = Field(None, ge=0)
    within_percentage: float | None = Field(None, ge=0, le=1)

    @model_validator(mode="after")
    def _one(self) -> Self:
        if len(_given(self)) != 1:
            raise Unfit("exactly one of within_range and within_percentage", "keep one")
        return self


class SelectionRate(StatisticOptions):
    """Share of values that a standard selects; the standard is of all rows of the slice.

    method: larger unless said otherwise; inside, membership in the modal bin or in the range, where the
    standard is the mode or a range. within_percentage is a share of the size of the standard, not percent.
    """

    standard: Literal["mean", "median", "mode"] | Standard = "mean"
    method: SelectionMethod | Tolerance | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        is_range = self.standard_name.endswith("_range")
        if is_range and self.method not in (None, "inside"):
            raise Unfit(f"no method beside {self.standard_name}, which selects what lies inside", "remove it")
        if self.method == "inside" and not is_range and self.standard_name != "mode":
            raise Unfit(f"a method other than inside, for {self.standard_name} is one number", "write larger")
        return self

    @property
    def standard_name(self) -> str:
        """What the standard is."""
        return self.standard if isinstance(self.standard, str) else self.standard.name

    @property
    def method_name(self) -> str:
        """How values are held against it."""
        if self.method is None:
            is_inside = self.standard_name == "mode" or self.standard_name.endswith("_range")
            return "inside" if is_inside else "larger"
        return self.method if isinstance(self.method, str) else _given(self.method)[0]

    @property
    def _numbers(self) -> tuple[float, ...]:
        if isinstance(self.standard, str):
            return (0.1,) if self.standard == "mode" else ()
        value = getattr(self.standard, self.standard.name)
        return value if isinstance(value, tuple) else (value,)

    @property
    def _tolerance(self) -> tuple[float, ...]:
        return (getattr(self.method, self.method_name),) if isinstance(self.method, Tolerance) else ()

    @property
    def own(self) -> dict[str, Any]:
        """Standard and method, each with its numbers in brackets."""
        return {
            "standard": _called(self.standard_name, self._numbers),
            "method": _called(self.method_name, self._tolerance),
        }

    @property
    def columns(self) -> dict[str, Any]:
        """Standard and method, and their numbers."""
        name, numbers = self.standard_name, self._numbers
        columns: dict[str, Any] = {"standard": name, "method": self.method_name}
        if self._tolerance:
            columns["threshold"] = self._tolerance[0]
        if name in ("mode", "fixed"):
            columns["bin_width" if name == "mode" else "standard_value"] = numbers[0]
        elif numbers:
            scale = 100 if name.startswith("percentile") else 1
            ends = zip(("level_low", "level_high"), numbers, strict=False)
            columns |= {field: number / scale for field, number in ends}
        return columns


def _called(name: str, numbers: tuple[float, ...]) -> str:
    return f"{name}({','.join(map(written, numbers))})" if numbers else name
