{% set keys = hypothesis_keys() | join(', ') %}
with

hypothesis_groups as (
    select * from {{ ref('int_hypothesis_groups') }} where value is not null and not is_mirror
),

studies as (
    select study_id, run_id from {{ ref('studies') }}
),

headlines as (
    select
        {{ keys }},
        headline_metric as contrast,
        headline_group_id as group_id,
        headline_category as category,
        headline_reference as reference
    from {{ ref('hypotheses') }}
    where reference_system_id = '' and headline_group_id is not null
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
    hypothesis_groups.q_permuted,
    hypothesis_groups.margin,
    hypothesis_groups.margin_origin,
    hypothesis_groups.verdict,
    hypothesis_groups.explained_by,
    hypothesis_groups.without_groups,
    headlines.study_id is not null as is_headline
from hypothesis_groups
inner join studies using (study_id)
left join headlines using ({{ keys }}, contrast, group_id, category, reference)
