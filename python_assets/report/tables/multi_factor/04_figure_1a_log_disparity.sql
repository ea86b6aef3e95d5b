-- Figure 1 (a): deviation rate and log disparity of every subgroup
-- Source: multi-factor document 3.3, equation 3, Figure 1 (a)
-- Needs: a measure of yes and no
select subgroups.measure_id as measure, subgroups.slice_id as slice, model, subgroups.system_id as system,
    length(subgroups.grouping_id) - length(replace(subgroups.grouping_id, ' x ', '  ')) + 1 as level_of_subgroup,
    subgroups.grouping_id as factors, subgroups.group_id as subgroup, subgroups.n_responses, subgroups.n_root_prompts,
    subgroups.n_deviating, subgroups.deviation_rate, subgroups.ci_low as rate_ci_low,
    subgroups.ci_high as rate_ci_high, subgroups.log_disparity as "LD",
    subgroups.log_disparity_ci_low as ci_low, subgroups.log_disparity_ci_high as ci_high,
    contrasts.value as "LD_on_the_same_prompts", contrasts.reference, contrasts.null_q95 as noise_floor,
    contrasts.p_value as p, contrasts.q_value as q, contrasts.verdict, subgroups.reason, subgroups.inference_reason
from subgroups
left join systems using (study_id, system_id)
left join contrasts
    on subgroups.study_id = contrasts.study_id and subgroups.slice_id = contrasts.slice_id
    and subgroups.system_id = contrasts.system_id and subgroups.measure_id = contrasts.measure_id
    and subgroups.grouping_id = contrasts.grouping_id and subgroups.group_id = contrasts.group_id
    and contrasts.contrast = 'log_disparity' and contrasts.calibration = 'raw'
where subgroups.study_id = $study
order by measure, slice, model, system, level_of_subgroup, factors, "LD" desc nulls last, subgroup
