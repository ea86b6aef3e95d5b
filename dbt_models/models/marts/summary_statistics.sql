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
    system_id,
    measure_id,
    calibration,
    grouping_id,
    group_id,
    statistic,
    parameters,
    statistics.value,
    inference.ci_low,
    inference.ci_high,
    inference.skewness,
    statistics.z,
    statistics.n_responses,
    statistics.n_missing,
    statistics.n_root_prompts,
    statistics.reason,
    {{ inference_reason('statistics.reason', is_tested_statistic('parameters')) }} as inference_reason
from statistics
inner join groups using (comparison_position, group_position)
left join inference
    using (study_id, slice_id, system_id, measure_id, calibration, grouping_id, group_id, statistic, parameters)
union all
-- values that people's labels make: no cell of SQL holds them
select
    study_id,
    slice_id,
    system_id,
    measure_id,
    calibration,
    grouping_id,
    group_id,
    'mean' as statistic,
    '' as parameters,
    value,
    ci_low,
    ci_high,
    cast(null as double) as skewness,
    cast(null as double) as z,
    n_responses,
    n_missing,
    n_root_prompts,
    case when value is null then coalesce(inference_reason, 'no_values') end as reason,
    inference_reason
from {{ ref('int_labelled_groups') }}
