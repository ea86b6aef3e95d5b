{% set of_measure = 'study_id, slice_id, system_id, measure_id, grouping_id' -%}
with

question_groups as (
    select * from {{ ref('int_question_groups') }}
),

findings as (
    select * from {{ ref('v_findings') }}
),

questions as (
    select {{ of_measure }}, statistic, parameters, strongest_verdict as verdict, strongest_size
    from {{ ref('questions') }}
    where calibration = 'raw' and reference_system_id = '' and strongest_verdict is not null
),

-- an impact ratio may lie beyond its margin where no difference of means or rates has one
sizes as (
    select *, {{ verdict_position() }} as verdict_position from questions
),

ranked as (
    select
        *,
        row_number() over (
            partition by {{ of_measure }} order by verdict_position asc, statistic asc, parameters asc
        ) as place
    from sizes
),

strongest as (
    select * from ranked where place = 1
)

select
    findings.study_id,
    findings.slice_id,
    findings.system_id,
    findings.measure_id,
    findings.grouping_id,
    question_groups.group_id,
    question_groups.category,
    question_groups.reference,
    findings.title,
    findings.model,
    findings.system_prompt_name,
    findings.unit,
    findings.direction,
    findings.finding_rank,
    findings.set_id,
    question_groups.verdict,
    strongest.verdict as strongest_verdict,
    strongest.strongest_size,
    {{ rounded('question_groups.value') }} as value,
    {{ rounded('question_groups.ci_low') }} as ci_low,
    {{ rounded('question_groups.ci_high') }} as ci_high,
    {{ rounded('question_groups.q_value') }} as q_value,
    {{ rounded('question_groups.margin') }} as margin,
    findings.n_root_prompts,
    findings.n_units,
    findings.scope,
    findings.declared
from question_groups
inner join findings using ({{ of_measure }})
left join strongest using ({{ of_measure }})
where {{ is_pinned('question_groups') }} and question_groups.differs_on_its_own and question_groups.advantage < 0
