{% set value = 'coalesce(inference.value_cells, contrast_values.value)' %}
with

{% set columns = [
    'study_id', 'slice_id', 'system_id', 'measure_id', 'calibration', 'grouping_id', 'statistic', 'parameters',
    'group_id', 'contrast', 'category', 'reference', 'value', 'value_responses', 'n_responses', 'n_root_prompts', 'reason',
    'is_tested'
] | join(', ') %}
every as (
    select {{ columns }} from {{ ref('int_contrast_values') }}
    union all
    select {{ columns }} from {{ ref('int_labelled_contrasts') }}
),

inference as (
    select * from {{ source('inference', 'contrasts') }}
),

contrast_values as (
    select * from every where {{ is_told_of_controls('inference') }}
),

bands as (
    select * from {{ ref('bands') }} where is_reported
)

select
    contrast_values.study_id,
    contrast_values.slice_id,
    contrast_values.system_id,
    contrast_values.measure_id,
    contrast_values.calibration,
    contrast_values.grouping_id,
    contrast_values.statistic,
    contrast_values.parameters,
    contrast_values.group_id,
    contrast_values.contrast,
    contrast_values.category,
    contrast_values.reference,
    {{ value }} as value,
    inference.value_standardised,
    contrast_values.value_responses,
    inference.std_error,
    inference.skewness,
    inference.ci_low,
    inference.ci_high,
    inference.ci_low_sampling,
    inference.ci_high_sampling,
    inference.ci_low_selected,
    inference.ci_high_selected,
    inference.value_shrunken,
    inference.selected_reason,
    inference.ci_low_missing,
    inference.ci_high_missing,
    inference.verdict_with_missing,
    inference.tipping_shift,
    inference.missing_share,
    inference.missing_share_rest,
    inference.missing_reason,
    inference.null_median,
    inference.null_q95,
    inference.p_value,
    inference.p_value_maxt,
    inference.p_negative_controls,
    inference.q_value,
    inference.q_permuted,
    inference.significant_at_look,
    inference.p_equivalence,
    inference.q_equivalence,
    inference.family_id,
    inference.n_hypotheses,
    inference.margin,
    inference.margin_origin,
    {{ band(value) }} as band,
    {{ verdict(value, 'contrast_values.is_tested') }} as verdict,
    inference.verdict_reason,
    inference.value_at_call,
    inference.value_without,
    inference.explained_by,
    inference.without_groups,
    inference.n_needed,
    inference.n_needed_for,
    inference.n_needed_reason,
    contrast_values.n_responses,
    inference.n_draws,
    coalesce(inference.n_root_prompts, contrast_values.n_root_prompts) as n_root_prompts,
    inference.n_units,
    inference.method,
    inference.scope,
    case when {{ value }} is null then coalesce(contrast_values.reason, inference.inference_reason, 'no_values') end
        as reason,
    {{ inference_reason('contrast_values.reason', 'contrast_values.is_tested') }} as inference_reason
from contrast_values
left join inference
    using (
        study_id, slice_id, system_id, measure_id, calibration, grouping_id, statistic, parameters, group_id, contrast,
        category, reference
    )
left join bands on contrast_values.contrast = bands.metric
