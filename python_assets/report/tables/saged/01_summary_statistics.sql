-- Summary statistics of every group, with its difference from the others
-- Source: SAGED 4.1
-- Needs: a measure on a scale or of yes and no, and a grouping
with differences as (
    select *
    from contrasts
    where study_id = $study and category = ''
        and (contrast in ('mean_difference', 'risk_difference') or contrast = statistic || '_difference')
)

select summary.measure_id as measure, summary.calibration, summary.slice_id as slice, summary.grouping_id as grouping,
    coalesce(case when is_baseline then 'Baseline' else nullif(model, '') end, system_id) as model, system_prompt_name,
    system_id as system, summary.statistic, summary.parameters, summary.group_id as concept, summary.value,
    summary.value_responses, summary.ci_low as value_ci_low, summary.ci_high as value_ci_high,
    summary.scope as value_scope, summary.n_responses, summary.n_root_prompts,
    summary.reason, differences.reference, differences.value as difference, differences.null_q95 as noise_floor,
    differences.ci_low, differences.ci_high, differences.p_value as p, differences.q_value as q, differences.verdict,
    differences.inference_reason
from summary_statistics as summary
left join systems using (study_id, system_id)
left join differences using (
    study_id, slice_id, system_id, measure_id, calibration, grouping_id, statistic, parameters, group_id
)
where study_id = $study and grouping_id <> 'negative_control'
order by all
