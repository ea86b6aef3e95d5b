-- How do the responses begin that a measure has no value of?
select system_id, measure_id, reason, n_responses, form
from unscored_forms
where study_id = 'g20_demo'
order by system_id, measure_id, reason, position
