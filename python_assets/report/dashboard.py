"""What the pages with filters show: statistics, disparities and every response, packed into the report.

Belongs here: which rows of the tables of results travel with the page, and how many at most. Nothing is
computed here, and no statistic, metric or measure is listed by name: what the tables hold is shown. Responses
are dashboard_responses.py, the pages scripts/*.js.
"""

from typing import Final, NamedTuple

from python_assets.published.account import ABOUT_GROUPS
from python_assets.report.dashboard_responses import MAX_DASHBOARD_VALUES, DrawnResponses
from python_assets.report.explanations import DISPARITIES
from python_assets.report.packing import Header, Key, Pack
from python_assets.report.reader import Reader, natural
from python_assets.report.result_cards import lead_hypothesis
from python_assets.study.base import OTHER_LANGUAGE
from python_assets.study.metrics import metric_names

_MAX_ROWS: Final = 800_000  # of each table; paper scale has 600,000 of either
SYSTEM_COLUMNS: Final = ("system_id", "is_simulated", "is_baseline")
# what a generation may be chosen by; a study without templates has no such filter
SYSTEM_FILTERS: Final = ("system_prompt_name", "model", "provider", "template", "extension")


class Dashboard(NamedTuple):
    """Packed tables by name, in the order in which the page asks for them."""

    tables: str
    responses: str
    texts: str


_SYSTEMS: Final = """
    select *
    from systems
    where study_id = $study and system_id in (
        select system_id from summary_statistics where study_id = $study
        union
        select system_id from measurements where study_id = $study
    )
    order by is_baseline, system_id
"""
# a statistic and its options are one name; the options of a disparity come after those of its statistic
NAMED: Final = """
    with known as (
        select distinct statistic, parameters from summary_statistics where study_id = $study
    ),
    named as (
        select found.statistic, found.parameters,
            coalesce(max_by(known.parameters, len(known.parameters)), '') as options
        from (select distinct statistic, parameters from {table} where study_id = $study) as found
        left join known
            on found.statistic = known.statistic
            and (known.parameters = found.parameters or known.parameters = ''
                or starts_with(found.parameters, known.parameters || ';'))
        group by found.statistic, found.parameters
    ),
    sized as (
        select slice_id, grouping_id, sum(count(*)) over (
            order by slice_id <> 'all', len(string_split(grouping_id, ' x ')), slice_id, grouping_id
        ) as n
        from {table}
        where study_id = $study
        group by slice_id, grouping_id
    ),
    kept as (
        select slice_id, grouping_id from sized where n <= $max_rows or n = (select min(n) from sized)
    )
"""
_LABEL: Final = """
    replace(statistic, '_', ' ')
        || case when options = '' then '' else ' (' || replace(options, ';', '; ') || ')' end
"""
# of a measure of two values the mean is the share
SHARES_OF_LABELS: Final = """
    (select * from outcome_distributions inner join measures using (study_id, measure_id) where kind = 'categorical')
"""
_STATISTICS: Final = f"""
    {NAMED.format(table="summary_statistics")}
    select summary_statistics.* exclude (study_id, statistic, parameters, value_responses, std_error, skewness),
        {_LABEL} as statistic
    from summary_statistics
    inner join named using (statistic, parameters)
    inner join kept using (slice_id, grouping_id)
    where study_id = $study
    union all by name
    select slice_id, grouping_id, measure_id, 'raw' as calibration, 'share (' || category || ')' as statistic,
        system_id, group_id, share as value, ci_low, ci_high, scope, n_group as n_responses,
        case when share is null then 'no_values' end as reason
    from {SHARES_OF_LABELS}
    where study_id = $study
    order by slice_id, grouping_id, measure_id, calibration, statistic, system_id, group_id
"""
RATIOS: Final = metric_names(is_ratio=True)  # small is unequal: chance keeps them above a floor
DISPARITY_ROWS: Final = f"""
    {NAMED.format(table="disparities")}
    select slice_id, grouping_id, measure_id, calibration, {_LABEL} as statistic, metric, system_id,
        ltrim(substr(disparities.parameters, len(options) + 1), ';') as options, value, null_q95, q_value,
        case when metric in {RATIOS} then value < null_q95 else value > null_q95 end as is_beyond,
        case when n_low > 1 then n_low || ' groups' else group_low end as group_low,
        case when n_high > 1 then n_high || ' groups' else group_high end as group_high,
        verdict, concentration, disparities.reason, inference_reason
    from disparities
    inner join named using (statistic, parameters)
    inner join kept using (slice_id, grouping_id)
    left join (select * exclude (parameters), parameters as options from concentrations)
        using (study_id, slice_id, system_id, measure_id, calibration, grouping_id, statistic, options)
    where study_id = $study and {ABOUT_GROUPS}
    order by slice_id, grouping_id, measure_id, calibration, statistic, metric, system_id
"""
THEMES: Final = """
    select cluster_precision.measure_id, cluster_precision.segment, theme, cluster_precision.system_id,
        precision, n, reason
    from cluster_precision
    left join clusters using (study_id, measure_id, segment, cluster_position)
    where study_id = $study
    order by all
"""


