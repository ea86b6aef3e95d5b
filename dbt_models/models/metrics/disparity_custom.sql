with

profiles as (
    select * from {{ ref('int_statistic_profiles') }}
),

custom as (
    select study_id, metric from {{ source('raw', 'custom_disparities') }}
),

computed as (
    select * from {{ ref('int_custom_disparities') }}
),

reasoned as (
    select
        profiles.*,
        custom.metric,
        computed.value,
        case
            when profiles.n_groups = 0 then 'no_values'
            when profiles.n_groups = 1 then 'one_group'
            when computed.value is null then 'custom_undefined'
        end as reason
    from profiles
    inner join custom using (study_id)
    left join computed using (comparison_position, statistic_position, metric)
)

select
    study_id,
    slice_id,
    system_id,
    measure_id,
    calibration,
    grouping_id,
    statistic,
    parameters,
    parameters as statistic_parameters,
    metric,
    case when reason is null then value end as value,
    group_low,
    group_high,
    n_low,
    n_high,
    n_groups,
    n_responses,
    n_root_prompts,
    reason
from reasoned
