with

system_factors as (
    select study_id, factor from {{ source('raw', 'system_factors') }} group by study_id, factor
),

prompt_factors as (
    select study_id, factor from {{ source('raw', 'prompt_factors') }} group by study_id, factor
)

select study_id, factor
from system_factors
left join prompt_factors using (study_id, factor)
where prompt_factors.study_id is null
