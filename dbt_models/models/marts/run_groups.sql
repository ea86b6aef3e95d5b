with

hypothesis_groups as (
    select * from {{ ref('int_hypothesis_groups') }} where value is not null and not is_mirror
),

studies as (
    select study_id, run_id from {{ ref('studies') }}
)

select
    hypothesis_groups.study_id,
    studies.run_id,
    {% for key in hypothesis_keys() if key != 'study_id' %}
    hypothesis_groups.{{ key }},
    {% endfor %}
    hypothesis_groups.group_id,
    hypothesis_groups.category,
    hypothesis_groups.reference,
    hypothesis_groups.contrast,
    hypothesis_groups.value,
    hypothesis_groups.ci_low,
    hypothesis_groups.ci_high,
    hypothesis_groups.q_value,
    hypothesis_groups.margin,
    hypothesis_groups.verdict,
    hypothesis_groups.explained_by
from hypothesis_groups
inner join studies using (study_id)
