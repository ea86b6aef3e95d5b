-- Sentiment bias shift: whether a role moves groups against each other
-- Source: SAGED 5.2, sentiment bias shifts
-- Needs: generations that are compared (analysis: compare)
select measure_id as measure, grouping_id as grouping, model, role, generation_a_id as generation,
    generation_b_id as against, calibration, comparison, group_id as concept, category, value, value_a, value_b,
    ci_low, ci_high, p_value as p, q_value as q, verdict, reason, inference_reason
from generation_comparisons
inner join generations
    on generation_comparisons.study_id = generations.study_id
    and generation_comparisons.generation_a_id = generations.generation_id
where generation_comparisons.study_id = $study and slice_id = 'all'
    and comparison in ('mean_change', 'groups_moved', 'disparity_change')
order by measure, grouping, comparison desc, calibration desc, model, role, generation, against, concept, category
