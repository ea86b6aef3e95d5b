-- How many calls of a system failed, by status, and what became of their requests?
select system_id, failure, outcome, n_failed_calls, n_requests
from failed_calls
where study_id = 'g20_demo'
order by n_failed_calls desc, system_id, failure, outcome
