with

question_groups as (
    select * from {{ ref('int_question_groups') }}
),

findings as (
    select * from {{ ref('v_findings') }}
)

select
    findings.study_id,
    findings.slice_id,
    findings.generation_id,
    findings.measure_id,
    findings.grouping_id,
    question_groups.group_id,
    question_groups.category,
    question_groups.reference,
    findings.title,
    findings.model,
    findings.role,
    findings.unit,
    findings.direction,
    findings.finding_rank,
    findings.set_id,
    question_groups.verdict,
    question_groups.value,
    question_groups.ci_low,
    question_groups.ci_high,
    question_groups.q_value,
    question_groups.margin,
    findings.n_root_prompts,
    findings.n_units,
    findings.scope,
    findings.declared
from question_groups
inner join findings using (study_id, slice_id, generation_id, measure_id, grouping_id)
where {{ is_pinned('question_groups') }} and question_groups.stands and question_groups.advantage < 0
