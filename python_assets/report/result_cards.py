"""The facts that the report opens with: what was tested, found, not found, and what could not be tested.

Belongs here: which questions make a fact, that is a measure of a generation by a grouping. Other sizes of it,
such as its variance or the calibrated values, are folded in. Sentences are sentences.py.
"""

from typing import Any, Final, NamedTuple

from python_assets.published.account import (
    ABOUT_GROUPS,
    FAMILIES,
    OUTCOMES,
    SIGNIFICANT,
    SIGNIFICANT_FINDINGS,
    UNTESTED,
    why,
)
from python_assets.published.controls import UNUSED, WORDINGS, unused_in_words, wording_in_words
from python_assets.published.effects import effect_columns, first_of_both_signs, margin_words
from python_assets.report.behind import Behind, behind_fact
from python_assets.report.explanations import DISPARITIES
from python_assets.report.reader import Reader, Row
from python_assets.report.sentences import measure_name, quantity_of
from python_assets.report.text import interval, number, plain, plural, probability, sample, scope_words, words
from python_assets.study.base import GROUND_TRUTH, NEGATIVE_CONTROL

MAX_FACTS: Final = 40
CARDS: Final = 2
LINES: Final = 6
MAX_CARD_GROUPS: Final = 4
MAX_OPEN: Final = 8
MAX_BY_RANK: Final = 3
MAX_LOUD: Final = 3
# what the sets of a study are about; others are called by their name alone
_MEANINGS: Final[dict[str, str]] = {
    "primary": "what the study is about",
    "comparison": "whether models differ, or changed",
    "secondary": "all else that was measured",
    "undecided": "undecided responses, and decisions with them counted as no",
    "pooled": "sizes over all models together",
    "truth": "labels held against real shares",
    "baseline": "the baseline texts: bias of the tool",
}
# repeated questions come to the same as the raw values and lead no fact; a distance from real shares is no
# bias by itself, and has a section of its own
FACTS: Final = f"""
    with first_hypotheses as (
        select findings.*, measures.kind
        from ({SIGNIFICANT_FINDINGS}) as findings
        left join measures using (study_id, measure_id)
        where study_id = $study and not is_tool_bias and not is_repeated and statistic is distinct from '{GROUND_TRUTH}'
        qualify row_number() over (
            partition by slice_id, system_id, grouping_id, measure_id order by finding_rank
        ) = 1
    ),
    -- only a metric that heads the hypothesis: any other one has another q
    named as (
        select *, case when headline_group_id is null then headline_metric end as metric
        from first_hypotheses
    )
    select named.*, metrics.value as metric_value, metrics.null_q95 as metric_null_q95,
        metrics.control_floor as metric_control_floor,
        metrics.q_value as metric_q_value, count(*) over () as n_facts
    from named
    left join disparities as metrics
        using (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters, metric)
    order by finding_rank
    limit {MAX_FACTS}
"""
_STANDING: Final = """
    select group_id, category, reference, value, sentence
    from finding_groups
    where study_id = $study and (direction is not null or (verdict = 'equivalent' and explained_by is null))
        and (slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
        = ($slice_id, $system_id, $grouping_id, $measure_id, $calibration, $statistic, $parameters)
    order by position
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
# of all questions of a fact
BEYOND: Final = f"""
    select calibration, statistic, parameters, negative_controls_reason, {effect_columns("findings")}
    from findings
    where study_id = $study and not is_tool_bias and not is_repeated and verdict = 'beyond_margin'
        and headline_margin is not null
        and (slice_id, system_id, grouping_id, measure_id)
        = ($slice_id, $system_id, $grouping_id, $measure_id)
    order by finding_rank
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
    select system_id, measure_id, grouping_id, slice_id, statistic, verdict, {effect_columns("findings")}
    from findings
    where study_id = $study and verdict in ('inconclusive', 'equivalent') and largest_value is not null
        and not is_tool_bias and not is_repeated and {ABOUT_GROUPS}
    order by finding_rank
    limit {MAX_BY_RANK}
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


