{% set keys = (hypothesis_keys() + ['reference_system_id']) | join(', ') %}
{% set of_measure = (hypothesis_keys() | reject('in', ['statistic', 'parameters'])) | join(', ') %}
with

hypotheses as (
    select * from {{ source('inference', 'hypotheses') }}
),

metrics as (
    select *, '' as reference_system_id from {{ ref('int_hypothesis_metrics') }}
),

by_category as (
    {% for statistics in ['int_group_statistics', 'int_pooled_statistics'] %}
    select {{ of_measure }}, sum(n_responses) as n_responses, sum(n_missing) as n_missing
    from {{ ref(statistics) }}
    group by {{ of_measure }}, category
    union all
    {% endfor %}
    select {{ of_measure }}, sum(n_responses) as n_responses, sum(n_missing) as n_missing
    from {{ ref('int_labelled_groups') }}
    group by {{ of_measure }}
),

counts as (
    select
        {{ of_measure }},
        cast(max(n_responses) as bigint) as n_responses,
        cast(min(n_missing) as bigint) as n_missing
    from by_category
    group by {{ of_measure }}
),

judged as (
    select
        hypotheses.*,
        is_observed and reference_system_id = '' as is_of_groups,
        -- what all models come to together is told beside them, unless the study asks it as a question of its own
        is_observed and reference_system_id = '' and family_id <> 'pooled' as is_finding,
        significant_at_look is not null as is_significant,
        coalesce(answers.n_groups, hypotheses.n_groups) as n_groups_compared,
        coalesce(answers.n_groups_different, 0) as n_groups_different,
        {% for column in ['n_needed', 'n_needed_for', 'n_needed_reason', 'effect_in_std_errors'] %}
        answers.{{ column }},
        {% endfor %}
        coalesce(unobserved.n_asked, 0) as n_asked,
        unobserved.reason as reason_unobserved
    from hypotheses
    left join {{ ref('int_hypothesis_answers') }} as answers using ({{ keys }})
    left join {{ ref('int_unobserved_hypotheses') }} as unobserved using ({{ keys }})
),

accounted as (
    select
        *,
        case
            when is_significant then 'significant'
            when verdict = 'equivalent' then 'equivalent'
            when p_value is not null then 'inconclusive'
            when not is_observed and n_asked = 0 then 'not_asked'
            when reason_unobserved in ('scorer_differs', 'scheme_not_available', 'too_few_labels') then 'not_testable'
            -- a binary measure without any event, or a constant one, shows nothing to compare: inference.md 6.7
            when not is_observed or inference_reason = 'no_variation' then 'not_observed'
            else 'not_testable'
        end as outcome
    from judged
)

select
    {{ keys }},
    family_id,
    outcome,
    case
        when p_value is null and outcome not in ('significant', 'equivalent')
        then coalesce(reason_unobserved, accounted.inference_reason, metrics.metric_reason, 'no_values')
    end as outcome_reason,
    accounted.is_finding,
    p_value,
    q_value,
    n_hypotheses,
    significance_level,
    significant_at_look,
    is_significant,
    verdict,
    verdict_reason,
    {% for column in headline_columns() %}
    headlines.{{ column }},
    {% endfor %}
    metrics.metric,
    {% for column in ['value', 'null_q95', 'ci_low', 'ci_high', 'margin', 'margin_origin', 'verdict', 'reason'] %}
    metrics.metric_{{ column }},
    {% endfor %}
    metrics.group_low,
    metrics.group_high,
    metrics.n_low,
    metrics.n_high,
    n_groups_compared as n_groups,
    n_groups_different,
    case when is_of_groups then n_responses when reference_system_id = '' then 0 end as n_responses,
    case when is_of_groups then n_missing when reference_system_id = '' then n_asked end as n_missing,
    {% for column in ['n_needed', 'n_needed_for', 'n_needed_reason', 'effect_in_std_errors'] %}
    {{ column }},
    {% endfor %}
    n_draws,
    n_root_prompts,
    n_units,
    scope,
    {% for column in control_columns() %}
    {{ column }},
    {% endfor %}
    accounted.inference_reason
from accounted
left join counts using ({{ of_measure }})
left join metrics using ({{ keys }})
left join {{ ref('int_headlines') }} as headlines using ({{ keys }})
