-- Figure 1 (b): the cumulative distribution of deviation rates
-- Source: multi-factor document 3.3, Figure 1 (b)
-- Needs: a measure of yes and no
select measure_id as measure, slice_id as slice, grouping_id as factors, model, generation_id as generation,
    deviation_rate, ecdf as "eCDF", group_id as subgroup, n_responses
from subgroups
left join generations using (study_id, generation_id)
where study_id = $study and deviation_rate is not null
order by measure, slice, factors, model, generation, deviation_rate, subgroup
