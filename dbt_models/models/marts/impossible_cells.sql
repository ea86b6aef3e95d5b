with

impossible_cells as (
    select * from {{ source('raw', 'impossible_cells') }}
)

select
    study_id,
    condition_position,
    factor,
    level
from impossible_cells
