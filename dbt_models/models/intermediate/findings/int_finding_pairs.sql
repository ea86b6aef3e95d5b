{% set keys -%}
    {{ hypothesis_keys() | join(', ') }}, group_id, category, reference
{%- endset %}
{% set block -%}
    {{ keys }}, root_prompt_id, block_position
{%- endset %}
with

responses as (
    select * from {{ ref('int_finding_responses') }}
),

others as (
    select
        {{ block }},
        member_id as other_id,
        prompt_id as other_prompt_id,
        replicate as other_replicate,
        x as other_x,
        side * avg(x) over (partition by {{ block }}, member_id) as other_mean
    from responses
    where member_id <> group_id and (reference in ('rest', 'grand_mean', 'parts') or reference = member_id)
),

pairs as (
    select
        {{ block }},
        difference,
        place,
        is_event,
        prompt_id,
        other_prompt_id,
        replicate,
        other_replicate,
        case when is_event then -size_of_block else abs(x - other_x - value) end as farness,
        case when is_event then other_mean else 0 end as other_mean,
        abs(replicate - other_replicate) as n_replicates_apart,
        -- among equals another group on each root prompt
        md5(concat_ws('|', study_id, root_prompt_id, group_id, other_id)) as lot_key
    from responses
    inner join others using ({{ block }})
    where member_id = group_id and round(side * (x - other_x), 9) > 0
),

chosen as (
    select
        *,
        row_number() over (
            partition by {{ keys }}, root_prompt_id
            order by
                round(farness, 9) asc nulls last,
                round(other_mean, 9) asc nulls last,
                n_replicates_apart asc,
                lot_key asc,
                replicate asc,
                other_replicate asc,
                block_position asc,
                prompt_id asc,
                other_prompt_id asc
        ) as place_in_root
    from pairs
)

select
    {{ keys }},
    place,
    root_prompt_id,
    difference,
    prompt_id,
    other_prompt_id,
    replicate,
    other_replicate,
    case when is_event then 'event' else 'nearest_to_difference' end as chosen_for
from chosen
where place_in_root = 1
