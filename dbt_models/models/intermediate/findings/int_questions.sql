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

studies as (
    select study_id, alpha from {{ source('raw', 'studies') }}
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

unobserved as (
    select * from {{ ref('int_unobserved_questions') }}
),

strongest_sizes as (
    select * from {{ ref('int_strongest_sizes') }}
),

-- what is said of a pair of generations, and of the groups that answer whether groups moved
of_pairs as (
    select
        study_id,
        slice_id,
        generation_a_id as generation_id,
        grouping_id,
        measure_id,
        calibration,
        case comparison when 'disparity_change' then 'groups_moved' else comparison end as statistic,
        '' as parameters,
        generation_b_id as reference_generation_id,
        max(case when comparison <> 'disparity_change' then value end) as value,
        max(case when comparison <> 'disparity_change' then ci_low end) as ci_low,
        max(case when comparison <> 'disparity_change' then ci_high end) as ci_high,
        count(distinct case when comparison = 'disparity_change' and {{ is_shown() }} then group_id end) as n_groups_shown,
        count(distinct case when comparison = 'disparity_change' then group_id end) as n_groups,
        count(case when comparison = 'disparity_change' and verdict = 'bias_shown' then 1 end) as n_biased,
        count(case when comparison = 'disparity_change' and verdict = 'equivalence_shown' then 1 end) as n_equivalent,
        count(
            case when comparison = 'disparity_change' and value is not null and verdict <> 'equivalence_shown' then 1 end
        ) as n_not_equivalent
    from {{ source('inference', 'generation_comparisons') }}
    where comparison in ('mean_change', 'groups_moved', 'disparity_change')
    group by
        study_id,
        slice_id,
        generation_a_id,
        generation_b_id,
        grouping_id,
        measure_id,
        calibration,
        case comparison when 'disparity_change' then 'groups_moved' else comparison end
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
),

-- pairs of generations have a row of either kind beside them, and questions of nothing observed have none
joined as (
    select
        questions.*,
        questions.is_observed and questions.reference_generation_id = '' as is_finding,
        coalesce(questions.q_value <= studies.alpha, false) as is_called,
        coalesce(of_groups.n_biased, of_pairs.n_biased, 0) as n_biased,
        coalesce(of_groups.n_groups_shown, of_pairs.n_groups_shown, 0) as n_groups_shown,
        coalesce(of_groups.n_equivalent, of_pairs.n_equivalent, 0) as n_equivalent,
        coalesce(of_groups.n_not_equivalent, of_pairs.n_not_equivalent, 0) as n_not_equivalent,
        of_pairs.n_groups as n_groups_of_pair,
        of_pairs.value as value_of_pair,
        of_pairs.ci_low as ci_low_of_pair,
        of_pairs.ci_high as ci_high_of_pair,
        of_groups.n_needed,
        of_groups.n_needed_for,
        of_groups.n_needed_reason,
        of_groups.effect_in_std_errors,
        unobserved.n_asked,
        unobserved.reason as reason_unobserved
    from questions
    inner join studies using (study_id)
    left join of_groups using ({{ keys }})
    left join of_pairs using ({{ keys }}, reference_generation_id)
    left join unobserved using ({{ keys }}, reference_generation_id)
),

judged as (
    select
        *,
        case
            when n_biased > 0 then 'bias_shown'
            when n_groups_shown > 0 then 'difference_shown'
            when n_equivalent > 0 and n_not_equivalent = 0 then 'equivalence_shown'
            when is_called then 'difference_shown'
            when p_value is null then 'not_computable'
            else 'inconclusive'
        end as verdict
    from joined
),

accounted as (
    select
        *,
        case
            when is_called then 'called'
            when verdict = 'equivalence_shown' then 'equivalent'
            when p_value is not null then 'open'
            when not is_observed and coalesce(n_asked, 0) = 0 then 'not_asked'
            when not is_observed and reason_unobserved = 'instrument_differs' then 'not_testable'
            -- a binary measure without any event, or a constant one, shows nothing to compare: inference.md 6.7
            when not is_observed or inference_reason = 'no_variation' then 'not_observed'
            else 'not_testable'
        end as outcome
    from judged
)

select
    {% for key in question_keys() %}
    {{ key }},
    {% endfor %}
    reference_generation_id,
    accounted.set_id,
    accounted.outcome,
    case
        when accounted.outcome in ('called', 'equivalent', 'open') then null
        else coalesce(accounted.reason_unobserved, accounted.inference_reason, headlines.reason, 'no_values')
    end as outcome_reason,
    accounted.is_finding,
    accounted.p_value,
    accounted.q_value,
    accounted.n_questions,
    accounted.is_called,
    accounted.verdict,
    strongest_sizes.strongest_verdict,
    strongest_sizes.strongest_size,
    strongest_sizes.strongest_group_id,
    strongest_sizes.strongest_category,
    strongest_sizes.strongest_value,
    strongest_sizes.strongest_ci_low,
    strongest_sizes.strongest_ci_high,
    strongest_sizes.strongest_margin,
    headlines.headline_metric,
    coalesce(headlines.value, accounted.value_of_pair) as value,
    headlines.null_q95,
    coalesce(headlines.ci_low, accounted.ci_low_of_pair) as ci_low,
    coalesce(headlines.ci_high, accounted.ci_high_of_pair) as ci_high,
    headlines.margin,
    headlines.group_low,
    headlines.group_high,
    headlines.n_low,
    headlines.n_high,
    coalesce(accounted.n_groups_of_pair, accounted.n_groups) as n_groups,
    accounted.n_groups_shown,
    case when accounted.is_finding then counts.n_responses when reference_generation_id = '' then 0 end as n_responses,
    case when accounted.is_finding then counts.n_missing when reference_generation_id = '' then accounted.n_asked end
        as n_missing,
    accounted.n_draws,
    accounted.n_root_prompts,
    accounted.n_units,
    accounted.scope,
    accounted.n_needed,
    accounted.n_needed_for,
    accounted.n_needed_reason,
    accounted.effect_in_std_errors,
    headlines.reason,
    accounted.inference_reason
from accounted
left join counts using ({{ of_measure }})
left join headlines using ({{ keys }})
left join strongest_sizes using ({{ keys }}, reference_generation_id)
