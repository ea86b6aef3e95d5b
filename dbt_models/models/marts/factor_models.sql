with

models as (
    select * from {{ source('inference', 'factor_models') }}
)

select
    study_id,
    regression_id,
    slice_id,
    system_id,
    measure_id,
    factor,
    n_responses,
    n_events,
    n_clusters,
    n_coefficients,
    deviance,
    deviance_drop,
    p_value_permutation,
    mcfadden_r2,
    converged,
    separated,
    p_value,
    q_value,
    family_id,
    n_hypotheses,
    method,
    reason,
    inference_reason
from models
