-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters, metric).
-- value by SQL, every response equal; value_cells and what is uncertain about it by inference, joined on that key,
-- parameters being those of the statistic alone there, and category '': an index is of all labels together.
-- The probability that an impact ratio is under 0.8 is inference's alone.
{% set value = (
    "case when metrics.metric = 'impact_ratio_below_four_fifths' then inference.value_cells else metrics.value end"
) %}
with

metrics as (
    {{ union_of(disparity_metrics()) }}
),

inference as (
    select * from {{ source('inference', 'disparities') }}
),

bands as (
    select * from {{ ref('bands') }} where is_reported
)

select
    metrics.study_id,
    metrics.slice_id,
    metrics.generation_id,
    metrics.measure_id,
    metrics.calibration,
    metrics.grouping_id,
    metrics.statistic,
    metrics.parameters,
    metrics.metric,
    {{ value }} as value,
    inference.value_cells,
    metrics.group_low,
    metrics.group_high,
    metrics.n_groups,
    inference.null_median,
    inference.null_q95,
    inference.value_corrected,
    inference.ci_low,
    inference.ci_high,
    inference.p_value,
    inference.q_value,
    inference.q_value_by,
    inference.family_id,
    inference.n_family,
    inference.margin,
    {{ band('metrics.value') }} as band,
    {{ verdict('disparities', 'metrics') }} as verdict,
    inference.n_needed,
    metrics.n_responses,
    coalesce(inference.n_root_prompts, metrics.n_root_prompts) as n_root_prompts,
    inference.method,
    inference.scope,
    case when {{ value }} is null then metrics.reason end as reason,
    {{ inference_reason('disparities', 'metrics') }} as inference_reason
from metrics
left join inference
    on metrics.study_id = inference.study_id
    and metrics.slice_id = inference.slice_id
    and metrics.generation_id = inference.generation_id
    and metrics.measure_id = inference.measure_id
    and metrics.calibration = inference.calibration
    and metrics.grouping_id = inference.grouping_id
    and metrics.statistic = inference.statistic
    and metrics.statistic_parameters = inference.parameters
    and metrics.metric = inference.metric
    and inference.category = ''
left join bands on metrics.metric = bands.metric