def pack_dashboard(reader: Reader, *, max_values: int = MAX_DASHBOARD_VALUES, max_rows: int = _MAX_ROWS) -> Dashboard:
    """Pack what the pages show.

    Args:
        reader: the study.
        max_values: how many measurements travel at most, of whole root prompts; the first always does.
        max_rows: how many statistics, and how many disparities, travel at most, of whole groupings of a
            slice; the first always does.

    Returns:
        Three texts of base64. The same tables give the same texts.
    """
    keys = _keys(reader)
    responses = DrawnResponses(reader, keys, max_values)
    return Dashboard(_pack_tables(reader, keys, max_rows), responses.packed(), responses.packed_texts())


def _keys(reader: Reader) -> dict[str, Key]:
    """What the levels of a column are sorted by: as the study declares them, else as a reader expects.

    The measure of the first finding comes first: a page opens on it.
    """
    positions, lead = _positions(reader), (lead_hypothesis(reader) or {}).get("measure_id")
    systems = {row["system_id"]: position for position, row in enumerate(reader.rows(_SYSTEMS))}
    metrics = {name: position for position, name in enumerate(DISPARITIES)}
    always = ("refusal", "empty", "truncated", OTHER_LANGUAGE)
    return {
        "slice_id": lambda name: (name != "all", natural(name)),
        "grouping_id": lambda name: (len(name.split(" x ")), name),
        "measure_id": lambda name: (name != lead, name in always, natural(name)),
        "calibration": lambda name: name != "raw",
        "statistic": lambda name: (name != "mean", natural(name)),
        "metric": lambda name: (metrics.get(name, len(metrics)), natural(name)),
        "system_id": lambda name: systems.get(name, -1),
        "group_id": lambda name: positions.get(name, -1),
        "level": lambda name: positions.get(name, -1),
    }


def _positions(reader: Reader) -> dict[str, int]:
    """The place of every group and level; a name that several groupings have takes that of the first."""
    groups = reader.rows(
        """
        select distinct grouping_id, group_id, false as is_level
        from summary_statistics
        where study_id = $study
        union all
        select distinct factor, level, true
        from prompt_factors
        where study_id = $study
        """
    )
    groups.sort(
        key=lambda row: (row["is_level"], row["grouping_id"], reader.group_order(row["grouping_id"], row["group_id"]))
    )
    positions: dict[str, int] = {}
    for position, row in enumerate(groups):
        positions.setdefault(row["group_id"], position)
    return positions


def _pack_tables(reader: Reader, keys: dict[str, Key], max_rows: int) -> str:
    pack = Pack()
    queries = {"statistics": _STATISTICS, "disparities": DISPARITY_ROWS}
    tables: Header = {name: pack.table(reader.table(query, max_rows=max_rows), keys) for name, query in queries.items()}
    themes = pack.table(reader.table(THEMES), keys)
    return pack.packed({**tables, "themes": themes, "design": _design(reader, keys)})


def _design(reader: Reader, keys: dict[str, Key]) -> Header:
    """What the filters offer beside what stands in the tables."""
    names = (*SYSTEM_COLUMNS, *SYSTEM_FILTERS)
    measures = reader.rows("select measure_id, kind, scale_low, scorer from measures where study_id = $study")
    return {
        "systems": [{name: row[name] for name in names} for row in reader.rows(_SYSTEMS)],
        "system_filters": SYSTEM_FILTERS,
        "measures": sorted(measures, key=lambda row: keys["measure_id"](row["measure_id"])),
        "groupings": reader.config.get("groupings") or [],
        "slices": reader.config.get("slices") or {},
        "small_is_unequal": RATIOS,
        "n_statistics": _count(reader, "summary_statistics") + _count(reader, SHARES_OF_LABELS),
        "n_disparities": _count(reader, "disparities"),
    }


def _count(reader: Reader, table: str) -> int:
    return int(reader.rows(f"select count(*) as n from {table} where study_id = $study")[0]["n"])
