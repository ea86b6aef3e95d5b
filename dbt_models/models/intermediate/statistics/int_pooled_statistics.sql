{% set outcome = 'study_id, slice_id, measure_id, grouping_id, category' %}
with

group_statistics as (
    select * from {{ ref('int_group_statistics') }} where calibration = 'raw' and kind in ('categorical', 'continuous')
),

systems as (
    select study_id, system_id from {{ source('raw', 'systems') }} where not is_baseline
),

requested as (
    select study_id from {{ source('raw', 'contrasts') }} where contrast = 'dbi'
),

of_models as (
    select group_statistics.*
    from group_statistics
    inner join systems using (study_id, system_id)
    left join requested using (study_id)
    where kind = 'categorical' or requested.study_id is not null
),

answered as (
    select {{ outcome }}
    from of_models
    group by {{ outcome }}
    having count(distinct case when n_responses > 0 then system_id end) > 1
),

deviations as (
    select
        of_models.*,
        (n_responses - 1) * coalesce(variance, 0)
        + n_responses * power(mean - sum(total) over pooled / nullif(sum(n_responses) over pooled, 0), 2) as sum_of_squares
    from of_models
    inner join answered using ({{ outcome }})
    window pooled as (partition by {{ outcome }}, group_position)
),

sums as (
    select
        {{ outcome }},
        kind,
        group_id,
        group_position,
        min(comparison_position) as comparison_position,
        cast(sum(n_responses) as bigint) as n_responses,
        cast(sum(n_missing) as bigint) as n_missing,
        max(n_root_prompts) as n_root_prompts,
        sum(total) as total,
        sum(case when n_responses > 0 then sum_of_squares end) as sum_of_squares
    from deviations
    group by {{ outcome }}, kind, group_id, group_position
)

select
    {{ outcome }},
    'all' as system_id,
    'raw' as calibration,
    kind,
    -- of no comparison of int_comparisons, whose positions start at 0
    -1 - min(comparison_position) over (partition by {{ outcome }}) as comparison_position,
    group_id,
    group_position,
    n_responses,
    n_missing,
    n_root_prompts,
    total,
    -- a group without a response has no mean, one response has no spread
    total / nullif(n_responses, 0) as mean,
    case when n_responses > 1 then sum_of_squares / (n_responses - 1) end as variance
from sums