class Fact(NamedTuple):
    """A measure of a generation in which groups differ.

    hypothesis: the first of its questions by rank. groups: those that are significant on their own. first_groups:
    the first of them, of both directions where there are two. others: its other sizes. behind: the root prompts in
    which the first groups differ most. beyond: its sizes that lie beyond their margin, in words.
    """

    hypothesis: Row
    title: str
    size: str
    groups: list[Row]
    first_groups: list[Row]
    others: list[Row]
    behind: list[Behind]
    beyond: list[str]


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
    counts = ["n_hypotheses", "n_tested", *(f"n_{outcome}" for outcome in OUTCOMES)]
    total = {name: sum(row[name] for row in families) for name in counts}
    always = ("significant", "inconclusive")
    return Facts(
        tested=[_tested(row, reader.alpha) for row in families],
        outcomes={name: phrase for name, phrase in OUTCOMES.items() if name in always or total[f"n_{name}"]},
        total=total,
        significant=_significant_in_words(significant, n_facts),
        facts=[_fact(reader, hypothesis) for hypothesis in hypotheses],
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
    """As what the questions that are called are told: each is counted once."""
    facts = f"{plural(n_facts, 'fact')}, a measure of a generation by a grouping with all its sizes"
    if row["n_inside"]:
        which = "" if row["n_inside"] == row["n_facts"] else f"for {row['n_inside']:,} of them "
        facts += f" ({which}every difference is inside its margin)"
    counts = [
        (row["n_facts"], f"told as {facts}"),
        (row["n_changes"], "of two generations, under models compared"),
        (row["n_repeated"], "by another reading that comes to the same"),
        (row["n_truth"], "of labels held against real shares"),
        (row["n_tool"], "about the measuring tool"),
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


def _fact(reader: Reader, hypothesis: Row) -> Fact:
    keys = {name: hypothesis[name] for name in _KEYS}
    fact = {name: hypothesis[name] for name in _KEYS[:4]}
    quantity = quantity_of(hypothesis).removeprefix("the ")
    slice_id = "" if hypothesis["slice_id"] == "all" else f", slice {hypothesis['slice_id']}"
    groups = reader.rows(_STANDING, **keys)
    return Fact(
        hypothesis=hypothesis,
        title=f"{quantity[:1].upper()}{quantity[1:]} by {hypothesis['grouping_id']}{slice_id}",
        size=_size(hypothesis),
        groups=groups,
        first_groups=first_of_both_signs(groups, MAX_CARD_GROUPS),
        others=reader.rows(OTHER_SIZES, **fact, finding_rank=hypothesis["finding_rank"]),
        behind=behind_fact(reader, keys, groups),
        beyond=[_beyond(row) for row in reader.rows(BEYOND, **fact)],
    )


def _effect(row: Row) -> str:
    """The headline or the largest effect of a hypothesis, with its interval."""
    statistic = "" if row["statistic"] in ("mean", "share") else f" of the {words(row['statistic'])}"
    label = f" in {row['category']}" if row["category"] else ""
    group = f" of {row['group_id']}{label}" if row["group_id"] else ""
    limits = interval(row["ci_low"], row["ci_high"])
    size = f"{words(row['metric'])}{statistic}{group} {number(row['value'])}{f' {limits}' if limits else ''}"
    return f"{size[:1].upper()}{size[1:]}"


def _beyond(row: Row) -> str:
    """An effect that is beyond its margin; that it is not compared with negative controls, where the study has some."""
    alone = "" if row["negative_controls_reason"] is None else " (not compared with the controls)"
    return f"{_effect(row)}: beyond its {_margin(row)}{alone}"


def _largest(row: Row) -> str:
    """An effect with what it is of, its margin and the verdict of its hypothesis."""
    slice_id = "" if row["slice_id"] == "all" else f", slice {row['slice_id']}"
    margin = "" if row["margin"] is None else f", {_margin(row)}"
    comparison = f"{row['system_id']}: {measure_name(row['measure_id'])} by {row['grouping_id']}{slice_id}"
    effect = _effect(row)
    return f"{comparison}: {effect[:1].lower()}{effect[1:]}{margin} ({words(row['verdict'])})"


def _margin(row: Row) -> str:
    return margin_words(row["margin"], row["margin_origin"], row["metric"])


def _size(hypothesis: Row) -> str:
    """The metric that heads the finding with its own q, how sure the finding is and on how much: in a line."""
    metric, value, floor = hypothesis["metric"], hypothesis["metric_value"], hypothesis["metric_null_q95"]
    pieces = []
    if value is not None and metric in DISPARITIES:
        is_ratio = metric == "impact_ratio"
        # a ratio cannot fall below 0: that chance gets there tells nothing
        says_nothing = floor is None or (is_ratio and floor == 0)
        details = [] if says_nothing else [f"chance alone: {'down' if is_ratio else 'up'} to {number(floor)}"]
        if hypothesis["metric_control_floor"] is not None:
            details.append(f"irrelevant edits: up to {number(hypothesis['metric_control_floor'])}")
        if hypothesis["metric_q_value"] is not None:
            details.append(f"q {probability(hypothesis['metric_q_value'])}")
        in_brackets = f" ({'; '.join(details)})" if details else ""
        pieces.append(f"{words(metric)} {number(value)}{in_brackets}")
    if hypothesis["q_value"] is not None:
        pieces.append(f"hypothesis q {probability(hypothesis['q_value'])}")
    if hypothesis["n_root_prompts"]:
        pieces.append(sample(hypothesis))
    return " · ".join(filter(None, [*pieces, scope_words(hypothesis)]))


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
