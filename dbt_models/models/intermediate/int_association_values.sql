-- One row per (study_id, slice_id, generation_id, measure_id, grouping_id, category, group_id) and response: the values
-- that the documents' tests take for independent rows; raw values alone. Of several generations generation_id 'all' has
-- the rows of all but the baseline.
{{ config(materialized='view') }}
with

grouped_values as (
    select * from {{ ref('int_grouped_values') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

generations as (
    select study_id, generation_id
    from {{ source('raw', 'generations') }}
    where not is_baseline
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
    inner join generations using (study_id, generation_id)
    inner join slice_groups using (layout_position, group_position)
    where comparisons.calibration = 'raw' and grouped_values.x is not null
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
where (select count(*) from generations) > 1
