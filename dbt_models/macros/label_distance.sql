{# One contrast that tells how far the labels of a group lie from those of all: a column of int_label_distances. #}
{% macro label_distance(contrast, value) -%}
with

distances as (
    select *, sum(n_responses) over (partition by comparison_position) as n_responses_all
    from {{ ref('int_label_distances') }}
),

reasoned as (
    select
        *,
        case
            when n_responses = 0 then 'no_values'
            when n_responses = n_responses_all then 'no_complement'
        end as reason
    from distances
)

select
    study_id,
    slice_id,
    system_id,
    measure_id,
    calibration,
    grouping_id,
    'share' as statistic,
    '' as parameters,
    group_id,
    '{{ contrast }}' as contrast,
    '' as category,
    'grand_mean' as reference,
    case when reason is null then {{ value }} end as value,
    case when reason is null then {{ value }} end as value_responses,
    n_responses,
    n_root_prompts,
    reason
from reasoned
{%- endmacro %}
