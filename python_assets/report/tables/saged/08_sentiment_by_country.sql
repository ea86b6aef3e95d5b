-- Mean and selection rate of every concept, the lowest first
-- Source: SAGED 5.2, Figures 27 to 30
-- Needs: a measure on a scale, and a generation without a role
with differences as (
    select *
    from contrasts
    where study_id = $study and category = ''
        and (contrast in ('mean_difference', 'risk_difference') or contrast = statistic || '_difference')
)

select summary.measure_id as measure, summary.grouping_id as grouping, summary.statistic, summary.calibration,
    case when is_baseline then 'Baseline' else coalesce(nullif(model, ''), system_id) end as model,
    system_id as system, summary.group_id as concept, summary.value, summary.value_responses,
    rank() over (
        partition by measure_id, grouping_id, statistic, parameters, calibration, system_id, differences.reference
        order by summary.value
    ) as rank_from_below,
    differences.reference, differences.value as difference, differences.ci_low, differences.ci_high,
    differences.q_value as q, differences.verdict, summary.reason
from summary_statistics as summary
inner join systems using (study_id, system_id)
left join differences using (
    study_id, slice_id, system_id, measure_id, calibration, grouping_id, statistic, parameters, group_id
)
where study_id = $study and grouping_id <> 'negative_control' and slice_id = 'all' and system_prompt_name in ('', 'none')
    and statistic in ('mean', 'selection_rate')
order by measure, grouping, statistic, calibration desc, is_baseline desc, model, system, rank_from_below, concept
