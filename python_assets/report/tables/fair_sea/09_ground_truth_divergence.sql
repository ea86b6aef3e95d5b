-- Divergence from the ground truth, over all categories
-- Source: FAIR-SEA, Ground Truth Comparison
-- Needs: a measure with ground_truth (I1, I2)
select slice_id as prompt_category, measure_id as outcome, system_id as model, grouping_id as attribute, metric,
    band, value > 0.15 as is_over_the_text_threshold, value, value_responses,
    null_median as median_by_chance, null_q95 as noise_floor, value_corrected as corrected, ci_low, ci_high,
    p_value as p, q_value as q, margin, margin_origin, verdict, reason, inference_reason
from disparities
where study_id = $study and starts_with(metric, 'jsd_truth')
order by prompt_category, outcome, model, attribute, metric
