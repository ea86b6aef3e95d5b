-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters): what
-- the groups of one grouping have as extremes and spread of one statistic. Groups with a value only.
-- A tie within a relative 1e-12 goes to the group that comes first: sums differ in the last bit from run to run.
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

ranked as (
    select
        *,
        row_number() over (partition by comparison_position, statistic, parameters order by value asc nulls last)
            as place_low,
        row_number() over (partition by comparison_position, statistic, parameters order by value desc nulls last)
            as place_high
    from statistics
),

moments as (
    select
        comparison_position,
        statistic,
        parameters,
        count(value) as n_groups,
        {% for place in [2, 3] %}
        max(case when place_low = {{ place }} then value end) as value_low_{{ place }},
        max(case when place_high = {{ place }} then value end) as value_high_{{ place }},
        {% endfor %}
        max(value) as value_max,
        min(value) as value_min,
        avg(value) as value_mean,
        stddev_samp(value) as value_sd
    from ranked
    group by comparison_position, statistic, parameters
),

located as (
    select
        statistics.*,
        moments.n_groups,
        moments.value_max,
        moments.value_min,
        moments.value_mean,
        moments.value_sd,
        moments.value_low_2,
        moments.value_low_3,
        moments.value_high_2,
        moments.value_high_3,
        case when statistics.value >= moments.value_max - 1e-12 * abs(moments.value_max) then group_position end
            as position_high,
        case when statistics.value <= moments.value_min + 1e-12 * abs(moments.value_min) then group_position end
            as position_low
    from statistics
    inner join moments
        on statistics.comparison_position = moments.comparison_position
        and statistics.statistic = moments.statistic
        and statistics.parameters = moments.parameters
)

select
    located.study_id,
    located.slice_id,
    located.generation_id,
    located.measure_id,
    located.calibration,
    located.grouping_id,
    located.statistic,
    located.parameters,
    located.kind,
    located.normalise,
    located.n_groups,
    located.value_max,
    located.value_min,
    located.value_mean,
    located.value_sd,
    located.value_low_2,
    located.value_low_3,
    located.value_high_2,
    located.value_high_3,
    min_by(located.group_id, located.position_high) as group_high,
    min_by(located.group_id, located.position_low) as group_low,
    dixon.variant as dixon_variant,
    dixon.critical_value as dixon_critical_value,
    cast(sum(located.n_responses) as bigint) as n_responses,
    coalesce(designs.n_root_prompts, 0) as n_root_prompts,
    coalesce(designs.is_balanced and sum(located.n_unpaired) = 0, false) as is_balanced
from located
left join designs on located.comparison_position = designs.comparison_position
left join dixon on located.n_groups = dixon.n_groups
group by
    located.study_id,
    located.slice_id,
    located.generation_id,
    located.measure_id,
    located.calibration,
    located.grouping_id,
    located.statistic,
    located.parameters,
    located.kind,
    located.normalise,
    located.n_groups,
    located.value_max,
    located.value_min,
    located.value_mean,
    located.value_sd,
    located.value_low_2,
    located.value_low_3,
    located.value_high_2,
    located.value_high_3,
    dixon.variant,
    dixon.critical_value,
    designs.n_root_prompts,
    designs.is_balanced
