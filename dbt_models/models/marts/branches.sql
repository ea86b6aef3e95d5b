with

outcomes as (
    select * from {{ source('raw', 'branch_outcomes') }}
)

select
    study_id,
    root_prompt_id,
    root_level,
    level,
    dropped_reason,
    words
from outcomes
