-- Fairness deviation, intersectional disparity, divergence and V of every outcome
-- Source: FAIR-SEA, Categorical Outcomes 2 to 4
-- Needs: a measure with labels
select slice_id as prompt_category, measure_id as outcome, grouping_id as attribute, system_id as model,
    metric, band, value, value_responses, null_median as median_by_chance, null_q95 as noise_floor,
    value_corrected as corrected, ci_low, ci_high, p_value as p, q_value as q, margin, margin_origin, verdict,
    reason, inference_reason
from disparities
where study_id = $study and grouping_id <> 'negative_control' and calibration = 'raw'
    and metric in ('fdi', 'fdi_max', 'idi', 'jsd', 'jsd_max', 'cramers_v', 'cramers_v_bergsma')
order by prompt_category, outcome, attribute, model, metric
