-- Figure 6 (c): the impact ratio of models in their roles
-- Source: SAGED 5.2, Figure 6 (c)
-- Needs: a selection rate (analysis: statistics: [selection_rate]) or a measure of yes and no
select measure_id as measure, grouping_id as grouping, statistic, parameters, calibration, model, system_prompt_name,
    system_id as system, value as impact_ratio, value < 0.8 as is_under_four_fifths,
    null_median as median_by_chance, null_q95 as noise_floor, value_corrected as corrected, ci_low, ci_high,
    p_value as p, q_value as q, verdict, reason, inference_reason
from disparities
inner join systems using (study_id, system_id)
where study_id = $study and grouping_id <> 'negative_control' and slice_id = 'all' and metric = 'impact_ratio' and not is_baseline
order by measure, grouping, statistic, parameters, calibration desc, model, system_prompt_name, system
