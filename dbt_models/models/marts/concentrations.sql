{% set read = ['range', 'max_abs_z', 'dixon_excess_low', 'dixon_excess_high'] %}
with

profiles as (
    select *, parameters as statistic_parameters from {{ ref('int_statistic_profiles') }}
),

disparity_values as (
    select * from {{ ref('int_disparity_values') }} where metric in ('{{ read | join("', '") }}')
),

disparities as (
    select * from {{ ref('disparities') }}
),

significant as (
    select *, parameters as statistic_parameters from {{ ref('int_hypotheses') }} where is_significant
),

found as (
    select
        study_id,
        slice_id,
        system_id,
        measure_id,
        calibration,
        grouping_id,
        statistic,
        disparity_values.statistic_parameters,
        metric,
        disparities.value,
        disparities.null_q95
    from disparities
    inner join disparity_values
        using (study_id, slice_id, system_id, measure_id, calibration, grouping_id, statistic, parameters, metric)
),

sizes as (
    select
        study_id,
        slice_id,
        system_id,
        measure_id,
        calibration,
        grouping_id,
        statistic,
        statistic_parameters,
        max(case when metric = 'range' then value end) as group_range,
        max(case when metric = 'range' then null_q95 end) as group_range_null_q95,
        max(case when metric = 'max_abs_z' then value end) as max_abs_z,
        max(case when metric = 'max_abs_z' then null_q95 end) as max_abs_z_null_q95,
        max(case when metric = 'dixon_excess_low' then value end) as dixon_excess_low,
        max(case when metric = 'dixon_excess_high' then value end) as dixon_excess_high
    from found
    group by
        study_id, slice_id, system_id, measure_id, calibration, grouping_id, statistic, statistic_parameters
)

select
    study_id,
    slice_id,
    system_id,
    measure_id,
    calibration,
    grouping_id,
    statistic,
    profiles.parameters,
    case
        when profiles.n_groups < 2 then null
        when significant.study_id is null then 'undecided'
        when dixon_excess_low > 0 or dixon_excess_high > 0 then 'concentrated'
        when {{ is_past('max_abs_z', 'max_abs_z_null_q95') }} then 'concentrated'
        when {{ is_past('group_range', 'group_range_null_q95') }} then 'dispersed'
        else 'undecided'
    end as concentration,
    case when profiles.n_groups = 0 then 'no_values' when profiles.n_groups = 1 then 'one_group' end as reason,
    dixon_excess_low,
    dixon_excess_high,
    max_abs_z,
    max_abs_z_null_q95,
    group_range,
    group_range_null_q95,
    cast(profiles.n_groups as bigint) as n_groups
from profiles
left join sizes
    using (
        study_id, slice_id, system_id, measure_id, calibration, grouping_id, statistic, statistic_parameters
    )
left join significant
    using (
        study_id, slice_id, system_id, measure_id, calibration, grouping_id, statistic, statistic_parameters
    )
