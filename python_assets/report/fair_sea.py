"""FAIR-SEA's reading in the report: red flags, bands and actions beside verdicts, and analyses.

Belongs here: reading red_flags and interpretations, and an analysis in the shape of the document's example.
What is flagged, and which band and action a number has, is dbt's; sentences are red_flags.py and
interpretation.py.
"""

from typing import Any, Final, NamedTuple

from python_assets.report.interpretation import DIFFERENT_VERDICTS
from python_assets.report.reader import Reader, Row
from python_assets.report.sentences import measure_name, needed_words
from python_assets.report.text import number, plural, probability
from python_assets.study.base import ALL_SYSTEMS

MAX_FLAGS: Final = 40
_MAX_HYPOTHESES: Final = 60
MAX_ANALYSES: Final = 12
_MAX_GROUPS: Final = 12
FLAG_NAMES: Final[dict[str, str]] = {
    "consistent_direction": "the same group is the worst off in most questions of three models",
    "large_effect": "V, FDI, IDI or DBI in the document's red",
    "cross_model": "the same difference in two models",
    "ground_truth": "the divergence from the ground truth in the document's red",
    "amplification": "groups by several factors at once differ more than by any one",
}
_STATUSES: Final = ("raised", "band_only", "not_raised", "not_evaluated")
_COUNTS: Final = """
    select flag, status, count(*) as n from red_flags where study_id = $study group by flag, status
"""
RAISED: Final = """
    select flag, status, sentence
    from red_flags
    where study_id = $study and status = $status
    order by flag, value desc nulls last, flag_id
"""
_OPEN: Final = """
    select flag, reason, min(sentence) as sentence, count(*) as n
    from red_flags
    where study_id = $study and status = 'not_evaluated'
    group by flag, reason
    order by n desc, flag, reason
"""
_HYPOTHESES: Final = """
    select interpretations.*, findings.sentence as found, findings.n_needed, findings.n_needed_for, findings.scope,
        findings.n_root_prompts
    from interpretations
    inner join findings using (study_id, slice_id, system_id, measure_id, grouping_id)
    where study_id = $study and findings.calibration = 'raw' and findings.statistic in ('mean', 'share')
        and findings.parameters = '' and interpretations.value is not null
    order by findings.finding_rank
"""
ADVICE: Final = """
    select action, verdict, count(*) as n
    from interpretations
    where study_id = $study and value is not null
    group by action, verdict
    order by action is null, action, verdict
"""
_SIZES: Final = """
    select contrast, group_id, value
    from contrasts
    where study_id = $study and calibration = 'raw' and contrast in ('fdi_group', 'dbi') and value is not null
        and (slice_id, system_id, measure_id, grouping_id)
        = ($slice_id, $system_id, $measure_id, $grouping_id)
"""
_INDICES: Final = """
    select metric, value, null_q95
    from disparities
    where study_id = $study and calibration = 'raw' and metric in ('fdi', 'idi', 'jsd') and value is not null
        and (slice_id, system_id, measure_id, grouping_id)
        = ($slice_id, $system_id, $measure_id, $grouping_id)
    order by metric
"""
TESTS: Final = """
    select test, statistic_value, df1, df2, p_value, effect_size, null_q95
    from association_tests
    where study_id = $study and category = '' and term in ('', grouping_id) and reason is null
        and (slice_id, system_id, measure_id, grouping_id)
        = ($slice_id, $system_id, $measure_id, $grouping_id)
"""
DRIVERS: Final = """
    select group_id, category, direction, sentence
    from finding_groups
    where study_id = $study and calibration = 'raw' and direction is not null and position <= 3
        and statistic in ('mean', 'share') and parameters = ''
        and (slice_id, system_id, measure_id, grouping_id)
        = ($slice_id, $system_id, $measure_id, $grouping_id)
    order by position
"""
EFFECT_SIGNS: Final[dict[str, str]] = {"cramers_v": "V", "dbi": "DBI"}
_PLACE: Final = ("slice_id", "system_id", "measure_id", "grouping_id")


