-- where a measure does not apply to a prompt, no answer is missing
{% set not_applicable = ['no_baseline', 'no_factor_level', 'no_option', 'too_few_texts'] %}
with

measurements as (
    select * from {{ source('raw', 'measurements') }}
    where value is null and label is null and reason not in ('{{ not_applicable | join("', '") }}')
)

select
    study_id,
    system_id,
    measure_id,
    prompt_id,
    count(*) as n_missing
from measurements
group by study_id, system_id, measure_id, prompt_id
