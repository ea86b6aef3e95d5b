"""The facts that the report opens with: what was tested, found, not found, and what could not be tested.

Belongs here: which questions make a fact, that is a measure of a generation by a grouping. Other sizes of it,
such as its variance or the calibrated values, are folded in. Sentences are sentences.py.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from python_assets.published.account import (
    ABOUT_GROUPS,
    FAMILIES,
    OUTCOMES,
    SIGNIFICANT,
    SIGNIFICANT_FINDINGS,
    UNTESTED,
    why,
)
from python_assets.published.beyond_margin import beyond_margin, beyond_margin_in_words, effect_and_margin
from python_assets.published.controls import UNUSED, WORDINGS, unused_in_words, wording_in_words
from python_assets.published.effects import (
    ADJUSTED,
    GROUP_CONTRASTS,
    adjusted_effects,
    effect_columns,
    effect_in_words,
    estimate,
    first_of_both_signs,
    in_points,
    margin_words,
    unadjusted_in_words,
)
from python_assets.published.plain_numbers import named_p, plain_value, signed_limits
from python_assets.report import charts
from python_assets.report.behind import Behind, behind_fact
from python_assets.report.explanations import DISPARITIES
from python_assets.report.matrix import statistic_name
from python_assets.report.reader import Reader, Row
from python_assets.report.sentences import DIFFERENCE_VERDICTS, measure_name, quantity_of
from python_assets.report.text import (
    DASH,
    counted,
    listed,
    minus_signs,
    plain,
    plural,
    sample,
    scope_words,
    verdict,
    words,
)
from python_assets.study.base import GROUND_TRUTH, NEGATIVE_CONTROL

MAX_FACTS: Final = 40
CARDS: Final = 2
LINES: Final = 6
MAX_CARD_GROUPS: Final = 4
MAX_OPEN: Final = 8
MAX_BY_RANK: Final = 3
MAX_LOUD: Final = 3
# what the families of a study are about; others have their name alone
_MEANINGS: Final[dict[str, str]] = {
    "primary": "what the study is about",
    "comparison": "whether systems differ, or changed",
    "secondary": "all other hypotheses",
    "undecided": "undecided responses, and decisions with them counted as no",
    "pooled": "over all systems together",
    "truth": "labels compared with real shares",
    "baseline": "the baseline texts: tool bias",
}
# repeated questions come to the same as the raw values and lead no fact; a distance from real shares is no
# bias by itself, and has a section of its own
FACTS: Final = f"""
    with first_hypotheses as (
        select findings.*, measures.kind,
            min(finding_rank) over (partition by slice_id, system_id, grouping_id, measure_id) as card_rank
        from ({SIGNIFICANT_FINDINGS}) as findings
        left join measures using (study_id, measure_id)
        where study_id = $study and not is_tool_bias and not is_repeated and statistic is distinct from '{GROUND_TRUTH}'
        -- a variance of two values says no more than their rate
        qualify row_number() over (
            partition by slice_id, system_id, grouping_id, measure_id
            order by kind in ('binary', 'categorical') and statistic not in ('mean', 'share'), finding_rank
        ) = 1
    ),
    -- another metric than the one that heads the hypothesis has another q, so only its value is read
    named as (
        select *, case when headline_group_id is null then coalesce(headline_metric, 'range') else 'range' end as metric
        from first_hypotheses
    )
    select named.*, metrics.value as metric_value, metrics.null_q95 as metric_null_q95,
        metrics.control_floor as metric_control_floor,
        case when headline_metric = metric then metrics.q_value end as metric_q_value, count(*) over () as n_facts
    from named
    left join disparities as metrics
        using (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters, metric)
    order by card_rank
    limit {MAX_FACTS}
