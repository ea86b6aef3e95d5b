-- The value of a contrast by SQL and the same by inference are one number: of those that are taken of means of cells in
-- every design, whatever they are compared with; of those that pool responses where the design is balanced. Values far
-- from 0 with little spread, such as dates in seconds, leave dbi and statistics of shape fewer digits.
{% set of_means = [
    'mean_difference', 'risk_difference', 'log_disparity', 'selection_rate_difference', 'precision_difference'
] %}
{% set of_cells = of_means + ['dbi'] %}
with

balanced as (
    select
        comparisons.study_id,
        comparisons.slice_id,
        comparisons.generation_id,
        comparisons.measure_id,
        comparisons.calibration,
        comparisons.grouping_id
    from {{ ref('int_comparisons') }} as comparisons
    inner join {{ ref('int_designs') }} as designs
        on comparisons.comparison_position = designs.comparison_position
        and designs.is_balanced
    group by
        comparisons.study_id,
        comparisons.slice_id,
        comparisons.generation_id,
        comparisons.measure_id,
        comparisons.calibration,
        comparisons.grouping_id
)

select
    contrasts.study_id,
    contrasts.slice_id,
    contrasts.generation_id,
    contrasts.measure_id,
    contrasts.calibration,
    contrasts.grouping_id,
    contrasts.group_id,
    contrasts.contrast,
    contrasts.category,
    contrasts.reference,
    contrasts.value,
    inference.value_cells
from {{ ref('contrasts') }} as contrasts
inner join {{ source('inference', 'contrasts') }} as inference
    on contrasts.study_id = inference.study_id
    and contrasts.slice_id = inference.slice_id
    and contrasts.generation_id = inference.generation_id
    and contrasts.measure_id = inference.measure_id
    and contrasts.calibration = inference.calibration
    and contrasts.grouping_id = inference.grouping_id
    and contrasts.group_id = inference.group_id
    and contrasts.contrast = inference.contrast
    and contrasts.category = inference.category
    and contrasts.reference = inference.reference
left join balanced
    on contrasts.study_id = balanced.study_id
    and contrasts.slice_id = balanced.slice_id
    and contrasts.generation_id = balanced.generation_id
    and contrasts.measure_id = balanced.measure_id
    and contrasts.calibration = balanced.calibration
    and contrasts.grouping_id = balanced.grouping_id
where
    (contrasts.contrast in ('{{ of_cells | join("', '") }}') or balanced.study_id is not null)
    and inference.value_cells is not null
    and (
        contrasts.value is null
        or abs(contrasts.value - inference.value_cells)
        > case when contrasts.contrast in ('{{ of_means | join("', '") }}') then 1e-9 else 1e-5 end
        * greatest(abs(inference.value_cells), 1)
    )
