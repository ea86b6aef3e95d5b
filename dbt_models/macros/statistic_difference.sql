{# A statistic of a group minus that of the pooled rest, on the responses of the blocks in which the group meets another
   (int_side_statistics), where the study asks for it. Only ever against the rest. is_paired: whether it compares values
   with their baseline. #}
{% macro statistic_difference(statistic, is_paired=false) -%}
with

group_statistics as (
    select *
    from {{ ref('int_group_statistics') }}
    where kind in ('continuous'{{ ", 'binary'" if not is_paired }})
),

sides as (
    select * from {{ ref('int_side_statistics') }} where is_paired = {{ is_paired }}
),

{{ asked_parameters(statistic ~ '_difference', statistic) }},

counts as (
    select
        group_statistics.*,
        {{ 'n_pairs' if is_paired else 'n_responses' }} as n_values,
        sum({{ 'n_pairs' if is_paired else 'n_responses' }}) over (partition by comparison_position) as n_values_all
    from group_statistics
    inner join asked on group_statistics.study_id = asked.study_id
),

reasoned as (
    select
        counts.*,
        own.{{ statistic }} - rest.{{ statistic }} as difference,
        case
            when counts.n_responses = 0 then 'no_values'
            {% if is_paired %}
            when counts.calibration = 'calibrated' then 'already_calibrated'
            when counts.n_values = 0 then 'no_baseline'
            {% endif %}
            when counts.n_values = counts.n_values_all then 'no_complement'
            when own.n is null then 'no_block'
            when own.{{ statistic }} is not null and rest.{{ statistic }} is not null then null
            when {{ has_too_few_values("'" ~ statistic ~ "'", 'least(own.n, rest.n)') }} then 'too_few_values'
            else 'constant_values'
        end as reason
    from counts
    left join sides as own
        on counts.comparison_position = own.comparison_position
        and counts.group_position = own.group_position
        and own.is_own
    left join sides as rest
        on counts.comparison_position = rest.comparison_position
        and counts.group_position = rest.group_position
        and not rest.is_own
)

select
    study_id,
    slice_id,
    generation_id,
    measure_id,
    calibration,
    grouping_id,
    group_id,
    '{{ statistic }}_difference' as contrast,
    category,
    'rest' as reference,
    case when reason is null then difference end as value,
    n_responses,
    {{ 'n_root_prompts_paired' if is_paired else 'n_root_prompts' }} as n_root_prompts,
    reason
from reasoned
{%- endmacro %}
