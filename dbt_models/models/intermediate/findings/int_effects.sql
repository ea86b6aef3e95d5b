{% set sizes = ['value', 'ci_low', 'ci_high', 'margin', 'margin_origin'] %}
with

hypothesis_groups as (
    select * from {{ ref('int_hypothesis_groups') }}
),

contrast_values as (
    select * from {{ ref('int_contrast_values') }}
),

-- what inference cannot test may have a value in SQL still
with_values as (
    select
        {% for key in hypothesis_keys() %}
        hypothesis_groups.{{ key }},
        {% endfor %}
        hypothesis_groups.contrast,
        hypothesis_groups.group_id,
        hypothesis_groups.category,
        hypothesis_groups.reference,
        coalesce(hypothesis_groups.value, contrast_values.value) as value,
        hypothesis_groups.ci_low,
        hypothesis_groups.ci_high,
        hypothesis_groups.margin,
        hypothesis_groups.margin_origin,
        hypothesis_groups.is_mirror
    from hypothesis_groups
    left join contrast_values using ({{ hypothesis_keys() | join(', ') }}, contrast, group_id, category, reference)
    where coalesce(hypothesis_groups.value, contrast_values.value) is not null
),

disparities as (
    select * from {{ ref('disparities') }} where value is not null and verdict is not null
),

-- all models together have no other row of a group
pooled as (
    select contrasts.*
    from {{ source('inference', 'contrasts') }} as contrasts
    inner join {{ source('inference', 'hypotheses') }} as hypotheses using ({{ hypothesis_keys() | join(', ') }})
    where hypotheses.is_pooled and contrasts.contrast = 'dbi' and contrasts.value_cells is not null
),

comparisons as (
    select * from {{ source('inference', 'system_comparisons') }}
    where comparison in ('mean_change', 'disparity_change', 'interaction_change') and verdict is not null and value is not null
)

select
    {{ hypothesis_keys() | join(', ') }},
    '' as reference_system_id,
    contrast as metric,
    group_id,
    category,
    reference,
    {{ sizes | join(', ') }},
    is_mirror,
    false as is_metric
from with_values
union all
select
    {{ hypothesis_keys() | join(', ') }},
    '' as reference_system_id,
    contrast as metric,
    group_id,
    category,
    reference,
    value_cells as value,
    ci_low,
    ci_high,
    margin,
    margin_origin,
    false as is_mirror,
    false as is_metric
from pooled
union all
select
    {{ hypothesis_keys() | join(', ') }},
    '' as reference_system_id,
    metric,
    '' as group_id,
    '' as category,
    '' as reference,
    {{ sizes | join(', ') }},
    false as is_mirror,
    true as is_metric
from disparities
union all
-- who moved is told against those that stay: a group by what it changed by alone
select
    study_id,
    slice_id,
    system_id,
    grouping_id,
    measure_id,
    calibration,
    case comparison when 'mean_change' then 'mean_change' else 'groups_changed' end as statistic,
    '' as parameters,
    reference_system_id,
    comparison as metric,
    group_id,
    category,
    '' as reference,
    coalesce(value_alone, value) as value,
    case when value_alone is null then ci_low else ci_low_alone end as ci_low,
    case when value_alone is null then ci_high else ci_high_alone end as ci_high,
    margin,
    margin_origin,
    false as is_mirror,
    false as is_metric
from comparisons
