-- One row per (study_id, prompt_id): the number of a prompt, which tables of responses know it by: texts as keys would
-- be most of their size and of the work.
with

prompts as (
    select * from {{ source('raw', 'prompts') }}
)

select
    study_id,
    prompt_id,
    cast(row_number() over (order by study_id asc, prompt_id asc) - 1 as integer) as prompt_position
from prompts
