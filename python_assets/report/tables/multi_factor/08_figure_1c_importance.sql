-- Figure 1 (c): factor importance, the coefficients of the logistic regression
-- Source: multi-factor document 3.4, Figure 1 (c)
-- Needs: a regression (analysis: regressions)
select regression_id as regression, measure_id as measure, slice_id as slice, system_id as system, factor,
    level as variation, reference, coefficient, std_error_model as std_error_by_responses, std_error,
    probability_at_reference, ci_low, ci_high, p_value as p, q_value as q, role, p_value <= 0.01 as is_drawn,
    n_clusters, aliased_with, reason, inference_reason
from factor_importance
where study_id = $study
order by regression, system, factor, coefficient desc nulls last, variation
