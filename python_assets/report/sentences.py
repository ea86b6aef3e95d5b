"""Findings in plain words: what was compared, by how much, how sure, on what, and what it does not say.

Belongs here: the sentence of a question and of a group in it. dbt calls it: int_finding_sentences.py of its
intermediate models hands over the rows of int_findings, int_hypothesis_groups and int_group_neighbours. What a
number is stands in explanations.py, how it is written in text.py.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import pyarrow as pa

from python_assets.published.account import why
from python_assets.published.controls import (
    NOT_BEYOND_CONTROLS,
    beyond_controls,
    controls_moved,
    not_beyond_controls,
    wording_limit,
)
from python_assets.published.effects import margin_words
from python_assets.report.explanations import DISPARITIES, STATISTIC_MEANINGS
from python_assets.report.readings import read_by
from python_assets.report.text import (
    DIFFERENCE_ROUNDING,
    SIMILAR_UNITS_SCOPE,
    is_as_written,
    minus_signs,
    number,
    plain,
    plural,
    probability,
    sample,
    verdict,
    words,
)
from python_assets.study.base import (
    ALL_SYSTEMS,
    GROUND_TRUTH,
    LEVEL_SEPARATOR,
    NEGATIVE_CONTROL,
    OTHER_LANGUAGE,
    UNDECIDED,
    UNDECIDED_AS_NO,
    UNSCORED,
)
from python_assets.study.measures import REFUSAL

Row = Mapping[str, Any]
Key = tuple[str, ...]
HYPOTHESIS_KEY: Final = (
    "study_id", "slice_id", "system_id", "grouping_id", "measure_id", "calibration", "statistic", "parameters",
)  # fmt: skip
OF_CALIBRATION: Final = {
    "raw": "{0}",
    "calibrated": "{0} against the baseline",
    "corrected": "{0}, corrected by labels,",
    "missed": "the share of {1} that its reading misses",
    "false_alarm": "the share of answers read as {1} that labels do not call so",
    "label_error": "the error of the reading of {1}",
}
TWINS: Final = {"raw": "corrected", "corrected": "raw"}
_OF_SCORER: Final = ("missed", "false_alarm", "label_error")
_NAMES: Final = {
    "cramers_v": "Cramér's V", "fdi": "FDI", "idi": "IDI",
    "kl_divergence": "KL divergence", "jsd_truth_weighted": "Jensen-Shannon divergence",
}  # fmt: skip
_VARIANTS: Final = {
    "normalise=before": "normalised", "normalise=after": "of groups normalised", "over=all": "",
    "over=system": "in each system apart",
}  # fmt: skip
MEASURES: Final = {
    "empty": "empty answers",
    "truncated": "truncated answers",
    OTHER_LANGUAGE: "answers in another language",
}
GROUP: Final = ("group_id", "category", "reference")
NEIGHBOUR_SEPARATOR: Final = " | "  # of groups in explained_by, without_groups and neighbours
_MOST_GROUPS: Final = 4
MOST_ROOT_PROMPTS: Final = 10_000
_RATES: Final = ("risk_difference", "selection_rate_difference", "precision_difference")
_INTERACTION: Final = "interaction"
OF_CELLS: Final = ("mean", "share", "selection_rate", "precision")  # compared prompt by prompt
UNEQUALLY_MISSING: Final = 0.02  # between the shares of a group and of the rest, past which it is told
_UNTESTED: Final = "could not be tested:"
DIFFERENCE_VERDICTS: Final = ("beyond_margin", "different")
SCOPES: Final = {
    "similar prompts": "It holds for prompts like these and says nothing of other kinds of prompts.",
    "similar units and prompts": "It holds for units and prompts like these, not for other kinds.",
    SIMILAR_UNITS_SCOPE: "It holds for units like these, on these very prompts only.",
    "these prompts": "It holds for these very prompts only, not for others like them.",
}


class HypothesisDetails(NamedTuple):
    """A question with everything its sentence tells.

    groups: every group with a value, in their order. told: rows of those that stand, without mirrors.
    neighbours: of groups that do not share prompts with all others, those that they do. is_confirmed: the
    calibrated values came to the same. readings: how the measure is read, a row a family of models. refuses: the
    groups differ in how often they are refused. of_pair: where there are two groups, by label the row of the one that
    more answers of are missing. twin: the same question of corrected values, of these of raw ones. equivalent: rows
    that are inside their margin, without mirrors. is_open_with_missing: one of them no longer is with the missing
    answers at either end. inside: those of them that are significant. largest: row of the largest contrast, told where
    the hypothesis has no headline.
    """

    hypothesis: Row
    groups: Sequence[str]
    told: Sequence[Row]
    neighbours: Mapping[str, Sequence[str]]
    is_confirmed: bool
    readings: Sequence[Row] = ()
    refuses: bool = False
    of_pair: Mapping[str, Row] = {}
    equivalent: Sequence[Row] = ()
    twin: Row | None = None
    inside: Sequence[Row] = ()
    largest: Row | None = None

    @property
    def is_open_with_missing(self) -> bool:
        """Whether some group is no longer equivalent with the missing answers at either end."""
        return any(map(_is_changed, self.equivalent))


def sentences(
    findings: Sequence[Row], hypothesis_groups: Sequence[Row], neighbours: Sequence[Row], readings: Sequence[Row] = ()
) -> pa.Table:
    """The sentence of every question, whose group is empty, and of every called group.

    Args:
        findings: rows of int_findings.
        hypothesis_groups: rows of int_hypothesis_groups.
        neighbours: rows of int_group_neighbours.
        readings: rows of int_scorer_families.

    Returns:
        Columns QUESTION, GROUP and sentence.
    """
    rows_of = _rows_by(HYPOTHESIS_KEY, sorted(hypothesis_groups, key=lambda row: row["group_position"]))
    meeting: dict[Key, dict[str, list[str]]] = defaultdict(dict)
    for row in neighbours:
        design = (row["study_id"], row["slice_id"], row["grouping_id"])
        meeting[design][row["group_id"]] = row["neighbours"].split(NEIGHBOUR_SEPARATOR)
    by_measure = _rows_by(("study_id", "measure_id"), readings)
    confirmed = {_key({**row, "calibration": "raw"}) for row in findings if row["is_repeated"]}
    refused = {_place(row) for row in findings if row["measure_id"] == REFUSAL and _is_significant(row)}
    twins = {_key(row): row for row in findings if row["calibration"] in TWINS and row["p_value"] is not None}
    n_used: dict[Key, int] = {}
    slices_of: dict[Key, set[str]] = defaultdict(set)
    for row in findings:
        if row["family_id"] == NEGATIVE_CONTROL:
            slices_of[_controls_tested(row)].add(row["slice_id"])
        elif row["n_negative_controls"]:
            n_used[_scored(row)] = max(n_used.get(_scored(row), 0), row["n_negative_controls"])
    sentence_rows: list[dict[str, str]] = []
    for hypothesis in findings:
        key, is_rate = (
            _key(hypothesis),
            hypothesis["kind"] != "continuous" or hypothesis["statistic"] in ("selection_rate", "precision"),
        )
        rows = [{**row, "is_rate": is_rate and row["contrast"] == _INTERACTION} for row in rows_of[key]]
        spec = HypothesisDetails(
            hypothesis,
            list(dict.fromkeys(row["group_id"] for row in rows if row["value"] is not None)),
            [row for row in rows if row["differs_on_its_own"] and not row["is_mirror"]],
            meeting[hypothesis["study_id"], hypothesis["slice_id"], hypothesis["grouping_id"]],
            is_confirmed=key in confirmed,
            readings=by_measure[hypothesis["study_id"], hypothesis["measure_id"]],
            refuses=hypothesis["measure_id"] != REFUSAL and _place(hypothesis) in refused,
            of_pair=_of_pair(rows) if hypothesis["n_groups"] == 2 else {},
            equivalent=[row for row in rows if row["verdict"] == "equivalent" and not row["is_mirror"]],
            twin=twins.get(_key({**hypothesis, "calibration": TWINS.get(hypothesis["calibration"], "")})),
            inside=[row for row in rows if _is_inside(row) and not row["is_mirror"]],
            largest=next((row for row in rows if _is_largest(row, hypothesis)), None),
        )
        significant = [row for row in rows if row["is_significant"] and not row["is_mirror"]]
        is_of_controls = hypothesis["family_id"] == NEGATIVE_CONTROL
        n_slices = len(slices_of[_controls_tested(hypothesis)])
        sentence = (
            _of_controls(hypothesis, n_slices, n_used.get(_scored(hypothesis)))
            if is_of_controls
            else finding_sentence(spec)
        )
        sentence_rows.append(_named(key, dict.fromkeys(GROUP, ""), sentence))
        sentence_rows += [_named(key, row, group_sentence(row, spec)) for row in significant]
    return pa.Table.from_pylist(
        sentence_rows, pa.schema([(name, pa.string()) for name in (*HYPOTHESIS_KEY, *GROUP, "sentence")])
    )


def _is_inside(group: Row) -> bool:
    """Whether a group is different, and inside its margin."""
    return bool(group["is_significant"]) and group["verdict"] == "equivalent" and group["explained_by"] is None


def _is_largest(group: Row, hypothesis: Row) -> bool:
    if hypothesis["headline_metric"] is not None or group["value"] is None:
        return False
    if group["contrast"] != hypothesis["largest_metric"]:
        return False
    return all(group[name] == hypothesis[f"largest_{name}"] for name in GROUP)


def _rows_by(names: Key, rows: Sequence[Row]) -> dict[Key, list[Row]]:
    rows_by_key: dict[Key, list[Row]] = defaultdict(list)
    for row in rows:
        rows_by_key[tuple(row[name] for name in names)].append(row)
    return rows_by_key


def _key(row: Row) -> Key:
    return tuple(row[name] for name in HYPOTHESIS_KEY)


def _place(row: Row) -> Key:
    """What all measures of some answers share."""
    return tuple(row[name] for name in HYPOTHESIS_KEY[:4])


def _scored(row: Row) -> Key:
    """A measure of the answers of a slice and system in every grouping."""
    return tuple(row[name] for name in ("study_id", "slice_id", "system_id", "measure_id"))


def _controls_tested(row: Row) -> Key:
    return tuple(row[name] for name in ("study_id", "system_id", "measure_id", "calibration", "statistic"))


def _of_pair(rows: Sequence[Row]) -> dict[str, Row]:
    """By label the row of the group that more answers of are missing; both rows say the same otherwise."""
    return {row["category"]: row for row in sorted(rows, key=lambda row: row["missing_share"] or 0.0)}


def _named(key: Key, group: Row, sentence: str) -> dict[str, str]:
    return {
        **dict(zip(HYPOTHESIS_KEY, key, strict=True)),
        **{name: group[name] for name in GROUP},
        "sentence": sentence,
    }


def finding_sentence(asked: HypothesisDetails) -> str:
    """What a question came to.

    Args:
        asked: the question.
    """
    hypothesis = asked.hypothesis
    if hypothesis["is_repeated"]:
        other = "with neutral words for those that name a group" if is_as_written(hypothesis) else "the raw values"
        if hypothesis["calibration"] == "raw" and not is_as_written(hypothesis):
            is_of_undecided = hypothesis["measure_id"].endswith(UNDECIDED_AS_NO)
            other = "without undecided responses" if is_of_undecided else "the values corrected by labels"
        same = f"{quantity_of(hypothesis)} comes to the same for {_over(hypothesis)} as {other}"
        return f"{_start(hypothesis)}{_capital(same)}: {verdict(hypothesis['verdict'])}."
    statements = [f"{_start(hypothesis)}{_capital(_answer(asked))}."]
    if hypothesis["verdict"] in (*DIFFERENCE_VERDICTS, "inconclusive"):
        statements += [_largest(asked), wording_limit(hypothesis)]
    if hypothesis["verdict"] in DIFFERENCE_VERDICTS:
        statements += [
            *_who(asked),
            *_who_inside(asked),
            *_of_missing(asked),
            _size(hypothesis),
            _beyond_controls(hypothesis),
            _of_statistic(hypothesis),
            _of_tool(hypothesis),
        ]
    statements.append(_metric_and_margin(asked))
    if hypothesis["verdict"] == "equivalent" and asked.is_open_with_missing:
        statements.append("With the missing answers at either end the difference may be more than what matters.")
    if hypothesis["p_value"] is not None:
        statements += [of_look(hypothesis), *_sure(asked)]
    if hypothesis["verdict"] in (*DIFFERENCE_VERDICTS, "equivalent"):
        statements.append(SCOPES.get(hypothesis["scope"], ""))
        statements.append("Measured against the baseline it is the same." if asked.is_confirmed else "")
        statements.append(read_by(asked.readings) if hypothesis["is_of_models"] else "")
    statements.append(_of_labels(asked))
    return " ".join(statement for statement in statements if statement)


def _of_controls(hypothesis: Row, n_slices: int, n_used: int | None) -> str:
    """Whether edits that cannot matter move a score: it is no finding about groups.

    n_slices: that its controls are tested in; of one the name tells nothing. n_used: controls that groups of its slice
    are compared with; None where none is.
    """
    quantity, slice_id = quantity_of(hypothesis), hypothesis["slice_id"]
    quantity += "" if slice_id == "all" or n_slices == 1 else f" in slice {slice_id}"
    if hypothesis["p_value"] is None:
        return f"{_start(hypothesis)}Whether irrelevant edits move {quantity} {_UNTESTED} {_why(hypothesis)}."
    moved = controls_moved(
        {**hypothesis, "n_used": n_used or hypothesis["n_groups"]}, quantity, alpha=hypothesis["significance_level"]
    )
    return f"{_start(hypothesis)}{_capital(minus_signs(moved))}."


def _beyond_controls(hypothesis: Row) -> str:
    """That groups differ by more than control edits do, or why these were not compared with them."""
    if hypothesis["negative_controls_reason"] is None:
        return beyond_controls(hypothesis)
    words = (hypothesis[f"negative_controls_{name}"] for name in ("reason", "meaning", "remedy"))
    return f"Not compared with the negative controls: {why(*words)}."


def group_sentence(group: Row, asked: HypothesisDetails) -> str:
    """How a called group differs.

    Args:
        group: its row of int_hypothesis_groups.
        asked: the question.
    """
    is_beyond = _is_beyond(asked.hypothesis)
    others = _others(group, asked)
    if group["explained_by"] is not None:
        because = _listed(group["explained_by"].split(NEIGHBOUR_SEPARATOR))
        what = _beyond(group, asked, "") if is_beyond else f"{_label(group)}{_amount(group)} than {others}"
        return f"{group['group_id']}: {what}, but only because of {because}{_left(group)}.{_turned(group)}"
    seen = _seen(group, asked.hypothesis["significance_level"])
    side = {1: ": at an advantage", -1: ": at a disadvantage"}.get(group["advantage"], "")
    amount = _beyond(group, asked, _near(group)) if is_beyond else f"{_label(group)}{_about(group)} than {others}"
    statement = f"{group['group_id']}: {amount}"
    last = _missing(group, asked) if group["differs_on_its_own"] else _of_margin(group)
    significant = of_look(
        {**{name: asked.hypothesis[name] for name in ("look", "n_looks", "significance_level")}, **group}
    )
    more = "".join(f" {text}" for text in (significant, last) if text)
    return (
        f"{statement}{f' ({seen})' if seen else ''}{side if group['differs_on_its_own'] else ''}.{_turned(group)}{more}"
    )


def of_look(row: Row) -> str:
    """Which look called a question, a group or a change, and what became of it since; '' where a study has no looks.

    Args:
        row: with significant_at_look and q_value, and look, n_looks and level of the study.
    """
    significant_at = row["significant_at_look"]
    if significant_at is None or row["look"] is None:
        return ""
    since = significant_at < row["look"] and row["q_value"] is not None and row["q_value"] > row["significance_level"]
    now = f"; with all answers since, q {probability(row['q_value'])} alone would not call it" if since else ""
    return f"Called at look {significant_at} of {row['n_looks']}{now}."


def _turned(group: Row) -> str:
    """That a group lies on the other side by now than at the look that called it."""
    then, value = group["value_at_call"], group["value"]
    if then is None or value is None or then * value >= 0:
        return ""
    return f" When it was called it was {_amount({**group, 'value': then})}: it has turned round since."


def _of_margin(group: Row) -> str:
    """That a significant group is inside its margin, by a p of its own."""
    if group["verdict"] != "equivalent":
        return ""
    margin, q = _margin_of(group), probability(group["q_equivalence"])
    return f"Different, and inside the margin of {margin} (q {q})."


def _left(group: Row) -> str:
    """What is left of a difference without the groups that it is due to."""
    without = group["value_without"]
    if without is None:
        return ""
    if abs(without) < DIFFERENCE_ROUNDING:
        return "; without, it is no different"
    return f"; without, it is {_amount({**group, 'value': without})}"


def quantity_of(hypothesis: Row) -> str:
    """What is compared, in words: the rate of refusal, the average sentiment.

    Args:
        hypothesis: its row of int_findings.
    """
    measure, statistic = measure_name(hypothesis["measure_id"]), hypothesis["statistic"]
    options = [one for one in (hypothesis["parameters"] or "").split(";") if one]
    variant = " ".join(filter(None, (_VARIANTS.get(one) for one in options)))
    if statistic == GROUND_TRUTH:
        return f"the shares of {hypothesis['grouping_id']} in each label of {measure}"
    if statistic == "share":
        quantity = f"the share of each label of {measure}"
    elif statistic == "mean":
        quantity = f"the {'rate of' if hypothesis['kind'] == 'binary' else 'average'} {measure}"
        quantity += f", {variant}" if variant else ""
    elif statistic == "selection_rate":
        quantity = f"the share of answers selected by {measure}"
    else:
        quantity = f"the {_name(statistic)}{f', {variant},' if variant else ''} of {measure}"
    left = "; ".join(one for one in options if one not in _VARIANTS)
    return OF_CALIBRATION[hypothesis["calibration"]].format(f"{quantity}{f' ({left})' if left else ''}", measure)


def _name(statistic: str) -> str:
    return _NAMES.get(statistic, words(statistic))


def measure_name(measure_id: str) -> str:
    """A measure in words: those that every study has by what they count."""
    if measure_id.endswith(UNDECIDED_AS_NO):
        return f"{words(measure_id.removesuffix(UNDECIDED_AS_NO))} (undecided as not favourable)"
    if measure_id.endswith(UNDECIDED):
        return f"undecided responses of {words(measure_id.removesuffix(UNDECIDED))}"
    if measure_id.endswith(UNSCORED):
        return f"unscored responses of {words(measure_id.removesuffix(UNSCORED))}"
    return MEASURES.get(measure_id, words(measure_id))


def _start(hypothesis: Row) -> str:
    if hypothesis["is_baseline"]:
        return "Tool bias: "
    system = hypothesis["system_id"]
    start = "All models: " if system == ALL_SYSTEMS else f"{system}: "
    return f"Tool bias in {start}" if hypothesis["is_tool_bias"] else start


def _answer(asked: HypothesisDetails) -> str:
    hypothesis = asked.hypothesis
    if hypothesis["statistic"] == GROUND_TRUTH:
        return _answer_of_truth(hypothesis)
    quantity, groups = quantity_of(hypothesis), _over(hypothesis)
    if hypothesis["verdict"] == "inconclusive" and hypothesis["verdict_reason"] == NOT_BEYOND_CONTROLS:
        where = "" if hypothesis["slice_id"] == "all" else f" in slice {hypothesis['slice_id']}"
        words_differ = not_beyond_controls(hypothesis)
        return f"{quantity} by {hypothesis['grouping_id']}{where} is inconclusive: {words_differ}"
    if _is_beyond(hypothesis):
        return _answer_of_crossing(asked)
    match hypothesis["verdict"]:
        case "beyond_margin" | "different":
            return f"{quantity} differs between {groups}{_by_how_much(asked)}"
        case "equivalent" if _is_significant(hypothesis):
            return f"{quantity} differs between {groups}, and every difference is inside the margin{_inside(asked)}"
        case "equivalent":
            return f"{quantity} is the same in {groups}, but for less than what matters{_inside(asked)}"
        case "inconclusive":
            open_end = f"was shown, and none was ruled out{_needed(hypothesis)}"
            return f"no difference in {quantity} between {groups} {open_end}"
        case _:
            answers = f"({plural(hypothesis['n_responses'], 'response')})"
            return f"whether {quantity} differs between {groups} {answers} {_UNTESTED} {_why(hypothesis)}"


def _by_how_much(details: HypothesisDetails) -> str:
    """Past which margin or inside which one groups differ, or that no group is significant."""
    if details.told:
        return _margin(details.told)
    if details.inside and details.hypothesis["verdict"] == "different":
        return f", by less than the margin of {_margins(details.inside)}"
    return f", but {_which(details.hypothesis)} is not settled{_ends(details.hypothesis)}"


def _is_beyond(hypothesis: Row) -> bool:
    """Whether a question asks what cells have beyond the parts of their grouping."""
    return bool(hypothesis["metric"] == _INTERACTION)


def _answer_of_crossing(asked: HypothesisDetails) -> str:
    """Whether cells differ by more than the parts of their grouping, which are questions of their own, make of them."""
    hypothesis = asked.hypothesis
    quantity, groups = quantity_of(hypothesis), _over(hypothesis)
    match hypothesis["verdict"]:
        case "beyond_margin" | "different" if asked.told:
            return f"{quantity} differs between {groups} by more than its parts make of it{_past(asked.told)}"
        case "beyond_margin" | "different":
            pair = _pair_of_levels(asked)
            if pair is None:
                return (
                    f"{quantity} differs between {groups} by more than its parts make of it; for which is not settled"
                )
            (level, other), by = pair
            return f"the difference in {quantity} between {level} and {other} depends on {by}; for which is not settled"
        case "equivalent" if _is_significant(hypothesis):
            more = f"{quantity} differs between {groups} by more than its parts make of it"
            return f"{more}, and every difference is inside the margin"
        case "equivalent":
            return f"{hypothesis['grouping_id']} adds less than what matters to what its parts make of {quantity}"
        case "inconclusive":
            open_end = f"was shown, and none was ruled out{_needed(hypothesis)}"
            return f"no more difference in {quantity} between {groups} than its parts make {open_end}"
        case _:
            answers = f"({plural(hypothesis['n_responses'], 'response')})"
            asks = f"whether {quantity} differs between {groups} by more than its parts make of it"
            return f"{asks} {answers} {_UNTESTED} {_why(hypothesis)}"


def _past(told: Sequence[Row]) -> str:
    margins = {_margin_of(row) for row in told if row["verdict"] == "beyond_margin"}
    return f", and by more than the {' or '.join(sorted(margins))} that matter" if margins else ""


def _levels(details: HypothesisDetails) -> list[list[str]]:
    """The levels of each factor of a crossing."""
    return [
        list(dict.fromkeys(factor_levels))
        for factor_levels in zip(*(name.split(LEVEL_SEPARATOR) for name in details.groups), strict=True)
    ]


def _pair_of_levels(asked: HypothesisDetails) -> tuple[list[str], str] | None:
    """Of two factors the levels of one that has two, and the other factor."""
    levels, factors = _levels(asked), asked.hypothesis["grouping_id"].split(LEVEL_SEPARATOR)
    if len(levels) != 2 or min(map(len, levels)) != 2:
        return None
    index = 0 if len(levels[0]) == 2 else 1
    return levels[index], factors[1 - index]


def _beyond(group: Row, asked: HypothesisDetails, near: str) -> str:
    """What a cell has beyond its parts: a gap of gaps where a factor has two levels.

    near: 'about ' where the size is shrunken.
    """
    size = group["value"] if not near else group["value_shrunken"]
    levels, cell_levels = _levels(asked), group["group_id"].split(LEVEL_SEPARATOR)
    label = f"in {_label(group)}".rstrip() + " " if group["category"] else ""
    amount = f"{near}{_size_of(group, abs(size))}"
    without = f", without {_listed(out)}" if (out := _without_groups(group)) else ""
    if len(levels) == 2 and min(map(len, levels)) == 2:
        index = 0 if len(levels[0]) == 2 else 1
        pair, others = levels[index], [name for name in levels[1 - index] if name != cell_levels[1 - index]]
        (other,) = (name for name in pair if name != cell_levels[index])
        side = "smaller" if group["value"] < 0 else "larger"
        where = (
            f"for {cell_levels[1 - index]} than for {others[0]}"
            if len(others) == 1
            else f"among {cell_levels[1 - index]} than among the others"
        )
        return f"{label}the difference between {cell_levels[index]} and {other} is {amount} {side} {where}{without}"
    side = "lower" if group["value"] < 0 else "higher"
    leads = f"{_listed(cell_levels)} together lead" if len(cell_levels) == 2 else "its parts lead"
    if group["is_rate"]:
        return f"{label}{amount} {'below' if group['value'] < 0 else 'beyond'} what {leads} one to expect{without}"
    return f"{label}{amount} {side} than {leads} one to expect{without}"


def _near(group: Row) -> str:
    return "" if group["value_shrunken"] is None else "about "


def _is_rate(group: Row) -> bool:
    return group["contrast"] in _RATES or bool(group.get("is_rate"))


def _answer_of_truth(hypothesis: Row) -> str:
    """Whether labels go to the groups as they do in the table of real shares that they are held against."""
    slice_suffix = "" if hypothesis["slice_id"] == "all" else f" in slice {hypothesis['slice_id']}"
    shares = f"{quantity_of(hypothesis)}{slice_suffix}"
    truth = f"those of {hypothesis['parameters'].replace('table=', '', 1).replace(';', ', ')}"
    match hypothesis["verdict"]:
        case "different":
            return f"{shares} are not {truth}"
        case "inconclusive":
            return f"{shares} were not shown to differ from {truth}, nor to agree with them"
        case _:
            answers = f"({plural(hypothesis['n_responses'], 'response')})"
            return f"whether {shares} differ from {truth} {answers} {_UNTESTED} {_why(hypothesis)}"


def _which(hypothesis: Row) -> str:
    return "by how much" if hypothesis["n_groups"] == 2 else "which of them differ"


def _over(hypothesis: Row) -> str:
    slice_suffix = "" if hypothesis["slice_id"] == "all" else f" in slice {hypothesis['slice_id']}"
    n = "the groups" if hypothesis["n_groups"] < 2 else f"the {hypothesis['n_groups']:,} groups"
    return f"{n} of {hypothesis['grouping_id']}{slice_suffix}"


def _margin(told: Sequence[Row]) -> str:
    margins = {_margin_of(row) for row in told if row["verdict"] == "beyond_margin"}
    return f" by more than the {' or '.join(sorted(margins))} that matter" if margins else ""


def _margins(rows: Sequence[Row]) -> str:
    return " or ".join(sorted({_margin_of(row) for row in rows}))


def _inside(details: HypothesisDetails) -> str:
    """The margin that all groups are inside of, and how far their intervals reach."""
    rows = details.equivalent
    if not rows:
        return ""
    margins = _margins(rows)
    low, high = ([row[end] for row in rows] for end in ("ci_low", "ci_high"))
    if None in low or None in high:
        return f" (less than {margins})"
    level, one = plain(100 * (1 - details.hypothesis["significance_level"])), rows[0]
    whose = f"{level} % interval" if len(rows) == 1 else f"{level} % intervals all"
    return f" (less than {margins}; {whose} within {_digits(one, min(low))} to {_digits(one, max(high))})"


def _ends(hypothesis: Row) -> str:
    """The groups at both ends; how many where several share an end."""
    low, high = hypothesis["group_low"], hypothesis["group_high"]
    if low is None or low == high:
        return ""
    is_share = hypothesis["statistic"] == "share"
    near, far = ("nearest to all", "farthest") if is_share else ("lowest for", "highest for")
    ends = (
        f"{word} {plural(hypothesis[n], 'group') if hypothesis[n] > 1 else group}"
        for word, group, n in ((near, low, "n_low"), (far, high, "n_high"))
    )
    return f" ({', '.join(ends)})"


def _needed(hypothesis: Row) -> str:
    """What would settle an open question: the looks to come, after the last one a study of its own."""
    if hypothesis["look"] is None:
        needed = needed_words(hypothesis)
        return f"; {needed}" if needed else ""
    look, n = hypothesis["look"], hypothesis["n_looks"]
    if look < n:
        return f" by look {look} of {n}"
    needed = needed_words(hypothesis)
    return f" by the last of {n} looks{f'; in a new study {needed}' if needed else ''}"


def needed_words(hypothesis: Row) -> str:
    """How many root prompts an open question needs, and what for; empty where no number stands."""
    needed = hypothesis["n_needed"]
    if needed is None:
        return ""
    count = "more than 10,000" if needed > MOST_ROOT_PROMPTS else f"about {needed:,}"
    what = "units" if hypothesis["scope"] == SIMILAR_UNITS_SCOPE else "root prompts"
    if hypothesis["n_needed_for"] == "effect":
        return f"{count} {what} would show the declared effect if it is there"
    return f"{count} {what} would show it to be inside the margin if there is none"


def _why(hypothesis: Row) -> str:
    return why(hypothesis["inference_reason"] or hypothesis["reason"], hypothesis["meaning"], hypothesis["remedy"])


def _who(asked: HypothesisDetails) -> list[str]:
    """Who differs: as two camps where half of the groups stand, else by side."""
    differing = asked.told
    if _is_beyond(asked.hypothesis):
        return _who_beyond(asked)
    n_standing, has_labels = len({row["group_id"] for row in differing}), any(row["category"] for row in differing)
    if n_standing > 1 and 2 * n_standing >= len(asked.groups) > 2 and not has_labels:
        return [_camps(asked)]
    ordered = sorted(differing, key=lambda row: -abs(row["value"] or 0))
    worse = [row for row in ordered if _is_worse(row)]
    better = [row for row in ordered if not _is_worse(row)]
    return [_side(asked, rows) for rows in (worse, better) if rows]


def _who_inside(details: HypothesisDetails) -> list[str]:
    """Groups that differ by less than their margin, the largest difference first."""
    rows = sorted(details.inside, key=lambda row: -abs(row["value"] or 0))
    if not rows or _is_beyond(details.hypothesis):
        return []
    return [f"Different, and inside the margin: {_named_groups(details, rows)}."]


def _largest(details: HypothesisDetails) -> str:
    """The largest effect of a hypothesis that no row heads: of a group, else of all groups."""
    hypothesis, row = details.hypothesis, details.largest
    if hypothesis["headline_metric"] is not None or hypothesis["largest_value"] is None:
        return ""
    if row is None:
        named, value = _capital(_name(hypothesis["largest_metric"])), number(hypothesis["largest_value"])
        return f"{named} {value}{_metric_interval(hypothesis, 'largest')}."
    # not significant, so neither shrunken nor selected
    row = {**row, **dict.fromkeys(("value_shrunken", "ci_low_selected", "ci_high_selected"))}
    if _is_beyond(hypothesis):
        seen = _seen(row, hypothesis["significance_level"])
        return f"Largest: {row['group_id']}: {_beyond(row, details, '')}{f' ({seen}, not adjusted)' if seen else ''}."
    is_bounded = row["ci_low"] is not None or row["ci_high"] is not None
    return f"Largest difference: {row['group_id']} ({_told(row, details)}{', not adjusted' if is_bounded else ''})."


def _who_beyond(asked: HypothesisDetails) -> list[str]:
    """Each cell that stands in a sentence of its own, and on which scale parts add up."""
    differing = sorted(asked.told, key=lambda row: -abs(row["value"] or 0))
    if not differing:
        return []
    statements, is_gap = [], _pair_of_levels(asked) is not None
    for row in differing[:_MOST_GROUPS]:
        seen = _seen(row, asked.hypothesis["significance_level"])
        statement = _beyond(row, asked, _near(row))
        named = f"{row['group_id']}: {statement}"
        statements.append(f"{_capital(statement if is_gap else named)}{f' ({seen})' if seen else ''}.")
    if len(differing) > _MOST_GROUPS:
        statements.append(f"{plural(len(differing) - _MOST_GROUPS, 'more cell')} besides.")
    return [*statements, "Effects of the parts are added up on the scale of the measure."]


def _is_worse(row: Row) -> bool:
    """Whether a group is at a disadvantage, or lower where no end is the good one."""
    return bool((row["advantage"] or _sign(row)) < 0)


def _sign(row: Row) -> float:
    return float(row["value"] or 0)


def _side(asked: HypothesisDetails, rows: Sequence[Row]) -> str:
    sides = ("At a disadvantage", "At an advantage") if rows[0]["advantage"] else ("Lower", "Higher")
    return f"{sides[0] if _is_worse(rows[0]) else sides[1]}: {_named_groups(asked, rows)}."


def _named_groups(details: HypothesisDetails, rows: Sequence[Row]) -> str:
    named = [f"{row['group_id']} ({_told(row, details)})" for row in rows[:_MOST_GROUPS]]
    return _listed([*named, f"{len(rows) - _MOST_GROUPS} more"] if len(rows) > _MOST_GROUPS else named)


def _camps(asked: HypothesisDetails) -> str:
    """Both camps by name: against the rest each would be called for what the other does."""
    higher = {row["group_id"] for row in asked.told if _sign(row) > 0}
    lower = {row["group_id"] for row in asked.told if _sign(row) < 0}
    left = {group for group in asked.groups if group not in higher | lower}
    high, low = (_listed([group for group in asked.groups if group in (camp or left)]) for camp in (higher, lower))
    is_split = higher and lower and left
    between = f", with {_listed([name for name in asked.groups if name in left])} between" if is_split else ""
    largest = max(asked.told, key=lambda row: abs(row["value"] or 0))
    good = largest["advantage"] * _sign(largest)
    end = " Higher is better." if good > 0 else " Higher is worse." if good < 0 else ""
    return (
        f"The groups fall into two camps: higher {high}, lower {low}{between}; the largest difference is "
        f"that of {largest['group_id']} ({_told(largest, asked)}).{end}"
    )


def _told(row: Row, asked: HypothesisDetails) -> str:
    seen = _seen(row, asked.hypothesis["significance_level"])
    return f"{_label(row)}{_about(row)} than {_others(row, asked)}{f', {seen}' if seen else ''}"


def _of_missing(asked: HypothesisDetails) -> list[str]:
    """What missing answers could do to the groups that stand; groups that miss none are named together."""
    can_matter = [row for row in asked.told if _can_matter(row, asked)]
    lacking = [row for row in can_matter if _own(row, asked)["tipping_shift"] is not None]
    complete: defaultdict[str, list[str]] = defaultdict(list)
    for row in can_matter:
        if _own(row, asked)["tipping_shift"] is None:
            complete[at_the_worst_end(_own(row, asked))].append(_own(row, asked)["group_id"])
    statements = [_missing(row, asked) for row in lacking]
    statements += [
        f"No answer of {_some(list(dict.fromkeys(names)))} is missing{end}." for end, names in complete.items()
    ]
    more = f"For {plural(len(statements) - _MOST_GROUPS, 'more group')} see tipping_shift."
    return [*statements[:_MOST_GROUPS], *([more] if len(statements) > _MOST_GROUPS else [])]


def _can_matter(group: Row, asked: HypothesisDetails) -> bool:
    """Whether missing answers can matter much, so that something is said of them."""
    if group["verdict_with_missing"] is None:
        return False
    is_unequal = abs(group["missing_share"] - group["missing_share_rest"]) > UNEQUALLY_MISSING
    return _is_changed(group) or is_unequal or asked.refuses


def _own(group: Row, asked: HypothesisDetails) -> Row:
    """The row of the pair that tells of the answers missing."""
    return asked.of_pair.get(group["category"], group)


def _is_changed(group: Row) -> bool:
    return group["verdict_with_missing"] not in (None, group["verdict"])


def _missing(group: Row, asked: HypothesisDetails) -> str:
    """What missing answers would have to be like for a group not to stand; '' where they can matter little."""
    if not _can_matter(group, asked):
        return ""
    row = _own(group, asked)
    name, shift = row["group_id"], row["tipping_shift"]
    if shift is None:
        differs_on_its_own = f"No answer of {name} is missing"
    elif _is_rate(row) and shift > 1:
        differs_on_its_own = f"The finding stands whatever the missing answers of {name} would have been"
    else:
        side = "higher" if row["value"] < 0 else "lower"
        where = f" in {_label(row)}".rstrip() if row["category"] else ""
        differs_on_its_own = (
            f"The finding stands unless the missing answers of {name} are on average {_shift_of(row)} {side}{where} "
            "than its others on the same prompts"
        )
    return f"{differs_on_its_own}{at_the_worst_end(row)}."


def at_the_worst_end(row: Row) -> str:
    """What is left of a verdict with the missing answers at either end, to end a sentence with."""
    if row["verdict_with_missing"] not in DIFFERENCE_VERDICTS:
        return "; with all missing answers, those of the others too, at the worst end nothing is shown"
    if row["verdict_with_missing"] != row["verdict"]:
        return "; with all missing answers at the worst end the difference may be less than what matters"
    return ", and with those of the others at either end the finding stands" if row["tipping_shift"] is None else ""


def _shift_of(group: Row) -> str:
    """A shift of missing answers: of rates in points, else in standard deviations where the group has them."""
    shift, value, standardised = group["tipping_shift"], group["value"], group["value_standardised"]
    if _is_rate(group) or not standardised:
        return _size_of(group, shift)
    return f"{plain(float(f'{shift * standardised / value:.2g}'))} sd"


def _label(group: Row) -> str:
    """The label that a share is of; of others the question has told it."""
    quoted = f"\N{LEFT DOUBLE QUOTATION MARK}{group['category']}\N{RIGHT DOUBLE QUOTATION MARK}"
    return f"{quoted} " if group["category"] else ""


def _amount(group: Row) -> str:
    side = "lower" if group["value"] < 0 else "higher"
    return f"{_size_of(group, abs(group['value']))} {side}"


def _size_of(group: Row, size: float) -> str:
    return f"{_digits(group, size)} percentage points" if _is_rate(group) else _digits(group, size)


def _margin_of(group: Row) -> str:
    """The margin with the digits that the study declares."""
    margin = group["margin"]
    return f"{100 * margin:g} percentage points" if _is_rate(group) else f"{margin:g}"


def _digits(group: Row, value: float) -> str:
    """A value in its unit, rates in per cent: rounded, for 100 x 0.07 is a little more than 7."""
    return number(round(100 * value, 9) if _is_rate(group) else value)


def _others(group: Row, asked: HypothesisDetails) -> str:
    """What the group is compared with: the rest only where all other groups are in it."""
    if group["reference"] not in ("rest", "grand_mean"):
        return str(group["reference"])
    neighbours, out = asked.neighbours.get(group["group_id"]), _without_groups(group)
    without = f" without {_listed(out)}" if out else ""
    if neighbours is not None:
        neighbours = [name for name in neighbours if name not in out]
    if group["reference"] == "grand_mean":
        return f"the average {f'of all groups{without}' if neighbours is None else f'with {_listed(neighbours)}'}"
    if neighbours is not None:
        return f"{_listed(neighbours)} on the same prompts"
    others = [name for name in asked.groups if name != group["group_id"] and name not in out]
    if len(others) == 1:
        return others[0]
    if out:
        return f"the others{without}"
    return "the rest" if asked.hypothesis["statistic"] in OF_CELLS else "the other groups on average"


def _without_groups(group: Row) -> list[str]:
    """The groups that a group is not compared with."""
    return group["without_groups"].split(NEIGHBOUR_SEPARATOR) if group["without_groups"] else []


def _about(group: Row) -> str:
    """The size of a called row, without what chance stretched it by where that is known."""
    shrunken = group["value_shrunken"]
    return _amount(group) if shrunken is None else f"about {_amount({**group, 'value': shrunken})}"


def _seen(group: Row, alpha: float) -> str:
    """What was measured and its interval, of called rows the one that allows for their having been chosen."""
    measured = "" if group["value_shrunken"] is None else f"measured {_size_of(group, abs(group['value']))}"
    return "; ".join(piece for piece in (measured, _interval(group, alpha)) if piece)


def _interval(group: Row, alpha: float) -> str:
    """The interval in the direction of the value."""
    low, high, level = group["ci_low_selected"], group["ci_high_selected"], "interval after selection"
    if low is None and high is None:
        low, high, level = group["ci_low"], group["ci_high"], f"{plain(100 * (1 - alpha))} % interval"
    if low is None and high is None:
        return ""
    if _sign(group) < 0:
        low, high = (None if limit is None else -limit for limit in (high, low))
    if low is None:
        return f"{level} up to {_digits(group, high)}"
    if high is None:
        return f"{level} from {_digits(group, low)}"
    return f"{level} {_digits(group, low)} to {_digits(group, high)}"


def _size(hypothesis: Row) -> str:
    """The metric of all groups, what it means and what chance alone reaches; a difference its group has told."""
    metric, value, floor = (hypothesis[name] for name in ("metric", "metric_value", "metric_null_q95"))
    if value is None or metric not in DISPARITIES:
        return ""
    is_ratio = metric == "impact_ratio"
    says_nothing = floor is None or (is_ratio and floor == 0)
    chance = f"; chance alone gives {'down' if is_ratio else 'up'} to {number(floor)}"
    if metric == "range" and hypothesis["control_floor"] is not None:
        chance += f", irrelevant edits up to {number(hypothesis['control_floor'])}"
    where = _by_margin(hypothesis, "metric", metric, hypothesis["metric_verdict"])
    more = f"{'' if says_nothing else chance}{f'; {where}' if where else ''}"
    interval = _metric_interval(hypothesis, "metric") if where else ""
    return f"{_capital(_name(metric))} {number(value)}{interval}: {DISPARITIES[metric]}{more}."


def _metric_and_margin(details: HypothesisDetails) -> str:
    """Where a metric of all groups lies by its margin: the one that heads the hypothesis, or the one beside groups."""
    hypothesis = details.hypothesis
    if _is_headed_by_another_metric(hypothesis):
        prefix, metric, row_verdict = "headline", hypothesis["headline_metric"], hypothesis["verdict"]
    elif hypothesis["verdict"] in DIFFERENCE_VERDICTS:
        return ""  # _size says it
    else:
        prefix, metric, row_verdict = "metric", hypothesis["metric"], hypothesis["metric_verdict"]
    where = _by_margin(hypothesis, prefix, metric, row_verdict)
    # a metric says more than groups do where the two differ
    is_told_by_groups = bool(details.equivalent) or hypothesis["verdict"] == "inconclusive"
    if not where or (is_told_by_groups and hypothesis["verdict"] == row_verdict):
        return ""
    value = number(hypothesis[f"{prefix}_value"])
    return f"{_capital(_name(metric))} {value}{_metric_interval(hypothesis, prefix)} is {where}."


def _is_headed_by_another_metric(hypothesis: Row) -> bool:
    """Whether a metric of all groups heads a hypothesis that is not the one beside groups."""
    heads = None, hypothesis["metric"]
    return hypothesis["headline_group_id"] is None and hypothesis["headline_metric"] not in heads


def _by_margin(hypothesis: Row, prefix: str, metric: str, row_verdict: str | None) -> str:
    """On which side of its margin a metric is shown to lie; '' without a margin or a verdict."""
    value, margin, origin = (hypothesis[f"{prefix}_{name}"] for name in ("value", "margin", "margin_origin"))
    if metric not in DISPARITIES or None in (value, margin, row_verdict) or row_verdict == "not_tested":
        return ""
    sides = {"beyond_margin": "beyond", "equivalent": "inside"}
    side = sides.get(row_verdict or "", "shown neither beyond nor inside")
    return f"{side} its {margin_words(margin, origin, metric)}"


def _metric_interval(hypothesis: Row, prefix: str) -> str:
    low, high = hypothesis[f"{prefix}_ci_low"], hypothesis[f"{prefix}_ci_high"]
    if low is None or high is None:
        return ""
    return f" ({plain(100 * (1 - hypothesis['significance_level']))} % interval {number(low)} to {number(high)})"


def _of_labels(asked: HypothesisDetails) -> str:
    """What labels make of a difference that the reading shows, or does not; and that no proof is no proof."""
    hypothesis, twin = asked.hypothesis, asked.twin
    if hypothesis["calibration"] in _OF_SCORER and hypothesis["verdict"] == "inconclusive":
        return "That none was shown is no proof that all groups are read alike."
    if twin is None or hypothesis["p_value"] is None or _is_significant(hypothesis) == _is_significant(twin):
        return ""
    is_raw = hypothesis["calibration"] == "raw"
    if _is_significant(hypothesis):
        return (
            "Corrected by labels none was shown: it may lie in how the answers were read."
            if is_raw
            else "In the values as they were read none was shown."
        )
    return (
        "Corrected by labels a difference was shown."
        if is_raw
        else "The values as they were read show one, which labels do not bear out."
    )


def _of_statistic(hypothesis: Row) -> str:
    """What a statistic is that not everybody knows."""
    statistic = hypothesis["statistic"]
    is_known = statistic in ("mean", "share") or statistic not in STATISTIC_MEANINGS
    return "" if is_known else f"{_capital(_name(statistic))}: {STATISTIC_MEANINGS[statistic]}."


def _of_tool(hypothesis: Row) -> str:
    if hypothesis["is_baseline"]:
        return "No model said this: the texts that answers are compared with differ themselves."
    if not hypothesis["is_tool_bias"]:
        return ""
    if is_as_written(hypothesis):
        return "Only as written: the instrument scores the words that name the group."
    which_values = "averages" if hypothesis["calibration"] == "raw" else "raw values"
    return f"The {which_values} show no difference, the baseline texts alone do."


def _sure(asked: HypothesisDetails) -> list[str]:
    """How often chance alone says as much: a difference by its p, an equivalence by its own."""
    hypothesis, statements = asked.hypothesis, list[str]()
    n = hypothesis["n_hypotheses"]
    among = "the only question asked" if n == 1 else f"among the {plural(n, 'question')} asked"
    if not asked.equivalent or hypothesis["verdict"] != "equivalent" or _is_significant(hypothesis):
        causes = (
            "Chance alone gives" if hypothesis["p_negative_controls"] is None else "Chance or irrelevant edits give"
        )
        chance = f"{causes} this one comparison as large a difference in {_often(hypothesis['p_value'])}"
        statements.append(f"{chance} such studies ({among}: q {probability(hypothesis['q_value'])}).")
    if asked.equivalent and hypothesis["verdict"] == "equivalent":
        p, q = (max(row[name] for row in asked.equivalent) for name in ("p_equivalence", "q_equivalence"))
        chance = f"A difference of the margin would look as small as this in {_often(p)} such studies"
        statements.append(f"{chance} ({among}: q {probability(q)}).")
    return [*statements, f"Measured on {sample(hypothesis)}."]


def _often(p: float) -> str:
    return "most" if p > 0.5 else f"about 1 of {_rounded(1 / p):,}" if p > 0 else "hardly any"


def _rounded(count: float) -> int:
    """With two digits."""
    digits = len(str(int(count)))
    return int(round(count, 2 - digits)) if digits > 2 else round(count)


def _is_significant(hypothesis: Row) -> bool:
    return bool(hypothesis["is_significant"])


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _some(names: Sequence[str]) -> str:
    """_MOST_GROUPS names, and how many more there are."""
    more = len(names) - _MOST_GROUPS
    return _listed([*names[:_MOST_GROUPS], plural(more, "more group")] if more > 0 else names)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
