-- Figure 1 (b): the cumulative distribution of deviation rates
-- Source: multi-factor document 3.3, Figure 1 (b)
-- Needs: a measure of yes and no
select measure_id as measure, slice_id as slice, grouping_id as factors, model, system_id as system,
    deviation_rate, ecdf as "eCDF", group_id as subgroup, n_responses
from subgroups
left join systems using (study_id, system_id)
where study_id = $study and deviation_rate is not null
order by measure, slice, factors, model, system, deviation_rate, subgroup
