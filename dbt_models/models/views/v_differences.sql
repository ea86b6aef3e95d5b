{% set place = hypothesis_keys() + ['group_id', 'category', 'reference'] -%}
with

hypothesis_groups as (
    select * from {{ ref('int_hypothesis_groups') }}
),

contrasts as (
    select * from {{ ref('contrasts') }}
),

findings as (
    select * from {{ ref('v_findings') }}
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
    contrasts.group_id,
    contrasts.category,
    contrasts.reference,
    findings.title,
    findings.model,
    findings.system_prompt_name,
    findings.kind,
    findings.unit,
    findings.direction,
    findings.finding_rank,
    findings.family_id,
    findings.verdict as hypothesis_verdict,
    contrasts.contrast,
    contrasts.verdict,
    contrasts.verdict_reason,
    case
        when not hypothesis_groups.differs_on_its_own then null
        when hypothesis_groups.advantage > 0 then 'advantaged'
        when hypothesis_groups.advantage < 0 then 'disadvantaged'
        else 'none declared'
    end as side,
    hypothesis_groups.is_mirror,
    contrasts.explained_by,
    contrasts.without_groups,
    {% for column in [
        'value', 'ci_low', 'ci_high', 'value_shrunken', 'ci_low_selected', 'ci_high_selected', 'null_q95', 'q_value',
        'q_permuted', 'margin'
    ] %}
    {{ rounded('contrasts.' ~ column) }} as {{ column }},
    {% endfor %}
    contrasts.margin_origin,
    contrasts.n_responses,
    contrasts.n_root_prompts,
    contrasts.n_units,
    contrasts.scope,
    findings.scope_with_wording,
    findings.wording,
    findings.is_preregistered,
    contrasts.reason,
    contrasts.inference_reason,
    reasons.meaning,
    reasons.remedy
from hypothesis_groups
inner join contrasts using ({{ place | join(', ') }}, contrast)
inner join findings using (study_id, slice_id, system_id, measure_id, grouping_id)
left join reasons on coalesce(contrasts.inference_reason, contrasts.reason) = reasons.reason
where {{ is_pinned('hypothesis_groups') }}
