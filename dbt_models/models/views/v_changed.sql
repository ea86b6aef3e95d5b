{% set pair = 'study_id, slice_id, measure_id, grouping_id, system_id, reference_system_id' -%}
with

changes as (
    select *
    from {{ ref('system_comparisons') }}
    where
        calibration = 'raw'
        and comparison in ('group_change', 'disparity_change', 'interaction_change', 'groups_changed')
        and not {{ is_of_controls() }}
),

pairs as (
    select {{ pair }}, group_id, category
    from changes
    where comparison <> 'groups_changed'
    group by {{ pair }}, group_id, category
),

of_group as (
    select * from changes where comparison = 'group_change'
),

of_disparity as (
    select * from changes where comparison = 'disparity_change'
),

-- of a crossing: what is asked of its cells, whose disparity_change has no verdict
of_beyond as (
    select * from changes where comparison = 'interaction_change'
),

of_hypothesis as (
    select * from changes where comparison = 'groups_changed'
),

studies as (
    select * from {{ ref('studies') }}
),

systems as (
    select * from {{ ref('systems') }}
),

measures as (
    select * from {{ ref('measures') }}
),

scorers as (
    select * from {{ ref('int_scorer_families') }}
)

select
    pairs.study_id,
    pairs.slice_id,
    pairs.measure_id,
    pairs.grouping_id,
    pairs.system_id,
    pairs.reference_system_id,
    pairs.group_id,
    pairs.category,
    studies.title,
    after.model as model_a,
    after.system_prompt_name as system_prompt_name_a,
    before.model as model_b,
    before.system_prompt_name as system_prompt_name_b,
    measures.unit,
    measures.direction,
    own_scorer.scorer_version as read_by,
    {{ rounded('own_scorer.recall_low') }} as recall_a,
    {{ rounded('other_scorer.recall_low') }} as recall_b,
    {{ rounded('of_group.value_a') }} as value_a,
    {{ rounded('of_group.value_b') }} as value_b,
    {{ rounded('of_group.value') }} as change,
    {{ rounded('of_group.ci_low') }} as change_ci_low,
    {{ rounded('of_group.ci_high') }} as change_ci_high,
    {{ rounded('of_disparity.value') }} as disparity_change,
    {{ rounded('of_disparity.ci_low') }} as disparity_change_ci_low,
    {{ rounded('of_disparity.ci_high') }} as disparity_change_ci_high,
    {{ rounded('of_beyond.value') }} as interaction_change,
    {{ rounded('of_beyond.ci_low') }} as interaction_change_ci_low,
    {{ rounded('of_beyond.ci_high') }} as interaction_change_ci_high,
    {{ rounded('of_disparity.value_alone') }} as value_alone,
    {{ rounded('of_disparity.ci_low_alone') }} as ci_low_alone,
    {{ rounded('of_disparity.ci_high_alone') }} as ci_high_alone,
    of_disparity.explained_by,
    of_disparity.reason_alone,
    {{ rounded('coalesce(of_beyond.q_value, of_disparity.q_value)') }} as q_value,
    {{ rounded('coalesce(of_beyond.q_permuted, of_disparity.q_permuted)') }} as q_permuted,
    coalesce(of_beyond.verdict, of_disparity.verdict) as verdict,
    coalesce(of_beyond.verdict_with_missing, of_disparity.verdict_with_missing) as verdict_with_missing,
    {{ rounded('of_disparity.missing_share_a') }} as missing_share_a,
    {{ rounded('of_disparity.missing_share_b') }} as missing_share_b,
    {{ rounded('of_hypothesis.q_value') }} as hypothesis_q_value,
    coalesce(of_disparity.n_root_prompts, of_group.n_root_prompts) as n_root_prompts,
    coalesce(of_disparity.n_dropped, of_group.n_dropped) as n_dropped,
    coalesce(of_group.reason, of_disparity.reason) as reason,
    coalesce(
        of_beyond.inference_reason, nullif(of_disparity.inference_reason, 'told_by_parts'), of_hypothesis.inference_reason,
        of_group.inference_reason
    ) as inference_reason
from pairs
left join of_group using ({{ pair }}, group_id, category)
left join of_disparity using ({{ pair }}, group_id, category)
left join of_beyond using ({{ pair }}, group_id, category)
left join of_hypothesis using ({{ pair }})
inner join studies using (study_id)
inner join measures using (study_id, measure_id)
left join systems as after
    on pairs.study_id = after.study_id and pairs.system_id = after.system_id
left join systems as before
    on pairs.study_id = before.study_id and pairs.reference_system_id = before.system_id
left join scorers as own_scorer
    on pairs.study_id = own_scorer.study_id and pairs.measure_id = own_scorer.measure_id
    and after.model_family = own_scorer.model_family
left join scorers as other_scorer
    on pairs.study_id = other_scorer.study_id and pairs.measure_id = other_scorer.measure_id
    and before.model_family = other_scorer.model_family
