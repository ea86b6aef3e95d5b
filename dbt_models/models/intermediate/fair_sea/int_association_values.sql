{{ config(materialized='view') }}
with

grouped_values as (
    select * from {{ ref('int_grouped_values') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

generations as (
    select study_id, generation_id, is_baseline from {{ source('raw', 'generations') }}
),

slice_groups as (
    select layout_position, group_position, group_id
    from {{ ref('int_prompt_groups') }}
    group by layout_position, group_position, group_id
),

by_generation as (
    select
        study_id,
        comparisons.slice_id,
        generation_id,
        comparisons.measure_id,
        comparisons.kind,
        comparisons.grouping_id,
        comparisons.category,
        slice_groups.group_id,
        grouped_values.x
    from grouped_values
    inner join comparisons using (comparison_position)
    left join generations using (study_id, generation_id)
    inner join slice_groups using (layout_position, group_position)
    where comparisons.calibration = 'raw' and grouped_values.x is not null and coalesce(not is_baseline, true)
)

select * from by_generation
union all
select
    study_id,
    slice_id,
    'all' as generation_id,
    measure_id,
    kind,
    grouping_id,
    category,
    group_id,
    x
from by_generation
where generation_id <> 'all' and (select count(*) from generations where not is_baseline) > 1
