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
    prompt_by_group_share,
    minimum_detectable_effect,
    effect,
    n_tests,
    n_needed,
    n_calls,
    best_n_responses,
    n_responses_needed,
    n_responses,
    n_groups,
    n_complete_root_prompts,
    mean_square_of_cells,
    variance_within,
    variance_of_root_prompts,
    reason
from power
