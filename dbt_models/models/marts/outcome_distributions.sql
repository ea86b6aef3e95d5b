with

shares as (
    select * from {{ ref('int_group_statistics') }}
    where kind = 'categorical'
),

intervals as (
    select * from {{ source('inference', 'summary_statistics') }}
    where statistic = 'mean' and calibration = 'raw'
)

select
    shares.study_id,
    shares.slice_id,
    shares.generation_id,
    shares.measure_id,
    shares.grouping_id,
    shares.group_id,
    shares.category,
    cast(coalesce(shares.total, 0) as bigint) as n,
    case when shares.n_responses > 0 then shares.total / shares.n_responses end as share,
    intervals.ci_low,
    intervals.ci_high,
    shares.n_responses as n_group,
    shares.n_missing
from shares
left join intervals
    using (study_id, slice_id, generation_id, measure_id, grouping_id, group_id, category)
