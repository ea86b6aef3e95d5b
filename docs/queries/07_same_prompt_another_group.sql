-- What did a model answer to the same prompt about another group?
select prompts.root_prompt_id, prompt_factors.level, responses.system_id, responses.response_text
from prompts
inner join prompt_factors using (study_id, prompt_id)
inner join responses using (study_id, prompt_id)
where study_id = 'g20_demo' and prompt_factors.factor = 'concept'
    and prompt_factors.level in ('Canada', 'Russia') and responses.system_id = 'biased'
order by prompts.root_prompt_id, prompt_factors.level
limit 10
