-- One row per (study_id, factors, group_id): every combination of the levels of a set of factors, whether any prompt
-- has it or not. Source: multi-factor document, section 3.2.
-- Combinations are numbered from 0: the place of each level is a digit of the number, and the last factor turns fastest.
with

covered as (
    select * from {{ ref('int_covered_cells') }}
),

factor_levels as (
    select
        study_id,
        factor,
        level,
        row_number() over (partition by study_id, factor order by level_position asc) - 1 as place,
        count(*) over (partition by study_id, factor) as n_levels
    from {{ source('raw', 'factor_levels') }}
),

sets as (
    select * from {{ source('raw', 'coverage_sets') }}
),

steps as (
    select
        *,
        {{ product_of('n_levels', 'partition by study_id, factors') }} as n_cells,
        {{ product_of('n_levels', 'partition by study_id, factors order by factor_position desc') }} / n_levels as stride
    from sets
    inner join (select distinct study_id, factor, n_levels from factor_levels) as sizes using (study_id, factor)
),

limits as (
    select max(n_cells) as n_cells from steps
),

{{ whole_numbers('n_cells') }},

combinations as (
    select study_id, factors, number, {{ joined_text('level', ' x ', 'factor_position') }} as group_id
    from steps
    inner join numbers on numbers.number < steps.n_cells
    inner join factor_levels using (study_id, factor)
    where factor_levels.place = floor(number / stride) % steps.n_levels
    group by study_id, factors, number
)

select study_id, factors, group_id, coalesce(covered.n_prompts, 0) as n_prompts
from combinations
left join covered using (study_id, factors, group_id)
