-- Deviation metric of each model: the area between its curve and the ideal
-- Source: multi-factor document 3.3, equation 4
-- Needs: a measure of yes and no
select measure_id as measure, slice_id as slice, grouping_id as factors, model, system_id as system,
    statistic, max(value) filter (where metric = 'deviation_metric') as "DM", any_value(ideal) as ideal,
    max(value) filter (where metric = 'share_below_0_2') as share_of_rates_under_0_2,
    max(n_subgroups) as n_subgroups, max(reason) filter (where metric = 'deviation_metric') as reason
from subgroup_metrics
left join systems using (study_id, system_id)
where study_id = $study
group by all
order by measure, slice, factors, statistic, model, system
