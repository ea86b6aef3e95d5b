{% set keys -%}
    {{ hypothesis_keys() | join(', ') }}, group_id, category, reference
{%- endset %}
with

pairs as (
    select * from {{ ref('int_finding_pairs') }}
)

select
    {{ keys }},
    row_number() over (partition by {{ keys }} order by place asc) as position,
    root_prompt_id,
    difference,
    prompt_id,
    other_prompt_id,
    replicate,
    other_replicate,
    chosen_for
from pairs
