-- Table 1: range of the mean, largest z score and impact ratio of each model without a role
-- Source: SAGED Table 1
-- Needs: a measure on a scale or of yes and no, and a generation without a role
select measure_id as measure, grouping_id as grouping, parameters,
    case metric when 'range' then 'Range of Mean' when 'max_z' then 'Max Z-score of Mean' else 'Impact Ratio' end
        as disparity_metric,
    case when is_baseline then 'Baseline' else coalesce(nullif(model, ''), system_id) end as model,
    system_id as system, calibration, value, value_responses,
    case when metric = 'impact_ratio' then value < 0.8 end as is_under_four_fifths,
    null_median as median_by_chance, null_q95 as noise_floor, value_corrected as corrected, ci_low, ci_high,
    p_value as p, q_value as q, verdict, reason, inference_reason
from disparities
inner join systems using (study_id, system_id)
where study_id = $study and grouping_id <> 'negative_control' and slice_id = 'all' and system_prompt_name in ('', 'none')
    and ((metric in ('range', 'max_z') and statistic = 'mean') or metric = 'impact_ratio')
order by measure, grouping, disparity_metric desc, parameters, is_baseline desc, model, system, calibration desc
