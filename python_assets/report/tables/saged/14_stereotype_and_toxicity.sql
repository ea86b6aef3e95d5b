-- Stereotype and toxicity of every concept in each role
-- Source: SAGED 5.2, Figures 34 and 35
-- Needs: measure stereotype or toxicity
with differences as (
    select *
    from contrasts
    where study_id = $study and category = ''
        and (contrast in ('mean_difference', 'risk_difference') or contrast = statistic || '_difference')
),

spread as (
    select study_id, system_id, measure_id, grouping_id, group_id,
        coalesce(
            max(value) filter (where statistic = 'standard_deviation'),
            sqrt(max(value) filter (where statistic = 'variance'))
        ) as std
    from summary_statistics
    where study_id = $study and slice_id = 'all' and calibration = 'raw'
    group by all
)

select means.measure_id as measure, means.grouping_id as grouping, systems.model, systems.system_prompt_name,
    system_id as system, means.group_id as concept, means.value_responses as mean, spread.std, differences.reference,
    differences.value as difference, differences.ci_low, differences.ci_high, differences.q_value as q,
    differences.verdict, means.reason
from summary_statistics as means
inner join measures using (study_id, measure_id)
inner join systems using (study_id, system_id)
left join spread using (study_id, system_id, measure_id, grouping_id, group_id)
left join differences using (
    study_id, slice_id, system_id, measure_id, calibration, grouping_id, statistic, group_id
)
where study_id = $study and grouping_id <> 'negative_control' and slice_id = 'all' and means.calibration = 'raw'
    and means.statistic = 'mean'
    and measures.scorer in ('stereotype', 'toxicity') and not is_baseline
order by measure, grouping, model, system_prompt_name, system, concept, differences.reference
