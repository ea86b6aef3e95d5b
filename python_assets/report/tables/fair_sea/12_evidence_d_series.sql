-- Evidence of the descriptive scenarios D1 to D4
-- Source: FAIR-SEA, D-Series
-- Needs: slices named D1 to D4
with numbers as (
    select slice_id, measure_id, grouping_id, system_id, metric, '' as group_id, band, value, null_q95, ci_low,
        ci_high, q_value, verdict, reason
    from disparities
    where study_id = $study and grouping_id <> 'negative_control' and calibration = 'raw'
        and (metric in ('cramers_v', 'fdi', 'idi', 'jsd') or starts_with(metric, 'jsd_truth'))
    union all
    select slice_id, measure_id, grouping_id, system_id, contrast, group_id, band, value, null_q95, ci_low,
        ci_high, q_value, verdict, reason
    from contrasts
    where study_id = $study and grouping_id <> 'negative_control' and calibration = 'raw'
        and contrast in ('fdi_group', 'dbi')
)

select upper(slice_id) as prompt_category, measure_id as outcome, grouping_id as attribute, system_id as model,
    metric, group_id, value, band, null_q95 as noise_floor, ci_low, ci_high, numbers.q_value as q, numbers.verdict,
    findings.q_value as q_of_hypothesis, findings.verdict as verdict_of_hypothesis, numbers.reason
from numbers
left join (
    select slice_id, measure_id, grouping_id, system_id, q_value, verdict
    from findings
    where study_id = $study and grouping_id <> 'negative_control' and calibration = 'raw'
        and statistic in ('mean', 'share') and parameters = ''
) as findings using (slice_id, measure_id, grouping_id, system_id)
where regexp_full_match(upper(slice_id), 'D[1-4]')
order by prompt_category, outcome, attribute, model, metric, group_id
