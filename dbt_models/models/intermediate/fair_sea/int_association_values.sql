{{ config(materialized='view') }}
with

grouped_values as (
    select * from {{ ref('int_grouped_values') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

systems as (
    select study_id, system_id, is_baseline from {{ source('raw', 'systems') }}
),

slice_groups as (
    select layout_position, group_position, group_id
    from {{ ref('int_prompt_groups') }}
    group by layout_position, group_position, group_id
),

by_system as (
    select
        study_id,
        comparisons.slice_id,
        system_id,
        comparisons.measure_id,
        comparisons.kind,
        comparisons.grouping_id,
        comparisons.category,
        slice_groups.group_id,
        grouped_values.x
    from grouped_values
    inner join comparisons using (comparison_position)
    left join systems using (study_id, system_id)
    inner join slice_groups using (layout_position, group_position)
    where
        comparisons.calibration = 'raw'
        and comparisons.grouping_id <> 'negative_control'
        and grouped_values.x is not null
        and coalesce(not is_baseline, true)
)

select * from by_system
union all
select
    study_id,
    slice_id,
    'all' as system_id,
    measure_id,
    kind,
    grouping_id,
    category,
    group_id,
    x
from by_system
where system_id <> 'all' and (select count(*) from systems where not is_baseline) > 1
