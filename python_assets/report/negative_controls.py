"""Negative controls in the report: how far edits that cannot matter move a score, and what that leaves of findings.

Belongs here: reading v_negative_controls and hypotheses, and what is drawn. Nothing is computed; the words are
published/controls.py.
"""

from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from python_assets.published.account import ABOUT_GROUPS, why
from python_assets.published.controls import NOT_BEYOND_CONTROLS, UNUSED, quiet_share, unused_in_words, wording_sd
from python_assets.report import charts, text
from python_assets.report.reader import Reader, Row
from python_assets.report.sentences import measure_name, quantity_of
from python_assets.study.base import BASELINE, NEGATIVE_CONTROL

MAX_BLOCKS: Final = 24
MAX_COMPARED: Final = 60
VERY_DIFFERENT: Final = 2  # times as long in words, past which it is told
# of all prompts; of a measure that is of slices alone in the one with the smallest p, for controls lie in each
CONTROLS: Final = f"""
    select *
    from (
        select *, min(slice_id) filter (p_wording is not null) over systems
            is distinct from max(slice_id) filter (p_wording is not null) over systems as is_in_several
        from v_negative_controls
        where study_id = $study
        window systems as (partition by system_id, measure_id)
    )
    where study_id = $study and (value is not null or inference_reason is distinct from 'no_values')
    qualify rank() over (
        partition by system_id, measure_id order by slice_id <> 'all', p_wording nulls last, slice_id
    ) = 1
    order by system_id = '{BASELINE}', measure_id in ('refusal', 'empty', 'truncated', 'other_language'), measure_id,
        p_wording nulls last, system_id, category, value desc nulls last, control_position, negative_control
"""
CONTROL_SENTENCES: Final = f"""
    select system_id, measure_id, slice_id, sentence
    from findings
    where study_id = $study and grouping_id = '{NEGATIVE_CONTROL}' and calibration = 'raw'
        and statistic in ('mean', 'share') and parameters = ''
"""
# those that controls take away first, then those that they leave
COMPARED: Final = f"""
    with ranges as (
        select slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters, value as group_range
        from disparities
        where study_id = $study and metric = 'range'
    )
    select hypotheses.*, kind, ranges.group_range, count(*) over () as n_compared
    from hypotheses
    inner join (select study_id, measure_id, kind from measures) using (study_id, measure_id)
    left join ranges using (slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
    where study_id = $study and {ABOUT_GROUPS} and p_negative_controls is not null and reference_system_id = ''
    order by family_id <> 'primary', verdict_reason is distinct from '{NOT_BEYOND_CONTROLS}', q_permuted nulls last,
        hypotheses.p_value, system_id, measure_id, grouping_id, slice_id, calibration desc, statistic, parameters
    limit {MAX_COMPARED}
"""
_WITHOUT: Final = f"""
    select negative_controls_reason as reason, meaning, remedy, count(*) as n,
        list(distinct grouping_id order by grouping_id) as groupings
    from hypotheses
    left join reasons on negative_controls_reason = reasons.reason
    where study_id = $study and {ABOUT_GROUPS} and negative_controls_reason is not null and p_value is not null
        and wording is not null
    group by negative_controls_reason, meaning, remedy
    order by n desc, reason
"""
_UNUSED_KEY: Final = ("system_id", "measure_id", "negative_control")
LENGTHS: Final = """
    select avg(n_words) as edit_words, avg(n_words_of_groups) as group_words
    from negative_controls
    where study_id = $study
"""


class ControlRow(NamedTuple):
    """A control: its value against the other controls, drawn and in words."""

    name: str
    control_type: str
    edit_text: str
    chart: Markup
    value: str
    interval: str
    q_value: float | None
    verdict: str | None
    reason: str


class ControlBlock(NamedTuple):
    """The controls of a system and measure, the highest first.

    sentence: whether they move the score. sds: the wording sd, of every grouping that has another. n_moved, n_used:
    controls that differ from the others by themselves, of those that groups are compared with.
    """

    system_id: str
    measure: str
    axis: charts.Axis
    sentence: str
    sds: list[str]
    n_moved: int
    n_used: int
    rows: list[ControlRow]


class Lengths(NamedTuple):
    """Words that edits and groups change, on average."""

    edit_words: float
    group_words: float

    @property
    def is_told(self) -> bool:
        """Whether one is more than twice the other: longer edits may move a score more."""
        low, high = sorted((self.edit_words, self.group_words))
        return high > VERY_DIFFERENT * low


class ControlsSection(NamedTuple):
    """What the page of the controls shows; n_blocks and n_compared count also what is too long to show.

    constant: measures of systems that no control tells apart, all values being equal or missing, which are not drawn.
    compared: hypotheses of groups with what the controls make of them. without: why others are not compared with them.
    quiet: the share of edits that could move a score although as many as are declared do not. lengths: None where
    prompts have no text. unused: controls that no group is compared with, in words.
    """

    blocks: list[ControlBlock]
    n_blocks: int
    constant: list[str]
    n_controls: int
    n_types: int | None
    quiet: str
    compared: list[Row]
    n_compared: int
    without: list[Row]
    lengths: Lengths | None
    unused: list[str]


