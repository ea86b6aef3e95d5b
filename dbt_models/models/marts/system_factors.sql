with

system_factors as (
    select * from {{ source('raw', 'system_factors') }}
)

select
    study_id,
    system_id,
    factor,
    level
from system_factors