class Analysis(NamedTuple):
    """One analysis under the headings of the document's example."""

    title: str
    system_id: str
    test: list[str]
    deviation: list[str]
    interpretation: list[str]
    recommendation: str


class FairSea(NamedTuple):
    """What the section shows.

    counts: of every flag, how many places have each status. advice: how many questions the document's action
    is for, by verdict. hypotheses: the first of all, n_hypotheses; analyses: the first of those with a test.
    """

    counts: dict[str, dict[str, int]]
    raised: list[Row]
    band_only: list[Row]
    open: list[Row]
    advice: list[Row]
    hypotheses: list[Row]
    n_hypotheses: int
    analyses: list[Analysis]
    n_analyses: int


def fair_sea_section(reader: Reader) -> FairSea:
    """The flags, bands and analyses of a study."""
    counts = {flag: dict.fromkeys(_STATUSES, 0) for flag in FLAG_NAMES}
    for row in reader.rows(_COUNTS):
        counts[row["flag"]][row["status"]] = row["n"]
    hypotheses = reader.rows(_HYPOTHESES)
    tested = [row for row in hypotheses if row["test"] is not None and row["statistic_value"] is not None]
    return FairSea(
        counts=counts,
        raised=reader.rows(RAISED, status="raised"),
        band_only=reader.rows(RAISED, status="band_only"),
        open=reader.rows(_OPEN),
        advice=reader.rows(ADVICE),
        hypotheses=hypotheses[:_MAX_HYPOTHESES],
        n_hypotheses=len(hypotheses),
        analyses=[_analysis(reader, row) for row in tested[:MAX_ANALYSES]],
        n_analyses=len(tested),
    )


def _analysis(reader: Reader, hypothesis: Row) -> Analysis:
    where: dict[str, Any] = {name: hypothesis[name] for name in _PLACE}
    slice_prefix = "" if hypothesis["slice_id"] == "all" else f"{hypothesis['slice_id']} "
    tests = {row["test"]: row for row in reader.rows(TESTS, **where)}
    pooled_where = where | {"system_id": ALL_SYSTEMS}
    system_sizes, pooled = (
        sorted(
            reader.rows(_SIZES, **keys), key=lambda row: reader.group_order(hypothesis["grouping_id"], row["group_id"])
        )
        for keys in (where, pooled_where)
    )
    return Analysis(
        title=f"{slice_prefix}{measure_name(hypothesis['measure_id'])}, {hypothesis['grouping_id']} effect",
        system_id=hypothesis["system_id"],
        test=_tests(hypothesis, tests),
        deviation=[
            *_deviations(hypothesis["grouping_id"], system_sizes),
            *(f"All models, {line}" for line in _deviations(hypothesis["grouping_id"], pooled)),
            *_indices_of_all(reader.rows(_INDICES, **pooled_where)),
        ],
        interpretation=[line for line in (hypothesis["found"], _bands(hypothesis), hypothesis["sentence"]) if line],
        recommendation=_recommendation(hypothesis, reader.rows(DRIVERS, **where)),
    )


def _tests(hypothesis: Row, tests: dict[str, Row]) -> list[str]:
    """The document's statistics with its word for their size; p takes responses for independent rows."""
    lines = []
    if (row := tests.get("chi_square")) is not None:
        lines.append(f"χ² = {number(row['statistic_value'])}, {_p(row)}, df = {row['df1']:.0f}")
        lines.append(f"Cramér's V = {number(row['effect_size'])} ({size_word('cramers_v', row['effect_size'])} effect)")
    if (row := tests.get("t_pooled")) is not None:
        lines.append(f"t = {number(row['statistic_value'])}, {_p(row)}, df = {row['df1']:.0f}")
        lines.append(f"Cohen's d = {number(row['effect_size'])} ({size_word('cohens_d', row['effect_size'])} effect)")
    if (row := tests.get("anova")) is not None:
        df = f"{row['df1']:.0f}, {row['df2']:.0f}"
        lines.append(f"F = {number(row['statistic_value'])}, {_p(row)}, df = {df}")
        lines.append(f"η² = {number(row['effect_size'])} ({size_word('eta_squared', row['effect_size'])} effect)")
    if hypothesis["null_q95"] is not None and hypothesis["effect_name"] == "cramers_v":
        lines.append(f"Chance alone gives a V of up to {number(hypothesis['null_q95'])}")
    return lines


