with

distances as (
    select * from {{ ref('int_label_distances') }}
),

cells as (
    select * from {{ ref('int_cell_sums') }}
),

designs as (
    select * from {{ ref('int_designs') }}
),

groupings as (
    select * from {{ source('raw', 'groupings') }} where factor <> 'negative_control'
),

cell_counts as (
    select comparison_position, count(*) as n_cells
    from cells
    where selection_position = 0
    group by comparison_position
),

study_factors as (
    select study_id, count(distinct factor) as n_factors_of_study
    from groupings
    group by study_id
),

factor_counts as (
    select groupings.study_id, groupings.grouping_id, count(*) as n_factors, study_factors.n_factors_of_study
    from groupings
    inner join study_factors on groupings.study_id = study_factors.study_id
    group by groupings.study_id, groupings.grouping_id, study_factors.n_factors_of_study
),

ranges as (
    select
        *,
        max(distance) over comparison as distance_max,
        min(distance) over comparison as distance_min
    from distances
    window comparison as (partition by comparison_position)
),

extremes as (
    select
        *,
        case when distance >= distance_max * (1 - 1e-12) then group_position end as high_position,
        case when distance <= distance_min * (1 + 1e-12) then group_position end as low_position
    from ranges
)

select
    extremes.study_id,
    extremes.slice_id,
    extremes.system_id,
    extremes.measure_id,
    extremes.calibration,
    extremes.grouping_id,
    'share' as statistic,
    '' as parameters,
    count(extremes.distance) as n_groups,
    max(extremes.n_labels) as n_labels,
    coalesce(max(cell_counts.n_cells), 0) as n_cells,
    avg(extremes.distance) as distance_mean,
    max(extremes.distance) as distance_max,
    sum(extremes.phi_squared) as phi_squared,
    avg(extremes.jsd) as jsd_mean,
    max(extremes.jsd) as jsd_max,
    avg(extremes.kl_from_groups) as jsd_between_groups,
    min_by(extremes.group_id, extremes.high_position) as group_high,
    min_by(extremes.group_id, extremes.low_position) as group_low,
    count(extremes.high_position) as n_high,
    count(extremes.low_position) as n_low,
    cast(sum(extremes.n_responses) as bigint) as n_responses,
    coalesce(max(designs.n_root_prompts), 0) as n_root_prompts,
    coalesce(bool_and(designs.is_balanced), false) as is_balanced,
    bool_or(extremes.is_pooled) as is_pooled,
    max(factor_counts.n_factors) > 1 and max(factor_counts.n_factors) = max(factor_counts.n_factors_of_study)
        as has_every_factor
from extremes
inner join factor_counts
    on extremes.study_id = factor_counts.study_id
    and extremes.grouping_id = factor_counts.grouping_id
left join cell_counts on extremes.comparison_position = cell_counts.comparison_position
left join designs on extremes.comparison_position = designs.comparison_position
group by
    extremes.study_id,
    extremes.slice_id,
    extremes.system_id,
    extremes.measure_id,
    extremes.calibration,
    extremes.grouping_id
