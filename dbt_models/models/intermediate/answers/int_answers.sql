with

prompts as (
    select study_id, prompt_id, root_prompt_id, unit_id, unit_factor, negative_control
    from {{ source('raw', 'prompts') }}
),

model_factors as (
    select * from {{ ref('int_model_factors') }}
),

named as (
    select study_id, factor from {{ source('raw', 'groupings') }}
    union
    select study_id, factor from {{ source('raw', 'slices') }}
),

comparing as (
    select study_id
    from named
    inner join model_factors using (study_id, factor)
    group by study_id
),

systems as (
    select study_id, system_id
    from {{ source('raw', 'system_factors') }}
    inner join comparing using (study_id)
    group by study_id, system_id
)

select
    study_id,
    prompt_id,
    prompt_id as asked_prompt_id,
    '' as system_id,
    root_prompt_id,
    unit_id,
    unit_factor,
    negative_control
from prompts
union all
select
    study_id,
    prompt_id || ' | ' || system_id as prompt_id,
    prompt_id as asked_prompt_id,
    system_id,
    root_prompt_id,
    unit_id,
    unit_factor,
    negative_control
from prompts
inner join systems using (study_id)
