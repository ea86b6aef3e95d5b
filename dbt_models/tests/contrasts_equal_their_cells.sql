-- The value of a contrast by SQL and the same by inference are one number: both are mean D over cells.
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
    contrasts.value,
    inference.value_cells
from {{ ref('contrasts') }} as contrasts
inner join {{ ref('stg_inference_contrasts') }} as inference
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
where
    contrasts.contrast in ('mean_difference', 'risk_difference')
    and inference.value_cells is not null
    and (
        contrasts.value is null
        or abs(contrasts.value - inference.value_cells) > 1e-9 * greatest(abs(inference.value_cells), 1)
    )
