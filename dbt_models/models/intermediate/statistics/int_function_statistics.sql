-- Key: comparison_position, group_position, statistic, parameters.
with

function_statistics as (
    select * from {{ source('inference', 'function_statistics') }}
),

-- a measure that has statistics has no category
groups as (
    select * from {{ ref('int_group_statistics') }} where category = ''
)

select
    comparison_position,
    group_position,
    function_statistics.statistic,
    function_statistics.parameters,
    function_statistics.value,
    function_statistics.reason
from function_statistics
inner join groups using (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id)
