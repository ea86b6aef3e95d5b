"""What raw.prompt_factors must satisfy: every prompt lies in the groups that the study compares."""

from typing import Final

from expectations.rule import Rule, expect_filled, expect_rows, expect_unique_keys

TABLE: Final = "prompt_factors"
RULES: Final[tuple[Rule, ...]] = (
    expect_rows(TABLE, "Declare at least one factor: without it there is nothing to compare."),
    expect_filled(("prompt_id", "factor")),
    expect_unique_keys(("prompt_id", "factor")),
    Rule(
        name="expect_a_prompt",
        columns="prompt_id",
        severity="critical",
        description="every row is of a prompt in raw.prompts",
        remedy="Materialise the assemble stage again.",
        unexpected="""
            select prompt_id, factor, level from batch anti join raw.prompts using (study_id, prompt_id)
        """,
    ),
    Rule(
        name="expect_declared_levels",
        columns="level",
        severity="critical",
        description="the level of a factor is one that the study declares for it",
        remedy="Add the level to the factor in the study file, or mend the record.",
        unexpected="""
            select prompt_id, factor, level
            from batch
            anti join {declared_levels} as declared using (factor, level)
            where factor in (select factor from {declared_levels})
        """,
        evaluated="select count(*) from batch where factor in (select factor from {declared_levels})",
    ),
    Rule(
        name="expect_levels_that_join",
        columns="level",
        severity="critical",
        description="no level of a grouped factor is blank or holds ' x ', which joins levels into a group",
        remedy="Reword the level.",
        unexpected="""
            select prompt_id, factor, level
            from batch
            where factor in (select factor from {grouping_factors})
                and (contains(level, ' x ') or trim(level) = '')
        """,
        evaluated="select count(*) from batch where factor in (select factor from {grouping_factors})",
    ),
    Rule(
        name="expect_prompts_of_every_level",
        columns="level",
        severity="critical",
        description="every declared level has a prompt",
        remedy="Give the level a source, keyword or text, or remove it from the study file.",
        unexpected="""
            select factor, level from {declared_levels} as declared anti join batch using (factor, level)
        """,
        evaluated="select count(*) from {declared_levels}",
    ),
    Rule(
        name="expect_levels_of_every_prompt",
        columns="factor",
        severity="warning",
        description="every prompt has a level of every grouped factor; one without it is in no group",
        remedy="Give the prompt a level of the factor, or leave the factor out of groupings.",
        unexpected="""
            select factor, prompt_id
            from (select distinct factor from {grouping_factors}) as grouped
            cross join (select prompt_id from raw.prompts where study_id = '{study_id}') as p
            anti join batch using (prompt_id, factor)
        """,
        evaluated="""
            select (select count(distinct factor) from {grouping_factors}) * count(*)
            from raw.prompts
            where study_id = '{study_id}'
        """,
    ),
)
