-- Do prompt and branch differ in more than the group, as people and judges say?
select grouping_id, group_id, n_pairs, value as share_of_bad_pairs, ci_low, ci_high, reason
from pair_errors
where study_id = 'g20_demo'
order by grouping_id, group_id
