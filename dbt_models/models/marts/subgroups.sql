with

subgroups as (
    select * from {{ ref('int_subgroups') }}
),

intervals as (
    select * from {{ source('inference', 'subgroups') }}
)

select
    subgroups.study_id,
    subgroups.slice_id,
    subgroups.system_id,
    subgroups.measure_id,
    subgroups.grouping_id,
    subgroups.group_id,
    subgroups.n_responses,
    subgroups.n_missing,
    subgroups.n_root_prompts,
    subgroups.n_deviating,
    subgroups.deviation_rate,
    intervals.ci_low,
    intervals.ci_high,
    subgroups.log_disparity,
    intervals.log_disparity_ci_low,
    intervals.log_disparity_ci_high,
    subgroups.log_disparity_haldane,
    subgroups.deviation_rate_shrunken,
    subgroups.ecdf,
    subgroups.reason,
    intervals.inference_reason
from subgroups
left join intervals using (study_id, slice_id, system_id, measure_id, grouping_id, group_id)
