with

findings as (
    select * from {{ ref('findings') }}
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

reasons as (
    select * from {{ ref('reasons') }}
)

select
    findings.study_id,
    findings.slice_id,
    findings.system_id,
    findings.measure_id,
    findings.grouping_id,
    studies.title,
    systems.model,
    systems.system_prompt_name,
    measures.kind,
    measures.unit,
    measures.direction,
    findings.finding_rank,
    findings.family_id,
    findings.verdict,
    findings.verdict_reason,
    {% for column in ['p_value', 'q_value', 'q_permuted', 'p_negative_controls'] %}
    {{ rounded('findings.' ~ column) }} as {{ column }},
    {% endfor %}
    {% for kind in ['headline', 'largest'] %}
    {% for column in ['metric', 'group_id', 'category', 'reference'] %}
    findings.{{ kind }}_{{ column }},
    {% endfor %}
    {% for column in ['value', 'ci_low', 'ci_high', 'margin'] %}
    {{ rounded('findings.' ~ kind ~ '_' ~ column) }} as {{ kind }}_{{ column }},
    {% endfor %}
    findings.{{ kind }}_margin_origin,
    {% endfor %}
    findings.n_groups,
    findings.n_groups_different,
    findings.n_responses,
    findings.n_root_prompts,
    findings.n_units,
    findings.scope,
    {{ scope_with_wording('findings') }} as scope_with_wording,
    findings.wording,
    findings.n_negative_controls,
    {{ rounded('findings.wording_sd') }} as wording_sd,
    {{ rounded('findings.control_floor') }} as control_floor,
    findings.is_preregistered,
    findings.sentence,
    coalesce(findings.inference_reason, findings.reason) as reason,
    reasons.meaning,
    reasons.remedy
from findings
inner join studies using (study_id)
inner join measures using (study_id, measure_id)
left join systems using (study_id, system_id)
left join reasons on coalesce(findings.inference_reason, findings.reason) = reasons.reason
where {{ is_pinned('findings') }} and not findings.is_tool_bias and not {{ is_of_controls('findings.grouping_id') }}
