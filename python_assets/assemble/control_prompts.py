"""Negative controls as prompts: edits of one branch of every root prompt, and the levels that controls have.

Belongs here: what is written where. The edits are those of the study file.
"""

from python_assets.assemble.prompts import PromptTables
from python_assets.study.base import NEGATIVE_CONTROL


def with_shared_levels(tables: PromptTables) -> PromptTables:
    """Prompts whose controls have the levels alone that all prompts of their root prompt have alike.

    Args:
        tables: of all prompts; those of imports have all levels of their rows.

    Returns:
        The same prompts; a control has its level of NEGATIVE_CONTROL, and none of a factor in which groups differ.
    """
    prompts, levels = tables
    control = prompts.set_index("prompt_id")["negative_control"] if "negative_control" in prompts else None
    if control is None or control.isna().all():
        return PromptTables(prompts.assign(negative_control=None), levels)
    root = levels["prompt_id"].map(prompts.set_index("prompt_id")["root_prompt_id"])
    is_control = levels["prompt_id"].map(control.notna())
    keys = [root, levels["factor"]]
    n_levels = levels["level"].groupby(keys).transform("nunique")
    n_of_groups = (~is_control).groupby(keys).transform("sum")
    n_prompts = root.map(prompts[prompts["negative_control"].isna()].groupby("root_prompt_id").size()).fillna(0)
    is_shared = (n_levels == 1) & (n_of_groups == n_prompts)
    is_kept = ~is_control | is_shared | (levels["factor"] == NEGATIVE_CONTROL)
    return PromptTables(prompts, levels[is_kept].reset_index(drop=True))
