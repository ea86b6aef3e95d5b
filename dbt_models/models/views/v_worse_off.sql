{% set of_measure = 'study_id, slice_id, system_id, measure_id, grouping_id' -%}
with

hypothesis_groups as (
    select * from {{ ref('int_hypothesis_groups') }}
),

findings as (
    select *, {{ verdict_position() }} as verdict_position from {{ ref('v_findings') }}
),

hypotheses as (
    select {{ of_measure }}, statistic, parameters, verdict, headline_metric, {{ verdict_position() }} as verdict_position
    from {{ ref('hypotheses') }}
    where calibration = 'raw' and reference_system_id = ''
),

-- selection rates may differ beyond a margin where means or rates do not: the hypothesis of another statistic
ranked as (
    select
        *,
        row_number() over (
            partition by {{ of_measure }} order by verdict_position asc, statistic asc, parameters asc
        ) as place
    from hypotheses
),

worst as (
    select * from ranked where place = 1
)

select
    findings.study_id,
    findings.slice_id,
    findings.system_id,
    findings.measure_id,
    findings.grouping_id,
    hypothesis_groups.group_id,
    hypothesis_groups.category,
    hypothesis_groups.reference,
    hypothesis_groups.without_groups,
    findings.title,
    findings.model,
    findings.system_prompt_name,
    findings.unit,
    findings.direction,
    findings.finding_rank,
    findings.family_id,
    hypothesis_groups.verdict,
    findings.verdict as hypothesis_verdict,
    findings.headline_metric,
    worst.verdict as worst_verdict,
    worst.statistic as worst_statistic,
    worst.headline_metric as worst_metric,
    {{ rounded('hypothesis_groups.value') }} as value,
    {{ rounded('hypothesis_groups.ci_low') }} as ci_low,
    {{ rounded('hypothesis_groups.ci_high') }} as ci_high,
    {{ rounded('hypothesis_groups.q_value') }} as q_value,
    {{ rounded('hypothesis_groups.margin') }} as margin,
    hypothesis_groups.margin_origin,
    hypothesis_groups.n_root_prompts,
    hypothesis_groups.n_units,
    hypothesis_groups.scope,
    findings.scope_with_wording,
    findings.wording,
    findings.is_preregistered
from hypothesis_groups
inner join findings using ({{ of_measure }})
-- only where it says more than the hypothesis of the finding
left join worst
    on {% for key in of_measure.split(', ') %}findings.{{ key }} = worst.{{ key }} and {% endfor %}

    worst.verdict_position < findings.verdict_position
where {{ is_pinned('hypothesis_groups') }} and hypothesis_groups.differs_on_its_own and hypothesis_groups.advantage < 0
