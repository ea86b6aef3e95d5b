-- One row per (study_id, factors, group_id): the combinations of the levels of a set of factors that some prompt has.
with

sets as (
    select * from {{ source('raw', 'coverage_sets') }}
),

prompt_factors as (
    select * from {{ source('raw', 'prompt_factors') }}
),

sizes as (
    select study_id, factors, count(*) as n_factors
    from sets
    group by study_id, factors
),

prompt_cells as (
    select
        study_id,
        factors,
        prompt_id,
        {{ joined_text('level', ' x ', 'factor_position') }} as group_id,
        count(*) as n_factors
    from sets
    inner join prompt_factors using (study_id, factor)
    group by study_id, factors, prompt_id
)

select study_id, factors, group_id, count(*) as n_prompts
from prompt_cells
inner join sizes using (study_id, factors, n_factors)
group by study_id, factors, group_id
