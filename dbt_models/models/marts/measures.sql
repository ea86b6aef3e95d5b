with

measures as (
    select * from {{ source('raw', 'measures') }}
)

select
    study_id,
    measure_id,
    kind,
    unit,
    scale_low,
    scale_high,
    direction,
    favourable,
    scorer,
    model,
    model_revision,
    model_licence,
    parameters,
    languages,
    segment_factor
from measures
