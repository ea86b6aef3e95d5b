-- The regressions as a whole, and what each factor adds
-- Source: multi-factor document 3.4
-- Needs: a regression (analysis: regressions)
select regression_id as regression, measure_id as measure, slice_id as slice, system_id as system,
    coalesce(nullif(factor, ''), '(all)') as factor, n_responses, n_events, n_clusters, deviance, deviance_drop,
    p_value_permutation as p_of_drop, mcfadden_r2, p_value as p, q_value as q, converged, separated, reason,
    inference_reason
from factor_models
where study_id = $study
order by regression, system, nullif(factor, '') nulls first
