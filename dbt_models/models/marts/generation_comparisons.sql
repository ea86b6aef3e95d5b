with

comparisons as (
    select * from {{ source('inference', 'generation_comparisons') }}
)

select
    study_id,
    slice_id,
    measure_id,
    calibration,
    grouping_id,
    generation_a_id,
    generation_b_id,
    comparison,
    group_id,
    category,
    value,
    value_a,
    value_b,
    ci_low,
    ci_high,
    ci_low_selected,
    ci_high_selected,
    value_shrunken,
    selected_reason,
    value_alone,
    ci_low_alone,
    ci_high_alone,
    value_without,
    p_value,
    p_value_exact,
    p_value_asymptotic,
    q_value,
    q_equivalence,
    only_because_of,
    reason_alone,
    set_id,
    verdict,
    n_groups_a,
    n_groups_b,
    n_draws,
    n_root_prompts,
    n_dropped,
    scope,
    method,
    reason,
    inference_reason
from comparisons
