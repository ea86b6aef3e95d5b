{% set most = 1000 -%}
{% set looked_through = 1000000 -%}
with

covered as (
    select * from {{ ref('int_covered_cells') }}
),

sets as (
    select * from {{ source('raw', 'coverage_sets') }}
),

sizes as (
    select * from {{ source('raw', 'coverage_sizes') }}
),

levels as (
    select * from {{ source('raw', 'factor_levels') }}
),

conditions as (
    select * from {{ source('raw', 'impossible_cells') }}
),

counts as (
    select study_id, factors, count(*) as n_covered
    from covered
    group by study_id, factors
),

spans as (
    select
        study_id,
        factors,
        least(
            n_combinations,
            {{ looked_through }},
            ceil((coalesce(n_covered, 0) + {{ most }}) * n_combinations / (n_combinations - n_impossible)) + period
        ) as n_numbers
    from sizes
    left join counts using (study_id, factors)
    where coalesce(n_covered, 0) < n_combinations - n_impossible
),

limits as (
    select max(n_numbers) as n_numbers from spans
),

{{ whole_numbers('n_numbers') }},

candidates as (
    select study_id, factors, number as cell_position
    from spans
    inner join numbers on number < n_numbers
),

empty_cells as (
    select study_id, factors, cell_position
    from candidates
    left join covered using (study_id, factors, cell_position)
    where covered.prompt_id is null
),

condition_sizes as (
    select study_id, condition_position, count(distinct factor) as n_factors
    from conditions
    group by study_id, condition_position
),

met as (
    select study_id, factors, cell_position, condition_position, count(*) as n_factors
    from empty_cells
    inner join sets using (study_id, factors)
    inner join conditions using (study_id, factor)
    inner join levels using (study_id, factor, level)
    where level_position = {{ level_place() }}
    group by study_id, factors, cell_position, condition_position
),

impossible as (
    select study_id, factors, cell_position
    from met
    inner join condition_sizes using (study_id, condition_position, n_factors)
    group by study_id, factors, cell_position
),

ranked as (
    select
        study_id,
        factors,
        cell_position,
        row_number() over (partition by study_id, factors order by cell_position asc) as gap_position
    from empty_cells
    left join impossible using (study_id, factors, cell_position)
    where impossible.factors is null
)

select study_id, factors, cell_position
from ranked
where gap_position <= {{ most }}
