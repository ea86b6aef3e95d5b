-- Bias concentration: whether few groups stand apart, or many by degrees
-- Source: SAGED 4.2
-- Needs: a measure on a scale or of yes and no, and a grouping
select measure_id as measure, calibration, slice_id as slice, grouping_id as grouping,
    coalesce(case when is_baseline then 'Baseline' else nullif(model, '') end, system_id) as model, system_prompt_name,
    system_id as system, statistic, parameters, concentration as bias, max_abs_z,
    max_abs_z_null_q95 as noise_floor_of_z, dixon_excess_low, dixon_excess_high, group_range as range,
    group_range_null_q95 as noise_floor_of_range, n_groups, reason
from concentrations
left join systems using (study_id, system_id)
where study_id = $study and grouping_id <> 'negative_control'
order by all
