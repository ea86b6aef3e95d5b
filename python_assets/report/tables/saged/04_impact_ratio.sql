-- Impact ratio, with the four-fifths rule beside the verdict
-- Source: SAGED 4.2
-- Needs: a selection rate (analysis: statistics: [selection_rate]) or a measure of yes and no
select measure_id as measure, calibration, slice_id as slice, grouping_id as grouping,
    case when is_baseline then 'Baseline' else coalesce(nullif(model, ''), system_id) end as model, system_prompt_name,
    system_id as system, statistic, parameters, value as impact_ratio, value < 0.8 as is_under_four_fifths,
    null_median as median_by_chance, null_q95 as noise_floor, value_corrected as corrected, ci_low, ci_high,
    p_value as p, q_value as q, margin, margin_origin, verdict, group_low, group_high, reason, inference_reason
from disparities
inner join systems using (study_id, system_id)
where study_id = $study and grouping_id <> 'negative_control' and metric = 'impact_ratio'
order by all
