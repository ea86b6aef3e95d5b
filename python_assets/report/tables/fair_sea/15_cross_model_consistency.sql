-- Cross-model comparison: whether models agree on who differs
-- Source: FAIR-SEA, Robustness Checks
-- Needs: two models
select slice_id as prompt_category, measure_id as outcome, grouping_id as attribute, group_id, category, reference,
    value, n_models, n_higher, n_lower, n_significant_higher, n_significant_lower, reason
from cross_model_consistency
where study_id = $study
order by prompt_category, outcome, attribute, group_id, category, reference
