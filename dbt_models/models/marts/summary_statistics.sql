{% set value = 'coalesce(inference.value, statistics.value)' %}
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
),

inferred as (
    select
        study_id,
        slice_id,
        system_id,
        measure_id,
        calibration,
        grouping_id,
        group_id,
        comparison_position,
        statistic,
        parameters,
        {{ value }} as value,
        statistics.value as value_responses,
        inference.std_error,
        inference.skewness,
        inference.ci_low,
        inference.ci_high,
        statistics.n_responses,
        statistics.n_missing,
        -- where units are wordings SQL counts these, inference the root prompts that stand in them
        greatest(statistics.n_root_prompts, coalesce(inference.n_root_prompts, 0)) as n_root_prompts,
        inference.scope,
        case when {{ value }} is null then statistics.reason end as reason,
        {{ inference_reason('statistics.reason', is_tested_statistic('parameters')) }} as inference_reason
    from statistics
    inner join groups using (comparison_position, group_position)
    left join inference
        using (study_id, slice_id, system_id, measure_id, calibration, grouping_id, group_id, statistic, parameters)
),

spreads as (
    select
        comparison_position,
        statistic,
        parameters,
        avg(value) as value_mean,
        case
            when count(value) > 1 and not ({{ has_one_value('max(value)', 'min(value)') }}) then stddev_samp(value)
        end as value_sd
    from inferred
    group by comparison_position, statistic, parameters
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
    value,
    value_responses,
    std_error,
    skewness,
    ci_low,
    ci_high,
    (value - value_mean) / value_sd as z,
    n_responses,
    n_missing,
    n_root_prompts,
    scope,
    reason,
    inference_reason
from inferred
inner join spreads using (comparison_position, statistic, parameters)
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
    cast(null as double) as value_responses,
    std_error,
    cast(null as double) as skewness,
    ci_low,
    ci_high,
    cast(null as double) as z,
    n_responses,
    n_missing,
    n_root_prompts,
    scope,
    case when value is null then coalesce(inference_reason, 'no_values') end as reason,
    inference_reason
from {{ ref('int_labelled_groups') }}
