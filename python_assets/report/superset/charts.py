"""What the dashboard shows: its tabs, the charts of each, and what every chart asks of a published view.

Belongs here: which rows and columns are drawn, and as what. How a chart is written for Superset is written_charts.py,
where it stands on its tab layout.py.
"""

from typing import Final, Literal, NamedTuple

Condition = tuple[str, str, str | list[str] | None]  # column, operator and value as Superset has them
Drawing = Literal["bar", "line", "points", "heatmap"]

_WHOLE: Final = 12  # columns of a row of the dashboard
HALF: Final = 6
COUNT: Final = "rows"
_SHOWN: Final = ["beyond_margin", "different"]
_ALL_PROMPTS: Final[Condition] = ("slice_id", "==", "all")


class Number(NamedTuple):
    """How many rows there are."""

    name: str
    title: str
    dataset: str
    where: tuple[Condition, ...] = ()
    width: int = 3


class TableChart(NamedTuple):
    """Rows as they are; order: columns, a minus before those that fall."""

    name: str
    title: str
    dataset: str
    columns: tuple[str, ...]
    order: tuple[str, ...] = ()
    where: tuple[Condition, ...] = ()
    width: int = _WHOLE


class Figure(NamedTuple):
    """Numbers over x, by: a colour each; COUNT counts rows.

    A point of another column is of one number: where the filters leave several, of other units maybe, there is none.
    Of a heatmap by is the one column of its other axis.
    """

    name: str
    title: str
    drawing: Drawing
    dataset: str
    x: str
    numbers: tuple[str, ...]
    by: tuple[str, ...] = ()
    where: tuple[Condition, ...] = ()
    width: int = _WHOLE
    is_stacked: bool = False


Chart = Number | TableChart | Figure

