-- Which label did a person give an answer?
select human_labels.measure_id, human_labels.rater, human_labels.label, human_labels.value, responses.response_text
from human_labels
inner join responses using (study_id, response_id)
where study_id = 'g20_demo'
order by human_labels.measure_id, human_labels.response_id, human_labels.rater
