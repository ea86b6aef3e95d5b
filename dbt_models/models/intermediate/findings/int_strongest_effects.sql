{% set keys = (hypothesis_keys() + ['reference_system_id']) | join(', ') %}
with

hypothesis_groups as (
    select * from {{ ref('int_hypothesis_groups') }}
),

disparities as (
    select * from {{ ref('disparities') }} where verdict is not null and value is not null
),

comparisons as (
    select * from {{ source('inference', 'system_comparisons') }}
    where comparison in ('disparity_change', 'interaction_change') and verdict is not null and value is not null
),

sizes as (
    select
        {{ hypothesis_keys() | join(', ') }},
        '' as reference_system_id,
        contrast as name,
        group_id,
        category,
        reference,
        value,
        ci_low,
        ci_high,
        margin,
        verdict
    from hypothesis_groups
    where value is not null and not is_mirror
    union all
    select
        {{ hypothesis_keys() | join(', ') }},
        '' as reference_system_id,
        metric as name,
        '' as group_id,
        '' as category,
        '' as reference,
        value,
        ci_low,
        ci_high,
        margin,
        verdict
    from disparities
    union all
    select
        study_id,
        slice_id,
        system_id,
        grouping_id,
        measure_id,
        calibration,
        'groups_changed' as statistic,
        '' as parameters,
        reference_system_id as reference_system_id,
        comparison as name,
        group_id,
        category,
        '' as reference,
        coalesce(value_alone, value) as value,
        case when value_alone is null then ci_low else ci_low_alone end as ci_low,
        case when value_alone is null then ci_high else ci_high_alone end as ci_high,
        cast(null as double) as margin,
        verdict
    from comparisons
),

headlines as (
    select {{ keys }}, headline_effect, headline_group_id, headline_category, headline_reference
    from {{ source('inference', 'hypotheses') }}
),

placed as (
    -- where inference names no headline the largest contrast replaces it, or the largest metric
    select
        sizes.*,
        case
            when
                name = headline_effect
                and group_id = headline_group_id
                and category = headline_category
                and reference = headline_reference
            then 0
            else 1
        end as headline_position,
        case group_id when '' then 1 else 0 end as kind_position
    from sizes
    inner join headlines using ({{ keys }})
),

ranked as (
    select
        *,
        row_number() over (
            partition by {{ keys }}
            order by
                headline_position asc,
                kind_position asc,
                round(abs(value), 12) desc nulls last,
                name asc,
                group_id asc,
                category asc,
                reference asc
        ) as place
    from placed
)

select
    {{ keys }},
    verdict as strongest_verdict,
    name as strongest_effect,
    group_id as strongest_group_id,
    category as strongest_category,
    value as strongest_value,
    ci_low as strongest_ci_low,
    ci_high as strongest_ci_high,
    margin as strongest_margin
from ranked
where place = 1
