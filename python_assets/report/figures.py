"""The figures of the report: for every measure, each group's mean and its difference, one panel a generation.

Belongs here: which figures and panels are drawn, and their scales. What stands in a row is panels.py.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from python_assets.published.account import ABOUT_GROUPS
from python_assets.report import charts
from python_assets.report.panels import MAX_PANEL_GROUPS, Controls, Panel, PanelDrawer
from python_assets.report.reader import Reader, Row
from python_assets.study.base import NEGATIVE_CONTROL

# a page of 3,000 rows is about 4 MB; what is left out is counted and stays in the tables
_MAX_ROWS: Final = 3000
MAX_FIGURE_VALUES: Final = 40
_CONTRASTS: Final = ("mean_difference", "risk_difference")


class FigureKey(NamedTuple):
    """What one figure is about."""

    slice_id: str
    grouping_id: str
    measure_id: str
    calibration: str
    category: str


class MeasureFigure(NamedTuple):
    """One measure by one grouping; n_systems counts those left out for length, too. Scopes are of the intervals."""

    key: FigureKey
    n_systems: int
    measure: Row
    is_simulated: bool
    reference: str
    mean_scope: str
    difference_scope: str
    mean_axis: charts.Axis
    difference_axis: charts.Axis
    panels: list[Panel]


class Figures(NamedTuple):
    """The figures drawn, how many panels are left out, and of which measures figures show no difference."""

    drawn: list[MeasureFigure]
    n_left_out: int
    n_constant: dict[str, int]

    def place(self, hypothesis: Row) -> int | None:
        """The number, from 1, of the first figure of a question's measure and grouping; None without one."""
        about = (hypothesis["slice_id"], hypothesis["grouping_id"], hypothesis["measure_id"])
        return next((n for n, figure in enumerate(self.drawn, 1) if figure.key[:3] == about), None)


