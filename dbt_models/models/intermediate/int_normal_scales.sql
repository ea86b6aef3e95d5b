-- One row per (study_id, slice_id, outcome_position, normalise_over): the mean and the standard deviation that values of
-- an outcome are normalised by before a statistic is taken, where a study asks for it: of all rows of the slice and of
-- the generation, or of all generations but the baseline. spread is NULL where all rows are equal.
with

outcome_values as (
    select * from {{ ref('int_outcome_values') }}
),

outcomes as (
    select * from {{ ref('int_outcomes') }} where kind <> 'categorical'
),

generations as (
    select * from {{ source('raw', 'generations') }}
),

prompt_slices as (
    select * from {{ ref('int_prompt_slices') }}
),

asked as (
    select study_id, normalise_over
    from {{ source('raw', 'statistics') }}
    where normalise = 'before'
    group by study_id, normalise_over
),

pooled as (
    -- every outcome with the values that its scale is of
    select
        outcomes.study_id,
        outcomes.outcome_position,
        asked.normalise_over,
        sources.outcome_position as source_position
    from outcomes
    inner join asked on outcomes.study_id = asked.study_id
    inner join outcomes as sources
        on outcomes.study_id = sources.study_id
        and outcomes.measure_id = sources.measure_id
        and outcomes.calibration = sources.calibration
    inner join generations
        on sources.study_id = generations.study_id
        and sources.generation_id = generations.generation_id
    where
        (asked.normalise_over = 'generation' and sources.outcome_position = outcomes.outcome_position)
        or (asked.normalise_over = 'all' and not generations.is_baseline)
)

select
    pooled.study_id,
    prompt_slices.slice_id,
    pooled.outcome_position,
    pooled.normalise_over,
    avg(outcome_values.x) as centre,
    case
        when not ({{ has_one_value('max(outcome_values.x)', 'min(outcome_values.x)') }})
        then stddev_samp(outcome_values.x)
    end as spread
from pooled
inner join outcome_values on pooled.source_position = outcome_values.outcome_position
inner join prompt_slices
    on outcome_values.study_id = prompt_slices.study_id
    and outcome_values.prompt_id = prompt_slices.prompt_id
group by pooled.study_id, prompt_slices.slice_id, pooled.outcome_position, pooled.normalise_over
