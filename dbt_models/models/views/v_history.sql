{% set keys = (hypothesis_keys() + ['reference_system_id']) | join(', ') %}
with

run_findings as (
    select * from {{ ref('run_findings') }}
),

runs as (
    select study_id, run_id, published_at from {{ ref('runs') }}
),

in_order as (
    select
        run_findings.*,
        runs.published_at,
        row_number() over run_order as run_position,
        lag(run_findings.run_id) over run_order as run_id_before,
        lag(scorer_versions) over run_order as scorer_versions_before,
        lag(strongest_effect) over run_order as size_before,
        lag(strongest_group_id) over run_order as group_before,
        lag(strongest_category) over run_order as category_before
    from run_findings
    inner join runs using (study_id, run_id)
    window run_order as (partition by {{ keys }} order by published_at asc nulls first, run_id asc)
)

select
    {% for key in hypothesis_keys() %}
    {{ key }},
    {% endfor %}
    reference_system_id,
    run_id,
    run_position,
    run_id_before,
    published_at,
    wave,
    outcome,
    reason,
    {{ rounded('p_value') }} as p_value,
    {{ rounded('q_value') }} as q_value,
    verdict,
    {% for column in ['verdict', 'effect', 'group_id', 'category'] %}
    strongest_{{ column }},
    {% endfor %}
    {% for column in ['strongest_value', 'strongest_ci_low', 'strongest_ci_high', 'strongest_margin'] %}
    {{ rounded(column) }} as {{ column }},
    {% endfor %}
    unit,
    n_responses,
    n_root_prompts,
    scorer_versions,
    scorer_versions <> scorer_versions_before as scorer_changed,
    strongest_effect = size_before
    and strongest_group_id = group_before
    and strongest_category = category_before as is_same_size
from in_order
