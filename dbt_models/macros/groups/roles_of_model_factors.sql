{# CTEs members, counts, others and roles. others: the level that each compared generation has of every factor of
   generations outside the grouping. roles, one row per (study_id, slice_id, grouping_id, factor): whether such a factor
   holds groups apart (is_crossed), and whether it could. #}
{% macro roles_of_model_factors() -%}
{% set layout = 'study_id, slice_id, grouping_id' -%}
members as (
    select * from {{ ref('int_compared_systems') }}
),

model_factors as (
    select * from {{ ref('int_model_factors') }}
),

system_factors as (
    select study_id, system_id, factor, level from {{ source('raw', 'system_factors') }}
),

groupings as (
    select * from {{ source('raw', 'groupings') }}
),

others as (
    select {{ layout }}, members.system_id, members.model_group, factor, coalesce(system_factors.level, '') as level
    from members
    inner join model_factors using (study_id)
    left join system_factors using (study_id, system_id, factor)
    left join groupings using (study_id, grouping_id, factor)
    where factor <> 'system' and groupings.factor_position is null
),

-- a factor holds groups apart where some level has several groups, and some group several levels
groups_of_level as (
    select {{ layout }}, factor, level, count(distinct model_group) as n
    from others
    group by {{ layout }}, factor, level
),

levels_of_group as (
    select {{ layout }}, factor, model_group, count(distinct level) as n
    from others
    group by {{ layout }}, factor, model_group
),

counts as (
    select {{ layout }}, count(distinct model_group) as n_groups from members group by {{ layout }}
),

most_groups as (
    select {{ layout }}, factor, max(n) as n_groups_of_level, count(*) as n_levels from groups_of_level group by {{ layout }}, factor
),

most_levels as (
    select {{ layout }}, factor, max(n) as n_levels_of_group from levels_of_group group by {{ layout }}, factor
),

roles as (
    select
        {{ layout }},
        factor,
        n_groups_of_level > 1 and n_levels_of_group > 1 as is_crossed,
        n_levels > 1 and counts.n_groups > 1 as can_differ
    from most_groups
    inner join most_levels using ({{ layout }}, factor)
    inner join counts using ({{ layout }})
)
{%- endmacro %}
