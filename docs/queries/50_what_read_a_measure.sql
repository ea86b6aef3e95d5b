-- On which texts was a reading of a measure checked, and by whom?
select measure_id, scorer_version, material, source, licence, labelled_by, language, model_family, n, recall,
    precision
from scorers
where study_id = 'g20_demo'
order by measure_id, material, language, model_family, topic
