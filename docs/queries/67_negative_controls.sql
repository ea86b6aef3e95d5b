-- Which edits that cannot matter were asked, and how long are they beside the words of the groups?
select negative_control, control_type, place, edit_text, branch, n_prompts, n_root_prompts, n_words, n_words_of_groups
from negative_controls
where study_id = 'g20_demo'
order by control_position
