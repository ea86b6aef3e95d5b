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
        row_number() over (partition by study_id, factor order by level_position asc) - 1 as place
    from {{ source('raw', 'factor_levels') }}
),

steps as (
    {{ coverage_steps() }}
),

limits as (
    select max(n_cells) as n_cells from steps
),

{{ whole_numbers('n_cells') }},

places as (
    select study_id, factors, factor, factor_position, number, cast(floor(number / stride) % n_levels as bigint) as place
    from steps
    inner join numbers on numbers.number < steps.n_cells
),

combinations as (
    select study_id, factors, number, {{ joined_text('level', ' x ', 'factor_position') }} as group_id
    from places
    inner join factor_levels using (study_id, factor, place)
    group by study_id, factors, number
)

select study_id, factors, group_id, coalesce(covered.n_prompts, 0) as n_prompts
from combinations
left join covered using (study_id, factors, group_id)
