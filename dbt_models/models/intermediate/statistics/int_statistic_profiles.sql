with

statistics as (
    select * from {{ ref('int_statistics') }}
),

dixon as (
    select * from {{ ref('dixon_critical_values') }}
),

designs as (
    select * from {{ ref('int_designs') }}
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

groups as (
    select comparison_position, group_position, group_id from {{ ref('int_group_statistics') }}
),

ranked as (
    select
        comparison_position,
        statistic_position,
        statistic,
        parameters,
        normalise,
        group_position,
        value,
        n_responses,
        n_unpaired,
        row_number() over (partition by comparison_position, statistic_position order by value asc nulls last) as place,
        count(value) over compared as n_values,
        max(value) over compared as value_max,
        min(value) over compared as value_min
    from statistics
    window compared as (partition by comparison_position, statistic_position)
),

extremes as (
    select
        *,
        case when value >= value_max - 1e-12 * abs(value_max) then group_position end as high_position,
        case when value <= value_min + 1e-12 * abs(value_min) then group_position end as low_position
    from ranked
),

profiles as (
    select
        comparison_position,
        statistic_position,
        min(statistic) as statistic,
        min(parameters) as parameters,
        min(normalise) as normalise,
        count(value) as n_groups,
        min(value_max) as value_max,
        min(value_min) as value_min,
        avg(value) as value_mean,
        stddev_samp(value) as value_sd,
        {% for place in [2, 3] %}
        max(case when place = {{ place }} then value end) as value_low_{{ place }},
        max(case when place = n_values + 1 - {{ place }} then value end) as value_high_{{ place }},
        {% endfor %}
        min(high_position) as position_high,
        min(low_position) as position_low,
        count(high_position) as n_high,
        count(low_position) as n_low,
        cast(sum(n_responses) as bigint) as n_responses,
        sum(n_unpaired) as n_unpaired
    from extremes
    group by comparison_position, statistic_position
)

select
    profiles.comparison_position,
    profiles.statistic_position,
    comparisons.study_id,
    comparisons.slice_id,
    comparisons.system_id,
    comparisons.measure_id,
    comparisons.calibration,
    comparisons.grouping_id,
    profiles.statistic,
    profiles.parameters,
    comparisons.kind,
    profiles.normalise,
    profiles.n_groups,
    profiles.value_max,
    profiles.value_min,
    profiles.value_mean,
    profiles.value_sd,
    profiles.value_low_2,
    profiles.value_low_3,
    profiles.value_high_2,
    profiles.value_high_3,
    groups_high.group_id as group_high,
    groups_low.group_id as group_low,
    profiles.n_high,
    profiles.n_low,
    dixon.variant as dixon_variant,
    dixon.critical_value as dixon_critical_value,
    profiles.n_responses,
    coalesce(designs.n_root_prompts, 0) as n_root_prompts,
    coalesce(designs.is_balanced and profiles.n_unpaired = 0, false) as is_balanced
from profiles
inner join comparisons on profiles.comparison_position = comparisons.comparison_position
left join groups as groups_high
    on profiles.comparison_position = groups_high.comparison_position
    and profiles.position_high = groups_high.group_position
left join groups as groups_low
    on profiles.comparison_position = groups_low.comparison_position
    and profiles.position_low = groups_low.group_position
left join designs on profiles.comparison_position = designs.comparison_position
left join dixon on profiles.n_groups = dixon.n_groups
