-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters): whether
-- the differences between groups are concentrated in few of them or dispersed over many. Concentrated: Dixon's Q past
-- its critical value, or the largest |z| past what chance alone reaches in 95 % of cases; dispersed: neither, but the
-- range past that; past by more than rounding, for the largest |z| of two groups is always its cap.
-- Source: SAGED 4.2; metrics.md 2.
{% set keys = [
    'study_id', 'slice_id', 'generation_id', 'measure_id', 'calibration', 'grouping_id', 'statistic',
    'statistic_parameters',
] %}
with

profiles as (
    select *, parameters as statistic_parameters from {{ ref('int_statistic_profiles') }}
),

disparities as (
    select * from {{ ref('disparities') }}
),

{% for metric in ['range', 'max_abs_z', 'dixon_excess_low', 'dixon_excess_high'] %}
{{ metric }}_keys as (
    select parameters, {{ keys | join(', ') }} from {{ ref('disparity_' ~ metric) }}
),

{{ metric }}_rows as (
    select
        {% for key in keys %}
        own.{{ key }},
        {% endfor %}
        -- what no difference looks like is of the index on cells, and so is what is held against it
        coalesce(disparities.value_cells, disparities.value) as value,
        disparities.null_q95
    from {{ metric }}_keys as own
    inner join disparities
        on disparities.metric = '{{ metric }}'
        and own.parameters = disparities.parameters
        {% for key in keys[:-1] %}
        and own.{{ key }} = disparities.{{ key }}
        {% endfor %}
),

{% endfor %}
joined as (
    select
        profiles.*,
        range_rows.value as group_range,
        range_rows.null_q95 as group_range_null_q95,
        max_abs_z_rows.value as max_abs_z,
        max_abs_z_rows.null_q95 as max_abs_z_null_q95,
        dixon_excess_low_rows.value as dixon_excess_low,
        dixon_excess_high_rows.value as dixon_excess_high
    from profiles
    {% for metric in ['range', 'max_abs_z', 'dixon_excess_low', 'dixon_excess_high'] %}
    left join {{ metric }}_rows
        on {% for key in keys %}
        profiles.{{ key }} = {{ metric }}_rows.{{ key }}{{ ' and' if not loop.last }}
        {% endfor %}
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
    case
        when n_groups < 2 then null
        when dixon_excess_low > 0 or dixon_excess_high > 0 then 'concentrated'
        when {{ is_past('max_abs_z', 'max_abs_z_null_q95') }} then 'concentrated'
        when {{ is_past('group_range', 'group_range_null_q95') }} then 'dispersed'
        else 'undecided'
    end as concentration,
    case when n_groups = 0 then 'no_values' when n_groups = 1 then 'one_group' end as reason,
    dixon_excess_low,
    dixon_excess_high,
    max_abs_z,
    max_abs_z_null_q95,
    group_range,
    group_range_null_q95,
    cast(n_groups as bigint) as n_groups
from joined
