{# One contrast that is mean D over cells (int_group_differences): the columns that all contrasts share. #}
{% macro group_difference(contrast, kinds) -%}
with

group_statistics as (
    select * from {{ ref('int_group_statistics') }}
),

reasoned as (
    select
        *,
        sum(n_responses) over comparison - n_responses as n_responses_other,
        case
            when n_responses = 0 then 'no_values'
            when sum(n_responses) over comparison = n_responses then 'no_complement'
            when difference is null then 'no_block'
        end as reason
    from group_statistics
    where kind in ('{{ kinds | join("', '") }}')
    window comparison as (partition by comparison_position)
)

select
    study_id,
    slice_id,
    generation_id,
    measure_id,
    calibration,
    grouping_id,
    group_id,
    '{{ contrast }}' as contrast,
    category,
    'rest' as reference,
    case when reason is null then difference end as value,
    n_responses,
    n_root_prompts_compared as n_root_prompts,
    reason
from reasoned
{%- endmacro %}
