{% set rounds = 2 -%}
{% set layout = 'study_id, slice_id, grouping_id' -%}
with

members as (
    select * from {{ ref('int_group_members') }}
),

outside_levels as (
    {{ outside_levels() }}
),

-- prompts of a group that agree in all factors outside say no more than one of them
examples as (
    select {{ layout }}, group_id, min(prompt_id) as prompt_id
    from members
    group by {{ layout }}, group_id, outside_levels
),

factors as (
    select {{ layout }}, factor
    from examples
    inner join outside_levels using (study_id, grouping_id, prompt_id)
    group by {{ layout }}, factor
),

unit_levels as (
    select {{ layout }}, factor, unit_id, count(distinct coalesce(level, '')) as n_levels
    from members
    inner join factors using ({{ layout }})
    left join outside_levels using (study_id, grouping_id, prompt_id, factor)
    where scheme in ('nested', 'partly_nested')
    group by {{ layout }}, factor, unit_id
),

varying as (
    select {{ layout }}, factor
    from unit_levels
    group by {{ layout }}, factor
    having max(n_levels) > 1
),

levels as (
    select {{ layout }}, factor, prompt_id, group_id, coalesce(level, '') as level
    from examples
    inner join factors using ({{ layout }})
    left join outside_levels using (study_id, grouping_id, prompt_id, factor)
),

groups_of_levels as (
    select {{ layout }}, factor, count(distinct group_id) as n_groups, min(group_id) as group_id
    from levels
    group by {{ layout }}, factor, level
),

determining as (
    select {{ layout }}, factor
    from groups_of_levels
    group by {{ layout }}, factor
    having max(n_groups) = 1 and count(distinct group_id) > 1
),

left_0 as (
    select levels.*
    from levels
    left join varying using ({{ layout }}, factor)
    left join determining using ({{ layout }}, factor)
    where varying.factor is null and determining.factor is null
),
{% for round in range(rounds) %}
{{ factors_that_follow(round) }}
{% endfor %}
held as (
    select {{ layout }}, factor
    from left_{{ rounds }}
    group by {{ layout }}, factor
)

select
    study_id,
    slice_id,
    grouping_id,
    factor,
    held.factor is not null as is_stratum,
    case
        when varying.factor is not null then 'varies_within_unit'
        when determining.factor is not null then 'determines_group'
        when held.factor is null then 'follows_from_others'
    end as left_out_because
from factors
left join varying using ({{ layout }}, factor)
left join determining using ({{ layout }}, factor)
left join held using ({{ layout }}, factor)
