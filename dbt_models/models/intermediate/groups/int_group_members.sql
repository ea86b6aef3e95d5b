{% set layout = 'study_id, slice_id, grouping_id' -%}
with

prompt_slices as (
    select * from {{ ref('int_prompt_slices') }}
),

grouping_levels as (
    select * from {{ ref('int_grouping_levels') }}
),

prompts as (
    select * from {{ ref('int_answers') }}
),

settings as (
    select * from {{ ref('int_settings') }}
),

members as (
    select *
    from prompt_slices
    inner join grouping_levels using (study_id, prompt_id)
    inner join prompts using (study_id, prompt_id)
    left join settings using ({{ layout }}, system_id)
    -- prompts, and the answers of the generations that are compared there
    where prompts.system_id = '' or settings.grouping_id is not null
),

units as (
    select
        {{ layout }},
        unit_id,
        count(distinct group_id) as n_groups,
        min(coalesce(unit_factor, '')) as first_factor,
        max(coalesce(unit_factor, '')) as last_factor
    from members
    group by {{ layout }}, unit_id
),

unit_levels as (
    select {{ layout }}, factor, unit_id, min(level) as first_level, max(level) as last_level
    from members
    inner join {{ source('raw', 'groupings') }} using (study_id, grouping_id)
    inner join {{ ref('int_answer_levels') }} using (study_id, prompt_id, factor)
    where unit_factor is not null
    group by {{ layout }}, factor, unit_id
),

kept_factors as (
    select {{ layout }}, factor
    from unit_levels
    group by {{ layout }}, factor
    having max(case when first_level < last_level then 1 else 0 end) = 0 and min(first_level) < max(first_level)
),

kept as (
    select {{ layout }}, count(*) as n_kept
    from kept_factors
    group by {{ layout }}
),

schemes as (
    select
        {{ layout }},
        case
            when min(first_factor) < max(last_factor) then 'mixed_units'
            when max(n_groups) = 1 then 'nested'
            when max(n_kept) > 0 then 'partly_nested'
            else 'blocked'
        end as scheme
    from units
    left join kept using ({{ layout }})
    group by {{ layout }}
)

select
    study_id,
    slice_id,
    grouping_id,
    prompt_id,
    prompt_position,
    group_id,
    group_key,
    outside_levels,
    root_prompt_id,
    unit_id,
    unit_factor,
    scheme
from members
inner join schemes using ({{ layout }})
