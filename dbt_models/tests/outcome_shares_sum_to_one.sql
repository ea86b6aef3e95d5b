-- The shares of all labels of a group add up to 1.
select study_id, slice_id, system_id, measure_id, grouping_id, group_id, sum(share) as total
from {{ ref('outcome_distributions') }}
where n_group > 0
group by study_id, slice_id, system_id, measure_id, grouping_id, group_id
having abs(sum(share) - 1) > 1e-9
