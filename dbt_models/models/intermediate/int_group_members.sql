-- One row per (study_id, slice_id, grouping_id, prompt_id): the group and the unit of a prompt of a slice.
-- scheme is how groups meet, read off the prompts alone. blocked: some unit holds two groups or more, and they are
-- compared within it. nested: every unit lies in one group, and units are compared (inference.md 1).
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
    left join settings using ({{ layout }}, generation_id)
    -- prompts, and the answers of the generations that are compared there
    where prompts.generation_id = '' or settings.grouping_id is not null
),

units as (
    select
        {{ layout }},
        unit_id,
        case when max(count(distinct group_id)) over (partition by {{ layout }}) > 1 then 'blocked' else 'nested' end
            as scheme
    from members
    group by {{ layout }}, unit_id
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
    scheme
from members
inner join units using ({{ layout }}, unit_id)
