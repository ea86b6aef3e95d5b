-- One row per (outcome_position, prompt_position, replicate): one value x, NULL where it is missing, and what the same
-- measure is of the prompt's baseline, where x is a raw value of a continuous measure that has one. is_replicated:
-- whether the prompt has other responses of the generation.
-- Positions stand for names: at paper scale these would be most of the work. int_values has them.
with

measurements as (
    select * from {{ source('raw', 'measurements') }}
),

outcomes as (
    select * from {{ ref('int_outcomes') }}
),

prompts as (
    select study_id, prompt_id, prompt_position
    from {{ ref('int_prompt_slices') }}
    group by study_id, prompt_id, prompt_position
),

replicated as (
    select study_id, generation_id, prompt_id, true as is_replicated
    from measurements
    where replicate > 0
    group by study_id, generation_id, prompt_id
)

select
    outcomes.outcome_position,
    prompts.prompt_position,
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
from measurements
inner join outcomes using (study_id, generation_id, measure_id)
inner join prompts using (study_id, prompt_id)
left join replicated using (study_id, generation_id, prompt_id)
