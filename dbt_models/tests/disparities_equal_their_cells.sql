-- Where all blocks are complete and equally replicated, the index on responses is the index on cell means. Group values
-- that differ in their last digits only, such as dates in seconds, leave an index that is standardised as many less.
with

{% set keys = [
    'study_id', 'slice_id', 'generation_id', 'measure_id', 'calibration', 'grouping_id', 'statistic', 'parameters'
] %}
profiles as (
    select
        {{ keys | join(', ') }},
        is_balanced,
        case when value_sd > 0 then greatest(abs(value_max), abs(value_min)) / value_sd else 0 end as lost
    from {{ ref('int_statistic_profiles') }}
    union all
    select {{ keys | join(', ') }}, is_balanced, 0 as lost from {{ ref('int_label_profiles') }}
)

select
    disparities.study_id,
    disparities.slice_id,
    disparities.generation_id,
    disparities.measure_id,
    disparities.calibration,
    disparities.grouping_id,
    disparities.statistic,
    disparities.parameters,
    disparities.metric,
    disparities.value,
    disparities.value_cells
from {{ ref('disparities') }} as disparities
inner join profiles using ({{ keys | join(', ') }})
where
    profiles.is_balanced
    and disparities.value_cells is not null
    and (
        disparities.value is null
        or abs(disparities.value - disparities.value_cells)
        > greatest(1e-9, 1e-13 * profiles.lost) * greatest(abs(disparities.value_cells), 1)
    )
