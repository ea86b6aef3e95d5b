with

sets as (
    select * from {{ source('raw', 'coverage_sets') }}
),

sizes as (
    select * from {{ source('raw', 'coverage_sizes') }}
),

places as (
    select study_id, factor, prompt_id, level_position
    from {{ source('raw', 'prompt_factors') }}
    inner join {{ source('raw', 'factor_levels') }} using (study_id, factor, level)
    inner join {{ source('raw', 'prompts') }} using (study_id, prompt_id)
    where negative_control is null
),

prompt_cells as (
    select
        study_id,
        factors,
        prompt_id,
        sum(cast(level_position as decimal(38, 0)) * stride) as cell_position,
        count(*) as n_factors
    from sets
    inner join places using (study_id, factor)
    group by study_id, factors, prompt_id
)

select study_id, factors, prompt_id, cell_position
from prompt_cells
inner join sizes using (study_id, factors, n_factors)
