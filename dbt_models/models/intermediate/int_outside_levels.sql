-- One row per (study_id, grouping_id, prompt_id, factor): the levels of a prompt by the blocking factors that a
-- grouping does not name.
{{ config(materialized='view') }}
with

groupings as (
    select * from {{ source('raw', 'groupings') }}
),

factors as (
    select * from {{ source('raw', 'factors') }}
),

prompt_factors as (
    select * from {{ source('raw', 'prompt_factors') }}
),

grouping_ids as (
    select study_id, grouping_id
    from groupings
    group by study_id, grouping_id
)

select
    grouping_ids.study_id,
    grouping_ids.grouping_id,
    prompt_factors.prompt_id,
    prompt_factors.factor,
    prompt_factors.level
from grouping_ids
inner join factors on grouping_ids.study_id = factors.study_id and factors.is_blocking
inner join prompt_factors
    on factors.study_id = prompt_factors.study_id
    and factors.factor = prompt_factors.factor
left join groupings
    on grouping_ids.study_id = groupings.study_id
    and grouping_ids.grouping_id = groupings.grouping_id
    and factors.factor = groupings.factor
where groupings.factor is null