_KEYS: Final = f"""
    with means as (
        select slice_id, grouping_id, measure_id, calibration, '' as category, system_id, group_id, value
        from summary_statistics
        where study_id = $study and statistic = 'mean' and {ABOUT_GROUPS}
        union all
        select slice_id, grouping_id, measure_id, 'raw', category, system_id, group_id, share
        from outcome_distributions
        where study_id = $study and {ABOUT_GROUPS}
            and measure_id in (
                select measure_id from measures where study_id = $study and kind = 'categorical'
            )
    ),
    shown as (
        select slice_id, grouping_id, measure_id, calibration, category, system_id, count(*) as n_shown
        from contrasts
        where study_id = $study and verdict in ('beyond_margin', 'different')
        group by all
    ),
    panels as (
        select slice_id, grouping_id, measure_id, calibration, category, system_id,
            count(*) as n_groups, min(value) as low, max(value) as high, any_value(n_shown) as n_shown
        from means
        left join shown using (slice_id, grouping_id, measure_id, calibration, category, system_id)
        group by slice_id, grouping_id, measure_id, calibration, category, system_id
    )
    select *,
        min(low) over figure < max(high) over figure as differs
    from panels
    window figure as (partition by slice_id, grouping_id, measure_id, calibration, category)
    order by slice_id <> 'all', slice_id, len(string_split(grouping_id, ' x ')), grouping_id,
        measure_id in ('refusal', 'empty', 'truncated', 'other_language'),
        measure_id, calibration desc, category,
        system_id = 'baseline', system_id
"""
MEANS: Final = """
    select system_id, group_id, value, ci_low, ci_high, n_responses, n_root_prompts, reason,
        inference_reason, scope
    from summary_statistics
    where study_id = $study and slice_id = $slice_id and grouping_id = $grouping_id
        and measure_id = $measure_id and calibration = $calibration and statistic = 'mean'
        and list_contains($systems, system_id)
"""
SHARES: Final = """
    select system_id, group_id, share as value, ci_low, ci_high, n_group as n_responses,
        null as n_root_prompts, null as reason, null as inference_reason,
        scope
    from outcome_distributions
    where study_id = $study and slice_id = $slice_id and grouping_id = $grouping_id
        and measure_id = $measure_id and category = $category and list_contains($systems, system_id)
"""
_DIFFERENCES: Final = """
    with headlines as (
        select study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters,
            headline_metric as contrast, headline_group_id as group_id, headline_category as category,
            headline_reference as reference, true as is_headline
        from findings
        where study_id = $study and headline_group_id is not null
    )
    select system_id, group_id, reference, value, ci_low, ci_high, p_value, q_value, verdict, reason,
        inference_reason, scope, coalesce(is_headline, false) as is_headline
    from contrasts
    left join headlines
        using (
            study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters, contrast,
            group_id, category, reference
        )
    where study_id = $study and slice_id = $slice_id and grouping_id = $grouping_id
        and measure_id = $measure_id and calibration = $calibration and category = $category
        and list_contains($contrasts, contrast) and list_contains($systems, system_id)
"""
# in half of the root prompts of the groups, without which no group is compared with a control
_IS_USED: Final = """
    coalesce(
        2 * n_root_prompts >= (
            select max(n_root_prompts)
            from hypotheses
            where study_id = $study and slice_id = $slice_id and grouping_id = $grouping_id
                and measure_id = $measure_id and calibration = $calibration and reference_system_id = ''
        ),
        true
    )
"""
# of every system: the mean with each control edit, its difference from the others, and the range that they make likely
_OF_CONTROLS: Final = f"""
    with means_of_slices as (
        select slice_id, system_id, list(round(value, 9) order by group_id) as rounded_means,
            list(value order by group_id) as means
        from summary_statistics
        where study_id = $study and grouping_id = '{NEGATIVE_CONTROL}'
            and measure_id = $measure_id and calibration = $calibration and statistic = 'mean' and value is not null
            and {_IS_USED}
        group by slice_id, system_id
    ),
    means as (select * from means_of_slices where slice_id = $slice_id),
    -- controls that several slices share are tested in the first of them
    same_slices as (
        select means_of_slices.slice_id, system_id
        from means_of_slices
        inner join means using (system_id, rounded_means)
    ),
    differences as (
        select system_id, list(value order by group_id) as differences
        from contrasts
        inner join same_slices using (slice_id, system_id)
        where study_id = $study and grouping_id = '{NEGATIVE_CONTROL}'
            and measure_id = $measure_id and calibration = $calibration and value is not null and category = ''
            and contrast in ('mean_difference', 'risk_difference') and reference = 'rest' and {_IS_USED}
        group by slice_id, system_id
        qualify row_number() over (partition by system_id order by slice_id <> $slice_id, slice_id) = 1
    ),
    floors as (
        select system_id, max(control_floor) as floor
        from hypotheses
        where study_id = $study and slice_id = $slice_id and grouping_id = $grouping_id
            and measure_id = $measure_id and calibration = $calibration and statistic = 'mean' and parameters = ''
            and reference_system_id = ''
        group by system_id
    )
    select system_id, means, differences, floor
    from means left join differences using (system_id) left join floors using (system_id)
    where list_contains($systems, system_id)
"""
# slices are not published: values are drawn where they are as many as the mean was taken of
_VALUES: Final = """
    with grouped as (
        select prompt_id, string_agg(level, ' x ' order by list_position($factors, factor)) as group_id
        from prompt_factors
        where study_id = $study and list_contains($factors, factor)
        group by prompt_id
        having count(*) = len($factors)
    ),
    taken as (
        select system_id, group_id, hash(prompt_id, replicate) as draw,
            case $calibration when 'raw' then value when 'calibrated' then calibrated_value end as x
        from measurements
        inner join grouped using (prompt_id)
        where study_id = $study and measure_id = $measure_id and list_contains($systems, system_id)
    )
    select system_id, group_id, count(*) as n,
        quantile_cont(x, 0.01) as low, quantile_cont(x, 0.99) as high, min_by(x, draw, $max_values) as x
    from taken
    where x is not null
    group by system_id, group_id
"""


def make_figures(reader: Reader, lead: Row | None, *, max_rows: int = _MAX_ROWS) -> Figures:
    """Draw every measure by every grouping; if not all fit, panels with a significant difference come first.

    Args:
        reader: the study.
        lead: the question whose figure comes first, and in it the panel of its generation.
        max_rows: how many rows of groups are drawn at most; one panel is drawn even where it has more.
    """
    measures = {row["measure_id"]: row for row in reader.rows("from measures where study_id = $study")}
    systems = _systems(reader)
    panels: dict[FigureKey, list[Row]] = defaultdict(list)
    for row in reader.rows(_KEYS):
        panels[FigureKey(*(row[name] for name in FigureKey._fields))].append(row)
    n_constant = Counter(key.measure_id for key, rows in panels.items() if not rows[0]["differs"])
    varied = {key: rows for key, rows in panels.items() if rows[0]["differs"]}
    if lead and varied:
        varied = _led(varied, lead)
    kept = _fitting(varied, max_rows)
    drawn = [
        _figure(reader, key, measures[key.measure_id], [systems[name] for name in names], len(varied[key]))
        for key, names in kept.items()
    ]
    n_left_out = sum(map(len, varied.values())) - sum(map(len, kept.values()))
    return Figures(drawn, n_left_out, n_constant)


def _systems(reader: Reader) -> dict[str, Row]:
    rows = reader.rows("from systems where study_id = $study")
    mean_of_all = {"system_id": "all", "is_baseline": False}
    mean_of_all["is_simulated"] = any(row["is_simulated"] for row in rows)
    return {row["system_id"]: row for row in [*rows, mean_of_all]}


