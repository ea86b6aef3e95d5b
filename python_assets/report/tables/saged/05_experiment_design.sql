-- The experiment: generations, and what each was asked and answered
-- Source: SAGED 5.1
-- Needs: a generation
select generation_id as generation, model, role, system_prompt, is_simulated,
    count(distinct responses.prompt_id) as questions, count(distinct prompts.root_prompt_id) as root_questions,
    count(responses.response_id) as responses, count(*) filter (where responses.outcome = 'ok') as usable_responses
from generations
left join responses using (study_id, generation_id)
left join prompts using (study_id, prompt_id)
where study_id = $study and not is_baseline and not is_engine
group by all
order by model, role, generation
