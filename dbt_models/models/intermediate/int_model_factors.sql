-- One row per (study_id, factor): factors of generations that no prompt has a level of, and that a grouping or a slice
-- can name. A factor of both, such as the template, is one of prompts.
with

generation_factors as (
    select study_id, factor from {{ source('raw', 'generation_factors') }} group by study_id, factor
),

prompt_factors as (
    select study_id, factor from {{ source('raw', 'prompt_factors') }} group by study_id, factor
)

select study_id, factor
from generation_factors
left join prompt_factors using (study_id, factor)
where prompt_factors.study_id is null
