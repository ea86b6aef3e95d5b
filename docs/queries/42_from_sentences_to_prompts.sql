-- How many sentences became prompts, and where did the others go?
select step, n_sentences
from prompt_funnel
where study_id = 'g20_demo'
order by step_position
