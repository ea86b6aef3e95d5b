-- One row per (study_id, slice_id, generation_id, measure_id, grouping_id, group_id, category) of a categorical
-- measure. share is NULL in a group without a label (n_group 0). The Wilson interval takes responses as independent.
with

group_statistics as (
    select * from {{ ref('int_group_statistics') }}
),

studies as (
    select * from {{ ref('stg_studies') }}
),

critical_values as (
    select study_id, {{ normal_quantile('(1 - alpha / 2)') }} as z
    from studies
),

shares as (
    select
        group_statistics.*,
        critical_values.z,
        case when n_responses > 0 then total / n_responses end as share
    from group_statistics
    inner join critical_values on group_statistics.study_id = critical_values.study_id
    where group_statistics.kind = 'categorical'
)

select
    study_id,
    slice_id,
    generation_id,
    measure_id,
    grouping_id,
    group_id,
    category,
    cast(coalesce(total, 0) as bigint) as n,
    share,
    case when n_responses > 0 then {{ wilson_limit('share', 'n_responses', 'z', -1) }} end as ci_low,
    case when n_responses > 0 then {{ wilson_limit('share', 'n_responses', 'z', 1) }} end as ci_high,
    n_responses as n_group
from shares
