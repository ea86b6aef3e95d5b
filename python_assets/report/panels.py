"""One generation in a figure: a row a group, with the group's mean and its difference drawn and in words.

Belongs here: what stands in a row. Which panels there are is figures.py, geometry is charts.py.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from markupsafe import Markup

from python_assets.report import charts, text
from python_assets.report.reader import Reader, Row

MAX_PANEL_GROUPS: Final = 60
Band = tuple[float, float] | None


class GroupRow(NamedTuple):
    """A group in a panel: its mean and its difference, drawn and in words."""

    group_id: str
    counts: str
    mean_chart: Markup
    mean: str
    mean_interval: str
    difference_chart: Markup
    difference: str
    difference_interval: str
    q_value: str
    verdict: str
    reason: str


class Controls(NamedTuple):
    """The negative controls of one system, next to its groups.

    means: of the responses with each edit. differences: of each from the other edits. floor: the range of groups that
    they lead one to expect, in the unit of the measure; None where the groups are not compared with them.
    """

    means: list[float]
    differences: list[float]
    floor: float | None


class ControlsRow(NamedTuple):
    """The row of the controls under the groups: their means and differences drawn, and what they lead one to expect."""

    n: int
    mean_chart: Markup
    difference_chart: Markup
    expected: str


class Panel(NamedTuple):
    """One generation of a figure; drawn_of: which of n_groups are drawn, '' where all are."""

    system_id: str
    is_simulated: bool
    is_baseline: bool
    counts: str
    groups: list[GroupRow]
    n_groups: int
    drawn_of: str = ""
    controls: ControlsRow | None = None


class Caption(NamedTuple):
    """What holds for most groups of a panel and is said once: their counts, and why they have no interval."""

    counts: str
    no_interval: str

    def in_words(self, groups: list[GroupRow]) -> str:
        """The sentence above the rows."""
        others = ", where it does not say otherwise" if any(group.counts for group in groups) else ""
        reason = f"; no intervals of means: {self.no_interval}" if self.no_interval else ""
        return f"each group: {self.counts}{others}{reason}"


class PanelDrawer(NamedTuple):
    """Draws the panels of one figure.

    values: single responses by system and group. controls: the negative controls by system. reference: what
    groups are compared with.
    """

    reader: Reader
    grouping_id: str
    mean_axis: charts.Axis
    difference_axis: charts.Axis
    values: dict[tuple[str, str], Row]
    controls: Mapping[str, Controls] = MappingProxyType({})
    reference: str = "rest"

    def panel(self, system: Row, means: list[Row], differences: list[Row]) -> Panel:
        """Draw one generation.

        Args:
            system: its row of the table of that name.
            means: value, interval and counts by group, of this and other generations.
            differences: the contrasts by group, at most one a group.
        """
        system_id = system["system_id"]
        rows = [row for row in means if row["system_id"] == system_id]
        by_group: dict[str, Row] = defaultdict(dict)
        by_group |= {row["group_id"]: row for row in differences if row["system_id"] == system_id}
        chosen, drawn_of = _chosen(rows, by_group)
        common = Counter(map(_counts, chosen)).most_common(1)[0][0]
        reasons = {_no_interval(row) for row in chosen}
        caption = Caption(common, reasons.pop() if len(reasons) == 1 else "")
        pooled = _pooled(rows)
        in_order = sorted(chosen, key=self._size)
        controls = self.controls.get(system_id)
        bands = self._bands(controls, rows, list(by_group.values()))
        drawn = [self._group(row, by_group[row["group_id"]], pooled, caption, bands) for row in in_order]
        return Panel(
            system_id,
            is_simulated=system["is_simulated"],
            is_baseline=system["is_baseline"],
            counts=caption.in_words(drawn),
            groups=drawn,
            n_groups=len(rows),
            drawn_of=drawn_of,
            controls=None if controls is None else self._controls(controls, bands),
        )

    def _bands(self, controls: Controls | None, means: list[Row], differences: list[Row]) -> tuple[Band, Band]:
        """Where means and differences of groups lie if their range is no larger than what the controls make likely."""
        if controls is None or controls.floor is None:
            return None, None
        # a difference from the rest is K / (K - 1) of one from the mean of all
        n = len(means)
        wider = n / (n - 1) if self.reference == "rest" and n > 1 else 1.0
        zero = [] if self.reference in ("rest", "grand_mean") else [0.0]
        return (
            _band([row["value"] for row in means], controls.floor),
            _band([*(row.get("value") for row in differences), *zero], controls.floor * wider),
        )

    def _controls(self, controls: Controls, bands: tuple[Band, Band]) -> ControlsRow:
        mean_band, difference_band = bands
        floor = controls.floor
        return ControlsRow(
            max(len(controls.means), len(controls.differences)),
            charts.controls_row(self.mean_axis, controls.means, band=mean_band),
            charts.controls_row(self.difference_axis, controls.differences, band=difference_band),
            "" if floor is None else f"range up to {text.fixed(floor, self.difference_axis.decimals)} expected",
        )

    def _size(self, row: Row) -> tuple[bool, float, object]:
        """What rows are sorted by: without a value last, equal ones as declared."""
        order = self.reader.group_order(self.grouping_id, row["group_id"])
        return row["value"] is None, -(row["value"] or 0.0), order

    def _group(
        self, mean: Row, contrast: Row, pooled: float | None, caption: Caption, bands: tuple[Band, Band]
    ) -> GroupRow:
        values = self.values.get((mean["system_id"], mean["group_id"]), {}).get("x") or []
        # a headline is filled where it is equivalent, too
        is_filled = contrast.get("verdict") in ("beyond_margin", "different") or contrast.get("is_headline", False)
        value, interval = _in_words(mean, self.mean_axis)
        difference, difference_interval = _in_words(contrast, self.difference_axis, plus="+")
        return GroupRow(
            group_id=mean["group_id"],
            counts="" if _counts(mean) == caption.counts else _counts(mean),
            mean_chart=charts.row(self.mean_axis, _mark(mean), line=pooled, values=values, band=bands[0]),
            mean=value,
            mean_interval=interval or ("" if caption.no_interval else _no_interval(mean)),
            difference_chart=charts.row(
                self.difference_axis,
                _mark(contrast)._replace(is_hollow=not is_filled, is_difference=True),
                line=0.0,
                band=bands[1],
            ),
            difference=difference,
            difference_interval=difference_interval,
            q_value=text.probability(contrast["q_value"]) if contrast.get("q_value") is not None else "",
            verdict=contrast.get("verdict") or "",
            reason=text.words(contrast.get("inference_reason")),
        )


def _band(values: Sequence[float | None], width: float) -> Band:
    """The band around the middle of the lowest and the highest value: all lie in it where their range is no larger."""
    present = [value for value in values if value is not None]
    if not present:
        return None
    middle = (min(present) + max(present)) / 2
    return middle - width / 2, middle + width / 2


def _chosen(rows: list[Row], by_group: dict[str, Row]) -> tuple[list[Row], str]:
    """The groups that are drawn, and which they are: of too many those with a value, of too many those that differ."""
    if len(rows) <= MAX_PANEL_GROUPS:
        return rows, ""
    valued = [row for row in rows if row["value"] is not None] or rows
    if len(valued) <= MAX_PANEL_GROUPS:
        return valued, "with a value"
    by_difference = sorted(valued, key=lambda row: -abs(by_group[row["group_id"]].get("value") or 0))
    return by_difference[:MAX_PANEL_GROUPS], "that differ most"


def _pooled(rows: list[Row]) -> float | None:
    present = [row for row in rows if row["value"] is not None]
    n_responses = sum(row["n_responses"] for row in present)
    return sum(row["value"] * row["n_responses"] for row in present) / n_responses if n_responses else None


def _no_interval(mean: Row) -> str:
    has_none = mean["value"] is not None and mean["ci_low"] is None and mean["ci_high"] is None
    return text.words(mean["inference_reason"]) if has_none else ""


def _counts(row: Row) -> str:
    responses = text.plural(row["n_responses"] or 0, "response")
    roots = row["n_root_prompts"]
    return f"{responses}, {text.plural(roots, 'root prompt')}" if roots else responses


def _mark(row: Row) -> charts.Mark:
    return charts.Mark(row.get("value"), row.get("ci_low"), row.get("ci_high"))


def _in_words(row: Row, axis: charts.Axis, plus: str = "") -> tuple[str, str]:
    """The value or why there is none, and the interval."""
    if not row:
        return "", ""
    if row["value"] is None:
        return text.words(row["reason"]) or text.DASH, ""

    def write(value: float | None) -> str:
        return text.fixed(value, axis.decimals)

    sign = plus if row["value"] > 0 else ""
    return sign + write(row["value"]), text.interval(row["ci_low"], row["ci_high"], write)
