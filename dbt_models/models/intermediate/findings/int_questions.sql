{% set keys = question_keys() | join(', ') %}
{% set of_measure = (question_keys() | reject('in', ['statistic', 'parameters'])) | join(', ') %}
with

questions as (
    select * from {{ source('inference', 'questions') }}
),

question_groups as (
    select * from {{ ref('int_question_groups') }}
),

headlines as (
    select * from {{ ref('int_headlines') }}
),

by_category as (
    select {{ of_measure }}, sum(n_responses) as n_responses, sum(n_missing) as n_missing
    from {{ ref('int_group_statistics') }}
    group by {{ of_measure }}, category
),

counts as (
    select
        {{ of_measure }},
        cast(max(n_responses) as bigint) as n_responses,
        cast(min(n_missing) as bigint) as n_missing
    from by_category
    group by {{ of_measure }}
),

of_groups as (
    select
        {{ keys }},
        count(distinct case when stands and not is_mirror then group_id end) as n_groups_shown,
        count(case when stands and verdict = 'bias_shown' then 1 end) as n_biased,
        count(case when value is not null and verdict <> 'equivalence_shown' then 1 end) as n_not_equivalent,
        count(case when verdict = 'equivalence_shown' then 1 end) as n_equivalent,
        -- what holds of every group needs the most that one of them does
        max(n_needed) as n_needed,
        max(n_needed_for) as n_needed_for,
        case when max(n_needed) is null then max(n_needed_reason) end as n_needed_reason,
        max(case when std_error > 0 then abs(value) / std_error end) as effect_in_std_errors
    from question_groups
    group by {{ keys }}
)

select
    {% for key in question_keys() %}
    questions.{{ key }},
    {% endfor %}
    questions.set_id,
    questions.p_value,
    questions.q_value,
    questions.n_questions,
    questions.level,
    questions.called_at_look,
    questions.called_at_look is not null as is_called,
    case
        when of_groups.n_biased > 0 then 'bias_shown'
        when of_groups.n_groups_shown > 0 then 'difference_shown'
        when of_groups.n_equivalent > 0 and of_groups.n_not_equivalent = 0 then 'equivalence_shown'
        when questions.called_at_look is not null then 'difference_shown'
        when questions.p_value is null then 'not_computable'
        else 'inconclusive'
    end as verdict,
    headlines.headline_metric,
    headlines.value,
    headlines.null_q95,
    headlines.ci_low,
    headlines.ci_high,
    headlines.margin,
    headlines.group_low,
    headlines.group_high,
    headlines.n_low,
    headlines.n_high,
    questions.n_groups,
    coalesce(of_groups.n_groups_shown, 0) as n_groups_shown,
    counts.n_responses,
    counts.n_missing,
    questions.n_draws,
    questions.n_root_prompts,
    questions.n_units,
    questions.scope,
    of_groups.n_needed,
    of_groups.n_needed_for,
    of_groups.n_needed_reason,
    of_groups.effect_in_std_errors,
    headlines.reason,
    questions.inference_reason
from questions
inner join counts using ({{ of_measure }})
inner join headlines using ({{ keys }})
left join of_groups using ({{ keys }})
