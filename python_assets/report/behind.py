"""What was answered behind a fact or a change: the root prompts that made it most, answers side by side.

Belongs here: reading texts. Which root prompts these are, mart finding_prompts says of facts; of changes
comparisons.py.
"""

from typing import Any, Final, NamedTuple

from python_assets.report.reader import Reader, Row
from python_assets.texts.conversations import EARLIER

_MAX_GROUPS: Final = 2  # of a fact whose prompts are shown
_MAX_PROMPTS: Final = 3  # of each; table finding_prompts has ten
_OF_GROUP: Final = """
    select position, root_prompt_id, difference, prompt_id, other_prompt_id, system_id
    from finding_prompts
    where study_id = $study
        and (slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
        = ($slice_id, $system_id, $grouping_id, $measure_id, $calibration, $statistic, $parameters)
        and (group_id, category, reference) = ($group_id, $category, $reference)
        and position <= $n_prompts
    order by position
"""
_ANSWER: Final = f"""
    select {EARLIER} as earlier, prompts.prompt_text, min_by(responses.response_text, replicate) as response_text
    from prompts
    left join responses
        on prompts.study_id = responses.study_id and prompts.prompt_id = responses.prompt_id
        and responses.system_id = $system_id
    where prompts.study_id = $study and prompts.prompt_id = $prompt_id
    group by prompts.messages_json, prompts.prompt_text
"""


class Behind(NamedTuple):
    """The root prompts behind one group of a fact."""

    group_id: str
    category: str
    prompts: list[Row]


def behind_fact(reader: Reader, keys: dict[str, Any], groups: list[Row]) -> list[Behind]:
    """The root prompts in which the groups of a fact differ most.

    Args:
        reader: the study.
        keys: of the question of the fact.
        groups: of the fact, with group_id, category and reference.

    Returns:
        Of the first groups, those that have any; each prompt with the answer and the one beside it.
    """
    groups_behind = []
    for group in groups[:_MAX_GROUPS]:
        named = {name: group[name] for name in ("group_id", "category", "reference")}
        rows = reader.rows(_OF_GROUP, **keys, **named, n_prompts=_MAX_PROMPTS)
        prompts = [
            {
                **row,
                "own": answer(reader, row["system_id"], row["prompt_id"]),
                "other": answer(reader, row["system_id"], row["other_prompt_id"]),
            }
            for row in rows
        ]
        if prompts:
            groups_behind.append(Behind(group["group_id"], group["category"], prompts))
    return groups_behind


def answer(reader: Reader, system_id: str, prompt_id: str) -> Row:
    """The text of a prompt, the messages before it, and the first answer of a generation; None where there is none."""
    rows = reader.rows(_ANSWER, system_id=system_id, prompt_id=prompt_id)
    return rows[0] if rows else {"earlier": None, "prompt_text": None, "response_text": None}
