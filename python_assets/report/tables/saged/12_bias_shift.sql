-- Sentiment bias shift: whether a role moves groups against each other
-- Source: SAGED 5.2, sentiment bias shifts
-- Needs: generations that are compared (analysis: compare)
select measure_id as measure, grouping_id as grouping, model, system_prompt_name,
    system_comparisons.system_id as system,
    reference_system_id as against, calibration, comparison, group_id as concept, category, value, value_a, value_b,
    ci_low, ci_high, p_value as p, q_value as q, verdict, reason, inference_reason
from system_comparisons
inner join systems
    on system_comparisons.study_id = systems.study_id
    and system_comparisons.system_id = systems.system_id
where system_comparisons.study_id = $study and slice_id = 'all' and grouping_id <> 'negative_control'
    and comparison in ('mean_change', 'groups_changed', 'disparity_change')
order by measure, grouping, comparison desc, calibration desc, model, system_prompt_name, system, against, concept, category
