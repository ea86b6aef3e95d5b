{% set keys = (hypothesis_keys() + ['reference_system_id']) | join(', ') %}
{% set sizes = ['value', 'ci_low', 'ci_high', 'margin', 'margin_origin'] %}
with

hypothesis_groups as (
    select * from {{ ref('int_hypothesis_groups') }} where value is not null
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
),

metrics as (
    select *, '' as reference_system_id from {{ ref('int_hypothesis_metrics') }}
),

effects as (
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
    from hypothesis_groups
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
),

hypotheses as (
    select {{ keys }}, headline_effect, headline_group_id, headline_category, headline_reference
    from {{ source('inference', 'hypotheses') }}
),

placed as (
    select
        effects.*,
        coalesce(
            effects.metric = headline_effect
            and group_id = headline_group_id
            and category = headline_category
            and reference = headline_reference,
            false
        ) as is_headline,
        -- of a hypothesis without contrasts its metric, or another one where that has no value
        case when effects.metric = metrics.metric then 0 else 1 end as metric_position
    from effects
    inner join hypotheses using ({{ keys }})
    left join metrics using ({{ keys }})
),

ranked as (
    select
        *,
        row_number() over (
            partition by {{ keys }}
            order by
                is_metric asc,
                is_mirror asc,
                case when is_metric then metric_position else 0 end asc,
                round(abs(value), 12) desc,
                metric asc,
                group_id asc,
                category asc,
                reference asc
        ) as place
    from placed
),

largest as (
    select * from ranked where place = 1
),

headlines as (
    select * from placed where is_headline
)

select
    {{ keys }},
    {% for source, prefix in [('headlines', 'headline'), ('largest', 'largest')] %}
    {{ source }}.metric as {{ prefix }}_metric,
    -- of a metric and of the mean of all prompts no group
    nullif({{ source }}.group_id, '') as {{ prefix }}_group_id,
    {{ source }}.category as {{ prefix }}_category,
    {{ source }}.reference as {{ prefix }}_reference,
    {% for column in sizes %}
    {{ source }}.{{ column }} as {{ prefix }}_{{ column }}{{ ',' if prefix == 'headline' or not loop.last }}
    {% endfor %}
    {% endfor %}
from hypotheses
left join headlines using ({{ keys }})
left join largest using ({{ keys }})
