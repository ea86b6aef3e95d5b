{% set layout = 'study_id, slice_id, grouping_id' %}
with

places as (
    select distinct
        {{ layout }}, group_id, group_position, coalesce(stratum_position, block_position) as place_position
    from {{ ref('int_prompt_groups') }}
),

layouts as (
    select {{ layout }}, count(distinct group_id) as n_groups
    from places
    group by {{ layout }}
    having count(*) < count(distinct group_id) * count(distinct place_position)
),

incomplete as (
    select places.*, layouts.n_groups
    from places
    inner join layouts using ({{ layout }})
),

meetings as (
    select distinct
        {{ layout }},
        incomplete.group_id,
        incomplete.n_groups,
        others.group_id as other_id,
        others.group_position as other_position
    from incomplete
    inner join incomplete as others using ({{ layout }}, place_position)
    where incomplete.group_id <> others.group_id
)

select
    {{ layout }},
    group_id,
    {{ joined_text('other_id', ' | ', 'other_position') }} as neighbours
from meetings
group by {{ layout }}, group_id, n_groups
having count(*) < n_groups - 1
