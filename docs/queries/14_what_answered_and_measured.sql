-- Which models answered, and which versions of what measured?
select generations.generation_id, generations.provider, generations.model, generations.model_digest,
    measurements.measure_id, measurements.extractor_version, measures.model as measured_by, measures.model_licence
from generations
inner join (
    select study_id, generation_id, measure_id, extractor_version, count(*) as n
    from measurements
    group by all
) as measurements using (study_id, generation_id)
inner join measures using (study_id, measure_id)
where study_id = 'g20_demo'
order by generations.generation_id, measurements.measure_id
