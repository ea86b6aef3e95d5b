-- Fairness deviation, divergence and directional bias of each group
-- Source: FAIR-SEA, Categorical Outcomes 2 and 4, Continuous Outcomes 1
-- Needs: a measure with labels, or analysis: contrasts: [dbi]
select slice_id as prompt_category, measure_id as outcome, grouping_id as attribute, system_id as model,
    contrast as metric, group_id, band, value, value_responses, null_median as median_by_chance,
    null_q95 as noise_floor, ci_low, ci_high, p_value as p, q_value as q, margin, margin_origin, verdict,
    reason, inference_reason
from contrasts
where study_id = $study and grouping_id <> 'negative_control' and calibration = 'raw'
    and contrast in ('fdi_group', 'jsd_group', 'dbi')
order by prompt_category, outcome, attribute, model, metric, group_id
