-- Which sentences became no prompt, and why?
select documents.uri, sentences.sentence_text, dropped_reason, portability, portability_words
from sentences
inner join documents using (study_id, document_id)
where study_id = 'g20_demo' and dropped_reason is not null
order by documents.uri, sentences.sentence_text
limit 20
