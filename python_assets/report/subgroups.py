"""Subgroups in the report: two rings of log disparities, and how the rates of all subgroups are spread.

Belongs here: reading subgroups, subgroup_metrics and system_comparisons, and which of them are drawn.
Nothing is computed.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from python_assets.report import text
from python_assets.report.charts import Axis, make_axis
from python_assets.report.reader import Reader, Row
from python_assets.report.staircase import N_STYLES, staircases
from python_assets.report.sunburst import RingBranch, Sector, sunburst

MAX_SUNBURSTS: Final = 6
MAX_SECTORS: Final = 500  # of the outer ring: more are thinner than two pixels
MAX_DISTRIBUTIONS: Final = 6
MAX_FURTHEST: Final = 8
_MAX_PAIRS: Final = 10
LEAST_SUBGROUPS: Final = 3  # of a distribution: two rates are told in words
# measures that deviate at all: a picture of zeros shows nothing
_DRAWN: Final = """
    select measure_id, grouping_id, system_id, count(*) as n_subgroups
    from subgroups
    where study_id = $study and slice_id = 'all' and system_id <> 'baseline' and n_responses > 0
    group by measure_id, grouping_id, system_id
    having sum(n_deviating) > 0
    order by measure_id in ('refusal', 'empty', 'truncated', 'other_language'),
        regexp_matches(measure_id, '_(unscored|undecided|undecided_as_no)$'), measure_id, grouping_id, system_id
"""
OF_SETS: Final = """
    select * from subgroups
    where study_id = $study and slice_id = 'all' and measure_id = $measure_id
        and system_id = $system_id and list_contains($groupings, grouping_id)
