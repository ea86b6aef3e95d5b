with

levels as (
    select * from {{ ref('int_answer_levels') }}
),

controls as (
    select study_id, prompt_id, negative_control
    from {{ ref('int_answers') }}
    where negative_control is not null
),

grouped as (
    {{ grouped_prompts('groupings', 'levels') }}
),

outside_levels as (
    {{ outside_levels() }}
),

outside as (
    select study_id, grouping_id, prompt_id, {{ joined_text("factor || ' = ' || level", ', ', 'factor') }} as outside_levels
    from outside_levels
    group by study_id, grouping_id, prompt_id
)

select
    study_id,
    grouping_id,
    prompt_id,
    group_id,
    group_key,
    coalesce(outside.outside_levels, '') as outside_levels
from grouped
left join controls using (study_id, prompt_id)
left join outside using (study_id, grouping_id, prompt_id)
-- a control is in no group but its own
where controls.negative_control is null or grouping_id = 'negative_control'
