-- Does a model answer the same prompt alike again?
select system_id, measure_id, statistic, value, n_prompts, n_prompts_alike, reason
from repetition_consistency
where study_id = 'g20_demo'
order by system_id, measure_id