def controls_section(reader: Reader) -> ControlsSection | None:
    """Every control's value, and every hypothesis that is compared with them.

    Args:
        reader: the study.

    Returns:
        None of a study without negative controls.
    """
    controls = reader.rows(CONTROLS)
    if not controls:
        return None
    unused = reader.rows(UNUSED)
    out = {tuple(row[name] for name in _UNUSED_KEY) for row in unused}
    controls = [{**row, "is_unused": tuple(row[name] for name in _UNUSED_KEY) in out} for row in controls]
    compared = reader.rows(COMPARED)
    sentences = {
        (row["system_id"], row["measure_id"], row["slice_id"]): row["sentence"]
        for row in reader.rows(CONTROL_SENTENCES)
    }
    key = itemgetter("system_id", "measure_id", "category")
    groups = [list(rows) for _, rows in groupby(controls, key=key)]
    constant = [rows[0] for rows in groups if not _varies(rows)]
    groups = [rows for rows in groups if _varies(rows)]
    axes: dict[tuple[str, str], charts.Axis] = {}
    for row in controls:
        measure = row["measure_id"], row["category"]
        if measure not in axes:
            same = [other for other in controls if (other["measure_id"], other["category"]) == measure]
            limits = (other[name] for other in same for name in ("value", "ci_low", "ci_high"))
            axes[measure] = charts.make_axis(limits, include=(0.0,))
    n_controls = len({row["negative_control"] for row in controls if not row["is_unused"]})
    types = {row["control_type"] for row in controls}
    return ControlsSection(
        blocks=[_block(rows, axes, sentences, compared) for rows in groups[:MAX_BLOCKS]],
        n_blocks=len(groups),
        constant=[f"{measure_name(row['measure_id'])} of {row['system_id']}" for row in constant],
        n_controls=n_controls,
        n_types=None if None in types else len(types),
        quiet=quiet_share(n_controls),
        compared=[_compared(row) for row in compared],
        n_compared=compared[0]["n_compared"] if compared else 0,
        without=[{**row, "why": why(row["reason"], row["meaning"], row["remedy"])} for row in reader.rows(_WITHOUT)],
        lengths=_lengths(reader),
        unused=unused_in_words(unused),
    )


def _varies(rows: list[Row]) -> bool:
    """Whether some control differs from the others, however little."""
    return any(row["value"] for row in rows) or rows[0]["p_wording"] is not None


def _lengths(reader: Reader) -> Lengths | None:
    lengths = reader.rows(LENGTHS)[0]
    if None in lengths.values():
        return None
    return Lengths(lengths["edit_words"], lengths["group_words"])


def _block(
    rows: list[Row],
    axes: dict[tuple[str, str], charts.Axis],
    sentences: dict[tuple[str, str, str], str],
    compared: list[Row],
) -> ControlBlock:
    first = rows[0]
    block_keys = first["system_id"], first["measure_id"], first["slice_id"]
    axis = axes[first["measure_id"], first["category"]]
    sds = {
        text.minus_signs(wording_sd(row)): None
        for row in compared
        if (row["system_id"], row["measure_id"], row["slice_id"], row["calibration"]) == (*block_keys, "raw")
        and row["wording_sd"] is not None
    }
    label = f" “{first['category']}”" if first["category"] else ""
    label += "" if first["slice_id"] == "all" or not first["is_in_several"] else f", slice {first['slice_id']}"
    return ControlBlock(
        system_id=first["system_id"],
        measure=f"{measure_name(first['measure_id'])}{label}",
        axis=axis,
        sentence=sentences.get(block_keys, ""),
        sds=[*sds],
        n_moved=sum(row["verdict"] in ("beyond_margin", "different") for row in rows if not row["is_unused"]),
        n_used=sum(not row["is_unused"] for row in rows),
        rows=[_row(row, axis) for row in rows],
    )


def _row(row: Row, axis: charts.Axis) -> ControlRow:
    def write(value: float | None) -> str:
        return text.fixed(value, axis.decimals)

    is_filled = row["verdict"] in ("beyond_margin", "different")
    mark = charts.Mark(row["value"], row["ci_low"], row["ci_high"], is_hollow=not is_filled)
    sign = "+" if (row["value"] or 0) > 0 else ""
    return ControlRow(
        name=f"{row['negative_control']} (not used)" if row["is_unused"] else row["negative_control"],
        control_type=text.words(row["control_type"]),
        edit_text=row["edit_text"] or "",
        chart=charts.row(axis, mark, line=0.0),
        value=text.words(row["reason"]) or text.DASH if row["value"] is None else sign + write(row["value"]),
        interval=text.interval(row["ci_low"], row["ci_high"], write),
        q_value=row["q_value"],
        verdict=row["verdict"],
        reason=text.words(row["inference_reason"]),
    )


def _compared(row: Row) -> dict[str, Any]:
    """A hypothesis in words, with the range of its groups and what the controls lead one to expect."""
    quantity = quantity_of(row).removeprefix("the ")
    where = "" if row["slice_id"] == "all" else f", slice {row['slice_id']}"
    return {
        **row,
        "title": f"{quantity[:1].upper()}{quantity[1:]} by {row['grouping_id']}{where}",
        "is_taken": row["verdict_reason"] == NOT_BEYOND_CONTROLS,
    }
