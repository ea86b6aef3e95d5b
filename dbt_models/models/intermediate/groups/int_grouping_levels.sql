with

levels as (
    select * from {{ ref('int_answer_levels') }}
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
left join outside using (study_id, grouping_id, prompt_id)
