{% set keys -%}
    {{ hypothesis_keys() | join(', ') }}, group_id, category, reference
{%- endset %}
{% set most = 10 -%}
with

blocks as (
    select * from {{ ref('int_finding_blocks') }}
),

of_roots as (
    select
        *,
        avg(difference_of_block) over (partition by {{ keys }}, root_prompt_id) as difference,
        row_number() over (
            partition by {{ keys }}, root_prompt_id
            order by round(side * difference_of_block, 9) desc nulls last, block_position asc
        ) as place_in_root
    from blocks
),

ranked as (
    select
        *,
        row_number() over (
            partition by {{ keys }} order by round(side * difference, 9) desc nulls last, root_prompt_id asc
        ) as position
    from of_roots
    where place_in_root = 1
)

select
    {{ keys }},
    position,
    root_prompt_id,
    difference,
    prompt_id,
    other_prompt_id
from ranked
where position <= {{ most }}
