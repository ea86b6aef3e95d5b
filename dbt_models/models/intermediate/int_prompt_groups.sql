-- One row per (study_id, slice_id, grouping_id, prompt_id): the group and the block of a prompt, as text and as codes.
-- Codes are dense, from 0, within (study_id, slice_id, grouping_id); layout_position numbers those triples,
-- prompt_position all prompts.
-- A block is a root prompt with the levels of all blocking factors outside the grouping (inference.md 2.6).
with

prompt_slices as (
    select * from {{ ref('int_prompt_slices') }}
),

grouping_levels as (
    select * from {{ ref('int_grouping_levels') }}
),

prompts as (
    select * from {{ ref('stg_prompts') }}
),

joined as (
    select
        prompt_slices.study_id,
        prompt_slices.slice_id,
        grouping_levels.grouping_id,
        prompt_slices.prompt_id,
        grouping_levels.group_id,
        grouping_levels.group_key,
        prompts.root_prompt_id,
        case
            when grouping_levels.block_levels = '' then prompts.root_prompt_id
            else prompts.root_prompt_id || ' | ' || grouping_levels.block_levels
        end as block_id
    from prompt_slices
    inner join grouping_levels
        on prompt_slices.study_id = grouping_levels.study_id
        and prompt_slices.prompt_id = grouping_levels.prompt_id
    inner join prompts
        on prompt_slices.study_id = prompts.study_id
        and prompt_slices.prompt_id = prompts.prompt_id
)

select
    study_id,
    slice_id,
    grouping_id,
    prompt_id,
    group_id,
    cast(dense_rank() over (partition by study_id, slice_id, grouping_id order by group_key asc) - 1 as integer)
        as group_position,
    root_prompt_id,
    block_id,
    cast(dense_rank() over (partition by study_id, slice_id, grouping_id order by root_prompt_id asc) - 1 as integer)
        as root_position,
    cast(dense_rank() over (partition by study_id, slice_id, grouping_id order by block_id asc) - 1 as integer)
        as block_position,
    cast(dense_rank() over (order by study_id asc, prompt_id asc) - 1 as integer) as prompt_position,
    cast(dense_rank() over (order by study_id asc, slice_id asc, grouping_id asc) - 1 as integer) as layout_position
from joined
