{% set comparison = 'study_id, slice_id, system_id, measure_id, grouping_id' -%}
with

subgroups as (
    select * from {{ ref('int_subgroups') }}
),

ideals as (
    select * from {{ source('raw', 'subgroup_ideals') }}
),

with_values as (
    select {{ comparison }}, 'deviation_rate' as statistic, deviation_rate as value, reason
    from subgroups
    where n_responses > 0
    union all
    select {{ comparison }}, 'log_disparity' as statistic, log_disparity as value, reason
    from subgroups
    where n_responses > 0
),

comparisons as (
    select {{ comparison }} from subgroups group by {{ comparison }}
),

summed as (
    select
        {{ comparison }},
        statistic,
        ideal,
        count(*) as n_subgroups,
        count(value) as n_values,
        avg(abs(value - ideal)) as deviation_metric,
        avg(case when value < 0.2e0 then 1.0e0 else 0.0e0 end) as share_below,
        max(case when value is null then reason end) as reason
    from with_values
    inner join ideals using (study_id, statistic)
    group by {{ comparison }}, statistic, ideal
),

filled as (
    select
        {{ comparison }},
        statistic,
        ideals.ideal,
        coalesce(n_subgroups, 0) as n_subgroups,
        deviation_metric,
        share_below,
        case
            when n_subgroups is null then 'no_values'
            when n_values < n_subgroups then reason
        end as reason
    from comparisons
    inner join ideals using (study_id)
    left join summed using ({{ comparison }}, statistic)
)

select
    {{ comparison }},
    statistic,
    'deviation_metric' as metric,
    case when reason is null then deviation_metric end as value,
    ideal,
    n_subgroups,
    reason
from filled
union all
select
    {{ comparison }},
    statistic,
    'share_below_0_2' as metric,
    case when reason is null then share_below end as value,
    cast(null as double) as ideal,
    n_subgroups,
    reason
from filled
where statistic = 'deviation_rate'
