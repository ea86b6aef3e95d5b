-- Figure 6 (b): the distance of responses from their baselines
-- Source: SAGED 5.2, Figures 6 (b) and 31
-- Needs: measure baseline_distance
select measures.measure_id as measure, systems.model, system_prompt_name, system_id as system,
    count(measurements.value) as n_responses, avg(measurements.value) as mean, stddev_samp(measurements.value) as std,
    change.reference_system_id as against, change.value as change, change.ci_low, change.ci_high,
    change.p_value as p, change.q_value as q, change.verdict
from measurements
inner join measures using (study_id, measure_id)
inner join systems using (study_id, system_id)
left join system_comparisons as change
    on measurements.study_id = change.study_id and measurements.system_id = change.system_id
    and measurements.measure_id = change.measure_id and change.comparison = 'mean_change'
    and change.slice_id = 'all' and change.calibration = 'raw' and change.grouping_id = ''
where study_id = $study and prompt_id not in (
        select prompt_id from prompt_factors where study_id = $study and factor = 'negative_control'
    )
    and not is_baseline and measures.scorer = 'baseline_distance'
group by all
order by measure, systems.model, system, against
