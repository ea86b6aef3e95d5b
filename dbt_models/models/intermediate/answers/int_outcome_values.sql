{% set measured -%}
        measurements.replicate,
        coalesce(replicated.is_replicated, false) as is_replicated,
        case
            when outcomes.kind = 'categorical'
            then cast(cast(measurements.label = outcomes.category as integer) as double)
            when outcomes.calibration = 'calibrated' then measurements.value - measurements.baseline_value
            else measurements.value
        end as x,
        case
            when outcomes.kind = 'continuous' and outcomes.calibration = 'raw' and measurements.value is not null
            then measurements.baseline_value
        end as baseline
{%- endset -%}
with

measurements as (
    select * from {{ source('raw', 'measurements') }}
),

outcomes as (
    select * from {{ ref('int_outcomes') }}
),

answers as (
    select study_id, system_id, asked_prompt_id, prompt_id as answer_id from {{ ref('int_answers') }}
    where system_id <> ''
),

prompts as (
    select study_id, prompt_id, prompt_position
    from {{ ref('int_prompt_slices') }}
    group by study_id, prompt_id, prompt_position
),

replicated as (
    select study_id, system_id, prompt_id, true as is_replicated
    from measurements
    where replicate > 0
    group by study_id, system_id, prompt_id
),

of_systems as (
    select
        outcomes.outcome_position,
        prompts.prompt_position,
        {{ measured }}
    from measurements
    inner join outcomes using (study_id, system_id, measure_id)
    inner join prompts using (study_id, prompt_id)
    left join replicated using (study_id, system_id, prompt_id)
),

of_all as (
    select
        outcomes.outcome_position,
        prompts.prompt_position,
        measurements.system_id,
        measurements.prompt_id,
        {{ measured }}
    from measurements
    inner join outcomes
        on measurements.study_id = outcomes.study_id
        and measurements.measure_id = outcomes.measure_id
        and outcomes.system_id = 'all'
    inner join answers
        on measurements.study_id = answers.study_id
        and measurements.system_id = answers.system_id
        and measurements.prompt_id = answers.asked_prompt_id
    inner join prompts on answers.study_id = prompts.study_id and answers.answer_id = prompts.prompt_id
    left join replicated
        on measurements.study_id = replicated.study_id
        and measurements.system_id = replicated.system_id
        and measurements.prompt_id = replicated.prompt_id
),

answering as (
    select outcome_position, count(distinct system_id) as n_systems
    from of_all
    where x is not null
    group by outcome_position
),

answered_by_all as (
    select outcome_position, prompt_id, true as is_answered
    from of_all
    inner join answering using (outcome_position)
    where x is not null
    group by outcome_position, prompt_id, answering.n_systems
    having count(distinct system_id) = answering.n_systems
)

select outcome_position, prompt_position, replicate, is_replicated, x, baseline
from of_systems
union all
select
    outcome_position,
    prompt_position,
    replicate,
    is_replicated,
    case when is_answered then x end as x,
    case when is_answered then baseline end as baseline
from of_all
left join answered_by_all using (outcome_position, prompt_id)
