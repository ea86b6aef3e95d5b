{% set keys = (hypothesis_keys() + ['reference_system_id']) | join(', ') %}
{% set sizes = ['value', 'ci_low', 'ci_high', 'margin', 'margin_origin'] %}
with

effects as (
    select * from {{ ref('int_effects') }}
),

metrics as (
    select *, '' as reference_system_id from {{ ref('int_hypothesis_metrics') }}
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
        case when not is_metric or effects.metric = metrics.metric then 0 else 1 end as metric_position
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
                metric_position asc,
                round(abs(value), 12) desc nulls last,
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
