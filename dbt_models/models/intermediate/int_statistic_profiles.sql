-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters): what
-- the groups of one grouping have as extremes and spread of one statistic. Groups with a value only.
-- A tie within a relative 1e-12 goes to the group that comes first, n_low and n_high tell of how many: sums differ in
-- the last bit from run to run.
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
        row_number() over (partition by comparison_position, statistic_position order by value asc nulls last) as place,
        count(value) over compared as n_values,
        max(value) over compared as value_max,
        min(value) over compared as value_min
    from statistics
    window
        compared as (
            partition by comparison_position, statistic_position order by value asc nulls last
            rows between unbounded preceding and unbounded following
        )
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
        min(statistic) as statistic,
        min(parameters) as parameters,
        min(study_id) as study_id,
        min(slice_id) as slice_id,
        min(generation_id) as generation_id,
        min(measure_id) as measure_id,
        min(calibration) as calibration,
        min(grouping_id) as grouping_id,
        min(kind) as kind,
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
        min_by(group_id, high_position) as group_high,
        min_by(group_id, low_position) as group_low,
        count(high_position) as n_high,
        count(low_position) as n_low,
        cast(sum(n_responses) as bigint) as n_responses,
        sum(n_unpaired) as n_unpaired
    from extremes
    group by comparison_position, statistic_position
)

select
    profiles.study_id,
    profiles.slice_id,
    profiles.generation_id,
    profiles.measure_id,
    profiles.calibration,
    profiles.grouping_id,
    profiles.statistic,
    profiles.parameters,
    profiles.kind,
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
    profiles.group_high,
    profiles.group_low,
    profiles.n_high,
    profiles.n_low,
    dixon.variant as dixon_variant,
    dixon.critical_value as dixon_critical_value,
    profiles.n_responses,
    coalesce(designs.n_root_prompts, 0) as n_root_prompts,
    coalesce(designs.is_balanced and profiles.n_unpaired = 0, false) as is_balanced
from profiles
left join designs using (comparison_position)
left join dixon on profiles.n_groups = dixon.n_groups
