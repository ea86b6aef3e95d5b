"""The figures of an audit: for every result each group's rate or mean and its difference, drawn and in words.

Belongs here: what a row shows. The numbers are results.py, geometry is charts.py.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from python_assets.published.plain_numbers import plain_value, signed_limits
from python_assets.report import charts
from python_assets.report.audits.audit_lines import difference_before_selection
from python_assets.report.audits.results import is_of_interaction, is_of_rates
from python_assets.report.sentences import DIFFERENCE_VERDICTS
from python_assets.report.text import DASH, minus_signs, words

MAX_GROUPS: Final = 40
_REFERENCES: Final = {"rest": "the others", "grand_mean": "the mean of all"}
_MEAN: Final = ("value", "ci_low", "ci_high")
_DIFFERENCE: Final = ("difference", "difference_ci_low", "difference_ci_high")


class AuditGroup(NamedTuple):
    """A group in a figure.

    Attributes:
        name: the group, with the label that a share is of.
        scored: how many of its responses are scored: 92 of 130.
        mean_chart: its mean or rate with its interval.
        mean: the same in words.
        mean_interval: its 95 % confidence interval, or why there is none.
        difference_chart: its difference with its interval.
        difference: the same in words.
        difference_interval: its 95 % confidence interval, or why there is none.
        unadjusted: the difference before selection, where it says something else; or nothing.
        verdict: of its difference.
    """

    name: str
    scored: str
    mean_chart: Markup
    mean: str
    mean_interval: str
    difference_chart: Markup
    difference: str
    difference_interval: str
    unadjusted: str
    verdict: str


class AuditFigure(NamedTuple):
    """A result with its groups.

    Attributes:
        result: an entry of results in findings.json.
        mean_name: what the first axis shows.
        difference_name: what the second axis shows.
        mean_axis: the scale of means, the same for every model.
        difference_axis: the scale of differences, the same for every model.
        groups: those with the largest differences where there are more than MAX_GROUPS.
        is_adjusted: whether a difference is shrunken and its interval adjusted for selection.
    """

    result: Mapping[str, Any]
    mean_name: str
    difference_name: str
    mean_axis: charts.Axis
    difference_axis: charts.Axis
    groups: list[AuditGroup]
    is_adjusted: bool


def audit_figures(results: Sequence[Mapping[str, Any]]) -> list[AuditFigure]:
    """Draw the results of a benchmark: models on one scale for each measure and grouping.

    Args:
        results: of a benchmark, as findings.json has them.
    """
    drawn = [result for result in results if result["groups"]]
    return [_figure(result, [other for other in drawn if _is_alike(other, result)]) for result in drawn]


def _is_alike(other: Mapping[str, Any], result: Mapping[str, Any]) -> bool:
    return all(other[name] == result[name] for name in ("measure_id", "grouping_id", "calibration"))


def _figure(result: Mapping[str, Any], alike: Sequence[Mapping[str, Any]]) -> AuditFigure:
    rate, groups = is_of_rates(result), [group for one in alike for group in one["groups"]]
    scale = 100 if rate else 1
    mean_axis = charts.make_axis(_scaled(groups, _MEAN, scale))
    difference_axis = charts.make_axis(_scaled(groups, _DIFFERENCE, scale), include=[0])
    drawn = sorted(result["groups"], key=lambda group: -abs(group["difference"] or 0))[:MAX_GROUPS]
    return AuditFigure(
        result=result,
        mean_name="rate, %" if rate else "mean",
        difference_name=_difference_name(result) + (", points" if rate else ""),
        mean_axis=mean_axis,
        difference_axis=difference_axis,
        groups=[_group(group, mean_axis, difference_axis, rate) for group in result["groups"] if group in drawn],
        is_adjusted=any(group["is_adjusted"] for group in drawn),
    )


def _difference_name(result: Mapping[str, Any]) -> str:
    if is_of_interaction(result):
        return "interaction: beyond the main effects"
    reference = result["reference"] or "rest"
    return f"difference from {_REFERENCES.get(reference, reference)}"


def _scaled(groups: Sequence[Mapping[str, Any]], names: Sequence[str], scale: int) -> list[float | None]:
    return [None if group[name] is None else scale * group[name] for group in groups for name in names]


def _group(group: Mapping[str, Any], mean_axis: charts.Axis, difference_axis: charts.Axis, rate: bool) -> AuditGroup:
    scale = 100 if rate else 1
    value, low, high = _scaled([group], _MEAN, scale)
    mean = charts.Mark(value, low, high)
    value, low, high = _scaled([group], _DIFFERENCE, scale)
    is_hollow = group["verdict"] not in DIFFERENCE_VERDICTS
    difference = charts.Mark(value, low, high, is_hollow=is_hollow, is_difference=True)
    return AuditGroup(
        name=f"{group['group_id']}: {group['category']}" if group["category"] else group["group_id"],
        scored=f"{group['n_scored']:,} of {group['n_responses']:,} scored",
        mean_chart=charts.row(mean_axis, mean),
        mean=_mean(group, rate=rate),
        mean_interval=_interval(group, (*_MEAN, "reason"), rate=rate, with_sign=False),
        difference_chart=charts.row(difference_axis, difference, line=0.0),
        difference=DASH
        if group["difference"] is None
        else minus_signs(plain_value(group["difference"], is_rate=rate, with_sign=True)),
        difference_interval=_interval(group, (*_DIFFERENCE, "difference_reason"), rate=rate, with_sign=True),
        unadjusted=minus_signs(difference_before_selection(group, is_rate=rate)),
        verdict=group["verdict"],
    )


def _mean(group: Mapping[str, Any], *, rate: bool) -> str:
    if group["value"] is None:
        return DASH
    return f"{100 * group['value']:.1f} %" if rate else minus_signs(plain_value(group["value"]))


def _interval(group: Mapping[str, Any], names: Sequence[str], *, rate: bool, with_sign: bool) -> str:
    value, low, high, reason = (group[name] for name in names)
    written = "" if value is None else signed_limits(low, high, of=value, is_rate=rate, with_sign=with_sign)
    return f"({minus_signs(written)})" if written else f"no CI ({words(reason) or 'no value'})"
