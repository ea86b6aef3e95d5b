with

answers as (
    select study_id, prompt_id, asked_prompt_id, system_id from {{ ref('int_answers') }}
),

prompt_factors as (
    select study_id, prompt_id as asked_prompt_id, factor, level from {{ source('raw', 'prompt_factors') }}
),

system_factors as (
    select study_id, system_id, factor, level
    from {{ source('raw', 'system_factors') }}
    inner join {{ ref('int_model_factors') }} using (study_id, factor)
),

factor_levels as (
    select * from {{ source('raw', 'factor_levels') }}
),

places as (
    select
        study_id,
        factor,
        level,
        row_number() over (
            partition by study_id, factor order by factor_levels.level_position asc nulls last, level asc
        ) - 1 as level_position
    from (select distinct study_id, factor, level from system_factors) as system_levels
    left join factor_levels using (study_id, factor, level)
)

select answers.study_id, answers.prompt_id, factor, level, factor_levels.level_position
from answers
inner join prompt_factors using (study_id, asked_prompt_id)
inner join factor_levels using (study_id, factor, level)
union all
select answers.study_id, answers.prompt_id, factor, level, places.level_position
from answers
inner join system_factors using (study_id, system_id)
inner join places using (study_id, factor, level)
