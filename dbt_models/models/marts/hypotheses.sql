with

hypotheses as (
    select * from {{ ref('int_hypotheses') }}
)

select
    {% for key in hypothesis_keys() %}
    {{ key }},
    {% endfor %}
    reference_system_id,
    family_id,
    outcome,
    outcome_reason as reason,
    p_value,
    q_value,
    significant_at_look,
    n_hypotheses,
    verdict,
    verdict_reason,
    {% for column in headline_columns() %}
    {{ column }},
    {% endfor %}
    n_groups,
    n_groups_different,
    n_responses,
    n_missing,
    n_draws,
    n_root_prompts,
    n_units,
    scope,
    {% for column in control_columns() %}
    {{ column }}{{ ',' if not loop.last }}
    {% endfor %}
from hypotheses
