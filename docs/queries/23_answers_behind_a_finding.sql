-- Which responses show the difference of a group?
select group_id, chosen_for, prompt_text, response_text, value, other_group_id, other_response_text, other_value
from v_quotes
where study_id = 'g20_demo' and finding_rank = 1 and position <= 3
order by group_id, category, position
