-- The value of a contrast by SQL and the same by inference are one number: of those that are taken of means of cells in
-- every design, whatever they are compared with; of those that pool responses where the design is balanced. Values far
-- from 0 with little spread, such as dates in seconds, leave dbi and statistics of shape fewer digits.
{% set of_means = [
    'mean_difference', 'risk_difference', 'log_disparity', 'selection_rate_difference', 'precision_difference'
] %}
{% set of_cells = of_means + ['dbi'] %}
with

balanced as (
    select distinct study_id, slice_id, generation_id, measure_id, calibration, grouping_id
    from {{ ref('int_comparisons') }}
    inner join {{ ref('int_designs') }} as designs using (comparison_position)
    where designs.is_balanced
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
    using (
        study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id, contrast, category, reference
    )
left join balanced using (study_id, slice_id, generation_id, measure_id, calibration, grouping_id)
where
    (contrasts.contrast in ('{{ of_cells | join("', '") }}') or balanced.study_id is not null)
    and inference.value_cells is not null
    and (
        contrasts.value is null
        or abs(contrasts.value - inference.value_cells)
        > case when contrasts.contrast in ('{{ of_means | join("', '") }}') then 1e-9 else 1e-5 end
        * greatest(abs(inference.value_cells), 1)
    )
