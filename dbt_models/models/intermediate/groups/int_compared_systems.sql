{% set layout = 'study_id, slice_id, grouping_id' -%}
with

model_factors as (
    select * from {{ ref('int_model_factors') }}
),

system_factors as (
    select study_id, system_id, factor, level
    from {{ source('raw', 'system_factors') }}
    inner join model_factors using (study_id, factor)
),

groupings as (
    select study_id, grouping_id, factor, factor_position, model_factors.factor is not null as is_of_models
    from {{ source('raw', 'groupings') }}
    left join model_factors using (study_id, factor)
),

conditions as (
    select study_id, slice_id, factor, level
    from {{ source('raw', 'slices') }}
    inner join model_factors using (study_id, factor)
),

systems as (
    select study_id, system_id from system_factors group by study_id, system_id
),

-- generations that meet one condition of every factor of models that the slice names
named as (
    select study_id, slice_id, count(distinct factor) as n_factors from conditions group by study_id, slice_id
),

met as (
    select study_id, slice_id, system_id, count(distinct factor) as n_factors
    from conditions
    inner join system_factors using (study_id, factor, level)
    group by study_id, slice_id, system_id
),

of_slices as (
    select study_id, slice_id, system_id, coalesce(named.n_factors, 0) > 0 as is_of_models
    from {{ source('raw', 'slice_ids') }}
    inner join systems using (study_id)
    left join named using (study_id, slice_id)
    left join met using (study_id, slice_id, system_id)
    where coalesce(named.n_factors, 0) = coalesce(met.n_factors, 0)
),

sizes as (
    select study_id, grouping_id, count(case when is_of_models then 1 end) as n_factors
    from groupings
    group by study_id, grouping_id
),

-- '' where the grouping names no factor of models
model_groups as (
    select study_id, grouping_id, system_id, coalesce(levels.model_group, '') as model_group, sizes.n_factors
    from sizes
    inner join systems using (study_id)
    left join (
        select
            study_id,
            grouping_id,
            system_id,
            {{ joined_text('level', ' x ', 'factor_position') }} as model_group,
            count(*) as n_factors
        from groupings
        inner join system_factors using (study_id, factor)
        where is_of_models
        group by study_id, grouping_id, system_id
    ) as levels using (study_id, grouping_id, system_id)
    where sizes.n_factors = coalesce(levels.n_factors, 0)
)

select {{ layout }}, system_id, model_group
from of_slices
inner join model_groups using (study_id, system_id)
where of_slices.is_of_models or model_groups.n_factors > 0
