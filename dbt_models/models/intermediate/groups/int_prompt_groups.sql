{% set layout = 'study_id, slice_id, grouping_id' -%}
with

members as (
    select * from {{ ref('int_group_members') }}
),

blocking_factors as (
    select * from {{ ref('int_blocking_factors') }}
),

outside_levels as (
    {{ outside_levels() }}
),

held_levels as (
    select
        {{ layout }},
        prompt_id,
        {{ joined_text("factor || ' = ' || level", ', ', 'factor') }} as held_levels
    from members
    inner join outside_levels using (study_id, grouping_id, prompt_id)
    inner join blocking_factors using ({{ layout }}, factor)
    where is_stratum
    group by {{ layout }}, prompt_id
),

placed as (
    select
        *,
        unit_id
        || case when root_prompt_id = unit_id then '' else ' | ' || root_prompt_id end
        || case
            when scheme = 'partly_nested' then ' | ' || group_id
            when scheme = 'nested' or held_levels is null then ''
            else ' | ' || held_levels
        end as block_id,
        case when scheme in ('nested', 'partly_nested') then coalesce(held_levels, '') end as stratum_id
    from members
    left join held_levels using ({{ layout }}, prompt_id)
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
    unit_factor,
    block_id,
    stratum_id,
    cast(dense_rank() over (partition by {{ layout }} order by unit_id asc) - 1 as integer)
        as root_position,
    cast(dense_rank() over (partition by {{ layout }} order by block_id asc) - 1 as integer)
        as block_position,
    cast(dense_rank() over (partition by {{ layout }} order by root_prompt_id asc) - 1 as integer)
        as root_prompt_position,
    case
        when stratum_id is not null
        then cast(dense_rank() over (partition by {{ layout }} order by stratum_id asc) - 1 as integer)
    end as stratum_position,
    prompt_position,
    cast(dense_rank() over (order by study_id asc, slice_id asc, grouping_id asc) - 1 as integer) as layout_position
from placed
