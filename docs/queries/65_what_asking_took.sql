-- What did asking each system take, how often was it asked again, and which versions of the model answered?
select system_id, calls.model, served_models, outcome, n_requests, seconds, n_tokens_in, n_tokens_out, n_retries, retries_reason
from calls
inner join systems using (study_id, system_id)
where study_id = 'g20_demo'
order by system_id, n_requests desc, outcome
