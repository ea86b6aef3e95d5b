with

outcome_values as (
    select * from {{ ref('int_outcome_values') }} where baseline is not null
),

outcomes as (
    select * from {{ ref('int_outcomes') }}
),

prompt_slices as (
    select * from {{ ref('int_prompt_slices') }} where negative_control is null
),

extremes as (
    select
        prompt_slices.slice_id,
        outcome_values.outcome_position,
        least(min(outcome_values.x), min(outcome_values.baseline)) as value_low,
        greatest(max(outcome_values.x), max(outcome_values.baseline)) as value_high
    from outcome_values
    inner join prompt_slices using (prompt_position)
    group by prompt_slices.slice_id, outcome_values.outcome_position
)

select
    outcomes.study_id,
    extremes.slice_id,
    outcomes.system_id,
    outcomes.measure_id,
    outcomes.calibration,
    outcome_position,
    extremes.value_low,
    extremes.value_high
from extremes
inner join outcomes using (outcome_position)
