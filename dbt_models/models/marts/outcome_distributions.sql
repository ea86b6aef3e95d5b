with

statistics as (
    select * from {{ ref('int_group_statistics') }}
    where kind in ('categorical', 'binary')
),

intervals as (
    select * from {{ source('inference', 'summary_statistics') }}
    where statistic = 'mean' and calibration = 'raw'
),

-- what is measured as 1; of labels each
counted as (
    select
        statistics.* exclude (category),
        coalesce(intervals.value, total / nullif(n_responses, 0)) as share,
        intervals.ci_low,
        intervals.ci_high,
        intervals.scope,
        case when statistics.kind = 'binary' then '1' else statistics.category end as category
    from statistics
    left join intervals
        using (study_id, slice_id, system_id, measure_id, grouping_id, group_id, category)
),

outcomes as (
    select * from counted
    union all by name
    select
        * exclude (category, total, share, ci_low, ci_high),
        '0' as category,
        n_responses - coalesce(total, 0) as total,
        1 - share as share,
        1 - ci_high as ci_low,
        1 - ci_low as ci_high
    from counted
    where kind = 'binary'
)

select
    study_id,
    slice_id,
    system_id,
    measure_id,
    grouping_id,
    group_id,
    category,
    cast(coalesce(total, 0) as bigint) as n,
    share,
    case when n_responses > 0 then total / n_responses end as share_responses,
    ci_low,
    ci_high,
    n_responses as n_group,
    n_missing,
    scope
from outcomes