# the document's words; it calls an eta squared under .01 small, not negligible
_WORDS: Final = {
    "cramers_v": ((0.50, "large"), (0.30, "medium"), (0.10, "small"), (0.0, "negligible")),
    "cohens_d": ((0.8, "large"), (0.5, "medium"), (0.2, "small"), (0.0, "negligible")),
    "eta_squared": ((0.06, "large"), (0.01, "medium"), (0.0, "small")),
}


def size_word(name: str, value: float) -> str:
    """FAIR-SEA's word for the size of an effect.

    Args:
        name: cramers_v, cohens_d or eta_squared.
        value: of any sign.

    Source: FAIR-SEA, statistical metrics.
    """
    return next(word for edge, word in _WORDS[name] if abs(value) >= edge)


def _p(row: Row) -> str:
    written = probability(row["p_value"])
    return f"p {written[0]} {written[1:]}" if written[0] in "<>" else f"p = {written}"


def _deviations(grouping_id: str, sizes: list[Row]) -> list[str]:
    names = {"fdi_group": "FDI", "dbi": "DBI"}
    lines = []
    for contrast, name in names.items():
        deviations = [f"{row['group_id']} = {number(row['value'])}" for row in sizes if row["contrast"] == contrast]
        more = f" and {plural(len(deviations) - _MAX_GROUPS, 'more group')}" if len(deviations) > _MAX_GROUPS else ""
        if deviations:
            lines.append(f"{grouping_id} {name}: {', '.join(deviations[:_MAX_GROUPS])}{more}")
    return lines


def _indices_of_all(rows: list[Row]) -> list[str]:
    """The numbers of the whole grouping over all models, of the one that joins all factors IDI in the place of FDI."""
    by_metric = {row["metric"]: row for row in rows}
    if "idi" in by_metric:
        by_metric.pop("fdi", None)
    indices = []
    for name, row in by_metric.items():
        floor = "" if row["null_q95"] is None else f" (chance alone gives up to {number(row['null_q95'])})"
        indices.append(f"{name.upper()} = {number(row['value'])}{floor}")
    return [f"All models, whole grouping: {', '.join(indices)}"] if indices else []


def _bands(hypothesis: Row) -> str:
    p_words = f", p {hypothesis['p_band']}" if hypothesis["p_band"] else ""
    return f"Bands of the document: {EFFECT_SIGNS[hypothesis['effect_name']]} {hypothesis['band']}{p_words}."


def _recommendation(hypothesis: Row, drivers: list[Row]) -> str:
    """The document's word for the verdict; then what drives a difference, or what would settle it."""
    action = hypothesis["action"]
    first = f"{action}." if action else "The document names no action for this."
    if drivers:
        driven = dict.fromkeys(
            f"{row['group_id']} in “{row['category']}”" if row["category"] else row["group_id"] for row in drivers
        )
        return f"{first} Look first at {', '.join(driven)}."
    if hypothesis["verdict"] in DIFFERENT_VERDICTS:
        return f"{first} Which groups differ is not settled: more root prompts would tell."
    needed = needed_words(hypothesis) if hypothesis["verdict"] == "inconclusive" else ""
    return f"{first} {needed[0].upper()}{needed[1:]}." if needed else first
