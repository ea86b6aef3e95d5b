{# Log odds of a binary measure in a group minus those outside it, of response counts; add: what is added to each count.
   The complement is every other group of the same slice and generation. #}
{% macro log_disparity_contrast(contrast, add) -%}
with

group_statistics as (
    select * from {{ ref('int_group_statistics') }}
),

counts as (
    select
        *,
        coalesce(total, 0) as n_deviating,
        sum(coalesce(total, 0)) over comparison - coalesce(total, 0) as n_deviating_other,
        sum(n_responses) over comparison - n_responses as n_responses_other
    from group_statistics
    where kind = 'binary'
    window comparison as (partition by comparison_position)
),

reasoned as (
    select
        *,
        case
            when n_responses = 0 then 'no_values'
            when n_responses_other = 0 then 'no_complement'
            {% if not add %}
            when n_deviating in (0, n_responses) or n_deviating_other in (0, n_responses_other)
            then 'rate_zero_or_one'
            {% endif %}
        end as reason
    from counts
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
    case
        when reason is null
        then {{ log_odds_ratio('n_deviating', 'n_responses', 'n_deviating_other', 'n_responses_other', add) }}
    end as value,
    n_responses,
    n_root_prompts,
    reason
from reasoned
{%- endmacro %}
