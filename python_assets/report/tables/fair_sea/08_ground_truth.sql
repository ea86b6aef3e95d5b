-- Ground truth comparison: shares of the model beside real shares
-- Source: FAIR-SEA, Ground Truth Comparison
-- Needs: a measure with ground_truth (I1, I2)
select slice_id as prompt_category, measure_id as outcome, system_id as model, grouping_id as attribute, category,
    group_id, n, n_category, model_share, truth_share, jsd_nats, jsd_distance, source, licence, period, reason
from ground_truth
where study_id = $study
order by prompt_category, outcome, model, attribute, category, group_id
