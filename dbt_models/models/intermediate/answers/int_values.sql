{{ config(materialized='view') }}
with

outcome_values as (
    select * from {{ ref('int_outcome_values') }}
),

outcomes as (
    select * from {{ ref('int_outcomes') }}
),

prompts as (
    select study_id, prompt_id, prompt_position
    from {{ ref('int_prompt_slices') }}
    group by study_id, prompt_id, prompt_position
)

select
    outcomes.study_id,
    outcomes.system_id,
    outcomes.measure_id,
    outcomes.calibration,
    outcomes.category,
    prompts.prompt_id,
    outcome_values.replicate,
    outcome_values.x,
    outcome_values.baseline,
    outcome_position
from outcome_values
inner join outcomes using (outcome_position)
inner join prompts using (prompt_position)
where outcome_values.x is not null
