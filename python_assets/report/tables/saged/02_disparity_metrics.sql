-- Disparity metrics of every summary statistic
-- Source: SAGED 4.2
-- Needs: a measure on a scale or of yes and no, and a grouping
select measure_id as measure, calibration, slice_id as slice, grouping_id as grouping,
    coalesce(case when is_baseline then 'Baseline' else nullif(model, '') end, system_id) as model, system_prompt_name,
    system_id as system, statistic, parameters, metric as disparity_metric,
    value, value_responses, null_q95 as noise_floor, value_corrected as corrected,
    ci_low, ci_high, p_value as p, q_value as q, verdict, reason, inference_reason,
    group_low, group_high, n_root_prompts
from disparities
left join systems using (study_id, system_id)
where study_id = $study and grouping_id <> 'negative_control'
    and metric in (
        'min_max_ratio', 'range', 'standard_deviation', 'max_z', 'max_abs_z', 'dixon_low', 'dixon_high',
        'dixon_excess_low', 'dixon_excess_high', 'impact_ratio'
    )
order by all
