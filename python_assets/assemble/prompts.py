"""Prompts as the ways of making them hand them over, and their raw tables."""

import json
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import pandas as pd

from python_assets.errors import SourceError
from python_assets.study.messages import FixedMessage, as_json
from python_assets.study.study import LEVEL_SEPARATOR

# the level of a derived factor for prompts that have none, for example the keyword of a template
_NO_LEVEL: Final = "(none)"


class AssembledPrompt(NamedTuple):
    """One prompt. levels: of its factors, derived ones excepted; replacements: what was written for what.

    unit_factor: the factor whose level is what the prompt is a draw of; None where that is the root prompt.
    messages: fixed ones that stand before its text. negative_control: its name, None of a prompt of a group.
    """

    prompt_id: str
    root_prompt_id: str
    is_root: bool
    task: str
    prompt_text: str
    baseline_text: str | None
    baseline_kind: str | None
    source_tag: str
    levels: dict[str, str]
    keyword: str = ""
    document_id: str = ""
    replacements: dict[str, str] = {}
    unit_factor: str | None = None
    negative_control: str | None = None
    messages: Sequence[FixedMessage] = ()


class PromptTables(NamedTuple):
    """The rows of raw.prompts and raw.prompt_factors, without study_id."""

    prompts: pd.DataFrame
    prompt_factors: pd.DataFrame


def prompt_tables(prompts: Iterable[AssembledPrompt]) -> PromptTables:
    """The raw tables of prompts, their derived factors included.

    Args:
        prompts: each id once.

    Returns:
        One row a prompt; one row a prompt and factor.

    Raises:
        SourceError: a derived level cannot be one.
    """
    listed = list(prompts)
    rows = pd.DataFrame(listed, columns=list(AssembledPrompt._fields))
    rows["unit_id"] = [
        prompt.levels[prompt.unit_factor] if prompt.unit_factor else prompt.root_prompt_id for prompt in listed
    ]
    rows["messages_json"] = [as_json(prompt.messages) for prompt in listed]
    rows["replacements_json"] = [json.dumps(prompt.replacements, ensure_ascii=False) for prompt in listed]
    levels = [(prompt.prompt_id, factor, level) for prompt in listed for factor, level in prompt.levels.items()]
    declared = pd.DataFrame(levels, columns=["prompt_id", "factor", "level"])
    prompts_table = rows.drop(columns=["levels", "messages", "replacements"])
    factors = pd.concat([declared, derived_factors(prompts_table)], ignore_index=True)
    return PromptTables(prompts_table, factors)


def derived_factors(prompts: pd.DataFrame) -> pd.DataFrame:
    """The factors that every prompt has: source_tag, keyword, document, task and is_root.

    Args:
        prompts: rows of raw.prompts.

    Returns:
        One row a prompt and factor.

    Raises:
        SourceError: a keyword, document or source tag holds the separator of levels.
    """
    derived = pd.DataFrame(
        {
            "source_tag": prompts["source_tag"],
            "keyword": prompts["keyword"],
            "document": prompts["document_id"],
            "task": prompts["task"],
            "is_root": prompts["is_root"].map({True: "true", False: "false"}),
        }
    ).replace("", _NO_LEVEL)
    derived.insert(0, "prompt_id", prompts["prompt_id"])
    long = derived.melt(id_vars="prompt_id", var_name="factor", value_name="level")
    wrong = long[long["level"].str.contains(LEVEL_SEPARATOR, regex=False)]
    if not wrong.empty:
        expected = f"a level without {LEVEL_SEPARATOR!r}, which joins levels into a group"
        raise SourceError(wrong["factor"].iloc[0], repr(wrong["level"].iloc[0]), expected, "reword it")
    return long
