"""Ground truth in the report: the shares of groups in each category, of a model beside the real ones.

Belongs here: reading mart ground_truth and its sizes, and what is drawn. Counting is dbt's.
"""

from math import log, sqrt
from typing import Any, Final, NamedTuple

from python_assets.report.reader import Reader, Row
from python_assets.study.base import GROUND_TRUTH

MAX_HEATMAPS: Final = 12
_MAX_GROUPS: Final = 12
_KEYS: Final = ("slice_id", "system_id", "measure_id", "grouping_id")
COMPARISONS: Final = """
    select distinct slice_id, system_id, measure_id, grouping_id, source, licence, period
    from ground_truth
    where study_id = $study
    order by measure_id, slice_id <> 'all', slice_id, grouping_id, system_id
"""
ROWS: Final = """
    select category, group_id, n, n_category, model_share, truth_share, jsd_nats, jsd_distance, reason
    from ground_truth
    where study_id = $study
        and (slice_id, system_id, measure_id, grouping_id)
        = ($slice_id, $system_id, $measure_id, $grouping_id)
    order by category = '' desc, reason is not null, n_category desc, category, group_id
"""
_SIZES: Final = f"""
    select metric, value, null_q95, p_value, band, verdict, method, reason
    from disparities
    where study_id = $study and statistic = '{GROUND_TRUTH}'
        and (slice_id, system_id, measure_id, grouping_id)
        = ($slice_id, $system_id, $measure_id, $grouping_id)
    order by list_position(
        ['jsd_truth_weighted', 'jsd_truth_unweighted', 'jsd_truth_marginal', 'jsd_truth_by_group'], metric
    )
"""
_SENTENCE: Final = f"""
    select sentence
    from findings
    where study_id = $study and statistic = '{GROUND_TRUTH}'
        and (slice_id, system_id, measure_id, grouping_id)
        = ($slice_id, $system_id, $measure_id, $grouping_id)
"""


class Category(NamedTuple):
    """A line of a heatmap: the shares of every group by the model and really, None where there is none."""

    name: str
    n: int
    model: list[float | None]
    truth: list[float | None]
    jsd: float | None
    distance: float | None
    reason: str | None


class TruthHeatmap(NamedTuple):
    """A generation beside the truth of a measure.

    together: all categories as one; None where the truth has shares alone. unknown: labels and groups that
    the truth lacks, with their answers.
    """

    key: Row
    groups: list[str]
    n_groups: int
    together: Category | None
    categories: list[Category]
    unknown: list[Row]
    sizes: list[Row]
    sentence: str


class GroundTruths(NamedTuple):
    """The heatmaps drawn, and how many there are."""

    drawn: list[TruthHeatmap]
    n_all: int


def ground_truth_section(reader: Reader) -> GroundTruths:
    """What the section shows, measure by measure."""
    comparisons = reader.rows(COMPARISONS)
    return GroundTruths([_heatmap(reader, row) for row in comparisons[:MAX_HEATMAPS]], len(comparisons))


def _heatmap(reader: Reader, comparison: Row) -> TruthHeatmap:
    where: dict[str, Any] = {name: comparison[name] for name in _KEYS}
    rows = reader.rows(ROWS, **where)
    known = [row for row in rows if row["reason"] != "not_in_truth"]
    every = sorted(
        {row["group_id"] for row in known}, key=lambda group: reader.group_order(where["grouping_id"], group)
    )
    groups = every[:_MAX_GROUPS]
    lines = [_category(name, known, groups) for name in dict.fromkeys(row["category"] for row in known)]
    together = next((line for line in lines if line.name == ""), None)
    return TruthHeatmap(
        key=comparison,
        groups=groups,
        n_groups=len(every),
        together=None if together is None or together.jsd is None else together,
        categories=[line for line in lines if line.name],
        unknown=[row for row in rows if row["reason"] == "not_in_truth"],
        sizes=[{**row, "distance": _distance(row["value"])} for row in reader.rows(_SIZES, **where)],
        sentence=" ".join(row["sentence"] for row in reader.rows(_SENTENCE, **where)),
    )


def _category(name: str, rows: list[Row], groups: list[str]) -> Category:
    by_group = {row["group_id"]: row for row in rows if row["category"] == name}
    first = next(iter(by_group.values()))
    return Category(
        name=name,
        n=first["n_category"],
        model=[by_group[group]["model_share"] for group in groups],
        truth=[by_group[group]["truth_share"] for group in groups],
        jsd=first["jsd_nats"],
        distance=first["jsd_distance"],
        reason=first["reason"],
    )


def _distance(jsd: float | None) -> float | None:
    """What the code of FAIR-SEA computes, 0 to 1 (metrics.md 4)."""
    return None if jsd is None else sqrt(max(jsd, 0) / log(2))
