-- What did raters say of each pair of prompts?
select pair_labels.rater, pair_labels.label, prompts.prompt_text, pair_labels.is_minimal_pair
from pair_labels
inner join prompts using (study_id, prompt_id)
where study_id = 'g20_demo'
order by prompts.prompt_id, pair_labels.rater
