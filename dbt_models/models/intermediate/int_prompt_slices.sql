-- One row per (study_id, slice_id, prompt_id): the prompts of a slice.
-- A prompt is in a slice when it meets one condition of every factor that the slice names; 'all' names none.
with

slice_ids as (
    select * from {{ source('raw', 'slice_ids') }}
),

conditions as (
    select * from {{ source('raw', 'slices') }}
),

prompts as (
    select * from {{ source('raw', 'prompts') }}
),

prompt_factors as (
    select * from {{ source('raw', 'prompt_factors') }}
),

named as (
    select study_id, slice_id, count(distinct factor) as n_factors
    from conditions
    group by study_id, slice_id
),

met as (
    select
        conditions.study_id,
        conditions.slice_id,
        prompt_factors.prompt_id,
        count(distinct conditions.factor) as n_met
    from conditions
    inner join prompt_factors
        on conditions.study_id = prompt_factors.study_id
        and conditions.factor = prompt_factors.factor
        and conditions.level = prompt_factors.level
    group by conditions.study_id, conditions.slice_id, prompt_factors.prompt_id
)

select slice_ids.study_id, slice_ids.slice_id, prompts.prompt_id
from slice_ids
inner join prompts on slice_ids.study_id = prompts.study_id
left join named on slice_ids.study_id = named.study_id and slice_ids.slice_id = named.slice_id
left join met
    on slice_ids.study_id = met.study_id
    and slice_ids.slice_id = met.slice_id
    and prompts.prompt_id = met.prompt_id
where coalesce(named.n_factors, 0) = coalesce(met.n_met, 0)
