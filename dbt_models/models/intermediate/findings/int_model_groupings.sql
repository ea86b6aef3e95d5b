with

groupings as (
    select study_id, grouping_id, factor from {{ source('raw', 'groupings') }}
),

system_factors as (
    select study_id, system_id, factor, level from {{ source('raw', 'system_factors') }}
),

systems as (
    select study_id, system_id, model
    from {{ source('raw', 'systems') }}
    where not is_baseline and not is_engine
),

pairs as (
    select distinct groupings.study_id, groupings.grouping_id, groupings.factor, system_factors.level,
        systems.model
    from groupings
    inner join system_factors using (study_id, factor)
    inner join systems using (study_id, system_id)
),

counted as (
    select study_id, grouping_id, factor, count(*) as n_pairs, count(distinct level) as n_levels,
        count(distinct model) as n_models
    from pairs
    group by study_id, grouping_id, factor
)

-- where every level has every model, groups differ in what the same models were told
select distinct study_id, grouping_id
from counted
where n_models > 1 and n_pairs < n_levels * n_models
