-- One row per (study_id, slice_id, generation_id, measure_id, calibration): the smallest and the largest of x and
-- baseline together, over all pairs of the slice: the outer edges of the bins that kl_divergence counts in.
with

outcome_values as (
    select * from {{ ref('int_outcome_values') }}
),

outcomes as (
    select * from {{ ref('int_outcomes') }}
),

prompt_slices as (
    select * from {{ ref('int_prompt_slices') }}
)

select
    outcomes.study_id,
    prompt_slices.slice_id,
    outcomes.generation_id,
    outcomes.measure_id,
    outcomes.calibration,
    outcomes.outcome_position,
    least(min(outcome_values.x), min(outcome_values.baseline)) as value_low,
    greatest(max(outcome_values.x), max(outcome_values.baseline)) as value_high
from outcome_values
inner join outcomes on outcome_values.outcome_position = outcomes.outcome_position
inner join prompt_slices
    on outcome_values.study_id = prompt_slices.study_id
    and outcome_values.prompt_id = prompt_slices.prompt_id
where outcome_values.baseline is not null
group by
    outcomes.study_id,
    prompt_slices.slice_id,
    outcomes.generation_id,
    outcomes.measure_id,
    outcomes.calibration,
    outcomes.outcome_position
