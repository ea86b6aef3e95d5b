"""Responses behind a finding or a change: of the root prompts that make it most, two that show it, side by side.

Belongs here: reading texts. Which responses these are, mart finding_prompts says of findings; of changes
comparisons.py.
"""

from typing import Any, Final, NamedTuple

from python_assets.published.plain_numbers import effect
from python_assets.report.reader import Reader, Row
from python_assets.report.text import minus_signs, number
from python_assets.texts.conversations import EARLIER

_MAX_GROUPS: Final = 2  # of a finding whose prompts are shown
_MAX_PROMPTS: Final = 3  # of each; table finding_prompts has ten
# of others single responses need not show what differs
_STATISTICS: Final = ("mean", "share")
_CALIBRATIONS: Final = ("raw", "calibrated")
_AGAINST: Final = {
    "rest": "the mean of the others",
    "grand_mean": "the mean of all",
    "parts": "what its factors alone give",
}
_OF_GROUP: Final = """
    select *,
        (
            select string_agg(level, ' x ' order by list_position($factors, factor))
            from prompt_factors
            where study_id = $study and prompt_id = other_prompt_id and list_contains($factors, factor)
        ) as other_group_id
    from finding_prompts
    where study_id = $study
        and (slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
        = ($slice_id, $system_id, $grouping_id, $measure_id, $calibration, $statistic, $parameters)
        and (group_id, category, reference) = ($group_id, $category, $reference)
        and position <= $n_prompts
    order by position
"""
_RESPONSE: Final = f"""
    select {EARLIER} as earlier, prompts.prompt_text, responses.response_text, measurements.label,
        case when $calibration = 'calibrated' then measurements.calibrated_value else measurements.value end as value
    from prompts
    left join responses
        on prompts.study_id = responses.study_id and prompts.prompt_id = responses.prompt_id
        and responses.system_id = $system_id and responses.replicate = $replicate
    left join measurements
        on prompts.study_id = measurements.study_id and prompts.prompt_id = measurements.prompt_id
        and measurements.system_id = $system_id and measurements.replicate = $replicate
        and measurements.measure_id = $measure_id
    where prompts.study_id = $study and prompts.prompt_id = $prompt_id
"""


class Behind(NamedTuple):
    """The root prompts behind one group of a finding.

    Attributes:
        group_id: the group.
        category: the label whose share differs; '' of other measures.
        prompts: with two responses each and both differences in words; empty where no two responses show one.
    """

    group_id: str
    category: str
    prompts: list[Row]


def behind_fact(reader: Reader, keys: dict[str, Any], groups: list[Row]) -> list[Behind]:
    """The root prompts in which the groups of a finding differ most.

    Args:
        reader: the study.
        keys: of the hypothesis of the finding.
        groups: of the finding, with group_id, category and reference.

    Returns:
        Of the first groups; each prompt with the response and the one beside it. A group without prompts is
        kept where responses could show the difference: not of models pooled, variances or label-corrected values.
    """
    is_kept = keys["statistic"] in _STATISTICS and keys["calibration"] in _CALIBRATIONS and keys["system_id"] != "all"
    groups_behind = [_behind_group(reader, keys, group) for group in groups[:_MAX_GROUPS]]
    return [group for group in groups_behind if group.prompts or is_kept]


def _behind_group(reader: Reader, keys: dict[str, Any], group: Row) -> Behind:
    named = {name: group[name] for name in ("group_id", "category", "reference")}
    factors = keys["grouping_id"].split(" x ")
    rows = reader.rows(_OF_GROUP, **keys, **named, factors=factors, n_prompts=_MAX_PROMPTS)
    prompts = []
    for row in rows:
        first = response(reader, row, row["system_id"], row["prompt_id"], row["replicate"])
        other = response(reader, row, row["system_id"], row["other_prompt_id"], row["other_replicate"])
        prompts.append({**row, "own": first, "other": other, "differences": _differences(row, first, other)})
    return Behind(group["group_id"], group["category"], prompts)


def _differences(row: Row, first: Row, other: Row) -> str:
    """The difference of means on the root prompt, and the difference between the two responses."""
    against = _AGAINST.get(row["reference"], row["reference"])
    on_prompt = effect(row["difference"], is_rate=row["chosen_for"] == "event")
    if row["chosen_for"] == "event":
        within_pair = f"{first['measurement']} and {other['measurement']}"
    else:
        within_pair = effect(first["value"] - other["value"])
    return minus_signs(f"{row['group_id']} minus {against} on this prompt: {on_prompt}; this pair: {within_pair}")


def response(reader: Reader, keys: Row, system_id: str, prompt_id: str, replicate: int) -> Row:
    """One response with its prompt.

    Args:
        reader: the study.
        keys: with measure_id and calibration, of what is read from the response.
        system_id: the system that answered.
        prompt_id: the prompt.
        replicate: of its responses the one.

    Returns:
        The messages before the prompt, the texts of prompt and response, and the measurement in words; None where
        there is none.
    """
    measure = {name: keys[name] for name in ("measure_id", "calibration")}
    rows = reader.rows(_RESPONSE, **measure, system_id=system_id, prompt_id=prompt_id, replicate=replicate)
    if not rows:
        return dict.fromkeys(("earlier", "prompt_text", "response_text", "measurement"))
    row = rows[0]
    value = None if row["value"] is None else number(row["value"])
    return {**row, "measurement": row["label"] or value}
