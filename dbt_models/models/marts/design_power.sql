with

power as (
    select * from {{ source('inference', 'design_power') }}
)

select
    study_id,
    grouping_id,
    measure_id,
    contrast,
    source,
    n_root_prompts,
    baseline_rate_or_sd,
    minimum_detectable_effect,
    effect,
    n_needed,
    n_calls,
    reason
from power
