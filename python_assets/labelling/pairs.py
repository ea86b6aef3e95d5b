"""Which prompts are pairs: a root prompt, and each other prompt that was made of it."""

from typing import Final

from python_assets.texts.conversations import AS_SHOWN

# templates name a root prompt by their own id: the first of its prompts that is a root stands for it
PAIRS: Final = f"""
    with placed as (
        select
            *,
            {AS_SHOWN} as shown,
            row_number() over (partition by root_prompt_id order by is_root desc, prompt_id) as place
        from raw.prompts
        where study_id = $study_id and prompt_text is not null and negative_control is null
    )
    select branch.root_prompt_id, branch.prompt_id, root.shown as root_text, branch.shown as text
    from placed as branch
    inner join placed as root on branch.root_prompt_id = root.root_prompt_id and root.place = 1
    where branch.place > 1
    order by branch.prompt_id
"""
