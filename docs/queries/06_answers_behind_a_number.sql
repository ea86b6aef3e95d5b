-- Which answers are behind the mean of a group?
select responses.system_id, prompts.prompt_text, responses.response_text, measurements.value
from measurements
inner join responses using (study_id, system_id, prompt_id, replicate)
inner join prompts using (study_id, prompt_id)
inner join prompt_factors using (study_id, prompt_id)
where study_id = 'g20_demo' and measurements.measure_id = 'sentiment' and measurements.value is not null
    and prompt_factors.factor = 'concept' and prompt_factors.level = 'Russia'
order by measurements.value
limit 10
