-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id, contrast, category,
-- reference). Values by SQL, everything that is uncertain about them by inference, joined on that key.
with

metrics as (
    {{ union_of(contrast_metrics()) }}
),

inference as (
    select * from {{ source('inference', 'contrasts') }}
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
    metrics.group_id,
    metrics.contrast,
    metrics.category,
    metrics.reference,
    metrics.value,
    inference.std_error,
    inference.ci_low,
    inference.ci_high,
    inference.null_median,
    inference.null_q95,
    inference.p_value,
    inference.q_value,
    inference.q_value_by,
    inference.p_value_maxt,
    inference.family_id,
    inference.n_family,
    inference.margin,
    {{ band('metrics.value') }} as band,
    {{ verdict('contrasts', 'metrics') }} as verdict,
    inference.n_needed,
    metrics.n_responses,
    coalesce(inference.n_root_prompts, metrics.n_root_prompts) as n_root_prompts,
    inference.method,
    inference.scope,
    metrics.reason,
    {{ inference_reason('contrasts', 'metrics') }} as inference_reason
from metrics
left join inference
    on metrics.study_id = inference.study_id
    and metrics.slice_id = inference.slice_id
    and metrics.generation_id = inference.generation_id
    and metrics.measure_id = inference.measure_id
    and metrics.calibration = inference.calibration
    and metrics.grouping_id = inference.grouping_id
    and metrics.group_id = inference.group_id
    and metrics.contrast = inference.contrast
    and metrics.category = inference.category
    and metrics.reference = inference.reference
left join bands on metrics.contrast = bands.metric
