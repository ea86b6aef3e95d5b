-- In which subgroup do answers deviate most often, and how evenly over all?
select subgroups.system_id, subgroups.measure_id, subgroups.group_id, deviation_rate, ci_low, ci_high,
    deviation_rate_shrunken, subgroup_metrics.metric, subgroup_metrics.value
from subgroups
inner join subgroup_metrics using (study_id, slice_id, system_id, measure_id, grouping_id)
where study_id = 'g20_demo' and subgroup_metrics.value is not null
order by deviation_rate desc nulls last, subgroups.group_id, subgroup_metrics.metric
