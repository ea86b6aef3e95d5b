with

variance_components as (
    select * from {{ source('inference', 'variance_components') }}
)

select
    study_id,
    slice_id,
    measure_id,
    grouping_id,
    source,
    position,
    variance,
    share,
    n_levels,
    n_responses,
    reason
from variance_components
