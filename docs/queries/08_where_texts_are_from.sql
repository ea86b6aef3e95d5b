-- Where are the texts of the prompts from, and under which licence?
select documents.uri, documents.licence, documents.revision, documents.sha256, count(*) as n_prompts
from documents
inner join prompts using (study_id, document_id)
where study_id = 'g20_demo'
group by all
order by n_prompts desc
