with

labels as (
    select study_id, measure_id, response_id, avg(value) as y, count(value) as n_raters
    from {{ source('raw', 'human_labels') }}
    group by study_id, measure_id, response_id
),

responses as (
    select study_id, response_id, system_id, prompt_id, replicate from {{ source('raw', 'responses') }}
),

measurements as (
    select study_id, system_id, prompt_id, replicate, measure_id, value from {{ source('raw', 'measurements') }}
)

select
    labels.study_id,
    labels.measure_id,
    labels.response_id,
    responses.system_id,
    responses.prompt_id,
    responses.replicate,
    labels.y,
    labels.n_raters,
    measurements.value as m
from labels
inner join responses using (study_id, response_id)
left join measurements using (study_id, system_id, prompt_id, replicate, measure_id)
