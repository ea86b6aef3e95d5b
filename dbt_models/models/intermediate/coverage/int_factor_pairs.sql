with

factors as (
    select study_id, factor
    from {{ source('raw', 'coverage_sets') }}
    where factors = factor
),

places as (
    select study_id, prompt_id, factor, level_position
    from factors
    inner join {{ source('raw', 'prompt_factors') }} using (study_id, factor)
    inner join {{ source('raw', 'factor_levels') }} using (study_id, factor, level)
    inner join {{ source('raw', 'prompts') }} using (study_id, prompt_id)
    where negative_control is null
),

pairs as (
    select a.study_id, a.factor as first_factor, b.factor as second_factor
    from factors as a
    inner join factors as b on a.study_id = b.study_id and a.factor < b.factor
),

cells as (
    select
        a.study_id,
        a.factor as first_factor,
        b.factor as second_factor,
        a.level_position as first_level,
        b.level_position as second_level,
        count(*) as n_prompts
    from places as a
    inner join places as b on a.study_id = b.study_id and a.prompt_id = b.prompt_id and a.factor < b.factor
    group by a.study_id, a.factor, b.factor, a.level_position, b.level_position
),

margins as (
    select
        *,
        sum(n_prompts) over (partition by study_id, first_factor, second_factor, first_level) as n_first,
        sum(n_prompts) over (partition by study_id, first_factor, second_factor, second_level) as n_second
    from cells
),

tables as (
    select
        study_id,
        first_factor,
        second_factor,
        cast(sum(n_prompts) as bigint) as n_prompts,
        count(*) as n_cells,
        count(distinct first_level) as n_first_levels,
        count(distinct second_level) as n_second_levels,
        sum(power(n_prompts, 2) / (cast(n_first as double) * n_second)) - 1 as phi_squared
    from margins
    group by study_id, first_factor, second_factor
)

select
    study_id,
    first_factor,
    second_factor,
    coalesce(n_prompts, 0) as n_prompts,
    coalesce(n_cells, 0) as n_cells,
    n_first_levels,
    n_second_levels,
    phi_squared
from pairs
left join tables using (study_id, first_factor, second_factor)
