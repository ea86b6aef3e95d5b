-- Means and rates by inference are means over root prompts, or declared units, of means of cells: the same by SQL.
with

-- what is lost of the last digits grows with the values
spans as (
    select study_id, measure_id, max(abs(value)) as largest
    from {{ source('raw', 'measurements') }}
    group by study_id, measure_id
),

root_prompts as (
    select comparison_position, statistic, parameters, group_position, root_position, avg(cell_mean) as root_mean
    from {{ ref('int_cells') }}
    group by comparison_position, statistic, parameters, group_position, root_position
),

means as (
    select comparison_position, statistic, parameters, group_position, avg(root_mean) as value_cells
    from root_prompts
    group by comparison_position, statistic, parameters, group_position
)

select
    groups.study_id,
    groups.slice_id,
    groups.system_id,
    groups.measure_id,
    groups.calibration,
    groups.grouping_id,
    groups.category,
    groups.group_id,
    statistic,
    parameters,
    means.value_cells,
    inference.value
from means
inner join {{ ref('int_group_statistics') }} as groups using (comparison_position, group_position)
left join {{ source('inference', 'summary_statistics') }} as inference
    using (
        study_id, slice_id, system_id, measure_id, calibration, grouping_id, category, group_id, statistic, parameters
    )
left join spans using (study_id, measure_id)
where
    inference.value is null
    or abs(inference.value - means.value_cells) > 1e-9 * greatest(abs(means.value_cells), coalesce(spans.largest, 0), 1)
