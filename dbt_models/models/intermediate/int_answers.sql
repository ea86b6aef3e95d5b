-- One row per (study_id, prompt_id): the prompts; and, where a grouping or a slice names a factor of generations, each
-- prompt once more for every generation, under a prompt_id of its own: groups of models are groups of these
-- (inference.md 7). asked_prompt_id is the prompt itself, generation_id is '' for the prompts.
with

prompts as (
    select study_id, prompt_id, root_prompt_id, unit_id, unit_factor from {{ source('raw', 'prompts') }}
),

model_factors as (
    select * from {{ ref('int_model_factors') }}
),

named as (
    select study_id, factor from {{ source('raw', 'groupings') }}
    union
    select study_id, factor from {{ source('raw', 'slices') }}
),

comparing as (
    select study_id
    from named
    inner join model_factors using (study_id, factor)
    group by study_id
),

generations as (
    select study_id, generation_id
    from {{ source('raw', 'generation_factors') }}
    inner join comparing using (study_id)
    group by study_id, generation_id
)

select study_id, prompt_id, prompt_id as asked_prompt_id, '' as generation_id, root_prompt_id, unit_id, unit_factor
from prompts
union all
select
    study_id,
    prompt_id || ' | ' || generation_id as prompt_id,
    prompt_id as asked_prompt_id,
    generation_id,
    root_prompt_id,
    unit_id,
    unit_factor
from prompts
inner join generations using (study_id)
