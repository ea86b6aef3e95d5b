with

measurements as (
    select * from {{ source('raw', 'measurements') }}
)

select
    study_id,
    system_id,
    prompt_id,
    replicate,
    measure_id,
    value,
    baseline_value,
    value - baseline_value as calibrated_value,
    label,
    label_method,
    scorer_version,
    reason,
    language
from measurements
