-- Key: comparison_position, group_position, statistic, parameters.
with

function_statistics as (
    select * from {{ source('inference', 'function_statistics') }}
),

-- a measure that has statistics has no category
comparisons as (
    select * from {{ ref('int_comparisons') }} where category = ''
),

slice_groups as (
    select study_id, slice_id, grouping_id, group_id, group_position
    from {{ ref('int_prompt_groups') }}
    group by study_id, slice_id, grouping_id, group_id, group_position
)

select
    comparison_position,
    group_position,
    function_statistics.statistic,
    function_statistics.parameters,
    function_statistics.value,
    function_statistics.reason
from function_statistics
inner join comparisons using (study_id, slice_id, system_id, measure_id, calibration, grouping_id)
inner join slice_groups using (study_id, slice_id, grouping_id, group_id)
