-- One row per (study_id, factor, level): declared levels in declared order, then observed ones in text order.
with

declared as (
    select * from {{ source('raw', 'factor_levels') }}
),

prompt_factors as (
    select * from {{ source('raw', 'prompt_factors') }}
),

observed as (
    select study_id, factor, level
    from prompt_factors
    group by study_id, factor, level
),

every_level as (
    select
        coalesce(declared.study_id, observed.study_id) as study_id,
        coalesce(declared.factor, observed.factor) as factor,
        coalesce(declared.level, observed.level) as level,
        declared.level_position
    from declared
    full outer join observed
        on declared.study_id = observed.study_id
        and declared.factor = observed.factor
        and declared.level = observed.level
)

select
    study_id,
    factor,
    level,
    cast(
        row_number() over (partition by study_id, factor order by level_position asc nulls last, level asc) - 1
        as integer
    ) as level_position
from every_level
