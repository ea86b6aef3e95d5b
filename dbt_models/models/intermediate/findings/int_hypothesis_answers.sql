{% set keys = hypothesis_keys() | join(', ') %}
{% set is_group = "comparison in ('disparity_change', 'interaction_change')" %}
{% set statistic_of_pair = "case when " ~ is_group ~ " then 'groups_changed' else comparison end" %}
with

of_groups as (
    select
        {{ keys }},
        '' as reference_system_id,
        cast(null as bigint) as n_groups,
        count(distinct case when differs_on_its_own and not is_mirror then group_id end) as n_groups_different,
        -- what holds of every group needs the most that one of them does
        max(n_needed) as n_needed,
        max(n_needed_for) as n_needed_for,
        case when max(n_needed) is null then max(n_needed_reason) end as n_needed_reason,
        max(case when std_error > 0 then abs(value) / std_error end) as effect_in_std_errors
    from {{ ref('int_hypothesis_groups') }}
    group by {{ keys }}
),

of_pairs as (
    select
        study_id,
        slice_id,
        system_id,
        grouping_id,
        measure_id,
        calibration,
        {{ statistic_of_pair }} as statistic,
        '' as parameters,
        reference_system_id as reference_system_id,
        count(distinct case when {{ is_group }} then group_id end) as n_groups,
        count(distinct case when {{ is_group }} and {{ is_shown() }} then group_id end) as n_groups_different,
        cast(null as bigint) as n_needed,
        cast(null as string) as n_needed_for,
        cast(null as string) as n_needed_reason,
        cast(null as double) as effect_in_std_errors
    from {{ source('inference', 'system_comparisons') }}
    where comparison in ('mean_change', 'groups_changed') or {{ is_group }}
    group by
        study_id,
        slice_id,
        system_id,
        reference_system_id,
        grouping_id,
        measure_id,
        calibration,
        {{ statistic_of_pair }}
)

select * from of_groups
union all
select * from of_pairs
