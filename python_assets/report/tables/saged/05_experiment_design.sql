-- The experiment: generations, and what each was asked and answered
-- Source: SAGED 5.1
-- Needs: a generation
select system_id as system, model, system_prompt_name, system_prompt, is_simulated,
    count(distinct responses.prompt_id) as hypotheses, count(distinct prompts.root_prompt_id) as root_questions,
    count(responses.response_id) as responses, count(*) filter (where responses.outcome = 'ok') as usable_responses
from systems
left join (
    select *
    from responses
    where prompt_id not in (
        select prompt_id from prompt_factors where study_id = $study and factor = 'negative_control'
    )
) as responses using (study_id, system_id)
left join prompts using (study_id, prompt_id)
where study_id = $study and not is_baseline and not is_engine
group by all
order by model, system_prompt_name, system
