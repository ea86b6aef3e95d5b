with

generation_factors as (
    select * from {{ source('raw', 'generation_factors') }}
)

select
    study_id,
    generation_id,
    factor,
    level
from generation_factors