"""


class Rings(NamedTuple):
    """One sunburst with the subgroups that lie furthest from all others."""

    measure_id: str
    system_id: str
    inner: str
    outer: str
    picture: Markup
    furthest: list[Row]


class Staircase(NamedTuple):
    """The rates of one generation: its style in the picture, and what they come to."""

    system_id: str
    style: int
    n_subgroups: int
    deviation_metric: float | None
    share_below: float | None


class Distribution(NamedTuple):
    """The subgroup rates of one measure by one set of factors, generation beside generation."""

    measure_id: str
    grouping_id: str
    ideal: float
    axis: Axis
    picture: Markup
    staircases: list[Staircase]
    n_systems: int
    pairs: list[Row]
    n_pairs: int


class SubgroupSection(NamedTuple):
    """What the section shows, how many pictures there could be, and how many subgroups were described.

    n_too_fine: pairs of rings whose outer one has more sectors than can be told apart.
    """

    rings: list[Rings]
    n_rings: int
    n_too_fine: int
    distributions: list[Distribution]
    n_distributions: int
    n_subgroups: int


def subgroups_section(reader: Reader) -> SubgroupSection:
    """The pictures of the slice of all prompts, declared measures first."""
    drawn = reader.rows(_DRAWN)
    with_rings = [row for row in drawn if _has_rings(row, drawn)]
    rings = [row for row in with_rings if row["n_subgroups"] <= MAX_SECTORS]
    sets: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in drawn:
        if row["n_subgroups"] >= LEAST_SUBGROUPS:
            sets[row["measure_id"], row["grouping_id"]].append(row)
    spread = _finest_first(sets)
    counted = reader.rows("select count(*) as n from subgroups where study_id = $study")
    return SubgroupSection(
        [_rings(reader, row) for row in rings[:MAX_SUNBURSTS]],
        len(rings),
        len(with_rings) - len(rings),
        [_distribution(reader, rows) for rows in spread[:MAX_DISTRIBUTIONS]],
        len(spread),
        counted[0]["n"],
    )


def _has_rings(row: Row, drawn: list[Row]) -> bool:
    """Whether two factors are combined, the first of which stands by itself too."""
    factors = row["grouping_id"].split(" x ")
    first = {**row, "grouping_id": factors[0]}
    same = ("measure_id", "system_id", "grouping_id")
    return len(factors) == 2 and any(all(one[key] == first[key] for key in same) for one in drawn)


def _finest_first(sets: dict[tuple[str, str], list[Row]]) -> list[list[Row]]:
    """Measures in their order; of each the set with most subgroups first, as the document draws it."""
    order = {measure: position for position, (measure, _) in enumerate(sets)}
    return sorted(
        sets.values(), key=lambda rows: (order[rows[0]["measure_id"]], -max(row["n_subgroups"] for row in rows))
    )


def _rings(reader: Reader, drawn: Row) -> Rings:
    inner, outer = drawn["grouping_id"].split(" x ")
    rows = reader.rows(
        OF_SETS, measure_id=drawn["measure_id"], system_id=drawn["system_id"], groupings=[inner, drawn["grouping_id"]]
    )
    rows.sort(key=lambda row: reader.group_order(row["grouping_id"], row["group_id"]))
    pair_rows = [row for row in rows if row["grouping_id"] != inner]
    branches = [
        RingBranch(
            _sector(row, row["group_id"]),
            [
                _sector(pair, pair["group_id"].split(" x ")[1])
                for pair in pair_rows
                if pair["group_id"].split(" x ")[0] == row["group_id"]
            ],
        )
        for row in rows
        if row["grouping_id"] == inner
    ]
    title = f"Log disparity of {drawn['measure_id']} by {inner}, and by {outer} within each"
    return Rings(
        drawn["measure_id"],
        drawn["system_id"],
        inner,
        outer,
        sunburst([branch for branch in branches if branch.outer], title),
        _furthest(rows),
    )


def _sector(row: Row, label: str) -> Sector:
    low, high = row["log_disparity_ci_low"], row["log_disparity_ci_high"]
    limits = text.interval(low, high)
    size = (
        f"log disparity {text.number(row['log_disparity'])} {limits}".rstrip()
        if row["log_disparity"] is not None
        else f"no log disparity: {text.words(row['reason'])}"
    )
    rate = f"{row['n_deviating']:,} of {text.plural(row['n_responses'], 'response')}"
    return Sector(label, row["log_disparity"], _covers_zero(row), f"{row['group_id']}: {size}; {rate}")


def _covers_zero(row: Row) -> bool:
    low, high = row["log_disparity_ci_low"], row["log_disparity_ci_high"]
    return low is None or high is None or low <= 0 <= high


def _furthest(rows: Iterable[Row]) -> list[Row]:
    apart = [row for row in rows if row["log_disparity"] is not None and not _covers_zero(row)]
    return sorted(apart, key=lambda row: -abs(row["log_disparity"]))[:MAX_FURTHEST]


def _distribution(reader: Reader, drawn: list[Row]) -> Distribution:
    keys: dict[str, Any] = {key: drawn[0][key] for key in ("measure_id", "grouping_id")}
    shown = [row["system_id"] for row in drawn[:N_STYLES]]
    rates = defaultdict(list)
    for row in reader.rows(
        """
        select system_id, deviation_rate from subgroups
        where study_id = $study and slice_id = 'all' and measure_id = $measure_id
            and grouping_id = $grouping_id and deviation_rate is not null
        """,
        **keys,
    ):
        rates[row["system_id"]].append(row["deviation_rate"])
    metrics = {
        (row["system_id"], row["metric"]): row
        for row in reader.rows(
            """
            select * from subgroup_metrics
            where study_id = $study and slice_id = 'all' and measure_id = $measure_id
                and grouping_id = $grouping_id and statistic = 'deviation_rate'
            """,
            **keys,
        )
    }
    ideal = metrics[shown[0], "deviation_metric"]["ideal"]
    axis = make_axis([rate for name in shown for rate in rates[name]], include=[ideal])
    pairs = reader.rows(
        """
        select * from system_comparisons
        where study_id = $study and slice_id = 'all' and measure_id = $measure_id
            and grouping_id = $grouping_id and comparison = 'kolmogorov_smirnov' and value is not null
        order by value desc, system_id, reference_system_id
        """,
        **keys,
    )
    return Distribution(
        **keys,
        ideal=ideal,
        axis=axis,
        picture=staircases(axis, [rates[name] for name in shown], ideal),
        staircases=[
            Staircase(
                name,
                style,
                len(rates[name]),
                metrics[name, "deviation_metric"]["value"],
                metrics[name, "share_below_0_2"]["value"],
            )
            for style, name in enumerate(shown)
        ],
        n_systems=len(drawn),
        pairs=pairs[:_MAX_PAIRS],
        n_pairs=len(pairs),
    )
