-- Does another version of the reader of refusals read the responses of the last run otherwise, and whose?
select system_id, group_id, version_before, version_now, n_responses, n_changed, n_now_refused, n_no_longer_refused
from outcome_changes
where study_id = 'g20_demo' and grouping_id in ('', 'country')
order by n_changed / n_responses desc, system_id, group_id
