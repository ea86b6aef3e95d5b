"""The sizes of groups over the runs of a study, and what a gate tested of their changes.

Belongs here: reading run_groups, v_history and run_changes, and what of them is drawn. Nothing is computed: two points
of a figure are no test, and what was tested is the gate's to say.
"""

from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from markupsafe import Markup

from python_assets.report import charts, text
from python_assets.report.reader import Reader, Row

MAX_FIGURES: Final = 12
_MAX_GROUPS: Final = 20  # of a figure
MAX_RUNS: Final = 12  # the latest
_MAX_CHANGES: Final = 40

_RUNS: Final = """
    select run_id, published_at
    from runs
    where study_id = $study and run_id in (select run_id from run_findings where study_id = $study)
    order by published_at, run_id
"""
# of means, rates and labels, one row a run and group
_SIZES: Final = """
    with sizes as (
        select run_groups.*, v_history.wave, v_history.unit, v_history.scorer_changed
        from run_groups
        inner join v_history
            using (
                study_id, run_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters
            )
        where study_id = $study and statistic in ('mean', 'share') and parameters = ''
            and reference_system_id = '' and list_contains($runs, run_id)
    ),
    hypotheses as (
        select system_id, measure_id, calibration, grouping_id, slice_id, statistic,
            bool_or(verdict in ('beyond_margin', 'different')) as is_shown
        from sizes
        group by all
        having count(distinct run_id) > 1 and max(abs(value)) > 0
    )
    select sizes.*, is_shown,
        dense_rank() over (
            order by not is_shown, slice_id <> 'all', slice_id, system_id = 'baseline', system_id,
                measure_id in ('refusal', 'empty', 'truncated', 'other_language'), measure_id, calibration desc,
                len(string_split(grouping_id, ' x ')), grouping_id, statistic
        ) as figure
    from sizes
    inner join hypotheses using (system_id, measure_id, calibration, grouping_id, slice_id, statistic)
    order by figure
"""
_CHANGES: Final = """
    select run_changes.*
    from run_changes
    where study_id = $study and reason is null
    order by compared_at desc,
        list_position(
            ['beyond_margin', 'apart_beyond_margin', 'moved', 'apart', 'explained_by', 'inconclusive', 'within_margin',
            'unchanged'], outcome
        ),
        abs(change) desc nulls last, system_id, measure_id, grouping_id, slice_id, category, group_id
"""


# what a gate asks of: the keys of a question, whose statistic is the mean
_OF_CHANGE: Final = ("slice_id", "system_id", "grouping_id", "measure_id", "calibration")


class Run(NamedTuple):
    """A run at a place of a figure; wave: of the generation in it, '' of none."""

    run_id: str
    published_at: str
    wave: str
    is_other_scorer: bool


class GroupCourse(NamedTuple):
    """A group over the runs: drawn, and in words, a cell a run."""

    name: str
    chart: Markup
    cells: list[str]


class HistoryFigure(NamedTuple):
    """One question over the runs; n_groups counts those left out for length, is_tested: whether a gate asked it."""

    about: Row
    axis: charts.Axis
    runs: list[Run]
    groups: list[GroupCourse]
    n_groups: int
    is_tested: bool


class History(NamedTuple):
    """What is shown of all runs; nothing of a study that has one."""

    n_runs: int
    n_runs_drawn: int
    figures: list[HistoryFigure]
    n_figures: int
    changes: list[Row]
    n_changes: int


def history_section(reader: Reader) -> History | None:
    """Each group's size over the runs of a study, those that differ in any run first, and the tested changes.

    Args:
        reader: the study.

    Returns:
        None of a study that was published once, or by an earlier version but once.
    """
    runs = reader.rows(_RUNS)
    if len(runs) < 2:
        return None
    drawn = runs[-MAX_RUNS:]
    changes = reader.rows(_CHANGES)
    tested = {tuple(change[name] for name in _OF_CHANGE) for change in changes}
    sizes = reader.rows(_SIZES, runs=[run["run_id"] for run in drawn])
    hypotheses = [list(rows) for _, rows in groupby(sizes, key=itemgetter("figure"))]
    figures = [_figure(reader, drawn, rows, tested) for rows in hypotheses[:MAX_FIGURES]]
    return History(len(runs), len(drawn), figures, len(hypotheses), changes[:_MAX_CHANGES], len(changes))


def _figure(reader: Reader, runs: list[Row], sizes: list[Row], tested: set[tuple[str, ...]]) -> HistoryFigure:
    about = sizes[0]
    places = {run["run_id"]: position for position, run in enumerate(runs)}
    breaks = {places[row["run_id"]] for row in sizes if row["scorer_changed"]}
    waves = {row["run_id"]: row["wave"] or "" for row in sizes}
    axis = charts.make_axis((row[name] for row in sizes for name in ("value", "ci_low", "ci_high")), include=(0.0,))
    groups: dict[tuple[str, str, str], dict[int, Row]] = {}
    for row in sizes:
        groups.setdefault((row["group_id"], row["category"], row["reference"]), {})[places[row["run_id"]]] = row
    order = sorted(groups, key=lambda key: (reader.group_order(about["grouping_id"], key[0]), *key[1:]))
    if len(order) > _MAX_GROUPS:  # those that differ most in any run
        largest = sorted(order, key=lambda key: -max(abs(row["value"]) for row in groups[key].values()))[:_MAX_GROUPS]
        order = [key for key in order if key in set(largest)]
    return HistoryFigure(
        about,
        axis,
        [
            Run(
                run["run_id"],
                run["published_at"].strftime("%Y-%m-%d") if run["published_at"] else "",
                waves.get(run["run_id"], ""),
                places[run["run_id"]] in breaks,
            )
            for run in runs
        ],
        [_course(key, groups[key], axis, len(runs), breaks) for key in order],
        len(groups),
        tuple(about[name] for name in _OF_CHANGE) in tested,
    )


def _course(
    key: tuple[str, str, str], rows: dict[int, Row], axis: charts.Axis, n_runs: int, breaks: set[int]
) -> GroupCourse:
    group_id, category, reference = key
    points = []
    for before, position in zip([None, *sorted(rows)], sorted(rows), strict=False):
        row = rows[position]
        is_filled = row["is_headline"] or row["verdict"] in ("beyond_margin", "different")
        mark = charts.Mark(row["value"], row["ci_low"], row["ci_high"], is_hollow=not is_filled, is_difference=True)
        # of two instruments, and of two contrasts, the sizes are not of one kind
        is_alike = (
            before is not None
            and row["scorer_changed"] is False
            and row["contrast"] == rows[before]["contrast"]
            and not any(before < one <= position for one in breaks)
        )
        points.append(charts.Point(position, mark, is_alike))
    name = f"{group_id} “{category}”" if category else group_id
    return GroupCourse(
        name if reference == "rest" else f"{name} against {text.words(reference)}",
        charts.course(axis, points, n_runs, breaks),
        [_cell(rows[position], axis) if position in rows else text.DASH for position in range(n_runs)],
    )


def _cell(row: Row, axis: charts.Axis) -> str:
    def write(value: float | None) -> str:
        return text.fixed(value, axis.decimals)

    plus = "+" if row["value"] > 0 else ""
    others = f"only because of {row['explained_by']}" if row["explained_by"] else ""
    pieces = plus + write(row["value"]), text.interval(row["ci_low"], row["ci_high"], write), others
    return " ".join(filter(None, pieces))
