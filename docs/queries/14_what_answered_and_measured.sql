-- Which models answered, and which versions of what measured?
select systems.system_id, systems.provider, systems.model, systems.model_digest,
    measurements.measure_id, measurements.scorer_version, measures.model as measured_by, measures.model_licence
from systems
inner join (
    select study_id, system_id, measure_id, scorer_version, count(*) as n
    from measurements
    group by all
) as measurements using (study_id, system_id)
inner join measures using (study_id, measure_id)
where study_id = 'g20_demo'
order by systems.system_id, measurements.measure_id