ONE_AT_A_TIME: Final = "one study, measure and grouping at a time"
_LIMITS: Final = ("ci_low", "ci_high")
TABS: Final[dict[str, tuple[tuple[Chart, ...], ...]]] = {
    "Overview": (
        (
            Number("hypotheses", "questions asked", "v_findings"),
            Number("significant", "of them significant", "v_findings", (("verdict", "IN", _SHOWN),)),
            Number("untold", "of them not tested", "v_findings", (("verdict", "==", "not_tested"),)),
            Number("worse_off", "groups that are worse off", "v_worse_off"),
        ),
        (
            Figure(
                "outcomes",
                "What the questions came to, by measure",
                "bar",
                "v_findings",
                x="measure_id",
                numbers=(COUNT,),
                by=("verdict",),
                is_stacked=True,
            ),
        ),
        (
            TableChart(
                "who_is_worse_off",
                "Who is worse off, by how much and how sure",
                "v_worse_off",
                ("system_id", "measure_id", "grouping_id", "group_id", "category", "value", *_LIMITS, "unit")
                + (
                    "q_value",
                    "verdict",
                    "hypothesis_verdict",
                    "headline_metric",
                    "worst_verdict",
                    "worst_statistic",
                    "is_preregistered",
                    "model",
                    "system_prompt_name",
                ),
                order=("finding_rank", "value"),
            ),
        ),
        (
            TableChart(
                "findings",
                "Every question, the worst first",
                "v_findings",
                ("finding_rank", "sentence", "verdict", "q_value", "q_permuted", "scope_with_wording", "family_id")
                + (
                    "system_id",
                    "measure_id",
                    "grouping_id",
                    "slice_id",
                    "meaning",
                    "remedy",
                    "model",
                    "system_prompt_name",
                ),
                order=("finding_rank",),
            ),
        ),
    ),
    "Groups": (
        (
            Figure(
                "intervals",
                f"Groups against the others, with the limits of the interval ({ONE_AT_A_TIME})",
                "points",
                "v_differences",
                x="group_id",
                numbers=("value", *_LIMITS),
                by=("system_id", "category", "reference"),
                where=(_ALL_PROMPTS,),
            ),
        ),
        (
            TableChart(
                "differences",
                "Every group of every question",
                "v_differences",
                ("system_id", "measure_id", "grouping_id", "group_id", "category", "reference", "value", *_LIMITS)
                + ("value_shrunken", "unit", "q_value", "verdict", "side", "explained_by", "n_responses")
                + ("n_root_prompts", "slice_id", "meaning", "model", "system_prompt_name"),
                order=("finding_rank", "-value"),
            ),
        ),
        (
            TableChart(
                "negative_controls",
                "How far edits that cannot matter move a score",
                "v_negative_controls",
                ("system_id", "measure_id", "slice_id", "negative_control", "control_type", "value", *_LIMITS)
                + ("unit", "q_value", "verdict", "p_wording", "model", "system_prompt_name"),
                order=("p_wording", "-value"),
            ),
        ),
        (
            TableChart(
                "quotes",
                "Answers behind the groups that differ",
                "v_quotes",
                ("system_id", "measure_id", "group_id", "prompt_text", "response_text", "value", "label")
                + ("other_group_id", "other_prompt_text", "other_response_text", "other_value", "other_label"),
                order=("finding_rank", "position", "replicate"),
            ),
        ),
    ),
    "Model against model": (
        (
            Figure(
                "side_by_side",
                f"Groups against the others, model by model ({ONE_AT_A_TIME})",
                "heatmap",
                "v_differences",
                x="system_id",
                numbers=("value",),
                by=("group_id",),
                where=(_ALL_PROMPTS,),
                width=HALF,
            ),
            Figure(
                "refusals",
                "Share of answers that refuse",
                "bar",
                "v_refusals",
                x="group_id",
                numbers=("refusal_rate",),
                by=("system_id",),
                width=HALF,
            ),
        ),
        (
            Figure(
                "moved",
                "How groups moved against the others from model b to model a, with the limits of the interval",
                "points",
                "v_changed",
                x="group_id",
                numbers=("disparity_change", "disparity_change_ci_low", "disparity_change_ci_high"),
                by=("system_id", "reference_system_id", "category"),
                where=(_ALL_PROMPTS,),
            ),
        ),
        (
            TableChart(
                "changed",
                "Every change between two models, group by group",
                "v_changed",
                ("system_id", "reference_system_id", "measure_id", "grouping_id", "group_id", "category")
                + ("value_a", "value_b", "change", "disparity_change", "disparity_change_ci_low")
                + ("disparity_change_ci_high", "q_value", "verdict", "explained_by", "read_by", "n_root_prompts"),
                order=("q_value",),
            ),
        ),
    ),
    "Coverage": (
        (
            Figure(
                "covered",
                "Share of combinations that a prompt has",
                "bar",
                "v_coverage",
                x="factors",
                numbers=("coverage_percentage",),
                width=HALF,
            ),
            Figure(
                "sources",
                f"Where the variance of answers comes from ({ONE_AT_A_TIME})",
                "bar",
                "v_factors",
                x="measure_id",
                numbers=("share",),
                by=("source",),
                where=(_ALL_PROMPTS, ("share", "IS NOT NULL", None)),
                width=HALF,
                is_stacked=True,
            ),
        ),
        (
            TableChart(
                "coverage",
                "How well prompts cover the combinations of factors",
                "v_coverage",
                ("factors", "n_cells", "n_covered", "n_empty", "coverage_percentage", "gini_index")
                + ("rarest_group_id", "min_count", "max_count", "n_prompts", "n_responses", "n_responses_ok"),
                order=("coverage_percentage",),
            ),
        ),
        (
            TableChart(
                "factors",
                "What matters for an answer: share of variance, drop in deviance, or why not",
                "v_factors",
                ("measure_id", "slice_id", "grouping_id", "factor", "share", "reason", "regression_id")
                + ("system_id", "deviance_drop", "q_value", "deviance_reason"),
                order=("measure_id", "grouping_id", "-share"),
            ),
        ),
    ),
    "Quality": (
        (
            Number(
                "failed_checks",
                "checks that fail or rules that rejected",
                "v_quality",
                (("success", "IS FALSE", None),),
            ),
            Number("checks", "checks and rules in all", "v_quality"),
        ),
        (
            TableChart(
                "quality",
                "Checks of the data, those that fail first",
                "v_quality",
                ("source", "place", "rule", "column_name", "severity", "success", "n_unexpected")
                + ("n_evaluated", "unexpected_share", "checked_at"),
                order=("success", "severity", "place", "rule"),
            ),
        ),
        (
            TableChart(
                "rules",
                "Rules on records: how many break each and what becomes of them",
                "v_quality_rules",
                ("rule", "definition", "consequence", "is_met", "n_unexpected", "n_evaluated")
                + ("n_removed", "removal_rate", "reason"),
                order=("rule_position",),
            ),
        ),
        (
            TableChart(
                "scorers",
                "How rightly each measure is read",
                "v_scorers",
                ("measure_id", "model_family", "scorer", "scorer_version", "n", "recall_low")
                + ("recall_high", "precision_low", "precision_high", "is_current", "reason"),
                order=("measure_id", "model_family"),
            ),
        ),
    ),
    "History": (
        (
            Figure(
                "history",
                f"The headline of a question, else its largest effect, by run: no test of a change ({ONE_AT_A_TIME})",
                "line",
                "v_history",
                x="published_at",
                numbers=("value",),
                by=("system_id", "is_headline"),
                where=(
                    *(_ALL_PROMPTS, ("calibration", "==", "raw"), ("reference_system_id", "==", "")),
                    *(("statistic", "IN", ["mean", "share"]), ("parameters", "==", "")),
                ),
            ),
        ),
        (
            TableChart(
                "changed_since",
                "What each question came to in its latest run and the one before, and whether a change was tested",
                "v_changed_since",
                ("system_id", "measure_id", "grouping_id", "statistic", "published_at_before", "published_at")
                + ("verdict_before", "verdict", "value_before", "value")
                + ("is_same_effect", "scorer_changed", "is_tested", "change_outcome", "change_group_id", "change")
                + ("reason",),
                order=("-is_tested", "measure_id"),
            ),
        ),
        (
            TableChart(
                "runs",
                "Every question in every run",
                "v_history",
                ("published_at", "wave", "system_id", "measure_id", "grouping_id", "statistic")
                + ("outcome", "verdict", "q_value", "is_headline", "metric", "group_id", "value", "ci_low", "ci_high")
                + ("scorer_changed",),
                order=("-published_at", "measure_id"),
            ),
        ),
    ),
}


def charts() -> list[Chart]:
    """Every chart, tab by tab."""
    return [chart for rows in TABS.values() for row in rows for chart in row]


def columns_of(chart: Chart) -> set[str]:
    """The columns of its view that a chart reads."""
    read = {column for column, *_ in chart.where}
    if isinstance(chart, TableChart):
        return read.union(chart.columns, (name.removeprefix("-") for name in chart.order))
    if isinstance(chart, Figure):
        return read.union(chart.numbers, chart.by, [chart.x]) - {COUNT}
    return read