"""
_STANDING: Final = f"""
    select finding_groups.group_id, finding_groups.category, finding_groups.reference, finding_groups.direction,
        finding_groups.value, finding_groups.ci_low, finding_groups.ci_high, finding_groups.sentence,
        contrasts.contrast as metric, contrasts.value_shrunken, contrasts.ci_low_selected, contrasts.ci_high_selected,
        contrasts.verdict_with_missing
    from finding_groups
    {GROUP_CONTRASTS}
    where study_id = $study
        and (direction is not null or (finding_groups.verdict = 'equivalent' and finding_groups.explained_by is null))
        and (slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
        = ($slice_id, $system_id, $grouping_id, $measure_id, $calibration, $statistic, $parameters)
    order by position
"""
# of a card; its verdict is the badge
_PRIMARY: Final = """
    select findings.*, measures.kind
    from findings
    left join measures using (study_id, measure_id)
    where study_id = $study and family_id = 'primary' and not is_tool_bias
        and (slice_id, system_id, grouping_id, measure_id)
        = ($slice_id, $system_id, $grouping_id, $measure_id)
    order by finding_rank
    limit 1
"""
# calibrated values that say the same
_CALIBRATED: Final = """
    select count(*) as n
    from findings
    where study_id = $study and calibration = 'calibrated' and is_repeated and statistic = $statistic
        and (slice_id, system_id, grouping_id, measure_id)
        = ($slice_id, $system_id, $grouping_id, $measure_id)
"""
OTHER_SIZES: Final = """
    select verdict, sentence
    from findings
    where study_id = $study and not is_tool_bias and finding_rank <> $finding_rank
        and (slice_id, system_id, grouping_id, measure_id)
        = ($slice_id, $system_id, $grouping_id, $measure_id)
    order by finding_rank
"""
# of groups of one generation; pairs of generations have a section of their own
_OF_SYSTEMS: Final = f"""
    select count(hypotheses.p_value) as n_tested, count(*) as n_hypotheses
    from hypotheses
    left join findings
        using (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
    where study_id = $study and reference_system_id = '' and system_id <> 'baseline'
        and is_tool_bias is distinct from true and {ABOUT_GROUPS}
"""
_OPEN: Final = """
    select system_id, measure_id, grouping_id, slice_id, min(finding_rank) as place
    from hypotheses
    inner join findings
        using (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
    where study_id = $study and reference_system_id = '' and hypotheses.family_id = 'primary'
        and outcome = 'inconclusive'
    group by system_id, measure_id, grouping_id, slice_id
    order by place
"""
# what is told where nothing is significant: of each of these its largest effect
FIRST_BY_RANK: Final = f"""
    select system_id, measure_id, grouping_id, slice_id, statistic, verdict, kind, {effect_columns("findings")}
    from findings
    left join measures using (study_id, measure_id)
    where study_id = $study and verdict in ('inconclusive', 'equivalent') and largest_value is not null
        and not is_tool_bias and not is_repeated and {ABOUT_GROUPS}
    order by finding_rank
    limit {MAX_BY_RANK}
"""

_EFFECT: Final = f"""
    select findings.statistic, {effect_columns("findings")}, {ADJUSTED}
    from (
        select * from findings
        where study_id = $study
            and (slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
            = ($slice_id, $system_id, $grouping_id, $measure_id, $calibration, $statistic, $parameters)
    ) as findings
    {adjusted_effects("findings")}
"""
TOOL: Final = """
    select count(findings.p_value) as n_tested, count(*) filter (outcome = 'significant') as n_shown
    from findings
    left join hypotheses
        using (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
    where study_id = $study and is_tool_bias
"""
LEAD: Final = f"""
    select *
    from findings
    where study_id = $study and not is_tool_bias and statistic is distinct from '{GROUND_TRUTH}' and {ABOUT_GROUPS}
    order by verdict not in ('beyond_margin', 'different'), finding_rank
    limit 1
"""
_LOUD: Final = f"""
    select sentence
    from findings
    where study_id = $study and family_id = '{NEGATIVE_CONTROL}' and verdict in ('beyond_margin', 'different')
        and calibration = 'raw' and statistic in ('mean', 'share') and parameters = ''
    qualify row_number() over (partition by system_id, measure_id order by slice_id <> 'all', finding_rank) = 1
    order by finding_rank
    limit {MAX_LOUD}
"""
CLEAREST: Final = """
    select category
    from contrasts
    where study_id = $study and value is not null
        and (slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
        = ($slice_id, $system_id, $grouping_id, $measure_id, $calibration, $statistic, $parameters)
    order by p_value, abs(value) desc, category
    limit 1
"""
_KEYS: Final = (
    "slice_id", "system_id", "grouping_id", "measure_id", "calibration", "statistic", "parameters",
)  # fmt: skip


class GroupLine(NamedTuple):
    """A group on a card: its effect and interval in words and drawn, and whom the difference disadvantages.

    unadjusted: the effect before selection, where the adjusted one would puzzle; or nothing.
    """

    name: str
    effect: str
    interval: str
    chart: Markup
    direction: str
    unadjusted: str


class OwnLine(NamedTuple):
    """A statistic of the measure of a card whose verdict is a stronger one, or beyond its margin.

    verdict: '' where the badge and the line of p and q of the card are of this very hypothesis.
    """

    name: str
    verdict: str
    effect: str


class Fact(NamedTuple):
    """A measure of a system in which groups differ.

    hypothesis: the first of its significant hypotheses by rank. badge: its primary hypothesis, else the same one. p:
    of the hypothesis, with q and family. groups: those that are significant on their own. first_groups: the first of
    them, of both directions where there are two, with ticks of their axis; is_adjusted: shrunken, with intervals for
    selection. own_lines: statistics with a stronger verdict. checks: what else holds. others: its other hypotheses.
    behind: the root prompts in which the first groups differ most.
    """

    hypothesis: Row
    badge: Row
    title: str
    p: str
    size: str
    checks: str
    groups: list[Row]
    first_groups: list[GroupLine]
    ticks: list[tuple[float, str]]
    is_adjusted: bool
    own_lines: list[OwnLine]
    others: list[Row]
    behind: list[Behind]


class Facts(NamedTuple):
    """What the first screen tells; facts are cut at MAX_FACTS, n_facts counts all.

    tested: a row a set, with what its questions came to, and outcomes: those that any of them came to. significant:
    what the called ones are told as. total: of all sets. of_systems: questions of groups of one generation.
    first_by_rank: the first with their largest effects where nothing is significant. wording: how the words of groups
    were controlled. n_not_beyond: hypotheses whose words differ no more than control edits do. loud: which systems and
    measures such edits move, the first of them.
    """

    tested: list[Row]
    outcomes: dict[str, str]
    total: Row
    significant: list[str]
    facts: list[Fact]
    n_facts: int
    of_systems: Row
    open_primary: list[str]
    first_by_rank: list[str]
    not_tested: list[Row]
    tool: Row
    wording: list[str]
    n_not_beyond: int
    loud: list[str]


def study_facts(reader: Reader) -> Facts:
    """What the questions of a study came to.

    Args:
        reader: the study.
    """
    hypotheses, families, significant = reader.rows(FACTS), reader.rows(FAMILIES), reader.rows(SIGNIFICANT)[0]
    n_facts, wordings = hypotheses[0]["n_facts"] if hypotheses else 0, reader.rows(WORDINGS)
    beyond = [row for row in beyond_margin(reader.connection, reader.study_id) if not row["reference_system_id"]]
    counts = ["n_hypotheses", "n_tested", *(f"n_{outcome}" for outcome in OUTCOMES)]
    total = {name: sum(row[name] for row in families) for name in counts}
    always = ("significant", "inconclusive")
    return Facts(
        tested=[_tested(row, reader.alpha) for row in families],
        outcomes={name: phrase for name, phrase in OUTCOMES.items() if name in always or total[f"n_{name}"]},
        total=total,
        significant=_significant_in_words(significant, n_facts),
        facts=[_fact(reader, hypothesis, beyond) for hypothesis in hypotheses],
        n_facts=n_facts,
        of_systems=reader.rows(_OF_SYSTEMS)[0],
        open_primary=_open_primary(reader.rows(_OPEN)),
        first_by_rank=[] if hypotheses else [_largest(row) for row in reader.rows(FIRST_BY_RANK)],
        not_tested=[_not_tested(row) for row in reader.rows(UNTESTED)],
        tool=reader.rows(TOOL)[0],
        wording=[*wording_in_words(wordings), *unused_in_words(reader.rows(UNUSED))],
        n_not_beyond=sum(row["n_not_beyond"] for row in wordings),
        loud=[row["sentence"] for row in reader.rows(_LOUD)],
    )


def asked_in_short(design: dict[str, Any]) -> dict[str, list[str]]:
    """Names for a line: the generations compared, the groupings with their sizes, the measures."""
    slices: dict[str, dict[str, int]] = design["groupings"]["slices"]
    sizes = slices.get("all") or next(iter(slices.values()), {})
    return {
        "compared": [row["system_id"] for row in design["systems"] if not row["is_baseline"] and not row["is_engine"]],
        "grouping_sizes": [f"{name} ({plural(n, 'group')})" for name, n in sizes.items()],
        "measured": [measure_name(row["measure_id"]) for row in design["measures"]],
    }


def lead_hypothesis(reader: Reader) -> Row | None:
    """The question whose figure comes first: the first that shows a difference, else the first of all.

    Args:
        reader: the study.

    Returns:
        Its row with a category: the label in which a group stands, else the one with the clearest difference.
    """
    hypothesis = next(iter(reader.rows(LEAD)), None)
    if hypothesis is None:
        return None
    keys = {name: hypothesis[name] for name in _KEYS}
    labels = reader.rows(_STANDING, **keys) or reader.rows(CLEAREST, **keys) or [{"category": ""}]
    return {**hypothesis, "category": labels[0]["category"]}


def _significant_in_words(row: Row, n_facts: int) -> list[str]:
    """Where the significant hypotheses are reported: each is counted once."""
    cards = f"in {counted(n_facts, 'result card', 'result cards')} below"
    if row["n_inside"]:
        which = "" if row["n_inside"] == row["n_facts"] else f"{row['n_inside']:,} of them with "
        cards += f" ({which}every difference within the margin)"
    n_calibrated = row["n_repeated"] - row["n_repeated_undecided_as_no"] - row["n_repeated_as_written"]
    counts = [
        (row["n_facts"], cards),
        (row["n_changes"], "between two systems"),
        (n_calibrated, "in calibrated or corrected values, which confirm one of these"),
        (row["n_repeated_undecided_as_no"], "with undecided responses counted as no, which confirm one of these"),
        (row["n_repeated_as_written"], "of texts as written, which confirm one of these"),
        (row["n_truth"], "of labels compared with real shares"),
        (row["n_tool"], "of tool bias"),
    ]
    return [f"{n:,} {what}" for n, what in counts if n]


def _tested(row: Row, alpha: float) -> Row:
    """A set with the number of false ones expected among those called, which q holds at alpha of them."""
    return {
        **row,
        "about": _MEANINGS.get(row["family_id"], ""),
        "n_false": plain(round(alpha * row["n_significant"], 2)),
    }


def _not_tested(row: Row) -> Row:
    return {**row, "why": _why(row), "measures": [measure_name(measure_id) for measure_id in row["measures"]]}


def _why(row: Row) -> str:
    return why(row["reason"], row["meaning"], row["remedy"])


def _fact(reader: Reader, hypothesis: Row, beyond: list[Row]) -> Fact:
    keys = {name: hypothesis[name] for name in _KEYS}
    card = {name: hypothesis[name] for name in _KEYS[:4]}
    badge = next(iter(reader.rows(_PRIMARY, **card)), hypothesis)
    groups = reader.rows(_STANDING, **keys)
    lines, ticks = _group_lines(first_of_both_signs(groups, MAX_CARD_GROUPS), hypothesis)
    own_lines = _own_lines(reader, hypothesis, badge, [row for row in beyond if _is_of(row, card)])
    return Fact(
        hypothesis=hypothesis,
        badge=badge,
        title=_title(badge),
        p=_p(hypothesis, reader.level),
        size=_size(hypothesis, is_told=any(not line.verdict for line in own_lines)),
        checks=_checks(reader, hypothesis, groups),
        groups=groups,
        first_groups=lines,
        ticks=ticks,
        is_adjusted=any(estimate(row)[0] != row["value"] for row in groups),
        own_lines=own_lines,
        others=reader.rows(OTHER_SIZES, **card, finding_rank=badge["finding_rank"]),
        behind=behind_fact(reader, keys, groups),
    )


def _title(badge: Row) -> str:
    quantity = quantity_of(badge).removeprefix("the ")
    slice_id = "" if badge["slice_id"] == "all" else f", slice {badge['slice_id']}"
    return f"{quantity[:1].upper()}{quantity[1:]} by {badge['grouping_id']}{slice_id}"


def _is_of(row: Row, card: Mapping[str, Any]) -> bool:
    return all(row[name] == value for name, value in card.items())


def _own_lines(reader: Reader, hypothesis: Row, badge: Row, beyond: list[Row]) -> list[OwnLine]:
    """The hypotheses beyond their margin, and before them the first significant one where the badge is of another."""
    is_of_badge = badge["finding_rank"] == hypothesis["finding_rank"]
    lines = []
    for row in beyond:
        is_card = is_of_badge and row["finding_rank"] == hypothesis["finding_rank"]
        effect = effect_and_margin(row) if is_card else beyond_margin_in_words(row, reader.level)
        lines.append(OwnLine(statistic_name(row), "" if is_card else row["verdict"], minus_signs(effect)))
    is_told = any(row["finding_rank"] == hypothesis["finding_rank"] for row in beyond)
    if is_told or is_of_badge:
        return lines
    (row,) = reader.rows(_EFFECT, **{name: hypothesis[name] for name in _KEYS})
    effect = f"{effect_in_words(row | {'kind': hypothesis['kind']})}, " if row["value"] is not None else ""
    words_of_effect = minus_signs(f"{effect}{_p(hypothesis, reader.level)}")
    return [OwnLine(statistic_name(hypothesis), hypothesis["verdict"], words_of_effect), *lines]


def _p(hypothesis: Row, alpha: float) -> str:
    """Write p and q of a hypothesis with its family: p < .001, q < .001 (primary, family of 6 tested)."""
    named = [
        named_p(name, hypothesis[f"{name}_value"], alpha=alpha)
        for name in ("p", "q")
        if hypothesis[f"{name}_value"] is not None
    ]
    n = hypothesis["n_hypotheses"]
    family = words(hypothesis["family_id"]) + (f", family of {n:,} tested" if n else "")
    return f"{', '.join(named)} ({family})" if named else ""


def _group_lines(groups: list[Row], hypothesis: Row) -> tuple[list[GroupLine], list[tuple[float, str]]]:
    """Groups with their effects on one axis, and its ticks by their place in per cent."""
    effects = [estimate(row) for row in groups]
    axis = charts.make_axis([limit for effect in effects for limit in effect], include=(0.0,))
    lines, measure_keys = [], {name: hypothesis[name] for name in ("kind", "statistic")}
    for row, (value, low, high) in zip(groups, effects, strict=True):
        is_rate = in_points(row | measure_keys)
        label = f" ({row['category']})" if row["category"] else ""
        chart = charts.row(axis, charts.Mark(value, low, high, is_difference=True), line=0.0)
        lines.append(
            GroupLine(
                f"{row['group_id']}{label}",
                DASH if value is None else minus_signs(plain_value(value, is_rate=is_rate, with_sign=True)),
                "" if value is None else minus_signs(signed_limits(low, high, of=value, is_rate=is_rate)),
                chart,
                row["direction"] if row["direction"] in ("disadvantaged", "advantaged") else "",
                minus_signs(unadjusted_in_words(row, is_rate=is_rate)),
            )
        )
    factor = 100 if any(in_points(row | measure_keys) for row in groups) else 1
    return lines, [(axis.per_cent(tick), plain(factor * tick)) for tick in axis.ticks]


def _checks(reader: Reader, hypothesis: Row, groups: list[Row]) -> str:
    """What else was checked, in a sentence: calibrated values, and the worst case for missing responses."""
    holds = []
    keys = {name: hypothesis[name] for name in (*_KEYS[:4], "statistic")}
    if hypothesis["calibration"] == "raw" and reader.rows(_CALIBRATED, **keys)[0]["n"]:
        holds.append("after baseline calibration")
    worst = [row for row in groups if row["verdict_with_missing"] is not None]
    failing = [row["group_id"] for row in worst if row["verdict_with_missing"] not in DIFFERENCE_VERDICTS]
    if worst and not failing and len(worst) == len(groups):
        holds.append("in the worst case for missing responses")
    sentences = [f"also significant {' and '.join(holds)}"] if holds else []
    if failing:
        sentences.append(f"not significant in the worst case for missing responses: {listed(failing, MAX_CARD_GROUPS)}")
    return "; ".join(sentences)


def _largest(row: Row) -> str:
    """An effect with what it is of, its margin and the verdict of its hypothesis."""
    slice_id = "" if row["slice_id"] == "all" else f", slice {row['slice_id']}"
    is_rate = in_points(row)
    margin = (
        ""
        if row["margin"] is None
        else f", {margin_words(row['margin'], row['margin_origin'], row['metric'], is_rate=is_rate)}"
    )
    statistic = "" if row["statistic"] in ("mean", "share") else f"{words(row['statistic'])} of "
    comparison = f"{row['system_id']}: {statistic}{measure_name(row['measure_id'])} by {row['grouping_id']}{slice_id}"
    return f"{comparison}: {minus_signs(effect_in_words(row))}{margin} ({verdict(row['verdict'])})"


def _size(hypothesis: Row, *, is_told: bool) -> str:
    """A metric of all groups beside its chance level, on how much the finding rests, and what it generalises to.

    Args:
        hypothesis: as FACTS has it.
        is_told: whether a line of the card has what heads it, with its verdict.
    """
    metric, value, floor = hypothesis["metric"], hypothesis["metric_value"], hypothesis["metric_null_q95"]
    is_rate, pieces = in_points(hypothesis), []
    if value is not None and metric in DISPARITIES:
        is_ratio = metric == "impact_ratio"
        # a ratio cannot fall below 0: that chance gets there says nothing
        says_nothing = floor is None or (is_ratio and floor == 0)
        written = None if says_nothing else plain_value(floor, is_rate=is_rate)
        details = [] if written is None else [f"chance: {'down' if is_ratio else 'up'} to {written}"]
        if hypothesis["metric_control_floor"] is not None:
            control_floor = plain_value(hypothesis["metric_control_floor"], is_rate=is_rate)
            details.append(f"irrelevant edits: up to {control_floor}")
        is_value_told = is_told and hypothesis["headline_metric"] == metric
        if hypothesis["metric_q_value"] is not None and not is_value_told:
            details.append(named_p("q", hypothesis["metric_q_value"]))
        in_brackets = f" ({'; '.join(details)})" if details else ""
        written = words(metric) if is_value_told else f"{words(metric)} {plain_value(value, is_rate=is_rate)}"
        if details or not is_value_told:
            pieces.append(f"{written}{in_brackets}")
    if hypothesis["n_root_prompts"]:
        pieces.append(sample(hypothesis))
    scope = scope_words(hypothesis)
    return minus_signs(" · ".join([*pieces, *([f"generalises to {scope}"] if scope else [])]))


def _open_primary(rows: list[Row]) -> list[str]:
    """The primary questions left open, a generation each; by name as many as fit a line or two."""
    groupings = {(row["grouping_id"], row["slice_id"]) for row in rows}
    named: dict[str, list[str]] = {}
    for row in rows[:MAX_OPEN]:
        where = f" by {row['grouping_id']}" if len(groupings) > 1 else ""
        where += f" in {row['slice_id']}" if row["slice_id"] != "all" else ""
        named.setdefault(row["system_id"], []).append(measure_name(row["measure_id"]) + where)
    named_systems = [f"{system_id} ({', '.join(measures)})" for system_id, measures in named.items()]
    return [*named_systems, f"and {len(rows) - MAX_OPEN:,} more"] if len(rows) > MAX_OPEN else named_systems
