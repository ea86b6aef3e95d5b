-- One row per (study_id, slice_id, grouping_id, prompt_id): the group and the block of a prompt, as text and as codes.
-- Codes are dense, from 0, within (study_id, slice_id, grouping_id); layout_position numbers those triples,
-- prompt_position all prompts. root_position is the code of the unit: the root prompt, unless the study declares
-- another.
-- scheme is how groups meet, read off the prompts alone. blocked: some unit holds two groups or more, and they are
-- compared within it. nested: every unit lies in one group, and units are compared within their stratum: the levels of
-- those blocking factors outside the grouping that are constant within every unit (inference.md 1).
-- A block is a root prompt of a unit with the levels of all blocking factors outside the grouping (inference.md 2.6).
-- In a nested grouping every unit with each of its root prompts is a block of its own, with one group in it;
-- root_prompt_position tells which units were asked the same (inference.md 2.7). stratum_position is NULL in others.
{% set layout = 'study_id, slice_id, grouping_id' -%}
with

prompt_slices as (
    select * from {{ ref('int_prompt_slices') }}
),

grouping_levels as (
    select * from {{ ref('int_grouping_levels') }}
),

prompts as (
    select study_id, prompt_id, root_prompt_id, unit_id from {{ source('raw', 'prompts') }}
),

outside_levels as (
    {{ outside_levels() }}
),

members as (
    select *
    from prompt_slices
    inner join grouping_levels using (study_id, prompt_id)
    inner join prompts using (study_id, prompt_id)
),

units as (
    select
        {{ layout }},
        unit_id,
        count(*) as n_prompts,
        case when max(count(distinct group_id)) over (partition by {{ layout }}) > 1 then 'blocked' else 'nested' end
            as scheme
    from members
    group by {{ layout }}, unit_id
),

unit_levels as (
    select
        {{ layout }},
        unit_id,
        factor,
        min(level) as level,
        count(distinct level) = 1 and count(*) = min(n_prompts) as is_constant
    from members
    inner join units using ({{ layout }}, unit_id)
    inner join outside_levels using (study_id, grouping_id, prompt_id)
    where scheme = 'nested'
    group by {{ layout }}, unit_id, factor
),

constant_levels as (
    select *, min(cast(is_constant as integer)) over (partition by {{ layout }}, factor) = 1 as is_constant_everywhere
    from unit_levels
),

strata as (
    select {{ layout }}, unit_id, {{ joined_text("factor || ' = ' || level", ', ', 'factor') }} as kept_levels
    from constant_levels
    where is_constant_everywhere
    group by {{ layout }}, unit_id
),

placed as (
    select
        *,
        unit_id
        || case when root_prompt_id = unit_id then '' else ' | ' || root_prompt_id end
        || case when scheme = 'nested' or block_levels = '' then '' else ' | ' || block_levels end as block_id,
        case when scheme = 'nested' then coalesce(kept_levels, '') end as stratum_id
    from members
    inner join units using ({{ layout }}, unit_id)
    left join strata using ({{ layout }}, unit_id)
)

select
    study_id,
    slice_id,
    grouping_id,
    prompt_id,
    group_id,
    cast(dense_rank() over (partition by {{ layout }} order by group_key asc) - 1 as integer)
        as group_position,
    scheme,
    unit_id,
    block_id,
    stratum_id,
    cast(dense_rank() over (partition by {{ layout }} order by unit_id asc) - 1 as integer)
        as root_position,
    cast(dense_rank() over (partition by {{ layout }} order by block_id asc) - 1 as integer)
        as block_position,
    cast(dense_rank() over (partition by {{ layout }} order by root_prompt_id asc) - 1 as integer)
        as root_prompt_position,
    case
        when scheme = 'nested'
        then cast(dense_rank() over (partition by {{ layout }} order by stratum_id asc) - 1 as integer)
    end as stratum_position,
    prompt_position,
    cast(dense_rank() over (order by study_id asc, slice_id asc, grouping_id asc) - 1 as integer) as layout_position
from placed
