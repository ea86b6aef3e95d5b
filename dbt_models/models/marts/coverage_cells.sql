with

covered as (
    select * from {{ ref('int_covered_cells') }}
),

gaps as (
    select * from {{ ref('int_coverage_gaps') }}
),

sets as (
    select * from {{ source('raw', 'coverage_sets') }}
),

covered_groups as (
    select
        study_id,
        factors,
        {{ joined_text('level', ' x ', 'factor_position') }} as group_id,
        max(n_prompts) as n_prompts,
        max(n_responses) as n_responses,
        max(n_responses_ok) as n_responses_ok
    from covered
    inner join sets using (study_id, factors)
    inner join {{ source('raw', 'prompt_factors') }} using (study_id, prompt_id, factor)
    group by study_id, factors, cell_position
),

gap_places as (
    select study_id, factors, cell_position, factor, factor_position, {{ level_place() }} as level_position
    from gaps
    inner join sets using (study_id, factors)
),

gap_groups as (
    select study_id, factors, {{ joined_text('level', ' x ', 'factor_position') }} as group_id
    from gap_places
    inner join {{ source('raw', 'factor_levels') }} using (study_id, factor, level_position)
    group by study_id, factors, cell_position
),

cells as (
    select * from covered_groups
    union all
    select
        study_id,
        factors,
        group_id,
        cast(0 as bigint) as n_prompts,
        cast(0 as bigint) as n_responses,
        cast(0 as bigint) as n_responses_ok
    from gap_groups
)

select
    cells.study_id,
    cells.factors,
    cells.group_id,
    cells.n_prompts,
    -- NULL where no prompt has a level of every factor
    cells.n_prompts / cast(
        nullif(sum(cells.n_prompts) over (partition by cells.study_id, cells.factors), 0) as double
    ) as prompt_share,
    levels.target_share,
    cells.n_responses,
    cells.n_responses_ok
from cells
-- a target is of one factor
left join {{ source('raw', 'factor_levels') }} as levels
    on cells.study_id = levels.study_id
    and cells.factors = levels.factor
    and cells.group_id = levels.level
