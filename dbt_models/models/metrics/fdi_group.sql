-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id) of a categorical
-- measure: total variation between the labels of the group and those of all groups, 0 to 1, responses counting alike.
-- Source: FAIR-SEA; metrics.md 4.
with

group_statistics as (
    select * from {{ ref('int_group_statistics') }} where kind = 'categorical'
),

shares as (
    select
        *,
        coalesce(total, 0) / nullif(n_responses, 0) as share,
        sum(total) over comparison / nullif(sum(n_responses) over comparison, 0) as share_all,
        sum(n_responses) over comparison as n_responses_all
    from group_statistics
    window comparison as (partition by comparison_position)
),

distances as (
    select
        study_id,
        slice_id,
        generation_id,
        measure_id,
        calibration,
        grouping_id,
        group_id,
        sum(abs(share - share_all)) / 2 as distance,
        max(n_responses) as n_responses,
        max(n_root_prompts) as n_root_prompts,
        case
            when max(n_responses) = 0 then 'no_values'
            when max(n_responses) = max(n_responses_all) then 'no_complement'
        end as reason
    from shares
    group by study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id
)

select
    study_id,
    slice_id,
    generation_id,
    measure_id,
    calibration,
    grouping_id,
    group_id,
    'fdi_group' as contrast,
    '' as category,
    'grand_mean' as reference,
    case when reason is null then distance end as value,
    n_responses,
    n_root_prompts,
    reason
from distances
