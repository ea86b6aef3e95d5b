-- One row per (study_id, condition_position, factor, level). Source: multi-factor document, section 3.2.
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
