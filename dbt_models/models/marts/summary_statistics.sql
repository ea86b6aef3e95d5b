with

statistics as (
    select * from {{ ref('int_statistics') }}
),

groups as (
    select * from {{ ref('int_group_statistics') }}
),

inference as (
    -- a measure that has statistics has no category
    select * from {{ source('inference', 'summary_statistics') }} where category = ''
)

select
    study_id,
    slice_id,
    generation_id,
    measure_id,
    calibration,
    grouping_id,
    group_id,
    statistic,
    parameters,
    statistics.value,
    inference.ci_low,
    inference.ci_high,
    statistics.z,
    statistics.n_responses,
    statistics.n_missing,
    statistics.n_root_prompts,
    statistics.reason,
    {{ inference_reason('statistics.reason', is_tested_statistic('parameters')) }} as inference_reason
from statistics
inner join groups using (comparison_position, group_position)
left join inference
    using (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id, statistic, parameters)