def _led(panels: dict[FigureKey, list[Row]], lead: Row) -> dict[FigureKey, list[Row]]:
    """The same with the figure nearest to a question first, and in it the generation asked about."""

    def distance(key: FigureKey) -> list[bool]:
        names = ("measure_id", "grouping_id", "slice_id", "calibration", "category")
        return [getattr(key, name) != (lead[name] or "") for name in names]

    first = min(panels, key=distance)
    leading, *others = sorted(panels[first], key=lambda row: row["system_id"] != lead["system_id"])
    # it counts as showing a difference, so that it is drawn however many panels there are
    lead_rows = [{**leading, "n_shown": leading["n_shown"] or 0}, *others]
    return {first: lead_rows} | {key: rows for key, rows in panels.items() if key != first}


def _fitting(panels: dict[FigureKey, list[Row]], max_rows: int) -> dict[FigureKey, list[str]]:
    """The generations to draw of each figure: those with a significant difference first."""
    candidates = [(key, row) for key, rows in panels.items() for row in rows]
    candidates.sort(key=lambda candidate: candidate[1]["n_shown"] is None)
    heights = np.cumsum([min(row["n_groups"], MAX_PANEL_GROUPS) for _, row in candidates])
    taken = {
        (key, row["system_id"])
        for (key, row), height in zip(candidates, heights, strict=True)
        if height <= max(max_rows, heights[0])
    }
    kept = {key: [row["system_id"] for row in rows if (key, row["system_id"]) in taken] for key, rows in panels.items()}
    return {key: names for key, names in kept.items() if names}


def _figure(reader: Reader, key: FigureKey, measure: Row, systems: list[Row], n_systems: int) -> MeasureFigure:
    parameters = {**key._asdict(), "systems": [row["system_id"] for row in systems]}
    if key.category:
        means = reader.rows(SHARES, **_without(parameters, "calibration"))
    else:
        means = reader.rows(MEANS, **_without(parameters, "category"))
    contrasts = reader.rows(_DIFFERENCES, **parameters, contrasts=list(_CONTRASTS))
    reference = _reference(contrasts)
    differences = [row for row in contrasts if row["reference"] == reference]
    values = _values(reader, key, means) if measure["kind"] == "continuous" else {}
    # of labels there are none
    controls = {} if key.category else _controls(reader, _without(parameters, "category"))
    mean_axis = charts.make_axis(
        [row[name] for row in means for name in ("value", "ci_low", "ci_high")]
        + [row[name] for row in values.values() for name in ("low", "high")]
        + [value for system in controls.values() for value in system.means],
        include=() if measure["kind"] == "continuous" else (0.0,),
    )
    difference_axis = charts.make_axis(
        [row[name] for row in differences for name in ("value", "ci_low", "ci_high")]
        + [value for system in controls.values() for value in system.differences],
        include=(0.0,),
    )
    drawer = PanelDrawer(
        reader=reader,
        grouping_id=key.grouping_id,
        mean_axis=mean_axis,
        difference_axis=difference_axis,
        values=values,
        controls=controls,
        reference=reference,
    )
    panels = [drawer.panel(system, means, differences) for system in systems]
    return MeasureFigure(
        key=key,
        n_systems=n_systems,
        measure=measure,
        is_simulated=any(row["is_simulated"] for row in systems),
        reference=reference,
        mean_scope=_scope(means),
        difference_scope=_scope(differences),
        mean_axis=mean_axis,
        difference_axis=difference_axis,
        panels=panels,
    )


def _controls(reader: Reader, parameters: Row) -> dict[str, Controls]:
    """The negative controls of each system; nothing of a study without them."""
    rows = reader.rows(_OF_CONTROLS, **parameters)
    return {row["system_id"]: Controls(row["means"] or [], row["differences"] or [], row["floor"]) for row in rows}


def _scope(rows: list[Row]) -> str:
    """What the intervals of a figure generalise to; several where its rows have several."""
    return " or ".join(sorted({row["scope"] for row in rows if row["scope"]}))


def _without(parameters: Row, name: str) -> Row:
    return {key: value for key, value in parameters.items() if key != name}


def _reference(contrasts: Iterable[Row]) -> str:
    references = {row["reference"] for row in contrasts}
    return "rest" if "rest" in references or not references else min(references)


def _values(reader: Reader, key: FigureKey, means: list[Row]) -> dict[tuple[str, str], Row]:
    rows = reader.rows(
        _VALUES,
        factors=key.grouping_id.split(" x "),
        calibration=key.calibration,
        measure_id=key.measure_id,
        max_values=MAX_FIGURE_VALUES,
        systems=sorted({row["system_id"] for row in means}),
    )
    expected = {(row["system_id"], row["group_id"]): row["n_responses"] for row in means}
    groups = {(row["system_id"], row["group_id"]): row for row in rows}
    return {group: row for group, row in groups.items() if expected.get(group) == row["n"]}
