with

terms as (
    select * from {{ source('inference', 'factor_importance') }}
)

select
    study_id,
    regression_id,
    slice_id,
    system_id,
    measure_id,
    factor,
    level,
    reference,
    coefficient,
    std_error,
    std_error_model,
    odds_ratio,
    probability_at_reference,
    ci_low,
    ci_high,
    p_value,
    q_value,
    role,
    n_responses,
    n_clusters,
    n_clusters_level,
    df,
    method,
    scope,
    aliased_with,
    reason,
    inference_reason
from terms
