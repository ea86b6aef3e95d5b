-- One row per (study_id, slice_id, grouping_id, prompt_id): the group and the block of a prompt, as text and as codes.
-- Codes are dense, from 0, within (study_id, slice_id, grouping_id); layout_position numbers those triples,
-- prompt_position all prompts. root_position is the code of the unit: the root prompt, unless the study declares
-- another.
-- A block is a root prompt of a unit with the levels of all blocking factors outside the grouping (inference.md 2.6).
-- In a nested grouping every unit is a block of its own, with one group in it; stratum_position is NULL in others.
with

prompt_slices as (
    select * from {{ ref('int_prompt_slices') }}
),

grouping_levels as (
    select * from {{ ref('int_grouping_levels') }}
),

prompts as (
    select * from {{ source('raw', 'prompts') }}
),

unit_strata as (
    select * from {{ ref('int_unit_strata') }}
),

joined as (
    select
        prompt_slices.study_id,
        prompt_slices.slice_id,
        grouping_levels.grouping_id,
        prompt_slices.prompt_id,
        grouping_levels.group_id,
        grouping_levels.group_key,
        unit_strata.scheme,
        unit_strata.stratum_id,
        prompts.unit_id,
        case
            when unit_strata.scheme = 'nested' then prompts.unit_id
            else
                prompts.unit_id
                || case
                    when prompts.root_prompt_id = prompts.unit_id then ''
                    else ' | ' || prompts.root_prompt_id
                end
                || case when grouping_levels.block_levels = '' then '' else ' | ' || grouping_levels.block_levels end
        end as block_id
    from prompt_slices
    inner join grouping_levels
        on prompt_slices.study_id = grouping_levels.study_id
        and prompt_slices.prompt_id = grouping_levels.prompt_id
    inner join prompts
        on prompt_slices.study_id = prompts.study_id
        and prompt_slices.prompt_id = prompts.prompt_id
    inner join unit_strata
        on prompt_slices.study_id = unit_strata.study_id
        and prompt_slices.slice_id = unit_strata.slice_id
        and grouping_levels.grouping_id = unit_strata.grouping_id
        and prompts.unit_id = unit_strata.unit_id
)

select
    study_id,
    slice_id,
    grouping_id,
    prompt_id,
    group_id,
    cast(dense_rank() over (partition by study_id, slice_id, grouping_id order by group_key asc) - 1 as integer)
        as group_position,
    scheme,
    unit_id,
    block_id,
    cast(dense_rank() over (partition by study_id, slice_id, grouping_id order by unit_id asc) - 1 as integer)
        as root_position,
    cast(dense_rank() over (partition by study_id, slice_id, grouping_id order by block_id asc) - 1 as integer)
        as block_position,
    case
        when scheme = 'nested'
        then
            cast(
                dense_rank() over (partition by study_id, slice_id, grouping_id order by stratum_id asc) - 1 as integer
            )
    end as stratum_position,
    cast(dense_rank() over (order by study_id asc, prompt_id asc) - 1 as integer) as prompt_position,
    cast(dense_rank() over (order by study_id asc, slice_id asc, grouping_id asc) - 1 as integer) as layout_position
from joined
