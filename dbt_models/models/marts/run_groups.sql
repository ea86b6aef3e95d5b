with

question_groups as (
    select * from {{ ref('int_question_groups') }} where value is not null and not is_mirror
),

studies as (
    select study_id, run_id from {{ ref('studies') }}
)

select
    question_groups.study_id,
    studies.run_id,
    {% for key in question_keys() if key != 'study_id' %}
    question_groups.{{ key }},
    {% endfor %}
    question_groups.group_id,
    question_groups.category,
    question_groups.reference,
    question_groups.contrast,
    question_groups.value,
    question_groups.ci_low,
    question_groups.ci_high,
    question_groups.q_value,
    question_groups.margin,
    question_groups.verdict,
    question_groups.explained_by
from question_groups
inner join studies using (study_id)
