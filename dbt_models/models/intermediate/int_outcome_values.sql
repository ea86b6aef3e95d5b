-- One row per (outcome_position, prompt_id, replicate): one value x, and what the same measure is of the prompt's
-- baseline, where x is a raw value of a continuous measure that has one. A response without a value has no row.
-- outcome_position stands for generation_id, measure_id, calibration, category: at paper scale the names would be most
-- of the work. int_values has them.
with

measurements as (
    select * from {{ source('raw', 'measurements') }}
),

outcomes as (
    select * from {{ ref('int_outcomes') }}
),

outcome_values as (
    select
        outcomes.outcome_position,
        measurements.study_id,
        measurements.prompt_id,
        measurements.replicate,
        {{ outcome_value() }} as x,
        case when kind = 'continuous' and calibration = 'raw' then measurements.baseline_value end as baseline
    from measurements
    inner join outcomes
        on measurements.study_id = outcomes.study_id
        and measurements.generation_id = outcomes.generation_id
        and measurements.measure_id = outcomes.measure_id
)

select outcome_position, study_id, prompt_id, replicate, x, baseline
from outcome_values
where x is not null
