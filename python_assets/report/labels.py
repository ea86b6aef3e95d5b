"""Labels in the report: whose they are, how far reading and labels agree, what was read wrongly, what is left of it.

Belongs here: reading marts label_agreement, human_labels and contrasts, and what is drawn. The numbers are inference's.
"""

from typing import Any, Final, NamedTuple

from markupsafe import Markup

from python_assets.published.account import ABOUT_GROUPS
from python_assets.report import charts
from python_assets.report.reader import Reader, Row
from python_assets.report.text import interval, number, share

_MAX_ROWS: Final = 60
MAX_TEXTS: Final = 10
AGREEMENT: Final = """
    select system_id, grouping_id, group_id, n, n_root_prompts, kappa, alpha,
        sensitivity, sensitivity_low, sensitivity_high, specificity, specificity_low, specificity_high
    from label_agreement
    where study_id = $study and measure_id = $measure_id and slice_id = 'all' and model_family = ''
        and comparison = 'people_and_reading' and n > 0
    order by system_id <> 'all', system_id, grouping_id, group_id
"""
PUT_RIGHT: Final = f"""
    with values_of as (
        select * from contrasts
        where study_id = $study and measure_id = $measure_id and statistic = 'mean' and slice_id = 'all'
            and contrast in ('mean_difference', 'risk_difference') and parameters = '' and {ABOUT_GROUPS}
    )
    select system_id, grouping_id, group_id, reference,
        raw.value as raw, raw.ci_low as raw_low, raw.ci_high as raw_high, raw.verdict as raw_verdict,
        corrected.value as corrected, corrected.ci_low as corrected_low, corrected.ci_high as corrected_high,
        corrected.verdict as corrected_verdict, corrected.inference_reason as reason
    from values_of as corrected
    inner join values_of as raw using (system_id, grouping_id, group_id, reference)
    where corrected.calibration = 'corrected' and raw.calibration = 'raw'
    order by grouping_id, system_id, abs(raw.value) desc nulls last, group_id, reference
"""
_ERRORS: Final = """
    with labels as (
        select response_id, avg(value) as given
        from human_labels
        where study_id = $study and measure_id = $measure_id
        group by response_id
    )
    select system_id, response_text, given, measurements.value as reading
    from labels
    inner join responses using (response_id)
    inner join measurements using (study_id, system_id, prompt_id, replicate)
    where study_id = $study and measure_id = $measure_id and measurements.value is not null and given is not null
        and case $kind
            when 'missed' then given > 0.5 and measurements.value < 0.5
            when 'false_alarm' then given < 0.5 and measurements.value > 0.5
            else given <> measurements.value
        end
    -- of marks in an order that says nothing; of numbers the worst first
    order by case when $kind = 'label_error' then -abs(given - measurements.value) end, hash(response_id), prompt_id
    limit $n
"""
_RATERS: Final = """
    select distinct rater || if(is_automatic, ' (automatic: a program, no person)', '') as rater
    from human_labels
    where study_id = $study and measure_id = $measure_id and reason is null
    order by rater
"""
_KINDS: Final = {
    "binary": {"missed": "What labels find and the reading misses", "false_alarm": "What the reading finds falsely"},
    "continuous": {"label_error": "Where reading and labels lie farthest apart"},
}


class LabelErrors(NamedTuple):
    """Answers of one kind of error."""

    title: str
    rows: list[Row]


class MeasureLabels(NamedTuple):
    """One measure with labels.

    raters: who gave them, and which of them are programs. agreement: rows of all answers, of generations and of groups,
    with charts. put_right: raw and corrected differences.
    """

    measure_id: str
    raters: str
    axis: charts.Axis
    agreement: list[Row]
    n_agreement: int
    put_right: list[Row]
    n_put_right: int
    errors: list[LabelErrors]


def labels_section(reader: Reader) -> list[MeasureLabels]:
    """What the section shows, measure by measure."""
    measures = reader.rows(
        """
        select measure_id, kind from measures
        where study_id = $study and measure_id in (select measure_id from human_labels where study_id = $study)
        order by measure_id
        """
    )
    return [_labelled(reader, row["measure_id"], row["kind"]) for row in measures]


def _labelled(reader: Reader, measure_id: str, kind: str) -> MeasureLabels:
    axis = charts.make_axis([], include=(0.0, 1.0))
    agreement = reader.rows(AGREEMENT, measure_id=measure_id)
    put_right = reader.rows(PUT_RIGHT, measure_id=measure_id)
    return MeasureLabels(
        measure_id=measure_id,
        raters=", ".join(row["rater"] for row in reader.rows(_RATERS, measure_id=measure_id)) or "nobody",
        axis=axis,
        agreement=[_drawn(axis, row) for row in agreement[:_MAX_ROWS]],
        n_agreement=len(agreement),
        put_right=[_beside(row) for row in put_right[:_MAX_ROWS]],
        n_put_right=len(put_right),
        errors=[
            LabelErrors(title, reader.rows(_ERRORS, measure_id=measure_id, kind=name, n=MAX_TEXTS))
            for name, title in _KINDS.get(kind, {}).items()
        ],
    )


def _drawn(axis: charts.Axis, row: Row) -> Row:
    def figure(name: str) -> tuple[Markup, str]:
        value, low, high = (row[f"{name}{side}"] for side in ("", "_low", "_high"))
        words = "–" if value is None else f"{share(value)} {_shares(low, high)}".rstrip()
        return charts.row(axis, charts.Mark(value, low, high)), words

    figures: dict[str, Any] = {}
    for name in ("sensitivity", "specificity"):
        figures[f"{name}_chart"], figures[name] = figure(name)
    return {**row, **figures}


def _shares(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{share(low)}, {share(high)}]"


def _beside(row: Row) -> Row:
    def words(name: str) -> str:
        value = row[name]
        return "–" if value is None else f"{number(value)} {interval(row[f'{name}_low'], row[f'{name}_high'])}"

    return {**row, "raw": words("raw"), "corrected": words("corrected")}
