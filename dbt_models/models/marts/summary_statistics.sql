-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id, statistic,
-- parameters). Values by SQL, intervals by inference, joined on that key (category is '' there for measures that have
-- statistics).
with

statistics as (
    select * from {{ ref('int_statistics') }}
),

inference as (
    select * from {{ source('inference', 'summary_statistics') }}
)

select
    statistics.study_id,
    statistics.slice_id,
    statistics.generation_id,
    statistics.measure_id,
    statistics.calibration,
    statistics.grouping_id,
    statistics.group_id,
    statistics.statistic,
    statistics.parameters,
    statistics.value,
    inference.ci_low,
    inference.ci_high,
    statistics.z,
    statistics.n_responses,
    statistics.n_missing,
    statistics.n_root_prompts,
    statistics.reason,
    {{ inference_reason('summary_statistics', 'statistics') }} as inference_reason
from statistics
left join inference
    on statistics.study_id = inference.study_id
    and statistics.slice_id = inference.slice_id
    and statistics.generation_id = inference.generation_id
    and statistics.measure_id = inference.measure_id
    and statistics.calibration = inference.calibration
    and statistics.grouping_id = inference.grouping_id
    and statistics.group_id = inference.group_id
    and statistics.statistic = inference.statistic
    and statistics.parameters = inference.parameters
    and inference.category = ''
