-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters, metric).
-- The study's own aggregates over the statistics of the groups.
{% set keys = [
    'study_id', 'slice_id', 'generation_id', 'measure_id', 'calibration', 'grouping_id', 'statistic', 'parameters'
] %}
{% set asked = asked_disparities() %}
with

statistics as (
    select * from {{ ref('int_statistics') }} where value is not null
),

profiles as (
    select * from {{ ref('int_statistic_profiles') }}
),

custom as (
    select * from {{ source('raw', 'custom_disparities') }}
),

computed as (
    select
        {% for one in asked %}
        cast({{ one.expression }} as double) as value_{{ loop.index }},
        {% endfor %}
        {{ keys | join(', ') }}
    from statistics
    group by {{ keys | join(', ') }}
),

long_values as (
    {% for one in asked %}
    select {{ keys | join(', ') }}, '{{ one.metric }}' as metric, value_{{ loop.index }} as value
    from computed
    union all
    {% endfor %}
    select {{ keys | join(', ') }}, '' as metric, cast(null as double) as value
    from computed
    where false
),

reasoned as (
    select
        profiles.*,
        custom.metric,
        -- neither infinite nor NaN
        case when abs(long_values.value) <= 1e100 and profiles.n_groups > 1 then long_values.value end as value,
        case
            when profiles.n_groups = 0 then 'no_values'
            when profiles.n_groups = 1 then 'one_group'
            when coalesce(abs(long_values.value) <= 1e100, false) then null
            else 'custom_undefined'
        end as reason
    from profiles
    inner join custom on profiles.study_id = custom.study_id
    left join long_values
        on custom.metric = long_values.metric
        {% for key in keys %}
        and profiles.{{ key }} = long_values.{{ key }}
        {% endfor %}
)

select
    study_id,
    slice_id,
    generation_id,
    measure_id,
    calibration,
    grouping_id,
    statistic,
    parameters,
    parameters as statistic_parameters,
    metric,
    value,
    group_low,
    group_high,
    n_groups,
    n_responses,
    n_root_prompts,
    reason
from reasoned
