-- One row per (study_id, slice_id, generation_id, grouping_id, measure_id, calibration, statistic, parameters): what a
-- question came to, and how large its answer is.
-- verdict: of the strongest group that stands; equivalence where every group is inside its margin; a question that is
-- called without a group that stands differs all the same. Source: inference.md 6.4 and 6.6.
{% set keys = question_keys() | join(', ') %}
{% set of_measure = (question_keys() | reject('in', ['statistic', 'parameters'])) | join(', ') %}
with

questions as (
    select * from {{ source('inference', 'questions') }}
),

question_groups as (
    select * from {{ ref('int_question_groups') }}
),

disparities as (
    select * from {{ ref('disparities') }} where metric in ('range', 'impact_ratio', 'cramers_v')
),

studies as (
    select study_id, alpha from {{ source('raw', 'studies') }}
),

by_category as (
    select {{ of_measure }}, min(kind) as kind, sum(n_responses) as n_responses, sum(n_missing) as n_missing
    from {{ ref('int_group_statistics') }}
    group by {{ of_measure }}, category
),

counts as (
    select
        {{ of_measure }},
        min(kind) as kind,
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
        min(n_needed) as n_needed,
        max(case when std_error > 0 then abs(value) / std_error end) as effect_in_std_errors
    from question_groups
    group by {{ keys }}
),

named as (
    select
        questions.*,
        counts.n_responses,
        counts.n_missing,
        {{ headline_size() }} as size
    from questions
    inner join counts using ({{ of_measure }})
),

sizes as (
    select
        {{ keys }}, metric as size, metric, value, reason, null_q95, ci_low, ci_high, margin,
        group_low, group_high, n_low, n_high
    from disparities
    union all
    select
        {{ keys }}, 'difference' as size, contrast as metric, value, null as reason, null_q95, ci_low, ci_high, margin,
        null as group_low, null as group_high, null as n_low, null as n_high
    from question_groups
    where n_groups = 2 and value is not null and not is_mirror
)

select
    {% for key in question_keys() %}
    named.{{ key }},
    {% endfor %}
    named.set_id,
    named.p_value,
    named.q_value,
    named.n_questions,
    coalesce(named.q_value <= studies.alpha, false) as is_called,
    case
        when of_groups.n_biased > 0 then 'bias_shown'
        when of_groups.n_groups_shown > 0 then 'difference_shown'
        when of_groups.n_equivalent > 0 and of_groups.n_not_equivalent = 0 then 'equivalence_shown'
        when named.q_value <= studies.alpha then 'difference_shown'
        when named.p_value is null then 'not_computable'
        else 'inconclusive'
    end as verdict,
    coalesce(sizes.metric, case when named.size = 'difference' then named.statistic || '_difference' else named.size end)
        as headline_metric,
    sizes.value,
    sizes.null_q95,
    sizes.ci_low,
    sizes.ci_high,
    sizes.margin,
    sizes.group_low,
    sizes.group_high,
    sizes.n_low,
    sizes.n_high,
    named.n_groups,
    coalesce(of_groups.n_groups_shown, 0) as n_groups_shown,
    named.n_responses,
    named.n_missing,
    named.n_root_prompts,
    named.n_units,
    named.scope,
    of_groups.n_needed,
    of_groups.effect_in_std_errors,
    case when sizes.value is null then coalesce(sizes.reason, named.inference_reason, 'no_values') end as reason,
    named.inference_reason
from named
inner join studies using (study_id)
left join of_groups using ({{ keys }})
left join sizes using ({{ keys }}, size)
