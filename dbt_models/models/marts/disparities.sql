{% set value = 'coalesce(inference.value_cells, disparity_values.value)' %}
with

{% set columns = [
    'study_id', 'slice_id', 'system_id', 'measure_id', 'calibration', 'grouping_id', 'statistic', 'parameters',
    'statistic_parameters', 'metric', 'value', 'group_low', 'group_high', 'n_low', 'n_high', 'n_groups', 'n_responses',
    'n_root_prompts', 'reason', 'is_tested'
] | join(', ') %}
every as (
    select {{ columns }} from {{ ref('int_disparity_values') }}
    union all
    select {{ columns }} from {{ ref('int_labelled_disparities') }}
),

inference as (
    select *, parameters as statistic_parameters
    from {{ source('inference', 'disparities') }}
    where category = ''  -- an index is of all labels together
),

disparity_values as (
    select * from every where {{ is_told_of_controls('inference', 'statistic_parameters') }}
),

bands as (
    select * from {{ ref('bands') }} where is_reported
)

select
    disparity_values.study_id,
    disparity_values.slice_id,
    disparity_values.system_id,
    disparity_values.measure_id,
    disparity_values.calibration,
    disparity_values.grouping_id,
    disparity_values.statistic,
    disparity_values.parameters,
    disparity_values.metric,
    {{ value }} as value,
    disparity_values.value as value_responses,
    disparity_values.group_low,
    disparity_values.group_high,
    disparity_values.n_low,
    disparity_values.n_high,
    disparity_values.n_groups,
    inference.null_median,
    inference.null_q95,
    inference.control_floor,
    inference.value_corrected,
    inference.ci_low,
    inference.ci_high,
    inference.p_value,
    inference.q_value,
    inference.hypothesis_q_value,
    inference.margin,
    inference.margin_origin,
    {{ band(value) }} as band,
    {{ verdict(value, 'disparity_values.is_tested') }} as verdict,
    inference.verdict_reason,
    disparity_values.n_responses,
    inference.n_draws,
    coalesce(inference.n_root_prompts, disparity_values.n_root_prompts) as n_root_prompts,
    inference.n_units,
    inference.method,
    inference.scope,
    case when {{ value }} is null then disparity_values.reason end as reason,
    {{ inference_reason('disparity_values.reason', 'disparity_values.is_tested') }} as inference_reason
from disparity_values
left join inference
    using (
        study_id, slice_id, system_id, measure_id, calibration, grouping_id, statistic, statistic_parameters, metric
    )
left join bands on disparity_values.metric = bands.metric
-- one sorted stream is written in less time than a stream for each metric
order by disparity_values.system_id asc, disparity_values.measure_id asc
