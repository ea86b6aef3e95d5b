with

prompt_factors as (
    select * from {{ source('raw', 'prompt_factors') }}
)

select
    study_id,
    prompt_id,
    factor,
    level
from prompt_factors
