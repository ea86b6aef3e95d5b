with

slice_ids as (
    select * from {{ source('raw', 'slice_ids') }}
),

conditions as (
    select * from {{ source('raw', 'slices') }}
),

prompts as (
    select
        study_id,
        prompt_id,
        cast(row_number() over (order by study_id asc, prompt_id asc) - 1 as integer) as prompt_position
    from {{ ref('int_answers') }}
),

prompt_factors as (
    select * from {{ ref('int_answer_levels') }}
),

named as (
    select study_id, slice_id, count(distinct factor) as n_factors
    from conditions
    group by study_id, slice_id
),

met as (
    select study_id, slice_id, prompt_id, count(distinct factor) as n_met
    from conditions
    inner join prompt_factors using (study_id, factor, level)
    group by study_id, slice_id, prompt_id
)

select study_id, slice_id, prompt_id, prompt_position
from slice_ids
inner join prompts using (study_id)
left join named using (study_id, slice_id)
left join met using (study_id, slice_id, prompt_id)
where coalesce(named.n_factors, 0) = coalesce(met.n_met, 0)
