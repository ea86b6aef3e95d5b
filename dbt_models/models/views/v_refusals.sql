with

subgroups as (
    select * from {{ ref('subgroups') }} where slice_id = 'all'
),

refusals as (
    select * from subgroups where measure_id = 'refusal'
),

blanks as (
    select * from subgroups where measure_id = 'empty'
),

cuts as (
    select * from subgroups where measure_id = 'truncated'
),

hypotheses as (
    select * from {{ ref('v_findings') }} where slice_id = 'all' and measure_id = 'refusal'
),

-- a group that is compared with each of the others has no one contrast, one that others are compared with has none
own as (
    select
        study_id,
        system_id,
        grouping_id,
        group_id,
        case when count(*) = 1 then max(q_value) end as q_value,
        case when count(*) = 1 then max(verdict) end as verdict,
        case when count(*) = 1 then max(inference_reason) end as inference_reason
    from {{ ref('int_hypothesis_groups') }} as hypothesis_groups
    where slice_id = 'all' and measure_id = 'refusal' and {{ is_pinned('hypothesis_groups') }}
    group by study_id, system_id, grouping_id, group_id
),

studies as (
    select * from {{ ref('studies') }}
),

systems as (
    select * from {{ ref('systems') }} where not is_baseline
)

select
    refusals.study_id,
    refusals.system_id,
    refusals.grouping_id,
    refusals.group_id,
    studies.title,
    systems.model,
    systems.system_prompt_name,
    refusals.n_responses,
    refusals.n_deviating as n_refused,
    {{ rounded('refusals.deviation_rate') }} as refusal_rate,
    {{ rounded('refusals.ci_low') }} as ci_low,
    {{ rounded('refusals.ci_high') }} as ci_high,
    {{ rounded('blanks.deviation_rate') }} as empty_rate,
    {{ rounded('cuts.deviation_rate') }} as truncated_rate,
    own.q_value,
    own.verdict,
    hypotheses.q_value as hypothesis_q_value,
    hypotheses.verdict as hypothesis_verdict,
    case when refusals.deviation_rate is null then refusals.reason end as reason,
    coalesce(
        -- of the log disparity, which is not here
        nullif(refusals.inference_reason, 'unbounded'),
        hypotheses.reason,
        own.inference_reason,
        case when own.verdict is null then 'no_own_contrast' end
    ) as inference_reason
from refusals
inner join studies using (study_id)
inner join systems using (study_id, system_id)
left join blanks using (study_id, system_id, grouping_id, group_id)
left join cuts using (study_id, system_id, grouping_id, group_id)
left join own using (study_id, system_id, grouping_id, group_id)
left join hypotheses using (study_id, system_id, grouping_id)
