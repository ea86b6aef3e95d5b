-- The value of a contrast by SQL and the same by inference are one number, where both take it of means of cells: in every
-- design, whatever groups are compared with. Values far from 0 with little spread, such as dates in seconds, leave dbi
-- fewer digits. Of all models together SQL has all responses, inference the cells that every model answered. A group that
-- differs in a later round alone has the value of that round, among the groups that are left there.
{% set of_means = [
    'mean_difference', 'risk_difference', 'log_disparity', 'selection_rate_difference', 'precision_difference'
] %}
with

-- what is lost of the last digits grows with the values
spans as (
    select study_id, measure_id, max(abs(value)) as largest
    from {{ source('raw', 'measurements') }}
    group by study_id, measure_id
)

select
    contrasts.study_id,
    contrasts.slice_id,
    contrasts.system_id,
    contrasts.measure_id,
    contrasts.calibration,
    contrasts.grouping_id,
    contrasts.statistic,
    contrasts.parameters,
    contrasts.group_id,
    contrasts.contrast,
    contrasts.category,
    contrasts.reference,
    contrasts.value,
    inference.value_cells
from {{ ref('int_contrast_values') }} as contrasts
inner join {{ source('inference', 'contrasts') }} as inference
    using (
        study_id, slice_id, system_id, measure_id, calibration, grouping_id, statistic, parameters, group_id, contrast,
        category, reference
    )
left join spans using (study_id, measure_id)
left join (
    select distinct study_id, slice_id, system_id, measure_id, grouping_id from {{ ref('int_pooled_statistics') }}
) as pooled using (study_id, slice_id, system_id, measure_id, grouping_id)
where
    pooled.study_id is null
    and contrasts.contrast in ('{{ (of_means + ['dbi']) | join("', '") }}')
    and inference.value_cells is not null
    and inference.selected_reason is distinct from 'differs_later'
    and (
        contrasts.value is null
        or abs(contrasts.value - inference.value_cells)
        > case when contrasts.contrast = 'dbi' then 1e-5 else 1e-9 end
        * greatest(abs(inference.value_cells), coalesce(spans.largest, 0), 1)
    )
